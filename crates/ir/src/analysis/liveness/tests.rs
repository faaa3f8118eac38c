use super::*;
use crate::{
    BinaryOp, Block, BlockId, Builder, Class, Op, Place, Src, Terminator, WarpRules,
    analysis::order,
};

/// A stream of numbers (xorshift).
fn numbers(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    }
}

/// A kernel of random blocks in reconvergence order, some of whose instructions have a guard.
fn random(number: &mut impl FnMut(usize) -> usize, blocks: usize, registers: usize) -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    let p = b.reg(Class::Pred);
    for _ in 0..registers {
        b.reg(Class::W32);
    }
    let ids: Vec<_> =
        (0..blocks).map(|nth| if nth == 0 { b.current() } else { b.block() }).collect();
    for (nth, id) in ids.iter().enumerate() {
        b.switch_to(*id);
        for _ in 0..number(4) {
            let mut reg = || Reg(1 + number(registers) as u32);
            let (d, first, second) = (reg(), reg(), reg());
            b.set_guard((number(4) == 0).then_some(p.into()));
            b.binary_to(d, BinaryOp::AddI32, first, second);
        }
        b.set_guard(None);
        // Mostly to what stands near, so that there are loops within loops.
        let mut near = || ids[(nth + 2 * blocks + number(7) - 2) % blocks];
        let (then, otherwise) = (near(), near());
        b.terminate(match number(8) {
            0 => Terminator::Exit,
            1..=3 => Terminator::Jump(then),
            _ => Terminator::Branch { p: p.into(), then, otherwise },
        });
    }
    b.finish()
}

/// What is live at the start of each block: the textbook's fixed point with sets of all registers.
fn expected(kernel: &Kernel) -> Vec<Vec<bool>> {
    let mut live_in = vec![vec![false; kernel.registers.len()]; kernel.blocks.len()];
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for (id, block) in kernel.blocks.iter().enumerate().rev() {
            let mut live = vec![false; kernel.registers.len()];
            for to in block.terminator.successors() {
                let theirs = &live_in[to.0 as usize];
                live.iter_mut().zip(theirs).for_each(|(live, theirs)| *live |= theirs);
            }
            if let Terminator::Branch { p, .. } = block.terminator {
                p.reg().into_iter().for_each(|reg| live[reg.0 as usize] = true);
            }
            for inst in block.insts.iter().rev() {
                let Op::Binary { d, a: Src::Reg(a), b: Src::Reg(b), .. } = inst.op else {
                    continue;
                };
                live[d.0 as usize] &= inst.guard.is_some();
                [Some(a), Some(b), inst.guard.and_then(Pred::reg)]
                    .into_iter()
                    .flatten()
                    .for_each(|reg| live[reg.0 as usize] = true);
            }
            changes |= live != live_in[id];
            live_in[id] = live;
        }
    }
    live_in
}

fn hull(mut blocks: impl Iterator<Item = usize>) -> Option<(u32, u32)> {
    let first = blocks.next()? as u32;
    Some((first, blocks.last().map_or(first, |last| last as u32)))
}

/// The first and the last place where a register is needed; two places a block.
fn reach(extent: &Extent) -> (Reg, u32, u32) {
    let (first, last) = extent.starts;
    let (first_end, last_end) = extent.ends.unwrap_or((u32::MAX / 4, 0));
    (extent.reg, (2 * first).min(2 * first_end + 1), (2 * last).max(2 * last_end + 1))
}

