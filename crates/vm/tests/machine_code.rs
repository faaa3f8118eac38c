//! When machine code is made, and that a kernel may change over to it in the middle of a loop.

use ir::{Access, Address, BinaryOp, Builder, Class, CompareOp, Dim, Kernel, Op, Ordering, Space};
use ir::{Reg, Special, Src, Terminator, UnaryOp, WarpRules};
use std::fs;
use std::time::{Duration, Instant};
use warpwise_vm::{CodeCache, EngineChoice, Executable, Launch, Memory};

const THREADS: u32 = 64;

fn param(b: &mut Builder, offset: u64, class: Class, access: Access) -> Reg {
    let d = b.reg(class);
    let address = Address { base: Src::Imm(offset), offset: 0 };
    let (space, ordering) = (Space::Param, Ordering::Weak);
    b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
    d
}

/// A step of a linear congruential generator.
fn step(b: &mut Builder, value: Reg) {
    b.binary_to(value, BinaryOp::MulLo32, value, Src::Imm(1_664_525));
    b.binary_to(value, BinaryOp::AddI32, value, Src::Imm(1_013_904_223));
}

fn stepped(value: u32) -> u32 {
    value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// `out[t] = value`, the end of the kernel.
fn finish(mut b: Builder, out: Reg, t: Reg, value: Reg) -> Kernel {
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

/// `out[t]` is what so many steps make of `t`, each of which its own bit of what is there decides: each parts lanes.
fn branches(count: u32) -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    let out = param(&mut b, 0, Class::W64, Access::B64);
    let [t, value] = [0; 2].map(|_| b.reg(Class::W32));
    b.push(Op::Special { d: t, what: Special::Tid(Dim::X) });
    b.unary_to(value, UnaryOp::Mov32, t);
    for nth in 0..count {
        let bit = b.binary(BinaryOp::And32, value, Src::Imm(1 << (nth % 7)));
        let is_set = b.compare(CompareOp::NeI32, bit, Src::Imm(0));
        let (then, next) = (b.block(), b.block());
        b.terminate(Terminator::Branch { p: is_set.into(), then, otherwise: next });
        b.switch_to(then);
        step(&mut b, value);
        b.terminate(Terminator::Jump(next));
        b.switch_to(next);
        b.binary_to(value, BinaryOp::AddI32, value, Src::Imm(1));
    }
    finish(b, out, t, value)
}

/// `out[t]` is what `rounds + t` steps make of `t`: lanes leave the loop one after the other.
fn kernel() -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
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
    step(&mut b, value);
    b.binary_to(round, BinaryOp::AddI32, round, Src::Imm(1));
    let more = b.compare(CompareOp::LtU32, round, end);
    b.terminate(Terminator::Branch { p: more.into(), then: body, otherwise: done });
    b.switch_to(done);
    finish(b, out, t, value)
}

/// Launches the kernel with one CTA, and compares with plain Rust.
fn run(executable: &Executable, engine: EngineChoice, rounds: u32, deterministic: bool) {
    let expected = |t| (0..rounds + t).fold(t, |value, _| stepped(value));
    compare(executable, engine, rounds, deterministic, expected);
}

/// The same for a kernel of so many branches.
fn run_branches(executable: &Executable, engine: EngineChoice, count: u32) {
    let expected = |t| {
        (0..count).fold(t, |value, nth| {
            let value = if value >> (nth % 7) & 1 == 1 { stepped(value) } else { value };
            value.wrapping_add(1)
        })
    };
    compare(executable, engine, 0, false, expected);
}

/// Launches a kernel with one CTA, and compares.
fn compare(
    executable: &Executable,
    engine: EngineChoice,
    rounds: u32,
    deterministic: bool,
    expected: impl Fn(u32) -> u32,
) {
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
        assert_eq!(word, expected(t).to_le_bytes(), "{engine}, thread {t}");
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

/// More branches than a machine word has bits: a bitonic sort that is unrolled has 45.
#[test]
fn many_branches_part_lanes() {
    const COUNT: u32 = 150;
    for engine in EngineChoice::available() {
        run_branches(&Executable::new(branches(COUNT)), engine, COUNT);
    }
}

/// Its code takes too long to be made while a launch waits.
#[test]
fn machine_code_of_a_large_kernel_is_made_beside_its_launches() {
    const COUNT: u32 = 700;
    let is_native = |engine| matches!(engine, EngineChoice::Native(_));
    if !EngineChoice::available().any(is_native) {
        return;
    }
    let executable = Executable::new(branches(COUNT));
    let started = Instant::now();
    while executable.machine_code() == 0 {
        assert!(started.elapsed() < Duration::from_secs(120), "no code was made");
        run_branches(&executable, EngineChoice::Auto, COUNT);
    }
    run_branches(&executable, EngineChoice::Auto, COUNT);
}

#[test]
fn code_on_disk_is_used_soon_and_by_those_alone_that_would_make_the_same() {
    let is_native = |engine: &EngineChoice| matches!(engine, EngineChoice::Native(_));
    let Some(native) = EngineChoice::available().filter(is_native).last() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("code");
    let cache = CodeCache::open(&folder, 1 << 20).expect("it can be made");
    let kept = |kernel| Executable::new(kernel).with_cache(Some(cache.clone()));
    let files = || -> Vec<_> {
        fs::read_dir(&folder)
            .expect("it is there")
            .map(|file| file.expect("a file").path())
            .collect()
    };
    // Not so long that it would be made.
    const SOON: u32 = 2_000;
    let alone = Executable::new(kernel());
    run(&alone, EngineChoice::Auto, SOON, false);
    let unknown = kept(kernel());
    run(&unknown, EngineChoice::Auto, SOON, false);
    assert_eq!((alone.machine_code(), unknown.machine_code(), files().len()), (0, 0, 0));

    let first = kept(kernel());
    run(&first, native, SOON, false);
    assert_eq!(files().len(), 1);
    let second = kept(kernel());
    run(&second, EngineChoice::Auto, SOON, false);
    assert_eq!(second.machine_code(), first.machine_code());
    run(&second, EngineChoice::Auto, 10, false);

    // Another constant is other code.
    for count in [3, 4] {
        run_branches(&kept(branches(count)), native, count);
    }
    assert_eq!(files().len(), 3);

    // What is damaged is made again.
    for file in files() {
        let bytes = fs::read(&file).expect("a file");
        fs::write(&file, &bytes[..bytes.len() - 9]).expect("written");
    }
    let third = kept(kernel());
    run(&third, native, SOON, false);
    assert_eq!(third.machine_code(), first.machine_code());
    let fourth = kept(kernel());
    run(&fourth, EngineChoice::Auto, SOON, false);
    assert_eq!(fourth.machine_code(), first.machine_code());
}
