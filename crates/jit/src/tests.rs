//! Kernels become machine code for every level, whatever this machine has. Here it is proved of all code that each instruction finds its
//! operands in the registers that it reads (`allocate/check.rs`).

use crate::allocate::allocate;
use crate::lower::lower;
use crate::registers::registers;
use crate::{Code, Home, Input, Level, Local, compile};
use generate::{Choices, generate};
use ir::{
    Access, Address, BinaryOp, Builder, Class, CompareOp, Dim, Interrupt, Kernel, Op, Ordering,
};
use ir::{Scope, Space, Special, Src, TernaryOp, UnaryOp, Update, WarpRules};
use std::path::Path;

/// Code of a kernel whose registers have a row each, of which it is proved that each instruction finds its operands.
fn code(kernel: &Kernel, block: [u32; 3], level: Level) -> Code {
    with_input(kernel, block, level, |input| {
        let lowered = lower(input, &Interrupt::never()).expect("not interrupted");
        let mut func = lowered.expect("machine instructions").func;
        let allocated = allocate(&mut func, &registers(level.family())).expect("registers");
        assert_eq!(allocated.check(&func, level.family()), Ok(()));
        made(input)
    })
}

fn made(input: &Input<'_>) -> Code {
    compile(input, &Interrupt::never()).expect("not interrupted").expect("code")
}

/// Calls something with a kernel whose registers have a row each.
fn with_input<T>(
    kernel: &Kernel,
    block: [u32; 3],
    level: Level,
    what: impl FnOnce(&Input<'_>) -> T,
) -> T {
    let mut end = 0;
    let warps = block.iter().product::<u32>().div_ceil(32);
    let homes: Vec<_> = kernel
        .registers
        .iter()
        .map(|class| {
            let stride = match class {
                Class::W32 => 32,
                Class::W64 => 64,
                Class::Pred => 1,
            };
            let offset = end;
            end += stride * warps;
            Some(Home { offset, stride })
        })
        .collect();
    let mut starts = Vec::new();
    let mut place = 0;
    for block in &kernel.blocks {
        starts.push(place);
        place += block.insts.len() as u32 + 1;
    }
    let instructions: Vec<u32> =
        kernel.blocks.iter().map(|block| block.insts.len() as u32 + 1).collect();
    let input = Input {
        kernel,
        prologue: &[],
        homes: &homes,
        starts: &starts,
        instructions: &instructions,
        block,
        shared_bytes: u64::from(kernel.shared_bytes),
        zeros: &[],
        local: Local {
            bytes: u64::from(kernel.local_bytes),
            stride: kernel.local_bytes.next_multiple_of(16),
            piece: 16,
        },
        first_site: 0,
        level,
    };
    what(&input)
}

#[test]
fn kernels_of_all_kinds_become_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("a folder") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "ir") {
            continue;
        }
        println!("{}", path.display());
        let text = std::fs::read_to_string(&path).expect("text");
        let kernel = ir::text::parse(&text).expect("a kernel");
        for level in Level::ALL {
            for block in [[32, 1, 1], [16, 16, 1], [256, 1, 1]] {
                assert!(code(&kernel, block, level).bytes() > 0);
                count += 1;
            }
        }
    }
    assert!(count > 0);
}

#[test]
fn random_kernels_become_code() {
    for seed in 0..300 {
        let case = generate(&mut Choices::from_seed(seed));
        for level in Level::ALL {
            assert!(code(&case.kernel, case.block, level).bytes() > 0, "seed {seed}, {level}");
        }
    }
}

/// `cargo test --release -p warpwise-jit time_of -- --ignored --nocapture` says how long code takes to make.
#[test]
#[ignore = "measures"]
fn time_of_an_operation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|file| file.expect("a file").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ir"));
    files.sort();
    for level in Level::ALL {
        let (mut operations, mut bytes) = (0, 0);
        let text = |path| std::fs::read_to_string(path).expect("text");
        let kernels: Vec<Kernel> =
            files.iter().map(|path| ir::text::parse(&text(path)).expect("a kernel")).collect();
        let mut time = std::time::Duration::MAX;
        for _ in 0..20 {
            let started = std::time::Instant::now();
            (operations, bytes) = (0, 0);
            for kernel in &kernels {
                operations +=
                    kernel.blocks.iter().map(|block| block.insts.len() + 1).sum::<usize>();
                bytes += with_input(kernel, [256, 1, 1], level, made).bytes();
            }
            time = time.min(started.elapsed());
        }
        let each = time.as_secs_f64() * 1e6 / operations as f64;
        println!("{level}: {operations} operations, {bytes} bytes, {each:.1} µs an operation");
    }
}

