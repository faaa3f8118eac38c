//! Schedule exploration: does the kernel do the same under other schedules?
//!
//! A [`Subject`] runs a kernel from the start under any choices. [`some`] tries schedules from a seed, [`all`] every
//! schedule of a small kernel except those that only swap independent steps. What turns up under one of them and not
//! before is kept with the shortest list of switches that shows it.

mod footprint;
mod news;
mod order;
mod pct;
mod reduction;
mod shorten;
mod spin;
mod state;
mod subject;

pub use footprint::Footprints;
pub use news::{News, Scouted, Scouts, Share};
pub use subject::{Run, Subject};

use crate::code::Code;
use crate::finding::Finding;
use ir::{Kernel, Op, WarpRules};
use lanes::LaneMask;
use pct::Pct;
use state::States;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use vm::{Choice, Chooser, Chosen, Dividing, Fault, FaultKind, Random, Schedule, Switch};

/// What an exploration has shown.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// How many schedules were run, apart from those that made a schedule shorter or were given up.
    pub schedules: u64,
    /// Why it ended.
    pub end: End,
    /// A schedule with another outcome than the first run, and that outcome.
    pub different: Option<(Schedule, Run)>,
    /// Findings that the first run did not have, each with a schedule that shows it.
    pub more: Vec<Elsewhere>,
    /// Findings of the first run, each with a schedule that does not show it.
    pub fewer: Vec<Elsewhere>,
    /// All of that, by what it is known by.
    known: BTreeSet<News>,
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// As many schedules as were wanted.
    #[default]
    Count,
    /// No schedule is left that could do anything else.
    Covered,
    /// As [`End::Covered`], but for those that begin with CTAs for which there is no room at first.
    Began,
    /// As [`End::Covered`], but for other ways in which many lanes that execute `activemask`, an atomic or a strong access
    /// together could do so one after another.
    Divided,
    /// As [`End::Covered`], but lanes that execute weak accesses together race with others, which could come in between.
    Races,
    /// As [`End::Covered`], but for other orders in which threads could come to a barrier with a thread count.
    Barrier,
    /// As [`End::Covered`], but for what clocks show.
    Clocks,
    /// As [`End::Covered`], but for other orders in which threads could allocate and free memory.
    Heap,
    /// The limit of runs, also of those that were given up, or of their steps.
    Runs {
        /// Runs until then.
        runs: u64,
    },
    /// A run too long to be looked at.
    Long {
        /// Steps that are looked at.
        steps: usize,
    },
    /// The user.
    Interrupted,
}

/// A finding that depends on the schedule.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// The schedule that differs from the first run.
    pub schedule: Schedule,
    /// The finding, as it is under the schedule that shows it.
    pub finding: Finding,
    /// What stopped the kernel under `schedule`, if the finding says so.
    pub fault: Option<Fault>,
}

/// Steps of the runs of [`all`] together.
const STEPS_IN_ALL: usize = 500_000;

/// Writes down the choices of a run.
struct Recorder<'c> {
    chooser: &'c mut dyn Chooser,
    /// How many choices there were, and those that were not the usual ones.
    count: u64,
    switches: Vec<Switch>,
}

impl<'c> Recorder<'c> {
    fn new(chooser: &'c mut dyn Chooser) -> Self {
        Recorder { chooser, count: 0, switches: Vec::new() }
    }
}

impl Chooser for Recorder<'_> {
    fn choose(&mut self, choice: &Choice<'_>) -> Option<Chosen> {
        let chosen = self.chooser.choose(choice)?;
        self.count += 1;
        let taken = choice.taken(chosen);
        if taken != choice.taken(choice.by_default()) {
            let (number, candidate) = (choice.number, chosen.candidate as u32);
            let lanes = if taken.is_part() { taken.lanes } else { LaneMask::FULL };
            self.switches.push(Switch { number, candidate, lanes });
        }
        Some(chosen)
    }
}

/// Choices of a run after which the usual ones are made. They are fair: a spin loop then gets what it waits for, if it
/// ever does. Running only the spinning lanes is legal as well, but no mistake of the kernel.
const UNFAIR: u64 = 100_000;

/// Leaves the choices of a long run to chance no more.
struct Fairly<'c>(&'c mut dyn Chooser);

impl Chooser for Fairly<'_> {
    fn choose(&mut self, choice: &Choice<'_>) -> Option<Chosen> {
        match choice.number < UNFAIR {
            true => self.0.choose(choice),
            false => Some(choice.by_default()),
        }
    }
}

/// Schedules from a seed: random walks, and in turn with them schedules that give priorities to warps and change them at a
/// few random steps, which find an error of small depth with a known probability.
struct Walk {
    dividing: Dividing,
    seed: u64,
    /// Choices of the first of them. What others do depends on nothing but that, the seed, and their number.
    length: u64,
    /// Choices of all runs.
    choices: u64,
}

impl Walk {
    fn from(seed: u64, dividing: Dividing) -> Walk {
        Walk { dividing, seed, length: 1, choices: 0 }
    }

