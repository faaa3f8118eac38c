//! Predicated blocks: the body of an `if` runs in place, without the scheduler.
//!
//! `if (p) { … }` is a branch over a block that comes next and in which nobody waits. The schedule would run that
//! block with the lanes that take it while the others wait behind it; so the group runs it at once with those
//! lanes and goes on with all.

use super::control::PIECE;
use super::frame::{Code, Frame};
use super::handler::Body;
use ir::{BlockId, Kernel, Terminator};

/// Per block, whether it is predicated: run in place by the block before it.
pub(super) fn find(kernel: &Kernel) -> Vec<bool> {
    let mut predecessors = vec![0u32; kernel.blocks.len()];
    for block in &kernel.blocks {
        for to in block.terminator.successors() {
            predecessors[to.0 as usize] += 1;
        }
    }
    let mut predicated = vec![false; kernel.blocks.len()];
    for (at, pair) in kernel.blocks.windows(2).enumerate() {
        let [block, next] = pair else { continue };
        let (Terminator::Branch { then, otherwise, .. }, Terminator::Jump(join)) =
            (&block.terminator, &next.terminator)
        else {
            continue;
        };
        let id = BlockId(at as u32 + 1);
        let skips = (*then == id && otherwise == join) || (*otherwise == id && then == join);
        let is_short = next.insts.len() <= PIECE;
        let waits = next.insts.iter().any(|inst| inst.op.may_wait());
        // A block that runs one in place ends in a branch, so they do not nest.
        predicated[at + 1] = skips && predecessors[at + 1] == 1 && *join > id && !waits && is_short;
    }
    predicated
}

/// Runs the predicated block at index `x` with the lanes that take it, or goes on at its end, `y`, when none does.
/// Ends a block.
pub(super) struct Predicated;

impl Body for Predicated {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(frame: &mut Frame<'_>, code: &Code, at: usize) -> usize {
        let op = frame.program.predicated[code.x as usize];
        let flip = if op.negated { u32::MAX } else { 0 };
        let (mut warps, mut lanes) = (0, 0);
        for warp in frame.first..frame.first + frame.count {
            let exec = frame.exec[warp];
            // SAFETY: the slot lies inside the registers.
            let wanted = exec & (unsafe { *frame.pred(op.p, warp) } ^ flip);
            frame.outside[warp] = exec;
            frame.set_exec(warp, wanted);
            warps += u64::from(wanted != 0);
            lanes += u64::from(wanted.count_ones());
            frame.stats.divergences += u64::from(wanted != 0 && wanted != exec);
        }
        frame.stats.warp_instructions += u64::from(op.instructions) * warps;
        frame.stats.thread_instructions += u64::from(op.instructions) * lanes;
        if warps == 0 { code.y as usize } else { at + 1 }
    }
}

/// Ends a predicated block: all lanes go on at code `x`.
pub(super) struct PredicatedEnd;

impl Body for PredicatedEnd {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(frame: &mut Frame<'_>, code: &Code, _at: usize) -> usize {
        for warp in frame.first..frame.first + frame.count {
            let lanes = frame.outside[warp];
            frame.set_exec(warp, lanes);
        }
        frame.count(code);
        frame.go(code.x as usize)
    }
}