/// A kernel of loads, operations on what they find, and stores: on words and pairs of words, at addresses that vary.
fn every_operation(space: Space) -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    let base = b.reg(Class::W64);
    let tid = b.reg(Class::W32);
    b.push(Op::Special { d: tid, what: Special::Tid(Dim::X) });
    let square = b.binary(BinaryOp::MulLo32, tid, tid);
    let far = b.binary(BinaryOp::MulWideU32, square, Src::Imm(8));
    let at = b.binary(BinaryOp::AddI64, base, far);
    let address = |offset| Address { base: Src::Reg(at), offset };
    let values = [(Class::W32, Access::B32), (Class::W64, Access::B64)].map(|(class, access)| {
        let d = b.reg(class);
        let ordering = Ordering::Weak;
        b.push(Op::Load { d: vec![Some(d)], space, access, address: address(8), ordering });
        d
    });
    let of = |class: Class| if class == Class::W64 { values[1] } else { values[0] };
    for op in UnaryOp::all() {
        let ([a], class) = op.signature();
        let d = b.reg(class);
        b.push(Op::Unary { op, d, a: of(a).into() });
    }
    for op in BinaryOp::all() {
        let ([a, other], class) = op.signature();
        let d = b.reg(class);
        b.push(Op::Binary { op, d, a: of(a).into(), b: of(other).into() });
        for (update, access, class) in [
            (Update::Apply(op), Access::B32, Class::W32),
            (Update::Apply(op), Access::B64, Class::W64),
            (Update::Exchange, Access::B32, Class::W32),
            (Update::CompareExchange, Access::B64, Class::W64),
        ] {
            for d in [None, Some(b.reg(class))] {
                let (one, ordering) = (of(class).into(), Ordering::Relaxed(Scope::Gpu));
                let address = address(16);
                b.push(Op::Atomic { d, update, space, access, address, b: one, c: one, ordering });
            }
        }
    }
    for op in TernaryOp::all() {
        let ([a, other, c], class) = op.signature();
        let d = b.reg(class);
        b.push(Op::Ternary { op, d, a: of(a).into(), b: of(other).into(), c: of(c).into() });
    }
    for op in CompareOp::all() {
        let ([a, other], class) = op.signature();
        let d = b.reg(class);
        b.push(Op::Compare { op, d, a: of(a).into(), b: of(other).into() });
    }
    for access in [Access::U8, Access::S16, Access::B32, Access::B64] {
        let value = of(if access == Access::B64 { Class::W64 } else { Class::W32 }).into();
        let (address, ordering) = (address(32), Ordering::Weak);
        b.push(Op::Store { values: vec![value], space, access, address, ordering });
    }
    b.terminate(ir::Terminator::Exit);
    let mut kernel = b.finish();
    (kernel.local_bytes, kernel.shared_bytes) = (1024, 4096);
    kernel
}

#[test]
fn every_operation_can_be_encoded_for_every_level() {
    for space in [Space::Global, Space::Shared, Space::Local] {
        let kernel = every_operation(space);
        for level in Level::ALL {
            assert!(code(&kernel, [64, 1, 1], level).bytes() > 0, "{level} {space:?}");
        }
    }
}

