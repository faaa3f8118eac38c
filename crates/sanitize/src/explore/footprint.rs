//! What each step of a run touched.

use crate::touch::Touch;
use ir::{BinaryOp, Inst, Space, Touched};
use lanes::LaneMask;
use std::cell::RefCell;
use std::rc::Rc;
use vm::{Arrival, BarrierPart, Candidate, Firing, Observer, View};

/// The steps of a run in order.
pub(super) type Steps = Vec<Step>;

/// Writes down the steps of a run.
#[derive(Debug, Default)]
pub struct Footprints {
    /// Shared with who makes the choices.
    pub(super) steps: Rc<RefCell<Steps>>,
}

/// One step of one split.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) cta: u64,
    pub(super) warp: u32,
    pub(super) lanes: LaneMask,
    pub(super) accesses: Vec<Access>,
    /// Its result depends on which lanes of the warp are there.
    pub(super) counts_lanes: bool,
    /// The lanes of its CTA that were let go by it, warp by warp, when a collective fired or a barrier was complete.
    pub(super) released: Vec<(u32, LaneMask)>,
}

/// Adjacent bytes that a step accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// The CTA whose shared memory it is; `None` for global memory.
    pub(super) shared: Option<u64>,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) kind: Kind,
    /// The lanes that did it.
    pub(super) lanes: LaneMask,
}

/// What an access did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    /// An update whose order against others of its function does not matter.
    Reduce(BinaryOp),
}

impl Kind {
    /// Whether two accesses of the same bytes may be swapped.
    fn swaps_with(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Read, Kind::Read) => true,
            (Kind::Reduce(one), Kind::Reduce(other)) => one == other,
            (Kind::Read | Kind::Write | Kind::Reduce(_), _) => false,
        }
    }
}

impl Footprints {
    fn counts_lanes(&self) {
        if let Some(step) = self.steps.borrow_mut().last_mut() {
            step.counts_lanes = true;
        }
    }

    fn access(&mut self, view: &View<'_>, inst: &Inst, touched: Touched<'_>) {
        let Touched { space, address, bytes, writes } = touched;
        let kind = match (inst.op.any_order(), writes) {
            (Some(op), _) => Kind::Reduce(op),
            (None, true) => Kind::Write,
            (None, false) => Kind::Read,
        };
        let mut steps = self.steps.borrow_mut();
        let Some(step) = steps.last_mut() else { return };
        let cta = view.cta();
        for (warp, lanes) in view.group() {
            Touch::each(view, (warp, lanes.0), space, address, bytes, |touch| {
                let shared = match touch.space {
                    Space::Shared => Some(cta),
                    Space::Global => None,
                    Space::Generic | Space::Local | Space::Param => return,
                };
                for (lane, start) in touch.iter() {
                    let end = start + touch.bytes;
                    match step.accesses.last_mut() {
                        Some(last)
                            if last.end == start && last.shared == shared && last.kind == kind =>
                        {
                            last.end = end;
                            last.lanes |= LaneMask::single(lane);
                        }
                        _ => step.accesses.push(Access {
                            shared,
                            start,
                            end,
                            kind,
                            lanes: LaneMask::single(lane),
                        }),
                    }
                }
            });
        }
    }
}

impl Observer for Footprints {
    fn step(&mut self, split: &Candidate) {
        self.steps.borrow_mut().push(Step {
            cta: split.cta,
            warp: split.warp,
            lanes: split.lanes,
            accesses: Vec::new(),
            counts_lanes: false,
            released: Vec::new(),
        });
    }

    fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        if let Some(touched) = inst.op.touches() {
            self.access(view, inst, touched);
        } else if inst.op.is_collective() {
            self.counts_lanes();
        }
    }

    fn arrive(&mut self, _: &View<'_>, arrival: &Arrival<'_>) {
        if arrival.membermask.is_none() {
            self.counts_lanes();
        }
    }

    fn fire(&mut self, _: &View<'_>, firing: &Firing<'_>) {
        if let Some(step) = self.steps.borrow_mut().last_mut() {
            step.released.push((firing.warp as u32, firing.participants));
        }
    }

    fn complete_barrier(&mut self, _: &View<'_>, _: u32, waiting: &[BarrierPart<'_>]) {
        if let Some(step) = self.steps.borrow_mut().last_mut() {
            step.released.extend(waiting.iter().map(|part| (part.warp as u32, part.lanes)));
        }
    }
}

impl Step {
    /// Whether two steps of different lanes may not be swapped.
    pub(super) fn depends_on(&self, other: &Step) -> bool {
        self.part_depends_on(self.lanes, other, other.lanes)
    }

    /// The same for what some of the lanes did in the one step and some in the other.
    pub(super) fn part_depends_on(&self, part: LaneMask, other: &Step, theirs: LaneMask) -> bool {
        if self.same_warp(other) && (self.counts_lanes || other.counts_lanes) {
            return true;
        }
        self.accesses.iter().filter(|one| one.lanes.intersects(part)).any(|one| {
            other.accesses.iter().any(|other| {
                // Lanes of one entry access different bytes.
                !std::ptr::eq(one, other)
                    && other.lanes.intersects(theirs)
                    && one.shared == other.shared
                    && one.start < other.end
                    && other.start < one.end
                    && !one.kind.swaps_with(other.kind)
            })
        })
    }

    /// Whether both are of one warp.
    pub(super) fn same_warp(&self, other: &Step) -> bool {
        (self.cta, self.warp) == (other.cta, other.warp)
    }

    /// Whether some lane takes part in both.
    pub(super) fn shares_lanes(&self, other: &Step) -> bool {
        self.same_warp(other) && self.lanes.intersects(other.lanes)
    }

    /// Whether a candidate is the split that took the step.
    pub(super) fn is_by(&self, split: &Candidate) -> bool {
        (self.cta, self.warp, self.lanes) == (split.cta, split.warp, split.lanes)
    }

    /// Whether a candidate has some of these lanes of the step's warp.
    pub(super) fn is_near(&self, split: &Candidate, lanes: LaneMask) -> bool {
        (self.cta, self.warp) == (split.cta, split.warp) && lanes.intersects(split.lanes)
    }
}
