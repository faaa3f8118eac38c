//! Other schedules: does the kernel do the same under each?
//!
//! A [`Subject`] runs a kernel from the start under any choices. [`some`] tries schedules from a seed, [`all`] every
//! schedule of a small kernel except those that only swap independent steps. What turns up under one of them and not
//! before is kept with the shortest list of switches that shows it.

mod both;
mod footprint;
mod pct;
mod reduction;
mod shorten;

pub use both::Both;
pub use footprint::Footprints;

use crate::finding::Finding;
use pct::Pct;
use vm::memory::Snapshot;
use vm::{Candidate, Choice, Chooser, Fault, Random, Schedule, Switch};

/// What one run of a subject did.
#[derive(Clone, Debug)]
pub struct Run {
    /// What the detectors found.
    pub findings: Vec<Finding>,
    /// Global memory after the run.
    pub memory: Snapshot,
    /// What stopped the kernel.
    pub fault: Option<Fault>,
}

/// A kernel with its inputs, which can be run again and again.
pub trait Subject {
    /// Why a run may not begin.
    type Error;

    /// Runs the kernel from the start as the chooser wants it. `footprints`, if given, are shown every step.
    ///
    /// # Errors
    /// The run could not begin.
    fn run(
        &mut self,
        chooser: &mut dyn Chooser,
        footprints: Option<&mut Footprints>,
    ) -> Result<Run, Self::Error>;

    /// Whether the exploration must end now.
    fn interrupted(&self) -> bool;
}

/// What an exploration has shown.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// How many schedules were run, apart from those that made a schedule shorter.
    pub schedules: u64,
    /// Every schedule was covered. Never after [`some`].
    pub complete: bool,
    /// A schedule with another outcome than the first run, and that outcome.
    pub different: Option<(Schedule, Run)>,
    /// Findings that the first run did not have, each with a schedule that shows it.
    pub findings: Vec<(Schedule, Finding)>,
}

/// Writes down the choices of a run.
struct Recorder<'c> {
    chooser: &'c mut dyn Chooser,
    /// How many choices there were, and those that were not the usual ones.
    count: u64,
    switches: Vec<Switch>,
    /// All of them with their candidates, when someone wants to know.
    choices: Option<Vec<Recorded>>,
}

/// One choice of a run.
#[derive(Clone, Debug)]
struct Recorded {
    candidates: Vec<Candidate>,
    chosen: usize,
}

impl<'c> Recorder<'c> {
    fn new(chooser: &'c mut dyn Chooser, choices: Option<Vec<Recorded>>) -> Self {
        Recorder { chooser, count: 0, switches: Vec::new(), choices }
    }
}

impl Chooser for Recorder<'_> {
    fn choose(&mut self, choice: &Choice<'_>) -> usize {
        let chosen = self.chooser.choose(choice);
        let chosen = if chosen < choice.candidates.len() { chosen } else { choice.usual };
        self.count += 1;
        if chosen != choice.usual {
            self.switches.push(Switch { number: choice.number, candidate: chosen as u32 });
        }
        if let Some(choices) = &mut self.choices {
            choices.push(Recorded { candidates: choice.candidates.to_vec(), chosen });
        }
        chosen
    }
}

/// Tries `count` schedules from a seed: random walks, and in turn with them schedules that give priorities to warps and
/// change them at a few random steps, which find an error of small depth with a known probability.
///
/// # Errors
/// A run could not begin.
pub fn some<S: Subject>(
    subject: &mut S,
    first: &Run,
    count: u64,
    seed: u64,
) -> Result<Explored, S::Error> {
    let mut explored = Explored::default();
    let mut length = 1;
    for nth in 0..count {
        if subject.interrupted() {
            break;
        }
        let seed = seed.wrapping_add(nth);
        let (mut random, mut pct) = (Random::new(seed), Pct::new(seed, length));
        let chooser: &mut dyn Chooser = if nth % 2 == 0 { &mut random } else { &mut pct };
        let mut recorder = Recorder::new(chooser, None);
        let run = subject.run(&mut recorder, None)?;
        length = length.max(recorder.count);
        let switches = recorder.switches;
        explored.take(subject, first, run, &switches)?;
    }
    Ok(explored)
}

/// Runs every schedule, except those that only swap independent steps of one that was run; at most `limit` of them.
///
/// # Errors
/// A run could not begin.
pub fn all<S: Subject>(subject: &mut S, first: &Run, limit: u64) -> Result<Explored, S::Error> {
    let mut explored = Explored::default();
    let mut tree = reduction::Tree::default();
    loop {
        let mut footprints = Footprints::default();
        let mut recorder = Recorder::new(&mut tree, Some(Vec::new()));
        let run = subject.run(&mut recorder, Some(&mut footprints))?;
        let Recorder { switches, choices, .. } = recorder;
        explored.take(subject, first, run, &switches)?;
        let bounded = tree.learn(choices.unwrap_or_default(), &footprints);
        if !tree.next() {
            explored.complete = !bounded;
            return Ok(explored);
        }
        if bounded || explored.schedules >= limit || subject.interrupted() {
            return Ok(explored);
        }
    }
}

impl Explored {
    /// Compares a run with the first one, and keeps what is new.
    fn take<S: Subject>(
        &mut self,
        subject: &mut S,
        first: &Run,
        run: Run,
        switches: &[Switch],
    ) -> Result<(), S::Error> {
        self.schedules += 1;
        for finding in &run.findings {
            let known = first.findings.iter().chain(self.findings.iter().map(|(_, known)| known));
            if known.into_iter().any(|known| same(known, finding)) {
                continue;
            }
            let shows = |run: &Run| run.findings.iter().find(|found| same(found, finding)).cloned();
            let (fewer, found) = shorten::shorten(subject, switches.to_vec(), shows)?;
            let schedule = Schedule::Switches(fewer);
            self.findings.push((schedule, found.unwrap_or_else(|| finding.clone())));
        }
        if self.different.is_none() && differs(first, &run) {
            let shows = |other: &Run| differs(first, other).then(|| other.clone());
            let (fewer, found) = shorten::shorten(subject, switches.to_vec(), shows)?;
            self.different = Some((Schedule::Switches(fewer), found.unwrap_or(run)));
        }
        Ok(())
    }
}

/// Whether two findings are about the same thing at the same places.
fn same(one: &Finding, other: &Finding) -> bool {
    let related = |finding: &Finding| -> Vec<_> {
        finding.related.iter().map(|related| related.place).collect()
    };
    one.code == other.code && one.place == other.place && related(one) == related(other)
}

/// Whether two runs end differently. What a stopped kernel wrote so far is no result.
fn differs(one: &Run, other: &Run) -> bool {
    match (&one.fault, &other.fault) {
        (None, None) => one.memory != other.memory,
        (Some(one), Some(other)) => {
            std::mem::discriminant(&one.kind) != std::mem::discriminant(&other.kind)
        }
        (Some(_), None) | (None, Some(_)) => true,
    }
}
