//! A CTA: its splits, and the scheduler that picks the next group.
//!
//! A *split* is a set of lanes of one warp that stand at the same instruction. The scheduler picks the
//! splits that stand earliest in reconvergence order, of all warps that have one there, and runs them
//! together as a *group* until they diverge, reach another split, have to wait, exit, or have used up
//! their turn. Splits of one warp that meet join, because they are picked together.

mod along;
mod barrier;
pub(crate) mod barriers;
mod cluster;
mod cluster_barrier;
mod ready;
mod rendezvous;
mod shown;
mod step;

use crate::engine::{Code, Step};
use crate::exit::{Exit, FaultAt, Spent, Stop};
use crate::fault::{Fault, FaultKind, ThreadId, Verdict, Waiting};
use crate::frame::Frame;
use crate::observer::{Observer, View};
use crate::plan::Pc;
use crate::stats::Stats;
use barriers::Barriers;
use cluster_barrier::ClusterBarrier;
use ir::{Place, WarpRules};
use lanes::LaneMask;
use ready::Ready;
use shown::{AtOnce, Shown};

/// Instructions of a block between two chances to stop, at most: engines give a turn such chances within longer ones.
pub(crate) const PIECE: usize = 512;
/// Warp instructions of a turn after which it can be interrupted.
const SLICE: u64 = 1 << 22;
/// The same where somebody looks at each.
const SLICE_WATCHED: u64 = 1 << 14;
/// Turns that get somewhere after which a CTA looks whether it must stop, and whether splits that could run wait all the
/// while: a loop of collectives and divergent branches never uses up a turn.
const LOOK_UP: u64 = 1 << 12;
/// The same for a CTA where splits have waited so: those who spin there for a lock keep its owner from running.
const LOOK_UP_OFTEN: u64 = 1 << 6;
/// Turns that end without progress, or times that it has looked up, before the CTA lets another CTA run.
const PATIENCE: u32 = 4;

/// Turns that end in loops which read what others may write, but not in a way to wait for it (that is a data race), before others run
/// all the same.
const READING: u64 = 1 << 8;
/// The same in loops which read nothing that others write: one without end must not keep others from a fault.
const COMPUTING: u64 = 1 << 12;

/// What a split waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It stands at a collective and waits for the lanes of this membermask.
    Collective(u32),
    /// It stands at the CTA barrier of this number.
    Barrier(u32),
    /// It waits at the barrier of the cluster.
    Cluster,
}

/// Lanes of one warp that wait at the same instruction.
#[derive(Clone, Copy, Debug)]
struct Split {
    warp: usize,
    lanes: u32,
    at: Pc,
    state: State,
}

/// How a CTA's turn ended.
pub(crate) enum Turn {
    /// All its threads have exited.
    Done,
    /// Nobody in it can go on before the barrier of its cluster is complete.
    AtCluster,
    /// It waits for something that another CTA may have to do first.
    Yielded,
    /// So do all others that have begun, unless one more is begun.
    Stuck,
    /// The kernel must stop.
    Fault(Box<Fault>),
}

/// How a group's turn ended.
enum Ended {
    /// It got somewhere.
    Progress,
    /// It has used up its turn, and goes on before others that wait.
    GoesOn,
    /// It has used up its turn, and maybe waits for others.
    Yield,
    /// The CTA cannot go on, or must not.
    Turn(Turn),
}

/// Limits that come from outside a CTA.
pub(crate) struct Limits<'l> {
    /// Branches that a group takes in one turn ([`Launch::turn`](crate::Launch::turn)).
    pub(crate) turn: i64,
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
    code: &'l dyn Code,
    ready: Ready,
    waiting: Vec<Split>,
    barriers: Barriers,
    cluster: ClusterBarrier,
    /// Places from here on are left to whoever stands there.
    until: Pc,
    clock: u64,
    /// Turns that got somewhere since the CTA was asked to run.
    turns: u64,
    /// Whether who has waited longest runs next, as turns have ended without progress.
    take_turns: bool,
    /// Turns between two looks; see [`LOOK_UP`].
    look_up: u64,
    /// Turns that have ended in loops that wait for nobody, since the CTA began; see [`READING`] and [`COMPUTING`].
    unwaiting: u64,
    /// Steps already counted in [`Limits::steps`].
    counted: u64,
}

