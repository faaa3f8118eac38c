//! Every schedule that matters: dynamic partial-order reduction ("Dynamic Partial-Order Reduction for Model Checking
//! Software", Flanagan and Godefroid, 2005).
//!
//! A run is a path in a tree of choices. After each run, for every step the last earlier step of other lanes that it
//! could have been swapped with is found; there, a branch is added that lets the later one go first. Lanes play the part
//! of processes.

use super::Recorded;
use super::footprint::{Footprints, Step};
use std::collections::HashMap;
use vm::{Candidate, Choice, Chooser};

/// Steps of a run that are looked at. Longer ones are not explored to the end.
const STEPS: usize = 4096;

/// The tree, as the path that was run last.
#[derive(Debug, Default)]
pub(super) struct Tree {
    path: Vec<Node>,
    /// How much of the path the next run must follow.
    follow: usize,
}

/// A choice on the path.
#[derive(Debug)]
struct Node {
    candidates: Vec<Candidate>,
    chosen: usize,
    /// Candidates that were tried here, and those that must be.
    tried: Vec<usize>,
    wanted: Vec<usize>,
}

impl Chooser for Tree {
    fn choose(&mut self, choice: &Choice<'_>) -> usize {
        match self.path.get(choice.number as usize) {
            Some(node) if (choice.number as usize) < self.follow => node.chosen,
            _ => choice.usual,
        }
    }
}

impl Tree {
    /// Takes in a run, and says whether it was too long to be looked at whole.
    pub(super) fn learn(&mut self, choices: Vec<Recorded>, footprints: &Footprints) -> bool {
        self.path.truncate(self.follow);
        for choice in choices.into_iter().skip(self.follow).take(STEPS) {
            let Recorded { candidates, chosen } = choice;
            self.path.push(Node { candidates, chosen, tried: vec![chosen], wanted: Vec::new() });
        }
        let steps = &footprints.steps[..footprints.steps.len().min(self.path.len())];
        let mut before = HappensBefore::default();
        for (at, step) in steps.iter().enumerate() {
            let known = before.of_lanes(step);
            let swapped = (0..at).rev().find(|earlier| {
                let other = &steps[*earlier];
                !step.shares_lanes(other) && step.depends_on(other) && !known.contains(*earlier)
            });
            if let Some(earlier) = swapped {
                self.path[earlier].want(step);
            }
            if step.counts_lanes {
                self.want_parts(at, step, steps);
            }
            before.take(at, step, steps, known);
        }
        footprints.steps.len() > STEPS
    }

    /// What a step sees depends on which lanes are there: since its lanes last ran together, each part of them may
    /// go ahead of the others.
    fn want_parts(&mut self, at: usize, step: &Step, steps: &[Step]) {
        let earlier = steps[..at].iter().enumerate().rev();
        for (place, other) in earlier.filter(|(_, other)| other.shares_lanes(step)) {
            if step.lanes.0 & !other.lanes.0 == 0 {
                break;
            }
            self.path[place].want(step);
        }
    }

    /// Prepares the next run; `false` when there is none.
    pub(super) fn next(&mut self) -> bool {
        while let Some(node) = self.path.last_mut() {
            let untried = node.wanted.iter().copied().find(|nth| !node.tried.contains(nth));
            if let Some(nth) = untried {
                node.tried.push(nth);
                node.chosen = nth;
                self.follow = self.path.len();
                return true;
            }
            self.path.pop();
        }
        false
    }
}

impl Node {
    /// Asks for a branch in which the lanes of a later step go first here; if they cannot, for all branches.
    fn want(&mut self, step: &Step) {
        let these = |candidate: &Candidate| {
            let same_warp = (candidate.cta, candidate.warp) == (step.cta, step.warp);
            same_warp && candidate.lanes.0 & step.lanes.0 != 0
        };
        let before = self.wanted.len();
        let numbered = self.candidates.iter().enumerate();
        self.wanted.extend(numbered.filter(|(_, split)| these(split)).map(|(nth, _)| nth));
        if self.wanted.len() == before {
            self.wanted.extend(0..self.candidates.len());
        }
        self.wanted.sort_unstable();
        self.wanted.dedup();
    }
}

/// The steps that must come before what each lane does next.
#[derive(Debug, Default)]
struct HappensBefore {
    /// By CTA, warp and lane.
    lanes: HashMap<(u64, u32, u32), Steps>,
    /// Of each step, with itself.
    steps: Vec<Steps>,
}

impl HappensBefore {
    /// What comes before the next step of a split.
    fn of_lanes(&self, step: &Step) -> Steps {
        let mut all = Steps::default();
        for lane in step.lanes.iter() {
            if let Some(known) = self.lanes.get(&(step.cta, step.warp, lane)) {
                all.add_all(known);
            }
        }
        all
    }

    /// Takes in a step. `known` comes before its lanes' next step already.
    fn take(&mut self, at: usize, step: &Step, steps: &[Step], mut known: Steps) {
        for earlier in (0..at).rev() {
            if !known.contains(earlier) && step.depends_on(&steps[earlier]) {
                known.add_all(&self.steps[earlier]);
            }
        }
        known.add(at);
        for lane in step.lanes.iter() {
            self.lanes.insert((step.cta, step.warp, lane), known.clone());
        }
        // Those who meet know afterwards what each knew.
        let mut met = known.clone();
        let released = || {
            step.released
                .iter()
                .flat_map(|(warp, lanes)| lanes.iter().map(move |lane| (step.cta, *warp, lane)))
        };
        for lane in released() {
            if let Some(theirs) = self.lanes.get(&lane) {
                met.add_all(theirs);
            }
        }
        for lane in released() {
            self.lanes.insert(lane, met.clone());
        }
        self.steps.push(known);
    }
}

/// A set of steps.
#[derive(Clone, Debug, Default)]
struct Steps {
    words: Vec<u64>,
}

impl Steps {
    fn add(&mut self, step: usize) {
        if self.words.len() <= step / 64 {
            self.words.resize(step / 64 + 1, 0);
        }
        self.words[step / 64] |= 1 << (step % 64);
    }

    fn contains(&self, step: usize) -> bool {
        self.words.get(step / 64).is_some_and(|word| word >> (step % 64) & 1 != 0)
    }

    fn add_all(&mut self, other: &Steps) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }
}
