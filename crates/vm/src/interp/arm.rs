//! Arms: short ways round that run in place, without the scheduler.
//!
//! `if (p) { … }` is a branch over a block that comes next and in which nobody waits. The schedule would run that
//! block with the lanes that want it while the others wait behind it; so the group runs it at once with those
//! lanes and goes on with all.

use super::control::{PIECE, count};
use super::frame::{Body, Code, Frame, Slot};
use ir::{BlockId, Kernel, Terminator};

/// A branch over a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmOp {
    pub(crate) p: Slot,
    /// Whether the lanes whose predicate is false run the arm.
    pub(crate) negated: bool,
    /// Instructions of the front end in the arm.
    pub(crate) instructions: u32,
}

/// Per block, whether it is an arm of the block before it.
pub(super) fn find(kernel: &Kernel) -> Vec<bool> {
    let mut predecessors = vec![0u32; kernel.blocks.len()];
    for block in &kernel.blocks {
        for to in block.terminator.successors() {
            predecessors[to.0 as usize] += 1;
        }
    }
    let mut arms = vec![false; kernel.blocks.len()];
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
        // A block with an arm of its own ends in a branch, so arms do not nest.
        arms[at + 1] = skips && predecessors[at + 1] == 1 && *join > id && !waits && is_short;
    }
    arms
}

/// Runs the arm at index `x` with the lanes that want it, or goes on at its end, `y`, when none does. Ends a block.
pub(super) struct Arm;

impl Body for Arm {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(frame: &mut Frame<'_>, code: &Code, at: usize) -> usize {
        let op = frame.program.arms[code.x as usize];
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

/// Ends an arm: all lanes go on at code `x`.
pub(super) struct ArmEnd;

impl Body for ArmEnd {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(frame: &mut Frame<'_>, code: &Code, _at: usize) -> usize {
        for warp in frame.first..frame.first + frame.count {
            let lanes = frame.outside[warp];
            frame.set_exec(warp, lanes);
        }
        count(frame, code);
        frame.go(code.x as usize)
    }
}