impl<'l> Cta<'l> {
    /// A CTA that works in a frame. It has no threads until it is started.
    pub(crate) fn new(frame: Frame<'l>, code: &'l dyn Code) -> Self {
        Cta {
            frame,
            code,
            ready: Ready::default(),
            waiting: Vec::new(),
            barriers: Barriers::default(),
            cluster: ClusterBarrier::default(),
            until: Pc::NEVER,
            clock: 0,
            turns: 0,
            take_turns: false,
            look_up: LOOK_UP,
            unwaiting: 0,
            counted: 0,
        }
    }

    /// Computes what is the same in every CTA of the launch. The frame's registers keep it from one CTA to the next.
    pub(crate) fn run_prologue(&mut self) {
        let frame = &mut self.frame;
        (frame.first, frame.count) = (0, frame.threads.warps);
        for warp in 0..frame.threads.warps {
            frame.set_exec(warp, frame.threads.existing[warp]);
        }
        self.code.prologue(frame);
    }

    /// Puts all threads at the first instruction. The frame's memory is as a new CTA finds it.
    pub(crate) fn start<O: Observer>(&mut self, observer: &mut O) {
        let frame = &mut self.frame;
        frame.threads.live = frame.threads.existing;
        frame.stats = Stats::default();
        self.ready.clear();
        self.waiting.clear();
        let existing = &frame.threads.existing;
        self.ready.add(Pc::START, 0, 0..frame.threads.warps, |warp| existing[warp]);
        if frame.arrivals != 0 {
            self.barriers = Barriers::default();
            frame.arrivals = 0;
        }
        self.cluster = ClusterBarrier::default();
        (self.clock, self.counted, self.unwaiting) = (0, 0, 0);
        (self.take_turns, self.look_up) = (false, LOOK_UP);
        if O::OBSERVES {
            observer.begin(&View::new(&self.frame));
        }
    }

    /// Runs until the CTA is done, has to let others run, or faults.
    pub(crate) fn run<O: Observer>(&mut self, limits: &Limits<'_>, observer: &mut O) -> Turn {
        let mut fruitless = 0;
        self.turns = 0;
        loop {
            let Some(at) = self.form_group(self.take_turns) else {
                return self.end(observer);
            };
            let (at, exit) = self.take_turn(at, None, limits, observer);
            self.let_go();
            self.take_turns = match self.end_turn(exit, at, limits, observer) {
                Ended::Turn(turn) => return turn,
                Ended::GoesOn => {
                    self.take_turns = false;
                    continue;
                }
                Ended::Yield => true,
                Ended::Progress => {
                    self.turns += 1;
                    let looks_up = self.turns.is_multiple_of(self.look_up);
                    if !(looks_up || O::OBSERVES && (limits.stop)()) {
                        self.take_turns = false;
                        continue;
                    }
                    if let Some(kind) = self.check(limits) {
                        return self.stopped(kind, at);
                    }
                    let somebody_waits = self
                        .ready
                        .longest_waiting()
                        .is_some_and(|ran| self.clock - ran >= self.look_up);
                    if somebody_waits {
                        self.look_up = (self.look_up / 2).max(LOOK_UP_OFTEN);
                    }
                    somebody_waits
                }
            };
            if O::OBSERVES
                && let Some(turn) = self.look_up(at, observer)
            {
                return turn;
            }
            fruitless += 1;
            if fruitless == PATIENCE {
                return Turn::Yielded;
            }
        }
    }

