//! Which steps of a run must come before which, because their lanes or what they access say so.

use super::footprint::Step;
use std::collections::HashMap;

/// The order of the steps of a run so far.
#[derive(Debug, Default)]
pub(super) struct HappensBefore {
    /// The steps that come before what each lane does next, by CTA, warp and lane.
    lanes: HashMap<(u64, u32, u32), Set>,
    /// Those that come before each step, and itself.
    steps: Vec<Set>,
}

impl HappensBefore {
    /// Takes in the next step, the one with number `at`. Returns the earlier ones of other lanes that it depends on
    /// with nothing in between: the two could have been swapped.
    pub(super) fn take(&mut self, at: usize, steps: &[Step]) -> Vec<usize> {
        let step = &steps[at];
        let mut known = Set::default();
        for lane in step.lanes.iter() {
            if let Some(theirs) = self.lanes.get(&(step.cta, step.warp, lane)) {
                known.add_all(theirs);
            }
        }
        let mut races = Vec::new();
        for earlier in (0..at).rev() {
            if !known.contains(earlier) && step.depends_on(&steps[earlier]) {
                if !step.shares_lanes(&steps[earlier]) {
                    races.push(earlier);
                }
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
        races
    }

    /// Of the steps between `earlier` and `at`, `at` included, that do not come after `earlier`: those that none of
    /// them comes before.
    pub(super) fn first_after(&self, earlier: usize, at: usize) -> Vec<usize> {
        let mut between = Set::default();
        let mut first = Vec::new();
        for nth in earlier + 1..=at {
            let before = &self.steps[nth];
            if nth < at && before.contains(earlier) {
                continue;
            }
            if !before.meets(&between) {
                first.push(nth);
            }
            between.add(nth);
        }
        first
    }
}

/// A set of steps.
#[derive(Clone, Debug, Default)]
struct Set {
    words: Vec<u64>,
}

impl Set {
    fn add(&mut self, step: usize) {
        if self.words.len() <= step / 64 {
            self.words.resize(step / 64 + 1, 0);
        }
        self.words[step / 64] |= 1 << (step % 64);
    }

    fn contains(&self, step: usize) -> bool {
        self.words.get(step / 64).is_some_and(|word| word >> (step % 64) & 1 != 0)
    }

    fn meets(&self, other: &Set) -> bool {
        self.words.iter().zip(&other.words).any(|(one, other)| one & other != 0)
    }

    fn add_all(&mut self, other: &Set) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }
}
