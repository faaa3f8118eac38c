//! Warp collectives: the fast path, and the evaluation that fast and slow path share.
//!
//! The fast path applies when every lane that the collective waits for is already there, in one split.
//! Otherwise the group stops and [`crate::cta`] holds a rendezvous.

use super::handler::{Body, STOP};
use super::program::{Code, Program};
use crate::exit::Stop;
use crate::frame::Frame;
use crate::plan::{CollectiveOp, ConstantShuffle};
use crate::simd::{self, Plan};
use crate::threads::MAX_WARPS;
use ir::CollectiveKind;
use lanes::{
    Group, LaneMask, Lanes, ShflMode, WARP, elect, groups, matching, movmatrix, redux, shfl, vote,
};

/// The operands of one warp's collective, one value per lane. Which count depends on the kind.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// Values of 32 bits.
    pub a: &'a Lanes<u32>,
    /// Values of 64 bits.
    pub wide: &'a Lanes<u64>,
    /// Source lanes or offsets of a shuffle.
    pub b: &'a Lanes<u32>,
    /// Clamp values and segment masks of a shuffle.
    pub c: &'a Lanes<u32>,
    /// Predicates, a bit per lane.
    pub predicate: u32,
}

/// Operands gathered from several splits that arrived at different instructions.
pub(crate) struct Gathered {
    pub(crate) a: Lanes<u32>,
    pub(crate) wide: Lanes<u64>,
    pub(crate) b: Lanes<u32>,
    pub(crate) c: Lanes<u32>,
    pub(crate) predicate: u32,
}

const ZEROS: Lanes<u32> = [0; WARP];
const WIDE_ZEROS: Lanes<u64> = [0; WARP];

impl Gathered {
    pub(crate) fn new() -> Self {
        Gathered { a: ZEROS, wide: WIDE_ZEROS, b: ZEROS, c: ZEROS, predicate: 0 }
    }

    /// Takes the given lanes from another set of operands.
    pub(crate) fn take(&mut self, from: Operands<'_>, lanes: u32) {
        let mask = LaneMask(lanes);
        self.a = lanes::select(mask, from.a, &self.a);
        self.wide = lanes::select(mask, from.wide, &self.wide);
        self.b = lanes::select(mask, from.b, &self.b);
        self.c = lanes::select(mask, from.c, &self.c);
        self.predicate = (self.predicate & !lanes) | (from.predicate & lanes);
    }

    pub(crate) fn operands(&self) -> Operands<'_> {
        let Gathered { a, wide, b, c, predicate } = self;
        Operands { a, wide, b, c, predicate: *predicate }
    }
}

/// What a collective gives each lane.
#[derive(Clone, Debug)]
pub struct Results {
    /// Values.
    pub d: Lanes<u32>,
    /// Predicates, a bit per lane.
    pub p: u32,
}

/// Evaluates a collective of the lanes that take part in it. Results of lanes that do not execute it mean nothing.
#[inline(always)]
pub fn evaluate(kind: CollectiveKind, operands: Operands<'_>, participants: LaneMask) -> Results {
    let Operands { a, wide, b, c, predicate } = operands;
    let everywhere = |value: u32| Results { d: [value; WARP], p: 0 };
    let truth = |value: bool| Results { d: ZEROS, p: if value { u32::MAX } else { 0 } };
    match kind {
        CollectiveKind::Shfl(mode) => {
            let sources = shfl::source_lanes(mode, b, c);
            Results { d: shfl::permute(a, &sources.lane), p: sources.in_range.0 }
        }
        CollectiveKind::Vote(mode) => truth(vote::vote(mode, LaneMask(predicate), participants)),
        CollectiveKind::Ballot => everywhere(vote::ballot(LaneMask(predicate), participants).0),
        CollectiveKind::MatchAny { wide: true } => {
            Results { d: matching::match_any(wide, participants), p: 0 }
        }
        CollectiveKind::MatchAny { wide: false } => {
            Results { d: matching::match_any(a, participants), p: 0 }
        }
        CollectiveKind::MatchAll { wide: is_wide } => {
            let (mask, equal) = if is_wide {
                matching::match_all(wide, participants)
            } else {
                matching::match_all(a, participants)
            };
            Results { d: [mask.0; WARP], p: truth(equal).p }
        }
        CollectiveKind::Redux(op) => everywhere(redux::redux(op, a, participants)),
        CollectiveKind::ReduxF32(mode) => everywhere(redux::redux_f32(mode, a, participants)),
        CollectiveKind::Elect => {
            let leader = elect::elect(participants, LaneMask::EMPTY);
            let p = leader.map_or(LaneMask::EMPTY, LaneMask::single);
            Results { d: [leader.unwrap_or(0); WARP], p: p.0 }
        }
        CollectiveKind::MovMatrix => Results { d: movmatrix::movmatrix(a), p: 0 },
        CollectiveKind::WarpSync | CollectiveKind::Matrix(_) => truth(false),
    }
}

