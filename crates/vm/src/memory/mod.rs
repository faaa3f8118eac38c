//! Global memory: one reserved range of addresses, allocations in it, windows for the other spaces.
//!
//! Device addresses are addresses in this process. Before the range lie windows for shared, local and parameter
//! memory: a generic address inside a window means an offset in that space. Allocations are exact to the byte and stand
//! apart, so that an access past the end of one never lands in another.

mod error;
mod regions;
mod reserve;
mod windows;

pub use error::MemoryError;
pub use regions::{Region, Regions};
pub(crate) use windows::Window;
pub use windows::lead;

pub use reserve::BASE;
use reserve::{RESERVED, Range, reserve};

/// Bytes between allocations, at least.
const GAP: u64 = 256;
/// Alignment of allocations, as `cudaMalloc` gives it.
const ALIGN: u64 = 256;

/// The contents of a device's memory at one time. Equal snapshots have equal contents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot {
    bytes: Vec<u8>,
}

impl Snapshot {
    /// The byte at an offset from the start of the address range; 0 where none was allocated.
    pub fn byte(&self, offset: u64) -> u8 {
        let at = offset.checked_sub(RESERVED).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.bytes.get(at)).copied().unwrap_or(0)
    }

    /// The place of the first byte that differs, as an offset from the start of the address range.
    pub fn first_difference(&self, other: &Snapshot) -> Option<u64> {
        let mut pairs = self.bytes.iter().zip(&other.bytes);
        pairs.position(|(one, other)| one != other).map(|at| RESERVED + at as u64)
    }
}

/// The device's memory.
#[derive(Debug)]
pub struct Memory {
    map: Range,
    /// Kept, because threads that run must not borrow the bytes that others write.
    base: u64,
    next: u64,
    regions: Regions,
    freed: Regions,
    constants: Regions,
}

impl Memory {
    /// Reserves the address range: as much of a terabyte as the host gives. Pages are committed when they
    /// are first touched.
    ///
    /// # Errors
    /// The host reserves nothing.
    pub fn new() -> Result<Self, MemoryError> {
        let (regions, freed, constants) = Default::default();
        let mut map = reserve()?;
        // Runs reach the range by its addresses. The host does not touch the contents meanwhile.
        let base = map.as_mut_ptr().expose_provenance() as u64;
        Ok(Memory { map, base, next: RESERVED, regions, freed, constants })
    }

    /// The first address of the range.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Allocates zeroed memory, aligned to 256 bytes, and returns its address. An allocation of no bytes has
    /// an address that must not be accessed.
    ///
    /// # Errors
    /// The range is used up.
    pub fn allocate(&mut self, bytes: u64) -> Result<u64, MemoryError> {
        let left = self.map.len() as u64 - self.next;
        let wanted = bytes.checked_add(GAP + ALIGN).filter(|wanted| *wanted <= left);
        let Some(wanted) = wanted else {
            return Err(MemoryError::Full { wanted: bytes, left });
        };
        let address = self.base() + self.next;
        self.next = (self.next + wanted).next_multiple_of(ALIGN);
        if bytes > 0 {
            self.regions.insert(Region { start: address, end: address + bytes });
        }
        Ok(address)
    }

