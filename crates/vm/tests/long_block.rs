//! A block of a hundred thousand instructions: it is interrupted in between, and pauses change no result.

use ir::{Access, Address, BinaryOp, Builder, Class, Inst, Kernel, Op, Ordering, Space, Special};
use ir::{Src, Terminator, WarpRules};
use std::sync::atomic::{AtomicU64, Ordering as Order};
use warpwise_vm::{FaultKind, Launch, Level, Memory, Observer, Outcome, Schedule, View};

const LENGTH: u32 = 100_000;
const THREADS: u32 = 70;

/// Every thread adds 1 to a register again and again, and the register to a word of global memory.
fn kernel(counter: u64) -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    let sum = b.reg(Class::W32);
    b.push(Op::Special { d: sum, what: Special::Laneid });
    for _ in 0..LENGTH {
        b.binary_to(sum, BinaryOp::AddI32, sum, Src::Imm(1));
    }
    b.push(Op::Store {
        values: vec![sum.into()],
        space: Space::Global,
        access: Access::B32,
        address: Address { base: Src::Imm(counter), offset: 0 },
        ordering: Ordering::Weak,
    });
    b.terminate(Terminator::Exit);
    b.finish()
}

/// Counts what it sees.
struct Counter<'a>(&'a AtomicU64);

impl Observer for Counter<'_> {
    fn inst(&mut self, _: &View<'_>, _: &Inst) {
        self.0.fetch_add(1, Order::Relaxed);
    }
}

fn run(
    interrupted: &(dyn Fn() -> bool + Sync),
    seen: &AtomicU64,
    schedule: Schedule,
) -> (Outcome, u32) {
    let mut memory = Memory::new().expect("address space");
    let counter = memory.allocate(4).expect("room");
    let launch = Launch {
        grid: [1; 3],
        block: [THREADS, 1, 1],
        dynamic_shared: 0,
        params: &[],
        image_base: 0,
        stack: 0,
        threads: 1,
        schedule,
        max_steps: None,
        level: Level::detect(),
        deterministic: false,
        interrupted,
        progress: &|_| {},
    };
    let kernel = kernel(counter);
    let outcome = warpwise_vm::launch_observed(&kernel, &launch, &mut memory, &mut Counter(seen));
    let bytes = memory.read(counter, 4).expect("inside");
    let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    (outcome.expect("a possible launch"), word)
}

#[test]
fn a_long_block_is_interrupted_in_between() {
    for schedule in [Schedule::Fair, Schedule::Seed(1)] {
        let seen = AtomicU64::new(0);
        let interrupted = || seen.load(Order::Relaxed) > 0;
        let (outcome, _) = run(&interrupted, &seen, schedule);
        assert_eq!(outcome.fault.map(|fault| fault.kind), Some(FaultKind::Interrupted));
        assert!(seen.load(Order::Relaxed) < u64::from(LENGTH) / 2);
    }
}

#[test]
fn a_long_block_goes_on_behind_each_pause() {
    for schedule in [Schedule::Fair, Schedule::Seed(1)] {
        let seen = AtomicU64::new(0);
        let (outcome, word) = run(&|| false, &seen, schedule);
        assert_eq!(outcome.fault, None);
        assert!((LENGTH..LENGTH + 32).contains(&word), "{word}");
    }
}
