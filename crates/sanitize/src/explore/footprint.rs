//! What each step of a run touched.

use super::state::{Fingerprint, Start, States};
use crate::touch::Touch;
use foldhash::HashMap;
use ir::{BinaryOp, ClusterHalf, Inst, Op, Place, Pred, Space, Terminator, Touched, WarpRules};
use lanes::LaneMask;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use vm::{Arrival, BarrierArrival, BarrierPart, Candidate, ClusterArrival, Firing, Observer, View};

/// Steps of a run that are written down.
pub(super) const STEPS: usize = 4096;

/// The steps of a run in order.
pub(super) type Steps = Vec<Step>;

/// Lanes of warps of one CTA.
pub(super) type Lanes = Vec<(u32, LaneMask)>;

/// Writes down the steps of a run.
#[derive(Debug, Default)]
pub struct Footprints {
    /// Shared with the chooser.
    pub(super) steps: Rc<RefCell<Steps>>,
    /// Steps of the run so far.
    pub(super) count: Rc<Cell<usize>>,
    states: Option<Rc<RefCell<States>>>,
    /// A step has begun, and nothing was seen of it.
    begins: bool,
    /// The membermask of the collective at which a lane waits, by CTA, warp and lane.
    membermasks: HashMap<(u64, u32, u32), LaneMask>,
    /// Barriers that were reached, by CTA and number.
    barriers: HashMap<(u64, u32), Uses>,
}

/// How a barrier was used.
#[derive(Debug, Default)]
struct Uses {
    /// How often it was complete.
    completed: u64,
    /// Threads arrived with a thread count.
    counted: bool,
    /// Threads arrived without one.
    uncounted: bool,
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
    /// Apart from its accesses it changed more than registers, synchronised or read a clock.
    acts: bool,
    pub(super) accesses: Vec<Access>,
    /// Its result depends on which lanes of the warp are there.
    pub(super) counts_lanes: bool,
    /// The synchronisations of its lanes, in order.
    pub(super) meetings: Vec<Meeting>,
    /// It arrived at a barrier in a way that can be swapped with nothing, and that no [`Access`] describes.
    pub(super) arrives_oddly: bool,
}

/// Bytes that a lane accessed in a step, or the barrier at which it arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) location: Location,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) kind: Kind,
    /// The lane; 0 for all where a warp is in lockstep.
    pub(super) lane: u32,
    /// What a store writes, if that is one value.
    pub(super) stored: Option<u64>,
}

/// Where bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Location {
    Global,
    /// The shared memory of a CTA.
    Shared(u64),
    /// No bytes, but the barriers of a CTA, by number.
    Barriers(u64),
    /// No bytes, but whether a CTA of a cluster is there, on which others rely that access its shared memory.
    Presence(u64),
}

/// What an access did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    /// An update whose order against others of its function does not matter.
    Reduce(BinaryOp),
    /// An arrival at a barrier with a thread count, after it was complete so many times. The order of those that make it
    /// complete once does not matter.
    Arrive(u64),
    /// A thread's exit: the last of those of a CTA ends its shared memory, in whatever order they come.
    Exit,
}

/// Lanes that meet others.
#[derive(Clone, Debug)]
pub(super) enum Meeting {
    /// Lanes of a warp go on after what others of it did.
    Warp {
        released: LaneMask,
        /// What these did so far comes before.
        after: LaneMask,
    },
    /// The step's lanes arrive at a barrier.
    Arrive { id: u32, lanes: LaneMask },
    /// A barrier is complete.
    Complete {
        id: u32,
        released: Lanes,
        /// The exited lanes, which the barrier did not wait for.
        exited: Lanes,
    },
    /// The step's lanes arrive at the barrier of a cluster, which is named by its first CTA.
    ArriveAtCluster { cluster: u64, lanes: LaneMask },
    /// The barrier of a cluster is complete.
    CompleteCluster {
        cluster: u64,
        /// The exited lanes of each CTA.
        exited: Vec<(u64, Lanes)>,
    },
    /// Lanes of a CTA go on behind the barrier of its cluster.
    PassCluster { cluster: u64, cta: u64, released: Lanes },
}

impl Access {
    /// What a lane has to do with whether a CTA is there.
    fn presence(cta: u64, kind: Kind, lane: u32) -> Access {
        let location = Location::Presence(cta);
        Access { location, start: 0, end: 1, kind, lane, stored: None }
    }

    /// Whether both access some byte.
    pub(super) fn meets(&self, other: &Access) -> bool {
        self.location == other.location && self.start < other.end && other.start < self.end
    }
}

impl Access {
    /// Whether the order of two lanes in one step shows. They may store the same.
    pub(super) fn clashes(&self, other: &Access) -> bool {
        let stored = |access: &Access| access.stored.map(|value| (access.start, value));
        let same = stored(self).is_some() && stored(self) == stored(other);
        self.lane != other.lane && self.meets(other) && !self.kind.swaps_with(other.kind) && !same
    }
}

