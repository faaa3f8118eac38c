//! What a thread knows of others: up to which of their steps everything happened before.

use super::step::Step;
use foldhash::{HashMap, HashMapExt};
use lanes::{LaneMask, Lanes};

/// A set of threads of one CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    All,
    /// Lanes of a warp.
    Lanes(u8, u32),
}

/// What is known of a CTA: below which stamps everything happened before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OfCta {
    /// Of all threads.
    all: u32,
    /// Of the lanes of some warps, where that is more of one of them.
    warps: Vec<(u8, Lanes<u32>)>,
}

impl OfCta {
    fn raise_all(&mut self, bound: u32) {
        if bound > self.all {
            self.all = bound;
            self.warps.retain(|(_, lanes)| lanes.iter().any(|lane| *lane > bound));
        }
    }

    fn raise(&mut self, warp: u8, bounds: &Lanes<u32>) {
        if bounds.iter().all(|bound| *bound <= self.all) {
            return;
        }
        match self.warps.iter_mut().find(|(known, _)| *known == warp) {
            Some((_, known)) => {
                known
                    .iter_mut()
                    .zip(bounds)
                    .for_each(|(known, bound)| *known = (*known).max(*bound));
            }
            None => self.warps.push((warp, *bounds)),
        }
    }
}

/// Statements "the accesses of these threads with stamps below this bound happened before", by CTA.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HappensBefore {
    by_cta: HashMap<u32, OfCta>,
}

impl HappensBefore {
    pub(super) fn new() -> HappensBefore {
        HappensBefore { by_cta: HashMap::new() }
    }

    /// Adds a statement.
    pub(super) fn add(&mut self, cta: u32, group: Group, bound: u32) {
        let known = self.by_cta.entry(cta).or_default();
        match group {
            Group::All => known.raise_all(bound),
            Group::Lanes(warp, members) => {
                let bounds = |lane: usize| if members >> lane & 1 != 0 { bound } else { 0 };
                known.raise(warp, &std::array::from_fn(bounds));
            }
        }
    }

    /// Adds all statements of another.
    pub(super) fn join(&mut self, other: &HappensBefore) {
        for (cta, theirs) in &other.by_cta {
            let known = self.by_cta.entry(*cta).or_default();
            known.raise_all(theirs.all);
            theirs.warps.iter().for_each(|(warp, bounds)| known.raise(*warp, bounds));
        }
    }

    /// Says in one statement what is said of each thread of a CTA, whose warps have such lanes.
    pub(super) fn sum_up(&mut self, cta: u32, existing: &[LaneMask]) {
        let Some(known) = self.by_cta.get_mut(&cta) else { return };
        if known.warps.len() < existing.len() {
            return;
        }
        let of_warp = |(warp, lanes): (usize, &LaneMask)| {
            let bounds = known.warps.iter().find(|(of, _)| usize::from(*of) == warp);
            bounds.and_then(|(_, bounds)| lanes.iter().map(|lane| bounds[lane as usize]).min())
        };
        let least = existing.iter().enumerate().map(of_warp);
        let least = least.min_by_key(|bound| bound.unwrap_or(0)).flatten();
        known.raise_all(least.unwrap_or(0));
    }

    /// Up to which stamp everything is known of a CTA.
    pub(super) fn floor(&self, cta: u32) -> u32 {
        self.by_cta.get(&cta).map_or(0, |known| known.all)
    }

    /// Whether it says anything of a CTA: then that has begun.
    pub(super) fn speaks_of(&self, cta: u32) -> bool {
        self.by_cta.contains_key(&cta)
    }

    /// Drops what is said of a CTA.
    pub(super) fn forget(&mut self, cta: u32) {
        self.by_cta.remove(&cta);
    }

    /// The lanes whose step happened before.
    pub(super) fn lanes(&self, by: &Step) -> u32 {
        let Some(known) = self.by_cta.get(&by.cta) else { return 0 };
        if by.stamp < known.all {
            return by.lanes;
        }
        let row = known.warps.iter().find(|(warp, _)| *warp == by.warp);
        row.map_or(0, |(_, bounds)| LaneMask::from_fn(|lane| by.stamp < bounds[lane]).0 & by.lanes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_cta.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_cover_weaker_ones_and_join() {
        let known_of = |known: &HappensBefore, cta, warp, stamp| {
            known.lanes(&Step { cta, warp, lanes: 0b110, stamp })
        };
        let mut known = HappensBefore::new();
        known.add(0, Group::Lanes(1, 0b11), 5);
        assert_eq!(known_of(&known, 0, 1, 4), 0b10);
        assert_eq!(known_of(&known, 0, 1, 5), 0, "the bound is exclusive");
        assert_eq!((known_of(&known, 0, 2, 4), known_of(&known, 1, 1, 4)), (0, 0));
        known.add(0, Group::Lanes(1, 0b01), 3);
        assert_eq!(known_of(&known, 0, 1, 4), 0b10, "nothing new");
        known.add(0, Group::Lanes(1, 0b100), 9);
        assert_eq!((known_of(&known, 0, 1, 4), known_of(&known, 0, 1, 5)), (0b110, 0b100));
        let mut other = HappensBefore::new();
        other.add(0, Group::All, 6);
        other.add(7, Group::All, 2);
        known.join(&other);
        assert_eq!((known_of(&known, 0, 1, 5), known_of(&known, 0, 1, 6)), (0b110, 0b100));
        assert_eq!((known_of(&known, 0, 9, 5), known_of(&known, 7, 0, 1)), (0b110, 0b110));
        known.forget(0);
        assert_eq!(known_of(&known, 0, 9, 5), 0);
        assert!(!known.is_empty());
    }
}
