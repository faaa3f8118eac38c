//! A kernel that goes through most of the engine, against the same in plain Rust. Small enough for Miri:
//! `cargo +nightly miri test -p warpwise-vm`.

use ir::{Access, Address, BarrierAction, BinaryOp, Builder, Class, Collective, CompareOp, Dim};
use ir::{Kernel, Members, Op, Ordering, Reg, Scope, Space, Special, Src, Terminator, Update};
use ir::{UnaryOp, WarpRules};
use lanes::ShflMode;
use warpwise_vm::{Launch, Level, Memory, Schedule};

/// Threads of the CTA: a whole warp and a partial one.
const THREADS: u32 = 45;
const CTAS: u32 = 3;

fn word(space: Space, base: impl Into<Src>, offset: i64) -> (Space, Access, Address, Ordering) {
    (space, Access::B32, Address { base: base.into(), offset }, Ordering::Weak)
}

fn load(b: &mut Builder, at: (Space, Access, Address, Ordering)) -> Reg {
    let d = b.reg(Class::W32);
    let (space, access, address, ordering) = at;
    b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
    d
}

fn store(b: &mut Builder, at: (Space, Access, Address, Ordering), value: Reg) {
    let (space, access, address, ordering) = at;
    b.push(Op::Store { values: vec![value.into()], space, access, address, ordering });
}

/// `out[t] = (in[lane 3's t] + shared[t ^ 3] + (t < 5 ? 1000 : 0)) + in[44 - t]`, where thread t put `in[t]` into
/// `shared[t]`; a counter counts the threads.
fn kernel() -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    let param = |b: &mut Builder, offset: u64| {
        let d = b.reg(Class::W64);
        let address = Address { base: Src::Imm(offset), offset: 0 };
        b.push(Op::Load {
            d: vec![Some(d)],
            space: Space::Param,
            access: Access::B64,
            address,
            ordering: Ordering::Weak,
        });
        d
    };
    let [input, out, counter] = [0, 8, 16].map(|offset| param(&mut b, offset));
    let [t, cta] = [0; 2].map(|_| b.reg(Class::W32));
    b.push(Op::Special { d: t, what: Special::Tid(Dim::X) });
    b.push(Op::Special { d: cta, what: Special::Ctaid(Dim::X) });
    let bytes = b.binary(BinaryOp::MulWideU32, t, Src::Imm(4));
    let from = b.binary(BinaryOp::AddI64, input, bytes);
    let value = load(&mut b, word(Space::Global, from, 0));
    let third = b.reg(Class::W32);
    b.push(Op::Collective {
        what: Collective::Shfl {
            mode: ShflMode::Idx,
            d: third,
            p: None,
            a: value.into(),
            b: Src::Imm(3),
            c: Src::Imm(31),
        },
        members: Members::Mask(Src::Imm(u64::from(u32::MAX))),
        aligned: false,
    });
    let mine = b.binary(BinaryOp::Shl32, t, Src::Imm(2));
    store(&mut b, word(Space::Shared, mine, 0), value);
    let (action, id) = (BarrierAction::Sync, Src::Imm(0));
    b.push(Op::Barrier { action, id, threads: None, aligned: false });
    let flipped = b.binary(BinaryOp::Xor32, mine, Src::Imm(12));
    let theirs = load(&mut b, word(Space::Shared, flipped, 0));
    let sum = b.binary(BinaryOp::AddI32, third, theirs);
    // Few lanes take a short way round.
    let low = b.compare(CompareOp::LtU32, t, Src::Imm(5));
    let (arm, join) = (b.block(), b.block());
    b.terminate(Terminator::Branch { p: low.into(), then: arm, otherwise: join });
    b.switch_to(arm);
    b.binary_to(sum, BinaryOp::AddI32, sum, Src::Imm(1000));
    b.terminate(Terminator::Jump(join));
    b.switch_to(join);
    let last = b.reg(Class::W32);
    b.unary_to(last, UnaryOp::Mov32, Src::Imm(u64::from(THREADS) - 1));
    let back = b.binary(BinaryOp::SubI32, last, t);
    let back = b.binary(BinaryOp::MulWideU32, back, Src::Imm(4));
    let back = b.binary(BinaryOp::AddI64, input, back);
    let mirrored = load(&mut b, word(Space::Global, back, 0));
    let result = b.binary(BinaryOp::AddI32, sum, mirrored);
    let row = b.binary(BinaryOp::MulWideU32, cta, Src::Imm(4 * u64::from(THREADS)));
    let to = b.binary(BinaryOp::AddI64, out, row);
    let to = b.binary(BinaryOp::AddI64, to, bytes);
    store(&mut b, word(Space::Global, to, 0), result);
    b.push(Op::Atomic {
        d: None,
        update: Update::Apply(BinaryOp::AddI32),
        space: Space::Global,
        access: Access::B32,
        address: Address { base: counter.into(), offset: 0 },
        b: Src::Imm(1),
        c: Src::Imm(0),
        ordering: Ordering::Relaxed(Scope::Gpu),
    });
    b.terminate(Terminator::Exit);
    let mut kernel = b.finish();
    (kernel.param_bytes, kernel.shared_bytes) = (24, 4 * 48);
    kernel
}

#[test]
fn every_level_and_schedule_gives_what_plain_rust_gives() {
    let kernel = kernel();
    ir::verify(&kernel).expect("a valid kernel");
    let input: Vec<u32> = (0..THREADS).map(|t| t * t + 7).collect();
    let at = |t: u32| if t < THREADS { input[t as usize] } else { 0 };
    let expected: Vec<u32> = (0..CTAS)
        .flat_map(|_| 0..THREADS)
        .map(|t| {
            let extra = if t < 5 { 1000 } else { 0 };
            at(t / 32 * 32 + 3) + at(t ^ 3) + extra + at(THREADS - 1 - t)
        })
        .collect();
    for level in Level::available() {
        for schedule in ["fair", "seed:1", "switch:3=1,9=2"] {
            let schedule: Schedule = schedule.parse().expect("a schedule");
            let mut memory = Memory::new().expect("address space");
            let allocate = |memory: &mut Memory, bytes| memory.allocate(bytes).expect("space");
            let from = allocate(&mut memory, 4 * u64::from(THREADS));
            let to = allocate(&mut memory, 4 * u64::from(THREADS * CTAS));
            let counter = allocate(&mut memory, 4);
            let bytes: Vec<u8> = input.iter().flat_map(|value| value.to_le_bytes()).collect();
            memory.write(from, &bytes).expect("inside");
            let params: Vec<u8> =
                [from, to, counter].iter().flat_map(|value| value.to_le_bytes()).collect();
            let launch = Launch {
                grid: [CTAS, 1, 1],
                block: [THREADS, 1, 1],
                dynamic_shared: 0,
                params: &params,
                image_base: 0,
                stack: 0,
                threads: 2,
                schedule: schedule.clone(),
                max_steps: None,
                level,
                deterministic: false,
                interrupted: &|| false,
                progress: &|_| {},
            };
            let outcome = warpwise_vm::launch(&kernel, &launch, &mut memory).expect("possible");
            assert_eq!(outcome.fault, None, "{level:?} {schedule}");
            let read = memory.read(to, 4 * (THREADS * CTAS) as usize).expect("inside");
            let found: Vec<u32> = read
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect();
            assert_eq!(found, expected, "{level:?} {schedule}");
            let count = memory.read(counter, 4).expect("inside");
            assert_eq!(count, (THREADS * CTAS).to_le_bytes(), "{level:?} {schedule}");
        }
    }
}
