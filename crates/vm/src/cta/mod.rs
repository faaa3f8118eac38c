//! A CTA: its splits, and who runs next.
//!
//! A *split* is a set of lanes of one warp that stand at the same instruction. The scheduler picks the
//! splits that stand earliest in reconvergence order, of all warps that have one there, and runs them
//! together as a *group* until they diverge, reach another split, have to wait, exit, or have used up
//! their turn. Splits of one warp that meet join, because they are picked together.

mod barrier;
mod observe;
mod rendezvous;

use crate::fault::{Fault, FaultKind, ThreadId, Waiting};
use crate::interp::{FaultAt, Frame, STOP, Stop};
use crate::observer::{Observer, View};
use crate::schedule::{Choices, Schedule};
use crate::stats::Stats;
use barrier::Barriers;
use ir::Place;
use lanes::LaneMask;

/// Branches that a group takes in one turn. Strong memory accesses count for several: they may be
/// part of a wait for another split, and then going on is no progress.
const TURN: i64 = 1 << 14;
/// Turns that end without progress before the CTA lets another CTA run.
const PATIENCE: u32 = 64;

/// What a split is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It can run.
    Ready,
    /// It waits at a collective for the lanes of this membermask.
    AtCollective(u32),
    /// It waits at the CTA barrier of this number.
    AtBarrier(u32),
}

/// Lanes of one warp that stand at the same instruction.
#[derive(Clone, Copy, Debug)]
struct Split {
    warp: usize,
    lanes: u32,
    at: usize,
    state: State,
    /// When it last ran; tells who has waited longest.
    ran: u64,
}

/// How a CTA's turn ended.
pub(crate) enum Turn {
    /// All its threads have exited.
    Done,
    /// It waits for something that another CTA may have to do first.
    Yielded,
    /// The kernel must stop.
    Fault(Box<Fault>),
}

/// Limits that come from outside a CTA.
pub(crate) struct Limits<'l> {
    /// Warp instructions that a launch may issue.
    pub(crate) max_steps: Option<u64>,
    /// Warp instructions that finished parts of the launch have issued.
    pub(crate) steps: &'l std::sync::atomic::AtomicU64,
    /// Set when the launch must stop.
    pub(crate) stop: &'l dyn Fn() -> bool,
}

/// A running CTA.
pub(crate) struct Cta<'l> {
    pub(crate) frame: Frame<'l>,
    splits: Vec<Split>,
    barriers: Barriers,
    choices: Choices,
    clock: u64,
    /// Steps already counted in [`Limits::steps`].
    counted: u64,
}

impl<'l> Cta<'l> {
    /// A CTA that works in a frame. It has no threads until it is started.
    pub(crate) fn new(frame: Frame<'l>) -> Self {
        Cta {
            frame,
            splits: Vec::new(),
            barriers: Barriers::default(),
            choices: Choices::default(),
            clock: 0,
            counted: 0,
        }
    }

    /// Puts all threads at the first instruction. The frame's memory is as a new CTA finds it.
    pub(crate) fn start<O: Observer>(&mut self, schedule: Schedule, observer: &mut O) {
        let frame = &mut self.frame;
        frame.threads.live = frame.threads.existing;
        frame.stats = Stats::default();
        let split = |warp: usize| {
            let lanes = frame.threads.existing[warp];
            Split { warp, lanes, at: 0, state: State::Ready, ran: 0 }
        };
        self.splits.clear();
        self.splits.extend((0..frame.threads.warps).map(split));
        self.barriers = Barriers::default();
        self.choices = Choices::new(schedule, frame.specials.cta_number);
        (self.clock, self.counted) = (0, 0);
        if O::OBSERVES {
            observer.begin(&View::new(&self.frame));
        }
    }

