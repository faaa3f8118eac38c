//! The accessible ranges of addresses.

use std::sync::Arc;

/// A half-open range of accessible addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Region {
    /// The first address.
    pub start: u64,
    /// One past the last address.
    pub end: u64,
}

impl Region {
    /// No address at all.
    pub const EMPTY: Region = Region { start: 1, end: 0 };

    /// Whether it holds all of `bytes` bytes from `address` on.
    #[inline(always)]
    pub fn holds(self, address: u64, bytes: u64) -> bool {
        address >= self.start && address <= self.end && self.end - address >= bytes
    }
}

/// Regions of a leaf, at most.
const LEAF: usize = 512;

/// Some neighbouring regions.
#[derive(Clone, Debug)]
struct Leaf {
    /// The start of the first one when it was the first.
    from: u64,
    sorted: Arc<Vec<Region>>,
}

/// Disjoint regions, sorted.
///
/// A clone shares everything with the original until one of the two changes, and then all but what changes: launches hold
/// clones, so that they can look regions up while the host allocates and frees.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    /// None is empty, and `from` ascends.
    leaves: Arc<Vec<Leaf>>,
}

impl Regions {
    /// The region that holds an address.
    pub fn find(&self, address: u64) -> Option<Region> {
        self.below(address).filter(|region| address < region.end)
    }

    /// The last region that begins at an address or before it.
    fn below(&self, address: u64) -> Option<Region> {
        let leaf = self.leaves.get(self.leaf(address)?)?;
        let after = leaf.sorted.partition_point(|region| region.start <= address);
        match after.checked_sub(1) {
            Some(at) => leaf.sorted.get(at).copied(),
            // The leaf's first regions are gone.
            None => {
                let before = self.leaf(leaf.from.checked_sub(1)?)?;
                self.leaves.get(before)?.sorted.last().copied()
            }
        }
    }

    /// The first region that begins behind an address.
    fn above(&self, address: u64) -> Option<Region> {
        let nth = self.leaf(address).unwrap_or(0);
        let here = self.leaves.get(nth)?;
        let after = here.sorted.partition_point(|region| region.start <= address);
        let next = || self.leaves.get(nth + 1)?.sorted.first();
        here.sorted.get(after).or_else(next).copied()
    }

    /// The leaf in which a region that begins at an address belongs; `None` before all of them.
    fn leaf(&self, address: u64) -> Option<usize> {
        self.leaves.partition_point(|leaf| leaf.from <= address).checked_sub(1)
    }

    /// The region that lies nearest to an address.
    pub fn nearest(&self, address: u64) -> Option<Region> {
        let distance = |region: &Region| {
            let past = address.saturating_add(1).saturating_sub(region.end);
            region.start.saturating_sub(address).max(past)
        };
        self.below(address).into_iter().chain(self.above(address)).min_by_key(distance)
    }

    /// All regions in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Region> {
        self.leaves.iter().flat_map(|leaf| leaf.sorted.iter().copied())
    }

    /// Whether some region shares an address with another one.
    pub(super) fn meets(&self, other: Region) -> bool {
        self.below(other.end.saturating_sub(1)).is_some_and(|last| last.end > other.start)
    }

    pub(super) fn insert(&mut self, region: Region) {
        let nth = self.leaf(region.start);
        let leaves = Arc::make_mut(&mut self.leaves);
        let Some(leaf) = leaves.get_mut(nth.unwrap_or(0)) else {
            leaves.push(Leaf { from: region.start, sorted: Arc::new(vec![region]) });
            return;
        };
        leaf.from = leaf.from.min(region.start);
        let sorted = Arc::make_mut(&mut leaf.sorted);
        let at = sorted.partition_point(|other| other.start < region.start);
        sorted.insert(at, region);
        if sorted.len() > LEAF {
            // Mostly regions come one behind the other: a leaf that grows at its end stays nearly full.
            let upper = sorted.split_off(if at + 1 == sorted.len() { LEAF } else { LEAF / 2 });
            let from = upper.first().map_or(region.start, |first| first.start);
            let nth = nth.unwrap_or(0);
            leaves.insert(nth + 1, Leaf { from, sorted: Arc::new(upper) });
        }
    }

    /// Removes the region that begins at an address.
    pub(super) fn remove(&mut self, start: u64) {
        let Some(nth) = self.leaf(start) else { return };
        let known = |leaf: &Leaf| leaf.sorted.binary_search_by_key(&start, |it| it.start).ok();
        let Some(at) = self.leaves.get(nth).and_then(known) else { return };
        let leaves = Arc::make_mut(&mut self.leaves);
        let sorted = Arc::make_mut(&mut leaves[nth].sorted);
        sorted.remove(at);
        if sorted.is_empty() {
            leaves.remove(nth);
        }
    }

    /// Removes the regions that begin in a range.
    pub(super) fn remove_within(&mut self, range: Region) {
        let mut first = self.below(range.start).filter(|region| region.start == range.start);
        first = first.or_else(|| self.above(range.start));
        while let Some(region) = first.filter(|region| region.start < range.end) {
            self.remove(region.start);
            first = self.above(region.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn regions_are_found_as_in_an_ordered_map() {
        let mut state = 1u64;
        let mut number = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let steps = if cfg!(miri) { 300 } else { 30_000 };
        let (mut regions, mut model) = (Regions::default(), BTreeMap::new());
        let mut kept = Vec::new();
        for step in 0..steps {
            // Phases in which there are more and in which there are less.
            let grows = (step / 6000) % 2 == 0;
            let start = 16 * number(8000);
            if number(10) < if grows { 8 } else { 2 } {
                if model.insert(start, start + 1 + number(16)).is_some() {
                    regions.remove(start);
                }
                regions.insert(Region { start, end: model[&start] });
            } else if number(50) == 0 {
                let range = Region { start, end: start + number(2000) };
                regions.remove_within(range);
                model.retain(|at, _| !(range.start..range.end).contains(at));
            } else {
                regions.remove(start);
                model.remove(&start);
            }
            let address = number(16 * 8000);
            let below = model.range(..=address).next_back().map(|(start, end)| (*start, *end));
            let found = below.filter(|(_, end)| address < *end);
            assert_eq!(regions.find(address).map(|it| (it.start, it.end)), found);
            let above = model.range(address + 1..).next().map(|(start, end)| (*start, *end));
            let distance = |(start, end): &(u64, u64)| {
                start.saturating_sub(address).max((address + 1).saturating_sub(*end))
            };
            let nearest = below.into_iter().chain(above).min_by_key(distance);
            assert_eq!(regions.nearest(address).map(|it| (it.start, it.end)), nearest);
            if step % 1000 == 0 {
                kept.push((regions.clone(), model.clone()));
            }
        }
        // Clones are as they were.
        for (regions, model) in kept {
            assert!(regions.iter().map(|it| (it.start, it.end)).eq(model.into_iter()));
        }
    }
}
