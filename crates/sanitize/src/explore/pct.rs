//! Schedules by priorities that change at a few random steps ("A Randomized Scheduler with Probabilistic Guarantees of
//! Finding Bugs", Burckhardt and others, 2010).

use std::collections::HashMap;
use vm::{Choice, Chooser, Chosen, Dividing, Random};

/// Steps at which a priority changes: bugs that take one more ordered pair of steps are found with the probability that
/// the paper states.
const CHANGES: u64 = 2;
/// Steps of one split in a row after which it falls behind all others: it may be waiting for them.
const PATIENCE: u32 = 256;

/// Runs the split with the highest priority. Splits are known by their first lane.
#[derive(Debug)]
pub(super) struct Pct {
    random: Random,
    dividing: Dividing,
    priorities: HashMap<(u64, u32, u32), i64>,
    changes: Vec<u64>,
    lowest: i64,
    last: Option<(u64, u32, u32)>,
    in_a_row: u32,
}

impl Pct {
    /// Priorities and changes from a seed, for runs of about `length` steps.
    pub(super) fn new(seed: u64, length: u64, dividing: Dividing) -> Self {
        let mut random = Random::new(seed);
        let changes = (0..CHANGES).map(|_| random.below(length)).collect();
        let priorities = HashMap::new();
        Pct { random, dividing, priorities, changes, lowest: 0, last: None, in_a_row: 0 }
    }
}

impl Chooser for Pct {
    fn choose(&mut self, choice: &Choice<'_>) -> Option<Chosen> {
        let mut best: Option<(i64, Chosen, (u64, u32, u32))> = None;
        let numbered = choice.candidates.iter().enumerate();
        let divisions = numbered.flat_map(|(candidate, split)| {
            split.divisions(self.dividing).map(move |lanes| (Chosen { candidate, lanes }, split))
        });
        for (chosen, candidate) in divisions {
            let split = (candidate.cta, candidate.warp, chosen.lanes.0.trailing_zeros());
            let random = &mut self.random;
            let fresh = || 1 + random.below(1 << 40) as i64;
            let priority = *self.priorities.entry(split).or_insert_with(fresh);
            if best.is_none_or(|(highest, ..)| priority > highest) {
                best = Some((priority, chosen, split));
            }
        }
        let Some((_, chosen, split)) = best else { return Some(choice.by_default()) };
        self.in_a_row = if self.last == Some(split) { self.in_a_row + 1 } else { 1 };
        self.last = Some(split);
        if self.changes.contains(&choice.number) || self.in_a_row >= PATIENCE {
            self.lowest -= 1;
            self.priorities.insert(split, self.lowest);
        }
        Some(chosen)
    }
}