impl CollectiveOp {
    /// Reads the operands of one warp.
    ///
    /// # Safety
    /// The operation belongs to the frame's program.
    #[inline(always)]
    pub(crate) unsafe fn read<'a>(&self, frame: &'a Frame<'_>, warp: usize) -> Operands<'a> {
        let mut operands =
            Operands { a: &ZEROS, wide: &WIDE_ZEROS, b: &ZEROS, c: &ZEROS, predicate: 0 };
        // SAFETY: compilation gave each operand a row of the kind's class inside the registers.
        unsafe {
            match self.kind {
                CollectiveKind::Shfl(_) => {
                    operands.a = &*frame.row(self.a, warp);
                    operands.b = &*frame.row(self.b, warp);
                    operands.c = &*frame.row(self.c, warp);
                }
                CollectiveKind::Vote(_) | CollectiveKind::Ballot => {
                    let flip = if self.negated { u32::MAX } else { 0 };
                    operands.predicate = *frame.pred(self.a, warp) ^ flip;
                }
                CollectiveKind::MatchAny { wide: true }
                | CollectiveKind::MatchAll { wide: true } => {
                    operands.wide = &*frame.row(self.a, warp);
                }
                CollectiveKind::MatchAny { wide: false }
                | CollectiveKind::MatchAll { wide: false }
                | CollectiveKind::Redux(_)
                | CollectiveKind::ReduxF32(_)
                | CollectiveKind::MovMatrix => operands.a = &*frame.row(self.a, warp),
                CollectiveKind::Elect | CollectiveKind::WarpSync | CollectiveKind::Matrix(_) => {}
            }
        }
        operands
    }

    /// Writes the results of the given lanes of one warp.
    ///
    /// # Safety
    /// The operation belongs to the frame's program.
    #[inline(always)]
    pub(crate) unsafe fn write(
        &self,
        frame: &Frame<'_>,
        warp: usize,
        results: &Results,
        lanes: u32,
    ) {
        // SAFETY: compilation gave each result a row of its class inside the registers.
        unsafe {
            if !self.d.is_none() {
                let d = &mut *frame.row::<u32>(self.d, warp);
                if lanes == u32::MAX {
                    *d = results.d;
                } else {
                    *d = lanes::select(LaneMask(lanes), &results.d, d);
                }
            }
            if !self.p.is_none() {
                let p = &mut *frame.pred(self.p, warp);
                *p = (*p & !lanes) | (results.p & lanes);
            }
        }
    }

    /// The membermask of each lane of a warp.
    ///
    /// # Safety
    /// The operation belongs to the frame's program.
    pub(crate) unsafe fn membermasks(&self, frame: &Frame<'_>, warp: usize) -> Lanes<u32> {
        // SAFETY: compilation gave the membermask a row of 32-bit values inside the registers.
        self.members.map_or([u32::MAX; WARP], |slot| unsafe { *frame.row(slot, warp) })
    }

    /// The membermask of the executing lanes of a warp, if they all name the same.
    ///
    /// # Safety
    /// The operation belongs to the frame's program.
    pub(crate) unsafe fn membermask(&self, frame: &Frame<'_>, warp: usize) -> u32 {
        let first = frame.exec[warp % MAX_WARPS].trailing_zeros() as usize % WARP;
        // SAFETY: compilation gave the membermask a row of 32-bit values inside the registers.
        self.members.map_or(u32::MAX, |slot| unsafe { (*frame.row::<u32>(slot, warp))[first] })
    }

    /// Whether every collective of the group has its participants at once: in each warp, all executing lanes
    /// name the same membermask, and every live lane of it executes.
    ///
    /// # Safety
    /// The operation belongs to the frame's program.
    #[inline(always)]
    pub(crate) unsafe fn nobody_waits(&self, frame: &Frame<'_>) -> bool {
        let Some(slot) = self.members.filter(|_| self.waits) else { return true };
        let group = frame.first..frame.first + frame.count;
        let lanes = frame.exec[group.clone()].iter().zip(&frame.threads.live[group.clone()]);
        let mut missing = 0;
        if slot.is_uniform() {
            // SAFETY: compilation gave the membermask a row of 32-bit values inside the registers.
            let mask = unsafe { (*frame.row::<u32>(slot, 0))[0] };
            for (exec, live) in lanes {
                missing |= if *exec == 0 { 0 } else { mask & live & !exec };
            }
            return missing == 0;
        }
        for ((exec, live), warp) in lanes.zip(group).filter(|((exec, _), _)| **exec != 0) {
            // SAFETY: as above.
            let masks = unsafe { &*frame.row::<u32>(slot, warp) };
            let mask = masks[exec.trailing_zeros() as usize % WARP];
            let mut differing = 0;
            for (lane, other) in masks.iter().enumerate() {
                differing |= u32::from(*other != mask) << lane;
            }
            missing |= differing & exec | mask & live & !exec;
        }
        missing == 0
    }

    /// The lanes of a group whose results are kept: where the group is all that execute, those that the frame writes.
    #[inline(always)]
    pub(super) fn kept(frame: &Frame<'_>, warp: usize, group: Group) -> u32 {
        if group.lanes.0 == frame.exec[warp] { frame.write[warp] } else { group.lanes.0 }
    }