#[test]
fn liveness_is_that_of_the_fixed_point() {
    let mut number = numbers(11);
    let (mut regular, mut known, mut longer) = (0, 0, 0);
    for round in 0..3000 {
        // Many registers take more than one set.
        let registers = if round % 10 == 0 { 600 } else { 1 + number(6) };
        let blocks = 1 + number(14);
        let kernel = random(&mut number, blocks, registers);
        let live_in = expected(&kernel);
        let found = Extents::of(&kernel, &Interrupt::never()).expect("it is small");
        regular += usize::from(Solver::new(&kernel, &Interrupt::never()).is_regular);
        let at_entry = |reg: &usize| live_in[0][*reg];
        let entry: Vec<_> = (0..=registers).filter(at_entry).map(|reg| Reg(reg as u32)).collect();
        assert_eq!(found.at_entry, entry, "{kernel}");
        let blocks = 0..kernel.blocks.len();
        let mut all = Vec::new();
        for reg in (0..=registers as u32).map(Reg) {
            let starts = hull(blocks.clone().filter(|block| live_in[*block][reg.0 as usize]));
            let leads = |block: &usize| {
                let mut next = kernel.blocks[*block].terminator.successors();
                next.any(|to| live_in[to.0 as usize][reg.0 as usize])
            };
            let ends = hull(blocks.clone().filter(leads));
            let Some(starts) = starts else { continue };
            all.push(Extent { reg, starts, ends });
        }
        all.retain(|extent| !live_in[0][extent.reg.0 as usize]);
        let mut extents = found.all;
        extents.retain(|extent| !live_in[0][extent.reg.0 as usize]);
        extents.sort_unstable_by_key(|extent| extent.reg);
        assert_eq!(extents.len(), all.len(), "{kernel}");
        for (found, exact) in extents.iter().map(reach).zip(all.iter().map(reach)) {
            let ((reg, first, last), (exact_reg, exact_first, exact_last)) = (found, exact);
            assert!(
                reg == exact_reg && first <= exact_first && exact_last <= last,
                "{reg:?}: {found:?} for {exact:?}\n{kernel}"
            );
            known += 1;
            longer += usize::from(found != exact);
        }
        let dense = Liveness::of(&kernel).expect("it is small");
        for (block, live) in live_in.iter().enumerate() {
            let live: Vec<_> =
                (0..=registers).filter(|reg| live[*reg]).map(|reg| Reg(reg as u32)).collect();
            assert_eq!(dense.live_before(&kernel, block, 0), live, "{kernel}");
        }
    }
    assert!((500..2800).contains(&regular), "both ways are tried: {regular}");
    // Where a loop ends behind the one around it, values are kept to its end.
    assert!(longer * 100 < known, "{longer} of {known} are kept longer than they are needed");
}

/// A kernel of blocks with terminators by their numbers, in the order given.
fn blocks(count: usize, registers: usize, next: impl Fn(usize) -> Terminator) -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    b.reg(Class::Pred);
    for _ in 0..registers {
        b.reg(Class::W32);
    }
    let mut kernel = b.finish();
    let block = |nth| Block {
        insts: vec![crate::Inst {
            guard: None,
            op: Op::Binary {
                op: BinaryOp::AddI32,
                d: Reg(1 + (nth % registers) as u32),
                a: Src::Reg(Reg(1 + (nth * 7 % registers) as u32)),
                b: Src::Imm(1),
            },
            place: Place(0),
        }],
        terminator: next(nth),
        place: Place(0),
    };
    kernel.blocks = (0..count).map(block).collect();
    kernel
}

#[test]
fn work_grows_with_the_kernel_and_not_with_its_square() {
    // Chains of diamonds, ladders to one exit, nests of loops.
    let id = |nth: usize| BlockId(nth as u32);
    let p = Pred::Is(Reg(0));
    type Shape = fn(usize, usize) -> [usize; 2];
    let shapes: [Shape; 4] = [
        |nth, count| [nth + 1, (nth + 2).min(count - 1)],
        |nth, count| [nth + 1, count - 1],
        |nth, count| [nth + 1, if nth > count / 2 { count - nth } else { nth + 1 }],
        |nth, _| [nth + 1, nth.saturating_sub(nth % 1000)],
    ];
    for shape in shapes {
        let steps = |count: usize| {
            let kernel = blocks(count, 50, |nth| match shape(nth, count) {
                _ if nth + 1 == count => Terminator::Exit,
                [then, otherwise] => {
                    Terminator::Branch { p, then: id(then), otherwise: id(otherwise) }
                }
            });
            let asked = std::cell::Cell::new(0usize);
            let ask = || {
                asked.set(asked.get() + 1);
                false
            };
            let interrupt = Interrupt::new(&ask);
            assert!(Extents::of(&kernel, &interrupt).is_some());
            asked.get()
        };
        let (few, many) = (steps(50_000), steps(200_000));
        assert!(many <= 6 * few.max(1), "{few} questions, then {many}");
    }
    assert!(order::reconvergence_order(&[], &[0]).is_empty());
}

#[test]
fn it_can_be_interrupted() {
    let kernel = blocks(100_000, 50, |nth| match nth {
        99_999 => Terminator::Exit,
        _ => Terminator::Jump(BlockId(nth as u32 + 1)),
    });
    assert!(Extents::of(&kernel, &Interrupt::new(&|| true)).is_none());
}
