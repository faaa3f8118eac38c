//! Which steps of a run must come before which, because their lanes or what they access say so.

use super::footprint::Step;
use lanes::LaneMask;
use std::collections::HashMap;
use std::rc::Rc;

/// The order of the steps of a run so far. Splits that have met take steps together, and still one could have gone ahead
/// of the other: lanes that came to a step from different places are *parts* of it, each with an order of its own.
#[derive(Debug, Default)]
pub(super) struct HappensBefore {
    /// The steps that come before what each lane does next, by CTA, warp and lane.
    lanes: HashMap<(u64, u32, u32), Rc<Set>>,
    /// For each step its parts, each with the steps that come before, and the step itself.
    steps: Vec<Vec<(LaneMask, Rc<Set>)>>,
}

/// Two steps that could have been swapped: nothing is between them, and they depend on each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Race {
    /// The earlier step.
    pub(super) earlier: usize,
    /// The part of the later one that could have gone first.
    pub(super) part: LaneMask,
}

impl HappensBefore {
    /// Takes in the next step, the one with number `at`. Returns its races with steps of other lanes.
    pub(super) fn take(&mut self, at: usize, steps: &[Step]) -> Vec<Race> {
        let step = &steps[at];
        let nothing = Rc::new(Set::default());
        let mut parts: Vec<(LaneMask, Rc<Set>)> = Vec::new();
        for lane in step.lanes.iter() {
            let known = self.lanes.get(&(step.cta, step.warp, lane)).unwrap_or(&nothing);
            match parts.iter_mut().find(|(_, theirs)| Rc::ptr_eq(theirs, known)) {
                Some((part, _)) => *part |= LaneMask::single(lane),
                None => parts.push((LaneMask::single(lane), Rc::clone(known))),
            }
        }
        let mut races = Vec::new();
        for (part, known) in &mut parts {
            let known = Rc::make_mut(known);
            for earlier in (0..at).rev() {
                let other = &steps[earlier];
                if known.contains(earlier) || !step.part_depends_on(*part, other, other.lanes) {
                    continue;
                }
                races.push(Race { earlier, part: *part });
                for (theirs, before) in &self.steps[earlier] {
                    if step.part_depends_on(*part, other, *theirs) {
                        known.add_all(before);
                    }
                }
            }
            known.add(at);
        }
        for (part, known) in &parts {
            for lane in part.iter() {
                self.lanes.insert((step.cta, step.warp, lane), Rc::clone(known));
            }
        }
        self.meet(step, &parts);
        self.steps.push(parts);
        races
    }

    /// Whether parts of the last step depend on each other: one of them could have gone first.
    pub(super) fn parts_clash(&self, step: &Step) -> bool {
        let parts = self.steps.last().map_or(&[][..], Vec::as_slice);
        parts.iter().enumerate().any(|(nth, (one, _))| {
            let others = &parts[nth + 1..];
            others.iter().any(|(other, _)| step.part_depends_on(*one, step, *other))
        })
    }

    /// Those who are let go by a step know afterwards what each of them knew, and who let them go.
    fn meet(&mut self, step: &Step, parts: &[(LaneMask, Rc<Set>)]) {
        let released = || {
            step.released
                .iter()
                .flat_map(|(warp, lanes)| lanes.iter().map(move |lane| (step.cta, *warp, lane)))
        };
        if step.released.is_empty() {
            return;
        }
        let mut met = Set::default();
        parts.iter().for_each(|(_, known)| met.add_all(known));
        for lane in released() {
            if let Some(theirs) = self.lanes.get(&lane) {
                met.add_all(theirs);
            }
        }
        let met = Rc::new(met);
        for lane in released() {
            self.lanes.insert(lane, Rc::clone(&met));
        }
    }

    /// Of the steps between a race's earlier one and `at`, `at` included, that do not come after the earlier one:
    /// those that none of them comes before. `None` if one of them has several parts.
    pub(super) fn first_after(&self, earlier: usize, at: usize) -> Option<Vec<usize>> {
        let mut between = Set::default();
        let mut first = Vec::new();
        if self.steps[earlier].len() > 1 {
            return None;
        }
        for nth in earlier + 1..=at {
            let [(_, before)] = self.steps[nth].as_slice() else { return None };
            if nth < at && before.contains(earlier) {
                continue;
            }
            if !before.meets(&between) {
                first.push(nth);
            }
            between.add(nth);
        }
        Some(first)
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