    /// Runs the frame's group until its turn ends, or for one step. That may take long, so it can be interrupted in between. Returns
    /// where the turn began, too: the group may have gone on from one to the next ([`AtOnce`]).
    fn take_turn<O: Observer>(
        &mut self,
        at: Pc,
        mut step: Option<Step>,
        limits: &Limits<'_>,
        observer: &mut O,
    ) -> (Pc, Exit) {
        let mut turns_at_once = match step {
            None if O::OBSERVES => self.turns_at_once(limits),
            _ => 0,
        };
        let others = self.ready.earliest().unwrap_or(Pc::NEVER);
        let (frame, code, until) = (&mut self.frame, self.code, self.until);
        let slice = if O::OBSERVES { SLICE_WATCHED } else { SLICE };
        // Warp instructions of the CTA between two chances to stop, at most.
        let longest = frame.plan.longest.clamp(1, PIECE) as u64 * frame.threads.warps as u64;
        let turn = limits.turn.max(1);
        let most = (slice / longest).clamp(1, turn as u64) as i64;
        let (mut begun, mut at, mut left) = (at, at, turn);
        loop {
            let mut slice = most.min(left);
            frame.fuel = slice;
            let exit = match O::OBSERVES {
                true => {
                    let (turns, stop) = (turns_at_once, limits.stop);
                    let at_once = AtOnce { turns, others, fuel: most, stop, ended: None };
                    let mut shown = Shown::new(observer, at_once);
                    let exit = code.show(frame, at, until, step, &mut shown);
                    if let Some(ended) = shown.ended() {
                        turns_at_once -= ended.turns;
                        self.turns += ended.turns;
                        self.clock += ended.turns;
                        (begun, left, slice) = (ended.begun, turn, most);
                    }
                    exit
                }
                false => code.run(frame, at, until),
            };
            step = step.map(|_| Step::GoesOn);
            left -= slice - frame.fuel;
            match exit {
                Stop::Yield(to) if left > 0 && !(limits.stop)() => at = to,
                Stop::Limit(_)
                | Stop::Yield(_)
                | Stop::Diverge(_)
                | Stop::Exit
                | Stop::Collective(_)
                | Stop::Barrier(_)
                | Stop::Cluster(_)
                | Stop::Apart { .. }
                | Stop::Fault(_) => return (begun, exit),
            }
        }
    }

    /// Turns that may end at collectives without the scheduler: until the CTA looks up. None, if lanes wait for the group's.
    fn turns_at_once(&self, limits: &Limits<'_>) -> u64 {
        let group = self.group();
        let waits = |split: &Split| {
            matches!(split.state, State::Collective(_)) && group.contains(&split.warp)
        };
        match limits.max_steps.is_some() || self.waiting.iter().any(waits) {
            true => 0,
            false => self.look_up - 1 - self.turns % self.look_up,
        }
    }

    /// No split can run: the CTA is done, or waits for its cluster, or for ever.
    fn end<O: Observer>(&mut self, observer: &mut O) -> Turn {
        if self.waits_for_cluster() {
            return Turn::AtCluster;
        }
        if !self.waiting.is_empty() {
            return Turn::Fault(Box::new(self.deadlock(self.who_waits())));
        }
        if O::OBSERVES {
            observer.end(&View::new(&self.frame));
        }
        Turn::Done
    }

