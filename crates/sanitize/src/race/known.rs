//! What a thread knows of others: up to which of their steps everything happened before.

use super::clock::Step;
use foldhash::{HashMap, HashMapExt};

/// A set of threads of one CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    All,
    /// Lanes of a warp.
    Lanes(u8, u32),
}

impl Group {
    /// Those of some lanes of a warp that it holds.
    fn lanes(self, warp: u8, lanes: u32) -> u32 {
        match self {
            Group::All => lanes,
            Group::Lanes(own, members) if own == warp => lanes & members,
            Group::Lanes(..) => 0,
        }
    }

    /// Whether every thread of the other group is in this one.
    fn covers(self, other: Group) -> bool {
        match (self, other) {
            (Group::All, _) => true,
            (Group::Lanes(..), Group::All) => false,
            (Group::Lanes(warp, lanes), Group::Lanes(theirs, others)) => {
                warp == theirs && others & !lanes == 0
            }
        }
    }
}

/// Statements "the accesses of these threads with stamps below this bound happened before", by CTA.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    by_cta: HashMap<u32, Vec<(Group, u32)>>,
}

impl Known {
    pub(super) fn new() -> Known {
        Known { by_cta: HashMap::new() }
    }

    /// Adds a statement, and drops those that it makes idle.
    pub(super) fn add(&mut self, cta: u32, group: Group, bound: u32) {
        let all = self.by_cta.entry(cta).or_default();
        if all.iter().any(|(known, at)| *at >= bound && known.covers(group)) {
            return;
        }
        all.retain(|(known, at)| *at > bound || !group.covers(*known));
        all.push((group, bound));
    }

    /// Adds all statements of another.
    pub(super) fn join(&mut self, other: &Known) {
        for (cta, all) in &other.by_cta {
            all.iter().for_each(|(group, bound)| self.add(*cta, *group, *bound));
        }
    }

    /// Drops what is said of a CTA.
    pub(super) fn forget(&mut self, cta: u32) {
        self.by_cta.remove(&cta);
    }

    /// The lanes whose step happened before.
    pub(super) fn lanes(&self, by: &Step) -> u32 {
        let said = self.by_cta.get(&by.cta).into_iter().flatten();
        let said = said.filter(|(_, bound)| by.stamp < *bound);
        said.fold(0, |lanes, (group, _)| lanes | group.lanes(by.warp, by.lanes))
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
        let known_of =
            |known: &Known, cta, warp, stamp| known.lanes(&Step { cta, warp, lanes: 0b110, stamp });
        let mut known = Known::new();
        known.add(0, Group::Lanes(1, 0b11), 5);
        assert_eq!(known_of(&known, 0, 1, 4), 0b10);
        assert_eq!(known_of(&known, 0, 1, 5), 0, "the bound is exclusive");
        assert_eq!((known_of(&known, 0, 2, 4), known_of(&known, 1, 1, 4)), (0, 0));
        known.add(0, Group::Lanes(1, 0b01), 3);
        assert_eq!(known.by_cta[&0].len(), 1, "nothing new");
        let mut other = Known::new();
        other.add(0, Group::All, 6);
        other.add(7, Group::All, 2);
        known.join(&other);
        assert_eq!(known.by_cta[&0], [(Group::All, 6)]);
        assert_eq!((known_of(&known, 0, 9, 5), known_of(&known, 7, 0, 1)), (0b110, 0b110));
        known.forget(0);
        assert_eq!(known_of(&known, 0, 9, 5), 0);
        assert!(!known.is_empty());
    }
}
