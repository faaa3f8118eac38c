//! Kernels of several launches and the host work on one memory at the same time. Under a thread sanitizer:
//! `RUSTFLAGS=-Zsanitizer=thread cargo +nightly test -Zbuild-std --target x86_64-unknown-linux-gnu -p warpwise-vm --test sharing`.

use ir::{Access, Address, BinaryOp, Builder, Class, CompareOp, Dim, Op, Ordering, Reg, Scope};
use ir::{Service, Space, Special, Src, Terminator, Update, WarpRules};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering as Order};
use warpwise_vm::{Executable, FaultKind, Launch, Memory, Outcome};

const THREADS: u32 = 64;
const CTAS: u32 = 4;

fn at(base: impl Into<Src>, offset: i64) -> Address {
    Address { base: base.into(), offset }
}

fn load(b: &mut Builder, space: Space, access: Access, address: Address) -> Reg {
    let d = b.reg(Builder::class_of(access));
    b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering: Ordering::Weak });
    d
}

/// `out[i] = in[i] * factor + i`, by way of a block that each thread allocates and frees; `counter` counts the threads.
/// Parameters: in, out, counter, factor.
fn kernel() -> Executable {
    let mut b = Builder::new("k", WarpRules::Independent);
    let wide = |b: &mut Builder, nth| load(b, Space::Param, Access::B64, at(Src::Imm(nth), 0));
    let [from, to, counter] = [0, 8, 16].map(|nth| wide(&mut b, nth));
    let factor = load(&mut b, Space::Param, Access::B32, at(Src::Imm(24), 0));
    let [t, cta] = [Special::Tid(Dim::X), Special::Ctaid(Dim::X)].map(|what| {
        let d = b.reg(Class::W32);
        b.push(Op::Special { d, what });
        d
    });
    let first = b.binary(BinaryOp::MulLo32, cta, Src::Imm(THREADS.into()));
    let index = b.binary(BinaryOp::AddI32, first, t);
    let offset = b.binary(BinaryOp::MulWideU32, index, Src::Imm(4));
    let from = b.binary(BinaryOp::AddI64, from, offset);
    let to = b.binary(BinaryOp::AddI64, to, offset);
    let value = load(&mut b, Space::Global, Access::B32, at(from, 0));
    let product = b.binary(BinaryOp::MulLo32, value, factor);
    let sum = b.binary(BinaryOp::AddI32, product, index);
    let block = b.reg(Class::W64);
    b.push(Op::Host { service: Service::Malloc, d: Some(block), operands: vec![Src::Imm(20)] });
    let store = |b: &mut Builder, value: Reg, address| {
        let (space, access, ordering) = (Space::Global, Access::B32, Ordering::Weak);
        b.push(Op::Store { values: vec![value.into()], space, access, address, ordering });
    };
    store(&mut b, sum, at(block, 16));
    let again = load(&mut b, Space::Global, Access::B32, at(block, 16));
    b.push(Op::Host { service: Service::Free, d: None, operands: vec![block.into()] });
    store(&mut b, again, at(to, 0));
    b.push(Op::Atomic {
        d: None,
        update: Update::Apply(BinaryOp::AddI32),
        space: Space::Global,
        access: Access::B32,
        address: at(counter, 0),
        b: Src::Imm(1),
        c: Src::Imm(0),
        ordering: Ordering::Relaxed(Scope::Gpu),
    });
    b.terminate(Terminator::Exit);
    let mut kernel = b.finish();
    kernel.param_bytes = 28;
    ir::verify(&kernel).expect("a valid kernel");
    Executable::new(kernel)
}

fn launch(kernel: &Executable, memory: &Memory, params: &[u8], ctas: u32) -> Outcome {
    let launch = Launch {
        threads: 2,
        heap_limit: u64::MAX,
        ..Launch::new([ctas, 1, 1], [THREADS, 1, 1], params)
    };
    warpwise_vm::launch(kernel, &launch, memory).expect("a possible launch")
}

fn params(pointers: [u64; 3], factor: u32) -> Vec<u8> {
    let pointers = pointers.iter().flat_map(|pointer| pointer.to_le_bytes());
    pointers.chain(factor.to_le_bytes()).collect()
}

