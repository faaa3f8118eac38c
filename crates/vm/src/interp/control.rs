//! Terminators and CTA barriers, and how handlers go on and stop.

use super::handler::{Body, STOP};
use super::program::{Code, Program};
use crate::exit::{FaultAt, Stop};
use crate::fault::FaultKind;
use crate::frame::Frame;
use crate::plan::{BarrierOp, Reduction};
use ir::{BarrierReduction, Place};
use jit::fuel;

impl Frame<'_> {
    /// Counts the instructions of the block that a terminator's code ends: `y` of them.
    #[inline(always)]
    pub(super) fn count(&mut self, code: &Code) {
        self.stats.warp_instructions += u64::from(code.y) * self.active_warps;
        self.stats.thread_instructions += u64::from(code.y) * self.active_lanes;
    }

    /// Ends the group's turn with a fault of one lane.
    #[cold]
    pub(super) fn fault(&mut self, kind: FaultKind, place: Place, warp: usize, lane: u32) -> usize {
        self.stop = Some(Stop::Fault(Box::new(FaultAt { kind, place, warp, lane })));
        STOP
    }

    /// Goes on at a code, unless the scheduler must decide.
    #[inline(always)]
    pub(super) fn go(&mut self, to: usize) -> usize {
        if to >= self.limit {
            self.stop = Some(Stop::Limit(to));
            return STOP;
        }
        self.fuel -= 1;
        if self.fuel < 0 {
            self.stop = Some(Stop::Yield(to));
            return STOP;
        }
        to
    }
}

/// Prepares the frame for a group whose lanes are in [`Frame::exec`].
pub(super) struct BeginGroup;

impl Body for BeginGroup {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        _code: &Code,
        at: usize,
    ) -> usize {
        let (mut active_warps, mut active_lanes) = (0, 0);
        for warp in frame.first..frame.first + frame.count {
            let lanes = frame.exec[warp];
            frame.set_exec(warp, lanes);
            frame.unguarded[warp] = lanes;
            active_warps += u64::from(lanes != 0);
            active_lanes += u64::from(lanes.count_ones());
        }
        (frame.active_warps, frame.active_lanes) = (active_warps, active_lanes);
        at
    }
}

/// Goes on at code `x`.
pub(super) struct Jump;

impl Body for Jump {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        _at: usize,
    ) -> usize {
        frame.count(code);
        frame.go(code.x as usize)
    }
}

/// Where a turn can end within a long block, so that it can be interrupted there.
pub(super) struct Pause;

impl Body for Pause {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        _code: &Code,
        at: usize,
    ) -> usize {
        frame.fuel -= 1;
        if frame.fuel < 0 {
            frame.stop = Some(Stop::Yield(at + 1));
            return STOP;
        }
        at + 1
    }
}

/// The branch at index `x`.
pub(super) struct Branch;

impl Body for Branch {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        frame.count(code);
        let branch = program.branches[code.x as usize];
        let flip = if branch.negated { u32::MAX } else { 0 };
        let (mut any_taken, mut any_left) = (0, 0);
        for warp in frame.first..frame.first + frame.count {
            // SAFETY: the slot lies inside the registers.
            let p = unsafe { *frame.pred(branch.p, warp) } ^ flip;
            let exec = frame.exec[warp];
            frame.taken[warp] = exec & p;
            any_taken |= exec & p;
            any_left |= exec & !p;
        }
        if any_left == 0 {
            return frame.go(branch.then);
        }
        if any_taken == 0 {
            return frame.go(branch.otherwise);
        }
        frame.stop = Some(Stop::Diverge(at));
        STOP
    }
}

/// The lanes exit.
pub(super) struct Exit;

impl Body for Exit {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        _at: usize,
    ) -> usize {
        frame.count(code);
        frame.stop = Some(Stop::Exit);
        STOP
    }
}

/// The kernel stops with a fault; `x` is the place.
pub(super) struct Trap;