/// A kernel that loads and stores one or several elements a lane, where addresses vary, and where they do not but lanes have parted.
fn every_access(space: Space, access: Access, elements: usize) -> Kernel {
    let class = if access == Access::B64 { Class::W64 } else { Class::W32 };
    let mut b = Builder::new("k", WarpRules::Independent);
    let base = b.reg(Class::W64);
    let tid = b.reg(Class::W32);
    b.push(Op::Special { d: tid, what: Special::Tid(Dim::X) });
    let bytes = Src::Imm(u64::from(access.bytes()) * elements as u64);
    let square = b.binary(BinaryOp::MulLo32, tid, tid);
    let [near, far] = [tid, square].map(|number| b.binary(BinaryOp::MulWideU32, number, bytes));
    let [near, far] = [near, far].map(|far| b.binary(BinaryOp::AddI64, base, far));
    let (ordering, offset) = (Ordering::Weak, 16);
    let (then, join) = (b.block(), b.block());
    let each = |b: &mut Builder, at: ir::Reg| {
        let address = Address { base: Src::Reg(at), offset };
        let d: Vec<ir::Reg> = (0..elements).map(|_| b.reg(class)).collect();
        let loaded = d.iter().map(|d| Some(*d)).collect();
        b.push(Op::Load { d: loaded, space, access, address, ordering });
        let values = d.into_iter().map(Src::Reg).collect();
        b.push(Op::Store { values, space, access, address, ordering });
    };
    for at in [near, far] {
        each(&mut b, at);
    }
    let p = b.compare(CompareOp::LtU32, square, Src::Imm(100)).into();
    b.terminate(ir::Terminator::Branch { p, then, otherwise: join });
    b.switch_to(then);
    for at in [near, far] {
        each(&mut b, at);
    }
    b.terminate(ir::Terminator::Jump(join));
    b.switch_to(join);
    b.terminate(ir::Terminator::Exit);
    let mut kernel = b.finish();
    (kernel.local_bytes, kernel.shared_bytes) = (4096, 8192);
    kernel
}

#[test]
fn accesses_of_several_elements_can_be_encoded_for_every_level() {
    for space in [Space::Global, Space::Shared, Space::Local] {
        for access in [Access::U8, Access::S16, Access::B32, Access::B64] {
            for elements in [1, 2, 4] {
                let kernel = every_access(space, access, elements);
                for level in Level::ALL {
                    for block in [[32, 1, 1], [64, 1, 1]] {
                        assert!(code(&kernel, block, level).bytes() > 0, "{level} {space:?}");
                    }
                }
            }
        }
    }
}

/// A kernel with a collective of tiles of eight lanes, whose membermasks are known.
fn tiles(what: impl FnOnce(&mut Builder, ir::Reg) -> Option<ir::Collective>) -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    let [lane, number] = [0; 2].map(|_| b.reg(Class::W32));
    b.push(Op::Special { d: lane, what: Special::Laneid });
    b.push(Op::Special { d: number, what: Special::Clock });
    let first = b.binary(BinaryOp::And32, lane, Src::Imm(0xffff_fff8));
    let mask = b.binary(BinaryOp::Shl32, Src::Imm(255), first);
    if let Some(what) = what(&mut b, number) {
        let members = ir::Members::Mask(mask.into());
        b.push(Op::Collective { what, members, aligned: false });
    }
    b.terminate(ir::Terminator::Exit);
    b.finish()
}

/// Nothing of them is left to the interpreter.
#[test]
fn collectives_of_tiles_are_code_for_every_level() {
    use ir::Collective;
    use lanes::{ShflMode, VoteMode};
    let shuffle = |b: &mut Builder, number: ir::Reg, mode, by| {
        let (d, p) = (b.reg(Class::W32), Some(b.reg(Class::Pred)));
        Collective::Shfl { mode, d, p, a: number.into(), b: by, c: Src::Imm(0x181f) }
    };
    let vote = |b: &mut Builder, number: ir::Reg, mode| {
        let a = b.compare(CompareOp::LtU32, number, Src::Imm(100)).into();
        Collective::Vote { mode, d: b.reg(Class::Pred), a }
    };
    let kernels = [
        tiles(|b, number| Some(shuffle(b, number, ShflMode::Bfly, Src::Imm(4)))),
        tiles(|b, number| Some(shuffle(b, number, ShflMode::Down, number.into()))),
        tiles(|b, number| {
            let a = b.compare(CompareOp::LtU32, number, Src::Imm(100)).into();
            Some(Collective::Ballot { d: b.reg(Class::W32), a })
        }),
        tiles(|b, number| Some(vote(b, number, VoteMode::All))),
        tiles(|b, number| Some(vote(b, number, VoteMode::Any))),
        tiles(|b, number| Some(vote(b, number, VoteMode::Uni))),
        tiles(|_, _| Some(Collective::WarpSync)),
    ];
    for level in Level::ALL {
        for block in [[32, 1, 1], [64, 1, 1]] {
            let without = code(&tiles(|_, _| None), block, level).performed();
            for kernel in &kernels {
                assert_eq!(code(kernel, block, level).performed(), without, "{level} {kernel}");
            }
        }
    }
}
