//! When machine code is made, and that a kernel may change over to it in the middle of a loop.

use ir::{Access, Address, BinaryOp, Builder, Class, CompareOp, Dim, Kernel, Op, Ordering, Space};
use ir::{Special, Src, Terminator, UnaryOp, WarpRules};
use warpwise_vm::{EngineChoice, Executable, Launch, Memory};

const THREADS: u32 = 64;

/// `out[t]` is what `rounds + t` steps of a linear congruential generator make of `t`: lanes leave the loop one after the other.
fn kernel() -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    let param = |b: &mut Builder, offset: u64, class: Class, access: Access| {
        let d = b.reg(class);
        let address = Address { base: Src::Imm(offset), offset: 0 };
        let (space, ordering) = (Space::Param, Ordering::Weak);
        b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
        d
    };
    let out = param(&mut b, 0, Class::W64, Access::B64);
    let rounds = param(&mut b, 8, Class::W32, Access::B32);
    let [t, value, round] = [0; 3].map(|_| b.reg(Class::W32));
    b.push(Op::Special { d: t, what: Special::Tid(Dim::X) });
    b.unary_to(value, UnaryOp::Mov32, t);
    b.unary_to(round, UnaryOp::Mov32, Src::Imm(0));
    let end = b.binary(BinaryOp::AddI32, rounds, t);
    let (body, done) = (b.block(), b.block());
    b.terminate(Terminator::Jump(body));
    b.switch_to(body);
    b.binary_to(value, BinaryOp::MulLo32, value, Src::Imm(1_664_525));
    b.binary_to(value, BinaryOp::AddI32, value, Src::Imm(1_013_904_223));
    b.binary_to(round, BinaryOp::AddI32, round, Src::Imm(1));
    let more = b.compare(CompareOp::LtU32, round, end);
    b.terminate(Terminator::Branch { p: more.into(), then: body, otherwise: done });
    b.switch_to(done);
    let bytes = b.binary(BinaryOp::MulWideU32, t, Src::Imm(4));
    let to = b.binary(BinaryOp::AddI64, out, bytes);
    b.push(Op::Store {
        values: vec![value.into()],
        space: Space::Global,
        access: Access::B32,
        address: Address { base: Src::Reg(to), offset: 0 },
        ordering: Ordering::Weak,
    });
    b.terminate(Terminator::Exit);
    let mut kernel = b.finish();
    kernel.param_bytes = 12;
    kernel
}

/// Launches the kernel with one CTA, and compares with plain Rust.
fn run(executable: &Executable, engine: EngineChoice, rounds: u32, deterministic: bool) {
    let memory = Memory::new().expect("address space");
    let to = memory.allocate(4 * u64::from(THREADS)).expect("space");
    let mut params = to.to_le_bytes().to_vec();
    params.extend(rounds.to_le_bytes());
    let launch = Launch { engine, deterministic, ..Launch::new([1; 3], [THREADS, 1, 1], &params) };
    let outcome = warpwise_vm::launch(executable, &launch, &memory).expect("possible");
    assert_eq!(outcome.fault, None, "{engine}");
    let mut read = vec![0; 4 * THREADS as usize];
    memory.read(to, &mut read).expect("inside");
    for (t, word) in (0..).zip(read.chunks_exact(4)) {
        let step = |value: u32, _| value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let expected = (0..rounds + t).fold(t, step);
        assert_eq!(word, expected.to_le_bytes(), "{engine}, thread {t}");
    }
}

#[test]
fn machine_code_is_made_while_a_cta_runs_for_long_and_not_before() {
    let executable = Executable::new(kernel());
    run(&executable, EngineChoice::Auto, 10, false);
    run(&executable, EngineChoice::Auto, 200_000, true);
    assert_eq!(executable.machine_code(), 0);
    run(&executable, EngineChoice::Auto, 200_000, false);
    let has_native =
        EngineChoice::available().any(|engine| matches!(engine, EngineChoice::Native(_)));
    assert_eq!(executable.machine_code() > 0, has_native);
    run(&executable, EngineChoice::Auto, 1_000, false);
}

#[test]
fn every_engine_gives_what_plain_rust_gives() {
    for engine in EngineChoice::available() {
        let executable = Executable::new(kernel());
        run(&executable, engine, 3_000, false);
        let native = matches!(engine, EngineChoice::Native(_));
        assert_eq!(executable.machine_code() > 0, native, "{engine}");
    }
}
