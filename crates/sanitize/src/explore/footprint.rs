//! What each step of a run touched.

use super::state::{Fingerprint, Start, States};
use crate::touch::Touch;
use ir::{BinaryOp, Inst, Op, Place, Pred, Space, Terminator, Touched};
use lanes::LaneMask;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use vm::{Arrival, BarrierArrival, BarrierPart, Candidate, Firing, Observer, View};

/// Steps of a run that are written down.
pub(super) const STEPS: usize = 4096;

/// The steps of a run in order.
pub(super) type Steps = Vec<Step>;

/// Writes down the steps of a run.
#[derive(Debug, Default)]
pub struct Footprints {
    /// Shared with who makes the choices.
    pub(super) steps: Rc<RefCell<Steps>>,
    /// Steps of the run so far.
    pub(super) count: Rc<Cell<usize>>,
    states: Option<Rc<RefCell<States>>>,
    /// A step has begun, and nothing was seen of it.
    begins: bool,
}

/// One step of one split.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) cta: u64,
    pub(super) warp: u32,
    pub(super) lanes: LaneMask,
    /// The split as it was when it was chosen.
    pub(super) split: Candidate,
    /// What it held then, if that is known.
    pub(super) state: Option<Fingerprint>,
    /// Apart from its accesses it changed more than registers, met others or read a clock.
    acts: bool,
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

/// Whether an instruction that is no access is more than the same function of registers each time.
fn acts(op: &Op) -> bool {
    match op {
        Op::Special { what, .. } => what.varies_by_time(),
        other => matches!(other, Op::AsyncCopy(_) | Op::Host { .. }),
    }
}

impl Access {
    /// Whether both access some byte.
    pub(super) fn meets(&self, other: &Access) -> bool {
        self.shared == other.shared && self.start < other.end && other.start < self.end
    }
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
    /// Footprints that tell when a split is back in the same state.
    pub(super) fn with_states(states: &Rc<RefCell<States>>) -> Footprints {
        Footprints { states: Some(Rc::clone(states)), ..Footprints::default() }
    }

    /// Changes what is written down of the step that runs, if it is.
    fn note(&self, change: impl FnOnce(&mut Step)) {
        if self.count.get() <= STEPS
            && let Some(step) = self.steps.borrow_mut().last_mut()
        {
            change(step);
        }
    }

    /// The step that has just begun does so here.
    fn starts(&mut self, view: &View<'_>, start: Start) {
        if !std::mem::take(&mut self.begins) {
            return;
        }
        if let Some(states) = &self.states {
            self.note(|step| {
                let split = (step.warp as usize, step.lanes);
                step.state = states.borrow_mut().fingerprint(view, start, split);
            });
        }
    }

    /// The step meets others.
    fn arrives(&mut self) {
        self.begins = false;
        self.note(|step| step.acts = true);
    }

    fn access(&mut self, view: &View<'_>, inst: &Inst, touched: Touched<'_>) {
        let Touched { space, address, bytes, writes } = touched;
        let mut steps = self.steps.borrow_mut();
        let Some(step) = steps.last_mut() else { return };
        let cta = view.cta();
        // What an atomic finds orders it even if it changes nothing.
        let finds = matches!(inst.op, Op::Atomic { d: Some(_), .. });
        for (warp, lanes) in view.group() {
            Touch::each(view, (warp, lanes.0), space, address, bytes, |touch| {
                let shared = match touch.space {
                    Space::Shared => Some(cta),
                    Space::Global => None,
                    Space::Generic | Space::Local | Space::Param => {
                        step.acts |= writes;
                        return;
                    }
                };
                let kind = match (inst.op.any_order(), writes) {
                    (Some(op), _) => Kind::Reduce(op),
                    (None, true) if !(finds && touch.leaves(view, &inst.op)) => Kind::Write,
                    (None, _) => Kind::Read,
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
        self.count.set(self.count.get() + 1);
        if self.count.get() > STEPS {
            return;
        }
        self.begins = true;
        self.steps.borrow_mut().push(Step {
            cta: split.cta,
            warp: split.warp,
            lanes: split.lanes,
            split: *split,
            state: None,
            acts: false,
            accesses: Vec::new(),
            counts_lanes: false,
            released: Vec::new(),
        });
    }

    fn guard(&mut self, view: &View<'_>, _: Pred, place: Place) {
        self.starts(view, Start::Inst(place));
    }

    fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        if self.count.get() > STEPS {
            return;
        }
        self.starts(view, Start::Inst(inst.place));
        if let Some(touched) = inst.op.touches() {
            self.access(view, inst, touched);
        } else if inst.op.is_collective() {
            self.note(|step| step.counts_lanes = true);
        } else if acts(&inst.op) {
            self.note(|step| step.acts = true);
        }
    }

    fn leave(&mut self, view: &View<'_>, terminator: &Terminator, place: Place) {
        self.starts(view, Start::Terminator(place));
        match terminator {
            Terminator::Exit | Terminator::Trap => self.note(|step| step.acts = true),
            Terminator::Jump(_) | Terminator::Branch { .. } => {}
        }
    }

    fn arrive(&mut self, _: &View<'_>, arrival: &Arrival<'_>) {
        self.arrives();
        if arrival.membermask.is_none() {
            self.note(|step| step.counts_lanes = true);
        }
    }

    fn arrive_at_barrier(&mut self, _: &View<'_>, _: &BarrierArrival<'_>) {
        self.arrives();
    }

    fn fire(&mut self, _: &View<'_>, firing: &Firing<'_>) {
        self.note(|step| step.released.push((firing.warp as u32, firing.executing)));
    }

    fn complete_barrier(&mut self, _: &View<'_>, _: u32, waiting: &[BarrierPart<'_>]) {
        let released = waiting.iter().map(|part| (part.warp as u32, part.lanes));
        self.note(|step| step.released.extend(released));
    }
}

impl Step {
    /// Whether others could notice that it was taken, or its split could, but for what it holds in registers.
    pub(super) fn changes(&self) -> bool {
        let writes = self.accesses.iter().any(|access| access.kind != Kind::Read);
        self.acts || self.counts_lanes || writes
    }

    /// Whether its lanes could notice if they did not take it together: they tell who is there, or access something one
    /// after another.
    pub(super) fn tells_lanes_apart(&self) -> bool {
        self.counts_lanes || self.depends_on(self)
    }

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
                    && one.meets(other)
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