    /// The contents of all allocations as they stand.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { bytes: self.map[RESERVED as usize..self.next as usize].to_vec() }
    }

    /// Gives the allocations that were there at a snapshot their contents back.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let end = RESERVED as usize + snapshot.bytes.len();
        if let Some(bytes) = self.map.get_mut(RESERVED as usize..end) {
            bytes.copy_from_slice(&snapshot.bytes);
        }
    }

    /// Frees an allocation by its address: it must not be accessed any more. Its addresses are not given out again.
    ///
    /// # Errors
    /// No allocation begins there.
    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        let region = self.regions.find(address).filter(|region| region.start == address);
        let region = region.ok_or(MemoryError::OutOfBounds { address, bytes: 0 })?;
        self.regions.remove(address);
        self.constants.remove(address);
        self.freed.insert(region);
        Ok(())
    }

    /// The freed allocation that held an address.
    pub fn freed(&self, address: u64) -> Option<Region> {
        self.freed.find(address)
    }

    /// Allocates one block for several objects at the given offsets; only their bytes are accessible.
    ///
    /// # Errors
    /// The range is used up.
    pub fn allocate_image(&mut self, objects: &[(u64, u64)]) -> Result<u64, MemoryError> {
        let ends = objects.iter().map(|(offset, bytes)| offset.saturating_add(*bytes));
        let bytes = ends.max().unwrap_or(0);
        let address = self.allocate(bytes)?;
        self.regions.remove(address);
        for (offset, bytes) in objects.iter().filter(|(_, bytes)| *bytes > 0) {
            let start = address + offset;
            self.regions.insert(Region { start, end: start + bytes });
        }
        Ok(address)
    }

    /// Makes an allocation constant by its address: kernels may only read it. The host may still write it.
    ///
    /// # Errors
    /// No allocation begins there.
    pub fn make_constant(&mut self, address: u64) -> Result<(), MemoryError> {
        let region = self.regions.find(address).filter(|region| region.start == address);
        self.constants.insert(region.ok_or(MemoryError::OutOfBounds { address, bytes: 0 })?);
        Ok(())
    }

    /// The allocations that kernels may only read.
    pub fn constants(&self) -> &Regions {
        &self.constants
    }

    /// Copies host bytes to the device.
    ///
    /// # Errors
    /// The target is not inside one allocation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let range = self.range(address, bytes.len())?;
        self.map[range].copy_from_slice(bytes);
        Ok(())
    }

    /// The bytes at a device address.
    ///
    /// # Errors
    /// They are not inside one allocation.
    pub fn read(&self, address: u64, bytes: usize) -> Result<&[u8], MemoryError> {
        let range = self.range(address, bytes)?;
        Ok(&self.map[range])
    }

    /// The allocations.
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    fn range(&self, address: u64, bytes: usize) -> Result<std::ops::Range<usize>, MemoryError> {
        if bytes == 0 {
            return Ok(0..0);
        }
        let outside = MemoryError::OutOfBounds { address, bytes: bytes as u64 };
        let region = self.regions.find(address).ok_or(outside.clone())?;
        if !region.holds(address, bytes as u64) {
            return Err(outside);
        }
        let start = (address - self.base()) as usize;
        Ok(start..start + bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_exact_zeroed_and_apart() {
        let mut memory = Memory::new().expect("the host reserves a range");
        let a = memory.allocate(10).expect("fits");
        let b = memory.allocate(1).expect("fits");
        assert!(b >= a + 10 + GAP && a.is_multiple_of(ALIGN) && b.is_multiple_of(ALIGN));
        assert_eq!(memory.read(a, 10), Ok(&[0; 10][..]));
        assert!(memory.read(a, 11).is_err() && memory.read(a - 1, 1).is_err());
        memory.write(b, &[7]).expect("inside");
        assert!(memory.write(b, &[7, 8]).is_err());
        assert_eq!(memory.read(b, 1), Ok(&[7][..]));
    }

    #[test]
    fn freed_memory_is_known_and_not_accessible() {
        let mut memory = Memory::new().expect("the host reserves a range");
        let a = memory.allocate(8).expect("fits");
        assert!(memory.free(a + 4).is_err());
        assert_eq!(memory.free(a), Ok(()));
        assert!(memory.read(a, 1).is_err() && memory.free(a).is_err());
        assert!(memory.freed(a + 7).is_some() && memory.freed(a + 8).is_none());
    }

    #[test]
    fn constants_are_written_by_the_host() {
        let mut memory = Memory::new().expect("the host reserves a range");
        let a = memory.allocate(8).expect("fits");
        assert!(memory.make_constant(a + 4).is_err() && memory.constants().find(a).is_none());
        assert_eq!(memory.make_constant(a), Ok(()));
        assert!(memory.constants().find(a + 7).is_some() && memory.write(a, &[1; 8]).is_ok());
        assert_eq!(memory.free(a), Ok(()));
        assert!(memory.constants().find(a).is_none());
    }

    #[test]
    fn absurd_sizes_are_refused() {
        let mut memory = Memory::new().expect("the host reserves a range");
        assert!(matches!(memory.allocate(u64::MAX), Err(MemoryError::Full { .. })));
        assert!(memory.allocate(0).is_ok());
    }

    #[test]
    fn objects_of_an_image_are_exact() {
        let mut memory = Memory::new().expect("the host reserves a range");
        let base = memory.allocate_image(&[(0, 4), (16, 8)]).expect("fits");
        assert!(memory.write(base, &[1; 4]).is_ok() && memory.write(base + 16, &[1; 8]).is_ok());
        assert!(memory.write(base, &[1; 5]).is_err() && memory.write(base + 8, &[1]).is_err());
    }
}