fn words(memory: &Memory, address: u64, count: u32) -> Vec<u32> {
    let mut bytes = vec![0; 4 * count as usize];
    memory.read(address, &mut bytes).expect("inside");
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[test]
fn a_hundred_launches_at_once_do_what_they_do_alone() {
    let (workers, launches) = if cfg!(miri) { (2, 1) } else { (10, 10) };
    let (kernel, memory) = (kernel(), Memory::new().expect("address space"));
    let count = THREADS * CTAS;
    let input: Vec<u32> = (0..count).map(|i| i * i + 3).collect();
    let bytes: Vec<u8> = input.iter().flat_map(|value| value.to_le_bytes()).collect();
    let from = memory.allocate(bytes.len() as u64).expect("room");
    memory.write(from, &bytes).expect("inside");
    let counter = memory.allocate(4).expect("room");
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (kernel, memory, input) = (&kernel, &memory, &input);
            scope.spawn(move || {
                for nth in 0..launches {
                    let factor = 1000 * worker + nth;
                    let to = memory.allocate(4 * u64::from(count)).expect("room");
                    assert_eq!(words(memory, to, count), vec![0; count as usize]);
                    let outcome =
                        launch(kernel, memory, &params([from, to, counter], factor), CTAS);
                    assert_eq!(outcome.fault, None);
                    let value =
                        |(i, value): (u32, &u32)| value.wrapping_mul(factor).wrapping_add(i);
                    let expected: Vec<u32> = (0..).zip(input).map(value).collect();
                    assert_eq!(words(memory, to, count), expected);
                    memory.free(to).expect("allocated");
                }
            });
        }
    });
    assert_eq!(words(&memory, counter, 1), [workers * launches * count]);
    assert_eq!(memory.blocks(), []);
}

/// Waits until a word is 1, says so in the next one, and counts how often it has looked.
fn waiting() -> Executable {
    let mut b = Builder::new("k", WarpRules::Independent);
    let flag = load(&mut b, Space::Param, Access::B64, at(Src::Imm(0), 0));
    let turn = b.block();
    b.terminate(Terminator::Jump(turn));
    b.switch_to(turn);
    let d = b.reg(Class::W32);
    let (space, access, ordering) = (Space::Global, Access::B32, Ordering::Relaxed(Scope::Sys));
    b.push(Op::Load { d: vec![Some(d)], space, access, address: at(flag, 0), ordering });
    let done = b.compare(CompareOp::EqI32, d, Src::Imm(1));
    let (end, again) = (b.block(), turn);
    b.terminate(Terminator::Branch { p: done.into(), then: end, otherwise: again });
    b.switch_to(end);
    let (values, address) = (vec![Src::Imm(7)], at(flag, 4));
    b.push(Op::Store { values, space, access, address, ordering });
    b.terminate(Terminator::Exit);
    let mut kernel = b.finish();
    kernel.param_bytes = 8;
    ir::verify(&kernel).expect("a valid kernel");
    Executable::new(kernel)
}

#[test]
fn the_host_writes_what_a_kernel_waits_for() {
    let (kernel, memory) = (waiting(), Memory::new().expect("address space"));
    let flag = memory.allocate(8).expect("room");
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let outcome = launch(&kernel, &memory, &flag.to_le_bytes(), 1);
            ended.store(true, Order::Release);
            assert_eq!(outcome.fault, None);
        });
        for _ in 0..20 {
            // What others allocate and free is nothing to it.
            let other = memory.allocate(1 << 10).expect("room");
            std::thread::yield_now();
            memory.free(other).expect("allocated");
        }
        assert!(!ended.load(Order::Acquire));
        memory.write(flag, &1_u32.to_le_bytes()).expect("inside");
    });
    assert_eq!(words(&memory, flag, 2), [1, 7]);
}

#[test]
fn a_kernel_reaches_mapped_memory_of_the_host_and_no_further() {
    let (kernel, memory) = (kernel(), Memory::new().expect("address space"));
    let host: Vec<AtomicU32> = (0..THREADS + 1).map(AtomicU32::new).collect();
    let bytes = 4 * THREADS as usize;
    // SAFETY: the atomics are accessed as such alone, and live until the memory is gone.
    let mapped = unsafe { memory.map_host(NonNull::from(&host[0]).cast(), bytes) };
    let mapped = mapped.expect("it is not mapped yet");
    let counter = memory.allocate(4).expect("room");
    let outcome = launch(&kernel, &memory, &params([mapped, mapped, counter], 5), 1);
    assert_eq!(outcome.fault, None);
    let found: Vec<u32> = host.iter().map(|word| word.load(Order::Relaxed)).collect();
    let expected: Vec<u32> = (0..THREADS).map(|i| 6 * i).chain([THREADS]).collect();
    assert_eq!(found, expected);
    let beyond = launch(&kernel, &memory, &params([mapped + 4, mapped, counter], 5), 1);
    let kind = beyond.fault.map(|fault| fault.kind);
    assert!(
        matches!(kind, Some(FaultKind::OutOfBounds { address, .. }) if address == mapped + bytes as u64)
    );
    memory.unmap_host(mapped).expect("mapped");
    let gone = launch(&kernel, &memory, &params([mapped, mapped, counter], 5), 1);
    assert!(
        matches!(gone.fault.map(|it| it.kind), Some(FaultKind::OutOfBounds { address, .. }) if address == mapped)
    );
}