    /// Does what the group stopped for; `at` is where its turn began.
    fn end_turn<O: Observer>(
        &mut self,
        exit: Exit,
        at: Pc,
        limits: &Limits<'_>,
        observer: &mut O,
    ) -> Ended {
        let mut ended = Ended::Progress;
        match exit {
            Stop::Limit(at) => self.park(at),
            Stop::Yield(at) => {
                self.park(at);
                ended = Ended::Yield;
            }
            Stop::Diverge(at) => self.diverge(at),
            Stop::Exit => self.exit(observer),
            Stop::Apart { splits, spent } => {
                self.come_apart(&splits, observer);
                self.unwaiting += u64::from(matches!(spent, Spent::Computing | Spent::Reading));
                let nth = self.unwaiting;
                ended = match spent {
                    Spent::Nothing => Ended::Progress,
                    Spent::Reading if nth.is_multiple_of(READING) => Ended::Yield,
                    Spent::Computing if nth.is_multiple_of(COMPUTING) => Ended::Yield,
                    Spent::Computing | Spent::Reading => Ended::GoesOn,
                    Spent::Waiting => Ended::Yield,
                };
            }
            Stop::Collective(at) => self.arrive_at_collective(at, observer),
            Stop::Barrier(at) => {
                if let Err(kind) = self.arrive_at_barrier(at, observer) {
                    return Ended::Turn(self.stopped(kind, at));
                }
            }
            Stop::Cluster(at) => {
                if let Err(kind) = self.come_to_cluster(at, observer) {
                    return Ended::Turn(self.stopped(kind, at));
                }
            }
            Stop::Fault(fault) => {
                return Ended::Turn(Turn::Fault(Box::new(self.locate(*fault))));
            }
        }
        if (matches!(ended, Ended::GoesOn | Ended::Yield) || limits.max_steps.is_some())
            && let Some(kind) = self.check(limits)
        {
            return Ended::Turn(self.stopped(kind, at));
        }
        ended
    }

    /// Chooses the splits that run next, makes them the frame's group, and says where they stand.
    /// `take_turns` prefers whoever has waited longest over whoever stands earliest.
    fn form_group(&mut self, take_turns: bool) -> Option<Pc> {
        self.clock += 1;
        let front = match (take_turns, self.frame.plan.kernel.rules) {
            (true, WarpRules::Independent) => self.ready.take_longest_waiting()?,
            (true, WarpRules::Lockstep) => self.ready.take_longest_waiting_in_lockstep()?,
            (false, _) => self.ready.take_earliest()?,
        };
        let at = front.at;
        let frame = &mut self.frame;
        frame.set_group(front.warps.clone(), &front.lanes);
        self.until = self.ready.next_behind(at).unwrap_or(Pc::NEVER);
        if !take_turns {
            self.take_along(at);
        }
        Some(at)
    }

    /// The group's splits wait at a code to be chosen again.
    fn park(&mut self, at: Pc) {
        let (group, exec) = (self.group(), &self.frame.exec);
        self.ready.add(at, self.clock, group, |warp| exec[warp]);
    }

    /// The warps of the group.
    fn group(&self) -> std::ops::Range<usize> {
        self.frame.first..self.frame.first + self.frame.count
    }

    /// Lanes of one warp can run from a code on.
    fn release(&mut self, warp: usize, lanes: u32, at: Pc) {
        self.ready.add(at, self.clock, warp..warp + 1, |_| lanes);
    }

    fn diverge(&mut self, at: Pc) {
        let branch = self.frame.plan.branch(at);
        let group = self.group();
        let (exec, taken) = (&self.frame.exec, &self.frame.taken);
        for warp in group.clone() {
            let both = taken[warp] != 0 && exec[warp] & !taken[warp] != 0;
            self.frame.stats.divergences += u64::from(both);
        }
        self.ready.add(branch.then, self.clock, group.clone(), |warp| taken[warp]);
        self.ready.add(branch.otherwise, self.clock, group, |warp| exec[warp] & !taken[warp]);
    }

    fn exit<O: Observer>(&mut self, observer: &mut O) {
        for warp in self.group() {
            self.frame.threads.live[warp] &= !self.frame.exec[warp];
        }
        // Those who are left may have waited for those who went.
        if !self.waiting.is_empty() {
            for warp in self.group() {
                self.fire(warp, observer);
            }
            self.complete_barriers(observer);
        }
    }

