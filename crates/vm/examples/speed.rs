//! scratch
use ir::*;
use warpwise_vm::*;
fn main() {
    let mut b = Builder::new("k7", WarpRules::Independent);
    let tid = b.reg(Class::W32);
    b.push(Op::Special { d: tid, what: Special::Tid(Dim::X) });
    let x = b.reg(Class::W32);
    let i = b.reg(Class::W32);
    b.copy_to(x, tid);
    b.copy_to(i, Src::Imm(0));
    let body = b.block();
    let out = b.block();
    b.terminate(Terminator::Jump(body));
    b.switch_to(body);
    let mut p = 1;
    let mut cur = x;
    let mut next = |b: &mut Builder, op: BinaryOp, s: Src| {
        p += 1;
        b.set_place(Place(p));
        cur = b.binary(op, cur, s);
        cur
    };
    let t = {
        let v = next(&mut b, BinaryOp::Shl32, Src::Imm(13));
        v
    };
    let _ = t;
    next(&mut b, BinaryOp::Xor32, x.into());
    next(&mut b, BinaryOp::ShrU32, Src::Imm(17));
    next(&mut b, BinaryOp::Xor32, x.into());
    next(&mut b, BinaryOp::Shl32, Src::Imm(5));
    let v = next(&mut b, BinaryOp::Xor32, x.into());
    b.set_place(Place(20));
    let y = b.ternary(TernaryOp::MadLo32, v, Src::Imm(1664525), Src::Imm(1013904223));
    b.set_place(Place(21));
    b.copy_to(x, y);
    b.set_place(Place(22));
    let j = b.binary(BinaryOp::AddI32, i, Src::Imm(1));
    b.set_place(Place(23));
    b.copy_to(i, j);
    b.set_place(Place(24));
    let pr = b.compare(CompareOp::LtU32, j, Src::Imm(1000));
    b.set_place(Place(25));
    b.terminate(Terminator::Branch { p: pr.into(), then: body, otherwise: out });
    b.switch_to(out);
    let k = b.finish();
    verify(&k).unwrap();
    for level in [Level::Avx2] {
        let mut mem = Memory::new().unwrap();
        let l = Launch {
            grid: [256, 1, 1],
            block: [256, 1, 1],
            dynamic_shared: 0,
            params: &[],
            image_base: 0,
            threads: 1,
            schedule: Schedule::Fair,
            max_steps: None,
            level,
            interrupted: &|| false,
            progress: &|_| (),
        };
        let t = std::time::Instant::now();
        let o = launch(&k, &l, &mut mem).unwrap();
        let s = t.elapsed().as_secs_f64();
        println!(
            "{level:?}: {:?} {:.3}s {:.2} G thread-inst/s, {:.2} ns/warp inst",
            o.fault,
            s,
            o.stats.thread_instructions as f64 / s / 1e9,
            s * 1e9 / o.stats.warp_instructions as f64
        );
    }
}
