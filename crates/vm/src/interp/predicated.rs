//! Enters and leaves predicated blocks ([`crate::plan`]).

use super::handler::Body;
use super::program::{Code, Program};
use crate::frame::Frame;

/// Runs the predicated block at index `x` with the lanes that take it, or goes on at its end, `y`, when none does.
/// Ends a block.
pub(super) struct Predicated;

impl Body for Predicated {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let op = program.predicated[code.x as usize];
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
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        _at: usize,
    ) -> usize {
        for warp in frame.first..frame.first + frame.count {
            let lanes = frame.outside[warp];
            frame.set_exec(warp, lanes);
        }
        frame.count(code);
        frame.go(code.x as usize)
    }
}