    /// Runs until the CTA is done, has to let others run, or faults.
    pub(crate) fn run<O: Observer>(&mut self, limits: &Limits<'_>, observer: &mut O) -> Turn {
        let mut fruitless = 0;
        let mut take_turns = false;
        loop {
            let Some(at) = self.form_group(take_turns) else {
                if !self.splits.is_empty() {
                    return self.deadlock();
                }
                if O::OBSERVES {
                    observer.end(&View::new(&self.frame));
                }
                return Turn::Done;
            };
            take_turns = false;
            self.frame.fuel = TURN;
            execute(&mut self.frame, at, observer);
            match std::mem::take(&mut self.frame.stop) {
                Stop::Limit => self.park(self.frame.at),
                Stop::Yield(at) => {
                    self.park(at);
                    take_turns = true;
                    if let Some(kind) = self.check(limits) {
                        return self.stopped(kind, at);
                    }
                    fruitless += 1;
                    if fruitless == PATIENCE {
                        return Turn::Yielded;
                    }
                    continue;
                }
                Stop::Diverge { at } => self.diverge(at),
                Stop::Exit => self.exit(observer),
                Stop::Collective(at) => self.arrive_at_collective(at, observer),
                Stop::Barrier(at) => {
                    if let Err(kind) = self.arrive_at_barrier(at, observer) {
                        return self.stopped(kind, at);
                    }
                }
                Stop::Fault(fault) => return Turn::Fault(Box::new(self.locate(*fault))),
            }
            if limits.max_steps.is_some()
                && let Some(kind) = self.check(limits)
            {
                return self.stopped(kind, at);
            }
        }
    }

    /// Chooses the splits that run next, makes them the frame's group, and says where they stand.
    /// `take_turns` prefers whoever has waited longest over whoever stands earliest.
    fn form_group(&mut self, take_turns: bool) -> Option<usize> {
        self.clock += 1;
        let ready = |split: &&Split| split.state == State::Ready;
        let count = self.splits.iter().filter(ready).count();
        let (at, only_warp) = if self.choices.is_random() {
            let nth = self.choices.choose(count);
            let chosen = self.splits.iter().filter(ready).nth(nth)?;
            (chosen.at, Some(chosen.warp))
        } else if take_turns {
            (self.splits.iter().filter(ready).min_by_key(|split| (split.ran, split.at))?.at, None)
        } else {
            (self.splits.iter().filter(ready).map(|split| split.at).min()?, None)
        };
        let frame = &mut self.frame;
        let warps = frame.threads.warps;
        frame.exec[..warps].fill(0);
        frame.write[..warps].fill(0);
        let (mut first, mut end) = (usize::MAX, 0);
        let mut limit = usize::MAX;
        self.splits.retain_mut(|split| {
            let chosen = split.state == State::Ready
                && split.at == at
                && only_warp.is_none_or(|warp| warp == split.warp);
            if chosen {
                first = first.min(split.warp);
                end = end.max(split.warp + 1);
                let lanes = frame.exec[split.warp] | split.lanes;
                frame.set_exec(split.warp, lanes);
            } else if split.state == State::Ready && split.at > at {
                limit = limit.min(split.at);
            }
            !chosen
        });
        (frame.first, frame.count) = (first, end - first);
        frame.unguarded = frame.exec;
        // A random schedule may switch at every block, so its groups end there.
        frame.limit = if only_warp.is_some() { 0 } else { limit };
        let active = &frame.exec[..warps];
        frame.active_warps = active.iter().map(|lanes| u64::from(*lanes != 0)).sum();
        frame.active_lanes = active.iter().map(|lanes| u64::from(lanes.count_ones())).sum();
        self.barriers.tell(frame);
        Some(at)
    }

    /// The group's splits wait at a code to be chosen again.
    fn park(&mut self, at: usize) {
        for warp in self.group() {
            self.add_split(warp, self.frame.exec[warp], at, State::Ready);
        }
    }

    /// The warps of the group.
    fn group(&self) -> std::ops::Range<usize> {
        self.frame.first..self.frame.first + self.frame.count
    }

    /// Adds a split, unless it has no lanes. Splits that stand together are run together, and need not be one.
    fn add_split(&mut self, warp: usize, lanes: u32, at: usize, state: State) {
        if lanes != 0 {
            self.splits.push(Split { warp, lanes, at, state, ran: self.clock });
        }
    }