impl Kind {
    /// Whether two accesses of the same bytes may be swapped.
    pub(super) fn swaps_with(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Read, Kind::Read) => true,
            (Kind::Reduce(one), Kind::Reduce(other)) => one == other,
            (Kind::Arrive(one), Kind::Arrive(other)) => one == other,
            (Kind::Exit, Kind::Exit) => true,
            (Kind::Read | Kind::Write | Kind::Reduce(_) | Kind::Arrive(_) | Kind::Exit, _) => false,
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

    /// Whether lanes of a warp are in lockstep: they are one to the order of steps.
    fn lockstep(&self) -> bool {
        self.states.as_ref().is_some_and(|states| states.borrow().rules() == WarpRules::Lockstep)
    }

    fn access(&mut self, view: &View<'_>, inst: &Inst, touched: &Touched<'_>) {
        let Touched { space, address, writes, .. } = *touched;
        let lockstep = self.lockstep();
        let mut steps = self.steps.borrow_mut();
        let Some(step) = steps.last_mut() else { return };
        // What an atomic finds orders it even if it changes nothing; then it is as good as a load: among steps of which none
        // writes, it finds the same in any order.
        let finds = matches!(inst.op, Op::Atomic { d: Some(_), .. });
        for (warp, lanes) in view.group() {
            if view.has_peers() {
                // It counts as well where the other CTA is gone.
                let addresses = view.address(address, warp);
                let at = |lane: u32| (lane, view.locate(space, addresses[lane as usize]));
                let away = |(_, at): &(u32, vm::Location)| {
                    at.space == Space::Shared && at.cta != view.cta()
                };
                let relies = |(lane, at): (u32, vm::Location)| {
                    Access::presence(at.cta, Kind::Read, if lockstep { 0 } else { lane })
                };
                step.accesses.extend(lanes.iter().map(at).filter(away).map(relies));
            }
            Touch::each(view, (warp, lanes.0), touched, |touch| {
                let location = match touch.space {
                    Space::Shared => Location::Shared(touch.cta),
                    Space::Global => Location::Global,
                    Space::Generic | Space::Local | Space::Param => {
                        step.acts |= writes;
                        return;
                    }
                };
                for (lane, start) in touch.iter() {
                    let alone = Touch::one(touch.location(start), (warp, lane), touch.bytes);
                    let kind = match (inst.op.any_order(), writes) {
                        (Some(op), _) => Kind::Reduce(op),
                        (None, true) if !(finds && alone.leaves(view, &inst.op)) => Kind::Write,
                        (None, _) => Kind::Read,
                    };
                    let stored = match &inst.op {
                        Op::Store { values, access, .. } => match values.as_slice() {
                            [value] if access.bytes() == 8 => Some(view.long(*value, (warp, lane))),
                            [value] if access.bytes() == 4 => {
                                Some(view.word(*value, (warp, lane)).into())
                            }
                            _ => None,
                        },
                        Op::Unary { .. }
                        | Op::Binary { .. }
                        | Op::Ternary { .. }
                        | Op::Compare { .. }
                        | Op::Logic { .. }
                        | Op::Select { .. }
                        | Op::Special { .. }
                        | Op::ActiveMask { .. }
                        | Op::Load { .. }
                        | Op::Atomic { .. }
                        | Op::Collective { .. }
                        | Op::Barrier { .. }
                        | Op::ClusterBarrier { .. }
                        | Op::Fence(_)
                        | Op::Nanosleep { .. }
                        | Op::Copy(_)
                        | Op::CopyProgress(_)
                        | Op::Host { .. } => None,
                    };
                    let (end, lane) = (start + touch.bytes, if lockstep { 0 } else { lane });
                    step.accesses.push(Access { location, start, end, kind, lane, stored });
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
            meetings: Vec::new(),
            arrives_oddly: false,
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
        inst.op.touches().for_each(|touched| self.access(view, inst, &touched));
        if inst.op.is_collective() {
            let lanes = view.group().fold(LaneMask::EMPTY, |all, (_, lanes)| all | lanes);
            self.note(|step| {
                step.counts_lanes = true;
                step.meetings.push(Meeting::Warp { released: lanes, after: lanes });
            });
        } else if inst.op.acts() {
            self.note(|step| step.acts = true);
        }
    }

    fn leave(&mut self, view: &View<'_>, terminator: &Terminator, place: Place) {
        self.starts(view, Start::Terminator(place));
        match terminator {
            Terminator::Exit if view.has_peers() => {
                let lockstep = self.lockstep();
                self.note(|step| {
                    step.acts = true;
                    let lanes = step.lanes.iter().map(|lane| if lockstep { 0 } else { lane });
                    let exit = |lane| Access::presence(view.cta(), Kind::Exit, lane);
                    step.accesses.extend(lanes.map(exit));
                });
            }
            Terminator::Exit | Terminator::Trap => self.note(|step| step.acts = true),
            Terminator::Jump(_) | Terminator::Branch { .. } => {}
        }
    }

    fn arrive(&mut self, view: &View<'_>, arrival: &Arrival<'_>) {
        self.arrives();
        match arrival.membermask {
            None => self.note(|step| step.counts_lanes = true),
            Some(mask) => {
                let warp = (view.cta(), arrival.warp as u32);
                let lanes = arrival.lanes.iter();
                self.membermasks.extend(lanes.map(|lane| ((warp.0, warp.1, lane), mask)));
            }
        }
    }

    fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        let Firing { warp, parts, .. } = *firing;
        let released = parts.iter().fold(LaneMask::EMPTY, |all, part| all | part.lanes);
        let first = released.lowest().unwrap_or(0);
        let members = self.membermasks.get(&(view.cta(), warp as u32, first)).copied();
        // Nobody waits for members that have exited: it comes after what they did, too.
        let exited = view.existing(warp) - view.live(warp);
        let after = released | (members.unwrap_or(LaneMask::EMPTY) & exited);
        self.note(|step| step.meetings.push(Meeting::Warp { released, after }));
    }

    fn arrive_at_barrier(&mut self, view: &View<'_>, arrival: &BarrierArrival<'_>) {
        self.arrives();
        let BarrierArrival { warp, lanes, id, threads, .. } = *arrival;
        let (cta, lockstep) = (view.cta(), self.lockstep());
        let uses = self.barriers.entry((cta, id)).or_default();
        *(if threads.is_some() { &mut uses.counted } else { &mut uses.uncounted }) = true;
        let (both, kind) = (uses.counted && uses.uncounted, Kind::Arrive(uses.completed));
        // All live threads wait at a barrier without a thread count: no order of them can be told from another.
        let whole = threads.is_none() || lanes == view.live(warp);
        self.note(|step| {
            step.meetings.push(Meeting::Arrive { id, lanes });
            step.arrives_oddly |= both || !whole;
            if threads.is_some() {
                let (location, start) = (Location::Barriers(cta), u64::from(id));
                let own = lanes.iter().map(|lane| if lockstep { 0 } else { lane });
                step.accesses.extend(own.map(|lane| Access {
                    location,
                    start,
                    end: start + 1,
                    kind,
                    lane,
                    stored: None,
                }));
            }
        });
    }

    fn come_to_cluster(&mut self, view: &View<'_>, arrival: &ClusterArrival<'_>) {
        self.arrives();
        let (cluster, lanes) = (view.cluster_ctas().start, arrival.lanes);
        if let ClusterHalf::Arrive { .. } = arrival.half {
            self.note(|step| step.meetings.push(Meeting::ArriveAtCluster { cluster, lanes }));
        }
    }

    fn complete_cluster(&mut self, ctas: &[View<'_>]) {
        let Some(first) = ctas.first() else { return };
        let cluster = first.cluster_ctas().start;
        let exited = ctas.iter().map(|view| (view.cta(), exited(view))).collect();
        self.note(|step| step.meetings.push(Meeting::CompleteCluster { cluster, exited }));
    }

    fn pass_cluster(&mut self, view: &View<'_>, parts: &[BarrierPart<'_>]) {
        let (cluster, cta) = (view.cluster_ctas().start, view.cta());
        let released = parts.iter().map(|part| (part.warp as u32, part.lanes)).collect();
        self.note(|step| step.meetings.push(Meeting::PassCluster { cluster, cta, released }));
    }

    fn complete_barrier(&mut self, view: &View<'_>, id: u32, waiting: &[BarrierPart<'_>]) {
        let uses = self.barriers.entry((view.cta(), id)).or_default();
        uses.completed += 1;
        let exited = match uses.counted {
            true => Vec::new(),
            false => exited(view),
        };
        let released = waiting.iter().map(|part| (part.warp as u32, part.lanes)).collect();
        self.note(|step| step.meetings.push(Meeting::Complete { id, released, exited }));
    }
}

/// The lanes of a CTA that have exited.
fn exited(view: &View<'_>) -> Lanes {
    let of_warp = |warp| (warp as u32, view.existing(warp) - view.live(warp));
    (0..view.warps()).map(of_warp).filter(|(_, lanes)| !lanes.is_empty()).collect()
}

impl Step {
    /// Whether others could notice that it was taken, or its split could, but for what it holds in registers.
    pub(super) fn changes(&self) -> bool {
        let writes = self.accesses.iter().any(|access| access.kind != Kind::Read);
        self.acts || self.counts_lanes || writes
    }

    /// Whether two steps of different lanes may not be swapped.
    pub(super) fn depends_on(&self, other: &Step) -> bool {
        if self.same_warp(other) && (self.counts_lanes || other.counts_lanes) {
            return true;
        }
        self.accesses.iter().any(|one| {
            let clashes = |other: &Access| one.meets(other) && !one.kind.swaps_with(other.kind);
            other.accesses.iter().any(clashes)
        })
    }

    /// Whether it arrived at a barrier with a thread count.
    pub(super) fn arrives(&self) -> bool {
        self.accesses.iter().any(|access| matches!(access.kind, Kind::Arrive(_)))
    }

    /// Whether both are of one warp.
    pub(super) fn same_warp(&self, other: &Step) -> bool {
        (self.cta, self.warp) == (other.cta, other.warp)
    }

    /// Whether some lane takes part in both.
    pub(super) fn shares_lanes(&self, other: &Step) -> bool {
        self.same_warp(other) && self.lanes.intersects(other.lanes)
    }
}
