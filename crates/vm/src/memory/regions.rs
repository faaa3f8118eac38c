//! The accessible ranges of addresses.

/// A half-open range of accessible addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Disjoint regions, sorted.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    sorted: Vec<Region>,
}

impl Regions {
    /// The region that holds an address.
    pub fn find(&self, address: u64) -> Option<Region> {
        let after = self.sorted.partition_point(|region| region.start <= address);
        let region = *self.sorted.get(after.checked_sub(1)?)?;
        (address < region.end).then_some(region)
    }

    /// The region that lies nearest to an address.
    pub fn nearest(&self, address: u64) -> Option<Region> {
        let after = self.sorted.partition_point(|region| region.start <= address);
        let below = after.checked_sub(1).and_then(|at| self.sorted.get(at));
        let above = self.sorted.get(after);
        let distance = |region: &&Region| {
            region.start.saturating_sub(address).max((address + 1).saturating_sub(region.end))
        };
        below.into_iter().chain(above).min_by_key(distance).copied()
    }

    /// All regions in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Region> {
        self.sorted.iter().copied()
    }

    pub(super) fn insert(&mut self, region: Region) {
        let at = self.sorted.partition_point(|other| other.start < region.start);
        self.sorted.insert(at, region);
    }

    pub(super) fn remove(&mut self, start: u64) {
        self.sorted.retain(|region| region.start != start);
    }
}
