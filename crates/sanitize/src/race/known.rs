//! What a thread knows of others: up to which of their steps everything happened before.

use super::clock::Thread;
use foldhash::{HashMap, HashMapExt};

/// A set of threads of one CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    All,
    /// Lanes of a warp.
    Lanes(u8, u32),
}

impl Group {
    fn holds(self, thread: Thread) -> bool {
        match self {
            Group::All => true,
            Group::Lanes(warp, lanes) => warp == thread.warp && lanes >> thread.lane & 1 != 0,
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

    /// Whether a step of a thread happened before.
    pub(super) fn holds(&self, thread: Thread, stamp: u32) -> bool {
        self.by_cta.get(&thread.cta).is_some_and(|all| {
            all.iter().any(|(group, bound)| stamp < *bound && group.holds(thread))
        })
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
        let thread = |cta, warp, lane| Thread { cta, warp, lane };
        let mut known = Known::new();
        known.add(0, Group::Lanes(1, 0b11), 5);
        assert!(known.holds(thread(0, 1, 1), 4));
        assert!(!known.holds(thread(0, 1, 1), 5), "the bound is exclusive");
        assert!(!known.holds(thread(0, 1, 2), 4) && !known.holds(thread(1, 1, 1), 4));
        known.add(0, Group::Lanes(1, 0b01), 3);
        assert_eq!(known.by_cta[&0].len(), 1, "nothing new");
        let mut other = Known::new();
        other.add(0, Group::All, 6);
        other.add(7, Group::All, 2);
        known.join(&other);
        assert_eq!(known.by_cta[&0], [(Group::All, 6)]);
        assert!(known.holds(thread(0, 9, 9), 5) && known.holds(thread(7, 0, 0), 1));
        known.forget(0);
        assert!(!known.holds(thread(0, 9, 9), 5) && !known.is_empty());
    }
}
