//! Runs a grid one step of one split at a time, so that every choice of the schedule can be made.

use crate::cta::Turn;
use crate::launch::{Grid, Resident};
use crate::observer::Observer;
use crate::schedule::{Candidate, Choice, Chooser};
use crate::stats::Stats;
use lanes::{Lanes, WARP};
use std::collections::HashMap;

/// CTAs that run at the same time, but for those of one cluster, which always do. More are begun only when those get nowhere.
const RESIDENT: usize = 16;
/// Steps that one warp takes in a row, as long as nobody wants otherwise.
const IN_A_ROW: u32 = 32;
/// Steps of each resident CTA after which one more is begun: they may wait for it.
const PATIENCE: u64 = 64;

impl Grid<'_> {
    /// Runs all CTAs as the chooser wants it.
    pub(crate) fn work_stepwise<O: Observer>(&self, observer: &mut O, chooser: &mut dyn Chooser) {
        let stop = || (self.common.launch.interrupted)();
        let limits = self.limits(&stop);
        let mut stats = Stats::default();
        let mut residents: Vec<Resident<'_>> = Vec::new();
        let (mut begun, mut fruitless, mut number) = (0, 0, 0);
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut last = Last::default();
        loop {
            let crowded = (residents.len() + 1) * self.common.cluster as usize > RESIDENT
                && !self.common.launch.cooperative;
            let ctas = residents.len() as u64 * self.common.cluster;
            let stuck = fruitless > PATIENCE * ctas;
            if begun < self.common.clusters() && (!crowded || stuck || residents.is_empty()) {
                let mut resident = Resident::new(self.common);
                resident.start(self.common, begun, observer);
                residents.push(resident);
                begun += 1;
                fruitless = 0;
                continue;
            }
            candidates.clear();
            residents.iter().for_each(|resident| resident.candidates(&mut candidates));
            if candidates.is_empty() {
                break;
            }
            let choice = Choice { number, candidates: &candidates, usual: last.usual(&candidates) };
            let Some(chosen) = chooser.choose(&choice) else { break };
            let chosen = &choice.taken(chosen);
            observer.step(chosen);
            number += 1;
            last.ran(chosen, number);
            fruitless += 1;
            let taken = residents.iter_mut().enumerate().find_map(|(place, resident)| {
                Some((place, resident.step(chosen, &limits, observer)?))
            });
            let Some((place, turn)) = taken else { break };
            match turn {
                Turn::Yielded | Turn::AtCluster | Turn::Stuck => {}
                Turn::Done => {
                    let mut resident = residents.remove(place);
                    resident.ctas().iter().for_each(|cta| last.forget(cta.number()));
                    self.take_printed(&mut resident);
                    resident.add_stats(&mut stats);
                    stats.ctas += self.common.cluster;
                    stats.threads += self.common.cluster * u64::from(self.common.threads);
                    fruitless = 0;
                }
                Turn::Fault(fault) => {
                    residents.iter().for_each(|resident| resident.add_stats(&mut stats));
                    self.report(*fault);
                    break;
                }
            }
        }
        residents.iter_mut().for_each(|resident| self.take_printed(resident));
        self.add_stats(&stats);
    }
}

/// Who ran last.
#[derive(Default)]
struct Last {
    warp: Option<(u64, u32)>,
    in_a_row: u32,
    /// Per warp, by CTA and index: in which step each lane ran last.
    steps: HashMap<(u64, u32), Lanes<u64>>,
}

impl Last {
    fn ran(&mut self, candidate: &Candidate, step: u64) {
        let warp = (candidate.cta, candidate.warp);
        self.in_a_row = if Some(warp) == self.warp { self.in_a_row + 1 } else { 1 };
        self.warp = Some(warp);
        let steps = self.steps.entry(warp).or_insert([0; WARP]);
        candidate.lanes.iter().for_each(|lane| steps[lane as usize % WARP] = step);
    }

    /// A CTA is done.
    fn forget(&mut self, cta: u64) {
        self.steps.retain(|(other, _), _| *other != cta);
    }

    /// In which step some lane of a candidate ran last that has waited longest.
    fn since(&self, candidate: &Candidate) -> u64 {
        let Some(steps) = self.steps.get(&(candidate.cta, candidate.warp)) else { return 0 };
        candidate.lanes.iter().map(|lane| steps[lane as usize % WARP]).min().unwrap_or(0)
    }

    /// See [`Choice::usual`].
    fn usual(&self, candidates: &[Candidate]) -> usize {
        let numbered = || candidates.iter().enumerate();
        let goes_on = |candidate: &Candidate| Some((candidate.cta, candidate.warp)) == self.warp;
        let same = numbered().filter(|(_, candidate)| goes_on(candidate));
        let earliest = same.min_by_key(|(_, candidate)| candidate.at);
        let longest_waiting = || {
            numbered()
                .min_by_key(|(_, candidate)| (self.since(candidate), candidate.cta, candidate.at))
        };
        let chosen = earliest.filter(|_| self.in_a_row < IN_A_ROW).or_else(longest_waiting);
        chosen.map_or(0, |(nth, _)| nth)
    }
}