    fn diverge(&mut self, at: usize) {
        let branch = self.frame.program.branches[self.frame.program.codes[at].x as usize];
        for warp in self.group() {
            let taken = self.frame.taken[warp];
            let left = self.frame.exec[warp] & !taken;
            self.frame.stats.divergences += u64::from(taken != 0 && left != 0);
            self.add_split(warp, taken, branch.then, State::Ready);
            self.add_split(warp, left, branch.otherwise, State::Ready);
        }
    }

    fn exit<O: Observer>(&mut self, observer: &mut O) {
        for warp in self.group() {
            self.frame.threads.live[warp] &= !self.frame.exec[warp];
        }
        // Those who are left may have waited for those who went.
        if self.splits.iter().any(|split| split.state != State::Ready) {
            for warp in self.group() {
                self.fire(warp, observer);
            }
            self.complete_barriers(observer);
        }
    }

    /// Counts the steps taken so far, and says why the launch must stop, if it must.
    fn check(&mut self, limits: &Limits<'_>) -> Option<FaultKind> {
        use std::sync::atomic::Ordering::Relaxed;
        let taken = self.frame.stats.warp_instructions;
        let steps = limits.steps.fetch_add(taken - self.counted, Relaxed) + (taken - self.counted);
        self.counted = taken;
        match limits.max_steps {
            Some(limit) if steps > limit => Some(FaultKind::StepLimit { limit }),
            _ => (limits.stop)().then_some(FaultKind::Interrupted),
        }
    }

    /// A fault of the CTA as a whole, told of the first thread that stands at a code.
    fn stopped(&self, kind: FaultKind, at: usize) -> Turn {
        let standing = |split: &&Split| split.at == at;
        let (warp, lanes) = self
            .splits
            .iter()
            .find(standing)
            .or(self.splits.first())
            .map_or((self.frame.first, self.frame.exec[self.frame.first]), |split| {
                (split.warp, split.lanes)
            });
        let place = self.place(at);
        let lane = lanes.trailing_zeros() % 32;
        Turn::Fault(Box::new(self.locate(FaultAt { kind, place, warp, lane })))
    }

    fn deadlock(&self) -> Turn {
        let waiting: Vec<Waiting> = self.splits.iter().map(|split| self.waiting(split)).collect();
        let at = self.splits.iter().map(|split| split.at).min().unwrap_or(0);
        self.stopped(FaultKind::Deadlock { waiting }, at)
    }

    fn waiting(&self, split: &Split) -> Waiting {
        use crate::fault::WaitingFor;
        let waiting_for = match split.state {
            State::Ready => WaitingFor::Lanes(LaneMask::EMPTY),
            State::AtCollective(members) => WaitingFor::Lanes(LaneMask(members)),
            State::AtBarrier(id) => self.barriers.waiting_for(id, self.frame.threads.live_count()),
        };
        Waiting {
            warp: split.warp as u32,
            lanes: LaneMask(split.lanes),
            place: self.place(split.at),
            waiting_for,
        }
    }

    fn place(&self, at: usize) -> Place {
        self.frame.program.places.get(at).copied().unwrap_or_default()
    }

    fn locate(&self, fault: FaultAt) -> Fault {
        let FaultAt { kind, place, warp, lane } = fault;
        let specials = &self.frame.specials;
        let thread = specials.tid.of(warp, lane as usize);
        let thread = ThreadId { cta: specials.cta, thread, warp: warp as u32, lane };
        Fault { kind, place, thread }
    }
}

/// Runs the frame's group from a code on until a handler stops it.
fn execute<O: Observer>(frame: &mut Frame<'_>, mut at: usize, observer: &mut O) {
    let program = frame.program;
    while let Some(code) = program.codes.get(at) {
        if O::OBSERVES {
            observe::step(frame, at, observer);
        }
        // SAFETY: the handler was selected for this machine, and the code belongs to the frame's program.
        at = unsafe { (code.run)(frame, code, at) };
    }
    debug_assert_eq!(at, STOP);
}