    /// The group's lanes stand at different places; some have none, and exit.
    fn come_apart<O: Observer>(&mut self, splits: &[(usize, u32, Option<Pc>)], observer: &mut O) {
        for (warp, lanes, at) in splits {
            match at {
                Some(at) => self.release(*warp, *lanes, *at),
                None => self.frame.threads.live[*warp] &= !lanes,
            }
        }
        if !self.waiting.is_empty() {
            for (warp, ..) in splits.iter().filter(|(_, _, at)| at.is_none()) {
                self.fire(*warp, observer);
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
    fn stopped(&self, kind: FaultKind, at: Pc) -> Turn {
        Turn::Fault(Box::new(self.fault_at(kind, at)))
    }

    fn fault_at(&self, kind: FaultKind, at: Pc) -> Fault {
        let ready = self
            .ready
            .iter()
            .flat_map(|front| front.splits().map(|(warp, lanes)| (front.at, warp, lanes)));
        let waiting = self.waiting.iter().map(|split| (split.at, split.warp, split.lanes));
        let found = ready.chain(waiting).filter(|(place, ..)| *place == at).min();
        let (warp, lanes) = match found {
            Some((_, warp, lanes)) => (warp, lanes),
            None => (self.frame.first, self.frame.exec[self.frame.first]),
        };
        let place = self.place(at);
        let lane = lanes.trailing_zeros() % 32;
        self.locate(FaultAt { kind, place, warp, lane })
    }

    /// Shows the observer who waits, and ends the run if it wants that; `at` is where the last turn began.
    fn look_up<O: Observer>(&self, at: Pc, observer: &mut O) -> Option<Turn> {
        let view = View::new(&self.frame);
        match observer.look_up(&view, &self.who_waits()).break_value()? {
            Verdict::Endless(waiting) => {
                let first = waiting.first()?;
                let (place, warp) = (first.place, first.warp as usize);
                let lane = first.lanes.lowest().unwrap_or(0);
                let kind = FaultKind::Deadlock { waiting };
                Some(Turn::Fault(Box::new(self.locate(FaultAt { kind, place, warp, lane }))))
            }
            Verdict::Stuck => Some(Turn::Stuck),
            Verdict::Enough => Some(self.stopped(FaultKind::GivenUp, at)),
        }
    }

    /// The same for a CTA of which nobody can run.
    pub(crate) fn look_up_waiting<O: Observer>(&self, observer: &mut O) -> Option<Turn> {
        let at = self.waiting.iter().map(|split| split.at).min()?;
        self.look_up(at, observer)
    }

    fn who_waits(&self) -> Vec<Waiting> {
        self.waiting.iter().map(|split| self.waits_for(split)).collect()
    }

    /// Nobody can go on any more; these wait.
    fn deadlock(&self, waiting: Vec<Waiting>) -> Fault {
        let at = self.waiting.iter().map(|split| split.at).min().unwrap_or(Pc::START);
        self.fault_at(FaultKind::Deadlock { waiting }, at)
    }

    /// Whether all its threads have exited.
    pub(crate) fn has_exited(&self) -> bool {
        self.ready.is_empty() && self.waiting.is_empty()
    }

    /// Whether some split can run.
    pub(crate) fn can_run(&self) -> bool {
        !self.ready.is_empty()
    }

    fn waits_for(&self, split: &Split) -> Waiting {
        use crate::fault::WaitingFor;
        let waiting_for = match split.state {
            State::Collective(members) => WaitingFor::Lanes(LaneMask(members)),
            State::Cluster => {
                let (arrived, expected) = self.arrivals();
                WaitingFor::Cluster { arrived, expected }
            }
            State::Barrier(id) => self.barriers.waiting_for(id, self.frame.threads.live_count()),
        };
        Waiting {
            cta: self.frame.specials.cta,
            warp: split.warp as u32,
            existing: LaneMask(self.frame.threads.existing[split.warp]),
            lanes: LaneMask(split.lanes),
            place: self.place(split.at),
            waiting_for,
        }
    }

    fn place(&self, at: Pc) -> Place {
        self.frame.plan.place(at)
    }

    fn locate(&self, fault: FaultAt) -> Fault {
        let FaultAt { kind, place, warp, lane } = fault;
        let specials = &self.frame.specials;
        let thread = self.frame.plan.tid.of(warp, lane as usize);
        let thread = ThreadId { cta: specials.cta, thread, warp: warp as u32, lane };
        Fault { kind, place, thread }
    }
}