    /// Writes the predicate of a shuffle to the given lanes of one warp.
    ///
    /// # Safety
    /// The operation belongs to the frame's program.
    #[inline(always)]
    unsafe fn write_in_range(&self, frame: &Frame<'_>, warp: usize, in_range: LaneMask, keep: u32) {
        if !self.p.is_none() {
            // SAFETY: compilation gave the predicate a place inside the registers.
            let p = unsafe { &mut *frame.pred(self.p, warp) };
            *p = (*p & !keep) | (in_range.0 & keep);
        }
    }
}

/// Takes over the given lanes.
#[inline(always)]
fn merge(d: &mut Lanes<u32>, found: &Lanes<u32>, keep: u32) {
    *d = lanes::select(LaneMask(keep), found, d);
}

/// A collective; `x` is its index.
pub(super) struct Collective;

impl Body for Collective {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let op = &program.plan.collectives()[code.x as usize];
        // SAFETY: the operation belongs to the frame's program.
        if !unsafe { op.nobody_waits(frame) } {
            frame.stop = Some(Stop::Collective(at));
            return STOP;
        }
        for warp in frame.first..frame.first + frame.count {
            if frame.exec[warp] == 0 {
                continue;
            }
            // SAFETY: the operation belongs to the frame's program.
            unsafe {
                if let CollectiveKind::Shfl(mode) = op.kind {
                    shuffle::<LEVEL>(frame, op, mode, warp);
                    continue;
                }
                // A loop and no closure: only what is inlined here has the level's instructions.
                let masks = op.membermasks(frame, warp);
                for group in groups(&masks, LaneMask(frame.exec[warp])) {
                    let results = evaluate(op.kind, op.read(frame, warp), group.participants());
                    op.write(frame, warp, &results, CollectiveOp::kept(frame, warp, group));
                }
            }
        }
        at + 1
    }
}

/// A shuffle with constant `b` and `c`; `x` is its index.
pub(super) struct ShuffleConstant;

impl Body for ShuffleConstant {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let op = &program.plan.collectives()[code.x as usize];
        let Some(ConstantShuffle { sources, in_range }) = &op.sources else { return at + 1 };
        // SAFETY: the operation belongs to the frame's program.
        if !unsafe { op.nobody_waits(frame) } {
            frame.stop = Some(Stop::Collective(at));
            return STOP;
        }
        macro_rules! each_warp {
            (|$a:ident| $found:expr) => {
                for warp in frame.first..frame.first + frame.count {
                    let keep = frame.write[warp % MAX_WARPS];
                    // SAFETY: compilation gave each operand and result a row of its class inside the registers, and
                    // the handler was selected for a level that the machine has.
                    unsafe {
                        let $a = &*frame.row(op.a, warp);
                        if keep == u32::MAX {
                            // Written here, so that the result of a whole warp stays in vector registers.
                            frame.row::<u32>(op.d, warp).write($found);
                        } else if keep != 0 {
                            let found = $found;
                            merge(&mut *frame.row(op.d, warp), &found, keep);
                        }
                        op.write_in_range(frame, warp, *in_range, keep);
                    }
                }
            };
        }
        // One loop for each plan: the choice is the same for all warps.
        match sources.plan::<LEVEL>() {
            Plan::Copy(starts) => each_warp!(|a| simd::copy_groups(a, starts)),
            Plan::Blend(blend) => each_warp!(|a| simd::permute_blend::<LEVEL>(a, blend)),
            Plan::General => each_warp!(|a| simd::permute::<LEVEL>(a, sources.lanes())),
        }
        at + 1
    }
}

/// `d` receives the mask of executing lanes, of those that are together.
pub(super) struct ActiveMask;

impl Body for ActiveMask {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        for warp in frame.first..frame.first + frame.count {
            let exec = frame.exec[warp];
            // SAFETY: the result's row lies inside the registers.
            let d = unsafe { &mut *frame.row::<u32>(code.d, warp) };
            for part in [exec & frame.apart, exec & !frame.apart] {
                *d = lanes::select(LaneMask(part), &[part; WARP], d);
            }
        }
        at + 1
    }
}

/// A shuffle of one warp: a table look-up, written without a detour.
///
/// # Safety
/// The operation belongs to the frame's program, and the machine has the level.
#[inline(always)]
unsafe fn shuffle<const LEVEL: usize>(
    frame: &mut Frame<'_>,
    op: &CollectiveOp,
    mode: ShflMode,
    warp: usize,
) {
    // SAFETY: compilation gave each operand a row of its class inside the registers.
    unsafe {
        let (b, c) = (&*frame.row(op.b, warp), &*frame.row(op.c, warp));
        let sources = shfl::source_lanes(mode, b, c);
        let found = simd::permute::<LEVEL>(&*frame.row(op.a, warp), &sources.lane);
        let keep = frame.write[warp % MAX_WARPS];
        merge(&mut *frame.row(op.d, warp), &found, keep);
        op.write_in_range(frame, warp, sources.in_range, keep);
    }
}
