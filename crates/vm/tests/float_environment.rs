//! Kernels compute the same whatever floating-point environment the thread has that launches them: programs that are built with
//! `-ffast-math`, or call `fesetround`, change theirs, and the threads that they start inherit it.
#![cfg(target_arch = "x86_64")]

use ir::{
    Access, Address, BinaryOp, Builder, Class, Dim, Op, Ordering, Reg, Round, Space, Special,
};
use ir::{Src, Terminator, UnaryOp, WarpRules};
use warpwise_vm::{EngineChoice, Executable, Launch, Memory};

const THREADS: u32 = 64;
const CTAS: u32 = 32;
const THREADS_OF_ALL: u32 = THREADS * CTAS;

/// Each thread stores twice its number as a subnormal number, and one third of its number.
fn kernel(out: u64) -> Executable {
    let mut b = Builder::new("k", WarpRules::Independent);
    let [t, cta] = [Special::Tid(Dim::X), Special::Ctaid(Dim::X)].map(|what| {
        let d = b.reg(Class::W32);
        b.push(Op::Special { d, what });
        d
    });
    let first = b.binary(BinaryOp::MulLo32, cta, Src::Imm(THREADS.into()));
    let index = b.binary(BinaryOp::AddI32, first, t);
    let nearest = Round::NearestEven;
    let small = b.binary(BinaryOp::AddF32(nearest), index, index);
    let number = b.unary(UnaryOp::U32ToF32(nearest), index);
    let third = b.binary(BinaryOp::DivF32(nearest), number, Src::Imm(3.0_f32.to_bits().into()));
    let offset = b.binary(BinaryOp::MulWideU32, index, Src::Imm(8));
    let mut store = |value: Reg, nth: u64| {
        let base = b.binary(BinaryOp::AddI64, offset, Src::Imm(out + 4 * nth)).into();
        let (space, access, ordering) = (Space::Global, Access::B32, Ordering::Weak);
        let address = Address { base, offset: 0 };
        b.push(Op::Store { values: vec![value.into()], space, access, address, ordering });
    };
    store(small, 0);
    store(third, 1);
    b.terminate(Terminator::Exit);
    Executable::new(b.finish())
}

/// What all threads stored.
fn stored(engine: EngineChoice, threads: usize) -> Vec<u32> {
    let memory = Memory::new().expect("address space");
    let out = memory.allocate(u64::from(8 * THREADS_OF_ALL)).expect("room");
    let launch = Launch::new([CTAS, 1, 1], [THREADS, 1, 1], &[]);
    let launch = Launch { engine, threads, ..launch };
    let outcome = warpwise_vm::launch(&kernel(out), &launch, &memory).expect("a possible launch");
    assert_eq!(outcome.fault, None);
    let mut bytes = vec![0; 8 * THREADS_OF_ALL as usize];
    memory.read(out, &mut bytes).expect("inside");
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[test]
fn kernels_do_not_follow_the_environment_of_the_host() {
    let expected: Vec<u32> =
        (0..THREADS_OF_ALL).flat_map(|index| [2 * index, (index as f32 / 3.0).to_bits()]).collect();
    // Subnormal numbers are flushed; all is rounded up.
    for environment in [0x9fc0_u32, 0x5f80] {
        for engine in EngineChoice::available() {
            for threads in [1, 2] {
                let found = std::thread::scope(|scope| {
                    let other = scope.spawn(|| {
                        // SAFETY: no reserved bit is set, and the thread ends with it.
                        unsafe {
                            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const environment);
                        }
                        stored(engine, threads)
                    });
                    other.join()
                });
                let found = found.expect("it returns");
                assert!(found == expected, "{environment:#x}, {engine}, {threads} threads");
            }
        }
    }
}
