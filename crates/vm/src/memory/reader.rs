//! What a launch looks addresses up in.

use super::Memory;
use super::regions::{Region, Regions};
use std::cell::Cell;
use std::sync::atomic::Ordering;

/// The accessible regions as they were when it looked last. They are looked up without a lock, and fetched anew when
/// something has been allocated or freed since.
#[derive(Debug)]
pub(crate) struct Reader<'m> {
    memory: &'m Memory,
    version: u64,
    /// Times that something was freed when it was asked last.
    frees: u64,
    regions: Regions,
    constants: Regions,
    /// The region that was looked at last.
    last: Cell<Region>,
}

impl<'m> Reader<'m> {
    pub(crate) fn new(memory: &'m Memory) -> Reader<'m> {
        let frees = memory.frees.load(Ordering::Acquire);
        let (version, regions, constants) = memory.published();
        let last = Cell::new(Region::EMPTY);
        Reader { memory, version, frees, regions, constants, last }
    }

    /// The memory.
    pub(crate) fn memory(&self) -> &'m Memory {
        self.memory
    }

    /// Whether something was freed since it was asked last: what was found before may not be there any more.
    #[inline]
    pub(crate) fn lost_any(&mut self) -> bool {
        let frees = self.memory.frees.load(Ordering::Acquire);
        std::mem::replace(&mut self.frees, frees) != frees
    }

    fn refresh(&mut self) {
        (self.version, self.regions, self.constants) = self.memory.published();
        self.last.set(Region::EMPTY);
    }

    /// The region that holds an address.
    pub(crate) fn find(&mut self, address: u64) -> Option<Region> {
        if self.memory.version.load(Ordering::Acquire) != self.version {
            self.refresh();
        }
        self.regions.find(address).or_else(|| {
            // Who got the address by a relaxed access may know of it before this thread sees the version.
            self.refresh();
            self.regions.find(address)
        })
    }

    /// Whether an address is in a constant that was found.
    pub(crate) fn is_constant(&self, address: u64) -> bool {
        self.constants.find(address).is_some()
    }

    /// The region that holds an address now.
    pub(crate) fn look(&self, address: u64) -> Option<Region> {
        // Those that it has are those of its version, without a lock.
        if self.memory.version.load(Ordering::Acquire) == self.version {
            if !self.last.get().holds(address, 1) {
                self.last.set(self.regions.find(address)?);
            }
            return Some(self.last.get());
        }
        self.memory.regions().find(address)
    }

    /// The region that lies nearest to an address now.
    pub(crate) fn nearest(&self, address: u64) -> Option<Region> {
        self.memory.regions().nearest(address)
    }
}