impl Body for Trap {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        _at: usize,
    ) -> usize {
        frame.count(code);
        let warps = frame.first..frame.first + frame.count;
        let warp = warps.into_iter().find(|warp| frame.exec[*warp] != 0).unwrap_or(frame.first);
        let lane = frame.exec[warp].trailing_zeros();
        frame.fault(FaultKind::Trap, Place(code.x), warp, lane)
    }
}

/// The barrier at index `x`. When all live threads of the CTA stand here together, nobody waits.
pub(super) struct Barrier;

impl Body for Barrier {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let barrier = &program.plan.barriers()[code.x as usize];
        if !barrier.nobody_waits(frame) {
            frame.stop = Some(Stop::Barrier(at));
            return STOP;
        }
        if let Some(reduction) = barrier.reduction {
            let here = frame.threads.live_count();
            let flip = if reduction.negated { u32::MAX } else { 0 };
            let mut trues = 0;
            for warp in frame.first..frame.first + frame.count {
                // SAFETY: the slot lies inside the registers.
                let p = unsafe { *frame.pred(reduction.p, warp) } ^ flip;
                trues += (p & frame.exec[warp]).count_ones();
            }
            for warp in frame.first..frame.first + frame.count {
                // SAFETY: the operation belongs to the frame's program.
                unsafe { reduction.write(frame, warp, frame.exec[warp], trues, here) };
            }
        }
        at + 1
    }
}

impl BarrierOp {
    /// Whether all live threads of the CTA stand at the barrier together, in the frame's group, and nobody has arrived before.
    pub(crate) fn nobody_waits(&self, frame: &Frame<'_>) -> bool {
        let mut here = 0;
        for warp in frame.first..frame.first + frame.count {
            here += frame.exec[warp].count_ones();
        }
        let alone = self.id.is_uniform() && self.threads.is_none() && !self.arrive_only;
        alone && frame.arrivals == 0 && here == frame.threads.live_count()
    }
}

/// A half of the barrier of the cluster: all of it happens in [`crate::cta`].
pub(super) struct ClusterMeeting;

impl Body for ClusterMeeting {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        _code: &Code,
        at: usize,
    ) -> usize {
        frame.stop = Some(Stop::Cluster(at));
        STOP
    }
}

impl Reduction {
    /// Gives the lanes of a warp the result over `all` threads, of which `trues` had a true predicate.
    ///
    /// # Safety
    /// The operation belongs to the frame's program.
    pub(crate) unsafe fn write(
        &self,
        frame: &Frame<'_>,
        warp: usize,
        lanes: u32,
        trues: u32,
        all: u32,
    ) {
        let truth = match self.op {
            BarrierReduction::Popc => {
                // SAFETY: compilation gave the count a row of 32-bit values inside the registers.
                let d = unsafe { &mut *frame.row::<u32>(self.d, warp) };
                *d = lanes::select(lanes::LaneMask(lanes), &lanes::splat(trues), d);
                return;
            }
            BarrierReduction::And => trues == all,
            BarrierReduction::Or => trues > 0,
        };
        // SAFETY: the slot lies inside the registers.
        let d = unsafe { &mut *frame.pred(self.d, warp) };
        *d = if truth { *d | lanes } else { *d & !lanes };
    }
}

/// A fence: orders this CTA's accesses against the other CTAs'.
pub(super) struct FenceAll;

impl Body for FenceAll {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        _frame: &mut Frame<'_>,
        _code: &Code,
        at: usize,
    ) -> usize {
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        at + 1
    }
}

/// Gives up most of the turn, so that whoever is waited for gets on.
pub(super) struct Nanosleep;

impl Body for Nanosleep {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        _code: &Code,
        at: usize,
    ) -> usize {
        frame.fuel -= i64::from(fuel::SLEEP);
        at + 1
    }
}

/// What only observers see.
pub(super) struct Nothing;

impl Body for Nothing {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        _frame: &mut Frame<'_>,
        _code: &Code,
        at: usize,
    ) -> usize {
        at + 1
    }
}