    /// Runs the schedule of this number; 0 comes before all others. Returns its choices that were not the usual ones, too.
    fn run<S: Subject>(
        &mut self,
        subject: &mut S,
        nth: u64,
    ) -> Result<(Run, Vec<Switch>), S::Error> {
        let seed = self.seed.wrapping_add(nth);
        let mut random = Random::new(seed).dividing(self.dividing);
        let mut pct = Pct::new(seed, self.length, self.dividing);
        let chooser: &mut dyn Chooser = match nth.is_multiple_of(2) {
            true => &mut random,
            false => &mut pct,
        };
        let mut fairly = Fairly(chooser);
        let mut recorder = Recorder::new(&mut fairly);
        let run = subject.run(&mut recorder, None)?;
        if nth == 0 {
            self.length = recorder.count.max(1);
        }
        self.choices += recorder.count;
        Ok((run, recorder.switches))
    }
}

/// Tries `count` schedules from a seed, the first of them first. Those of which a scout knows that they show nothing new are not run
/// again: what is explored is the same with and without scouts.
///
/// # Errors
/// A run could not begin.
pub fn some<S: Subject>(
    subject: &mut S,
    first: &Run,
    (count, seed): (u64, u64),
    scouts: &mut dyn Scouts,
) -> Result<Explored, S::Error> {
    let mut explored = Explored::default();
    let mut walk = Walk::from(seed, Dividing::Accesses);
    scouts.begin(news::fingerprint(subject, first));
    for nth in 0..count {
        let told = scouts.news(nth).filter(|_| nth > 0);
        if told.is_some_and(|news| news.iter().all(|one| explored.known.contains(one))) {
            subject.ran_elsewhere();
            explored.schedules += 1;
            continue;
        }
        let (run, switches) = walk.run(subject, nth)?;
        // What a run has not done that was interrupted says nothing.
        if subject.interrupted() {
            explored.end = End::Interrupted;
            break;
        }
        explored.take(subject, first, &run, &switches)?;
    }
    Ok(explored)
}

/// Runs a share of the schedules of [`some`], the last first: whoever runs them from the first on meets its scouts in the
/// middle. `tell` hears of the first run, then of each schedule, and returns whether to go on.
///
/// # Errors
/// A run could not begin.
pub fn scout<S: Subject>(
    subject: &mut S,
    first: &Run,
    Share { count, seed, which, of }: Share,
    tell: &mut dyn FnMut(Scouted) -> bool,
) -> Result<(), S::Error> {
    let fingerprint = news::fingerprint(subject, first);
    if !tell(Scouted::First { fingerprint }) {
        return Ok(());
    }
    let mut walk = Walk::from(seed, Dividing::Accesses);
    walk.run(subject, 0)?;
    for nth in (1..count).rev().skip(which).step_by(of.get()) {
        let (run, _) = walk.run(subject, nth)?;
        let news = news::of(subject, first, &run);
        if subject.interrupted() || !tell(Scouted::Schedule { nth, news }) {
            break;
        }
    }
    Ok(())
}

/// Tries at most `count` schedules from a seed until one shows a finding that the first run did not have; what it shows.
/// Gives up after so many choices in all, and when a run reaches its limit of steps.
///
/// # Errors
/// A run could not begin.
pub fn hunt<S: Subject>(
    subject: &mut S,
    first: &Run,
    (count, choices): (u64, u64),
    seed: u64,
) -> Result<Vec<Elsewhere>, S::Error> {
    let mut explored = Explored::default();
    let mut walk = Walk::from(seed, Dividing::Results);
    for nth in 0..count {
        let (run, switches) = walk.run(subject, nth)?;
        if subject.interrupted() {
            break;
        }
        let limited = run.fault.as_ref().is_some_and(Fault::is_limit);
        let more = |news: &News| matches!(news, News::More(..));
        for news in news::of(subject, first, &run).into_iter().filter(more) {
            explored.keep(subject, first, news, &run, &switches)?;
        }
        if limited || !explored.more.is_empty() || walk.choices >= choices {
            break;
        }
    }
    Ok(explored.more)
}

/// Runs every schedule, except those that only swap independent steps of one that was run; at most `limit` runs, and runs
/// of half a million steps together.
///
/// # Errors
/// A run could not begin.
pub fn all<S: Subject>(subject: &mut S, first: &Run, limit: u64) -> Result<Explored, S::Error> {
    let mut explored = Explored::default();
    let lockstep = subject.kernel().rules == WarpRules::Lockstep;
    let counts_lanes = subject.counts_lanes() && !lockstep;
    let mut tree = reduction::Tree::new(counts_lanes, lockstep, subject.ctas());
    let states = Rc::new(RefCell::new(States::new(subject.kernel())));
    let (mut runs, mut steps) = (0, 0);
    explored.end = loop {
        if runs >= limit || steps >= STEPS_IN_ALL {
            break End::Runs { runs };
        }
        let endless = explored.endless();
        let mut footprints = Footprints::with_states(&states);
        tree.begin(Rc::clone(&footprints.steps), endless.is_some());
        let mut recorder = Recorder::new(&mut tree);
        let mut run = subject.run(&mut recorder, Some(&mut footprints))?;
        let switches = recorder.switches;
        if subject.interrupted() {
            break End::Interrupted;
        }
        runs += 1;
        steps += footprints.count.get().min(footprint::STEPS);
        let stopped = run.fault.as_ref().is_some_and(stops_others);
        if tree.hangs() {
            run.fault = run.fault.or(endless);
        }
        if !tree.given_up() {
            explored.take(subject, first, &run, &switches)?;
        }
        if tree.learn(stopped, footprints.count.get(), || subject.interrupted()) {
            break End::Long { steps: footprint::STEPS };
        }
        // What was not looked at may ask for more.
        if subject.interrupted() {
            break End::Interrupted;
        }
        if tree.is_stale() {
            // The schedules so far are among those to come.
            explored.schedules = 0;
        }
        if !tree.next() {
            break if tree.out_of_reach() {
                End::Began
            } else if tree.divisible() {
                End::Divided
            } else if tree.races() {
                End::Races
            } else if tree.unordered_barrier() {
                End::Barrier
            } else if reads_clocks(subject.kernel()) {
                End::Clocks
            } else if uses_heap(subject.kernel()) {
                End::Heap
            } else {
                End::Covered
            };
        }
    };
    Ok(explored)
}

/// Whether a kernel can tell the time, which every schedule has its own of.
fn reads_clocks(kernel: &Kernel) -> bool {
    let mut insts = kernel.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| inst.op.tells_time())
}

/// Whether threads allocate or free memory, which depends on what others have allocated and freed before.
fn uses_heap(kernel: &Kernel) -> bool {
    let mut insts = kernel.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| matches!(inst.op, Op::Host { service, .. } if service.uses_heap()))
}

/// Whether a fault keeps other lanes from what they could still do.
fn stops_others(fault: &Fault) -> bool {
    !matches!(fault.kind, FaultKind::Deadlock { .. })
}

impl Explored {
    /// What stopped a run that was found not to end.
    fn endless(&self) -> Option<Fault> {
        let fault = self.different.as_ref()?.1.fault.clone()?;
        matches!(fault.kind, FaultKind::StepLimit { .. }).then_some(fault)
    }

    /// Compares a run with the first one, and keeps what is new.
    fn take<S: Subject>(
        &mut self,
        subject: &mut S,
        first: &Run,
        run: &Run,
        switches: &[Switch],
    ) -> Result<(), S::Error> {
        self.schedules += 1;
        for news in news::of(subject, first, run) {
            self.keep(subject, first, news, run, switches)?;
        }
        Ok(())
    }

    /// Keeps what a run shows, if it is new, with the shortest list of switches that shows it.
    fn keep<S: Subject>(
        &mut self,
        subject: &mut S,
        first: &Run,
        news: News,
        run: &Run,
        switches: &[Switch],
    ) -> Result<(), S::Error> {
        if !self.known.insert(news.clone()) {
            return Ok(());
        }
        let switches = switches.to_vec();
        let find = |subject: &S, run: &Run, code: Code, lines: &[u64]| {
            let is_it = |found: &&Finding| news::key(subject, found) == (code, lines.to_vec());
            news::harmful(run).find(is_it).cloned()
        };
        match news {
            News::More(code, lines) => {
                let Some(finding) = find(subject, run, code, &lines) else { return Ok(()) };
                let shows = |subject: &S, run: &Run| {
                    let found = find(subject, run, code, &lines)?;
                    let last = run.findings.last().map(|last| news::key(subject, last));
                    let stops = last.is_some_and(|last| last == (code, lines.clone()));
                    Some((found, run.fault.clone().filter(|_| stops)))
                };
                let (fewer, shown) = shorten::shorten(subject, switches, shows)?;
                let (finding, fault) = shown.unwrap_or((finding, None));
                self.more.push(Elsewhere { schedule: Schedule::Switches(fewer), finding, fault });
            }
            News::Fewer(code, lines) => {
                let Some(finding) = find(subject, first, code, &lines) else { return Ok(()) };
                let shows =
                    |subject: &S, run: &Run| news::lacks(subject, run, &finding).then_some(());
                let (fewer, _) = shorten::shorten(subject, switches, shows)?;
                let schedule = Schedule::Switches(fewer);
                self.fewer.push(Elsewhere { schedule, finding, fault: None });
            }
            News::Different => {
                let shows = |_: &S, other: &Run| news::differs(first, other).then(|| other.clone());
                let (fewer, found) = shorten::shorten(subject, switches, shows)?;
                let run = found.unwrap_or_else(|| run.clone());
                self.different = Some((Schedule::Switches(fewer), run));
            }
        }
        Ok(())
    }
}
