//! Global memory: one reserved range of addresses, allocations in it, windows for the other spaces.
//!
//! Device addresses are addresses in this process. There are windows for shared, local and parameter
//! memory: a generic address inside a window means an offset in that space. Allocations are exact to the byte and stand
//! apart, so that an access past the end of one never lands in another. Memory of the host can be mapped: then kernels reach
//! it by the addresses that it has.
//!
//! Everything works through shared references, while kernels run: who allocates and frees takes a lock, and launches look
//! addresses up in what was published last ([`Regions`], `Reader`). Contents are copied, never borrowed.

mod blocks;
mod copy;
mod error;
mod heap;
mod reader;
mod regions;
mod reserve;
mod snapshot;
mod windows;

pub use blocks::BadFree;
pub use error::MemoryError;
pub use heap::{KEPT, Quarantine, WAITING};
pub use regions::{Region, Regions};
pub use snapshot::Snapshot;
pub use windows::{BASE, lead};

pub(crate) use blocks::Owner;
pub(crate) use reader::Reader;
pub(crate) use windows::Window;

use crate::texture::{Objects, TextureError, TextureObject};
use blocks::{Blocks, Known};
use foldhash::HashMap;
use heap::Heap;
use reserve::{RESERVED, Range};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes between allocations, at least.
const GAP: u64 = 256;
/// Alignment of allocations, as `cudaMalloc` gives it.
const ALIGN: u64 = 256;
/// The part of the range, from its end, in which kernels allocate.
const BLOCKS: u64 = 4;

/// The device's memory.
#[derive(Debug)]
pub struct Memory {
    range: Range,
    /// Counts the changes of what is published.
    version: AtomicU64,
    /// Counts what was freed.
    frees: AtomicU64,
    state: Mutex<State>,
    /// Textures and surfaces.
    objects: Objects,
}

/// What the lock is about.
#[derive(Debug)]
struct State {
    regions: Regions,
    constants: Regions,
    quarantine: Quarantine,
    heap: Heap,
    /// What the host has allocated: bytes by address.
    live: HashMap<u64, u64>,
    /// What the host has mapped: bytes by address.
    mapped: HashMap<u64, u64>,
    blocks: Blocks,
    known: Known,
}

impl Memory {
    /// Reserves the address range: as much of a terabyte as the host gives. Pages are committed when they
    /// are first touched.
    ///
    /// # Errors
    /// The host reserves nothing.
    pub fn new() -> Result<Self, MemoryError> {
        let range = Range::reserve()?;
        let (start, end) = (range.base() + RESERVED, range.end());
        let middle = (end - (end - range.base()) / BLOCKS).next_multiple_of(ALIGN);
        let state = State {
            regions: Regions::default(),
            constants: Regions::default(),
            quarantine: Quarantine::default(),
            heap: Heap::new(Region { start, end: middle }, ALIGN, GAP),
            live: HashMap::default(),
            mapped: HashMap::default(),
            blocks: Blocks::new(Region { start: middle, end }),
            known: Known::default(),
        };
        let (version, frees) = (AtomicU64::new(0), AtomicU64::new(0));
        let state = Mutex::new(state);
        Ok(Memory { range, version, frees, state, objects: Objects::default() })
    }

    /// The first address of the range.
    pub fn base(&self) -> u64 {
        self.range.base()
    }

    /// The addresses of the range: no other memory of this process has one of them.
    pub fn addresses(&self) -> std::ops::Range<u64> {
        self.range.base()..self.range.end()
    }

    /// How long the addresses of what is freed from now on are not given out again: [`Quarantine::Short`] until somebody says
    /// something else. An observed run makes it [`Quarantine::Forever`].
    pub fn set_quarantine(&self, quarantine: Quarantine) {
        self.lock().quarantine = quarantine;
    }

    /// The state. Nothing that happens under the lock leaves it half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells launches that regions have changed. The caller holds the lock.
    fn changed(&self) {
        self.version.fetch_add(1, Ordering::Release);
    }

    /// The same, where some are gone.
    fn freed_some(&self) {
        self.changed();
        self.frees.fetch_add(1, Ordering::Release);
    }

    /// What launches look addresses up in, and its version.
    fn published(&self) -> (u64, Regions, Regions) {
        let state = self.lock();
        (self.version.load(Ordering::Acquire), state.regions.clone(), state.constants.clone())
    }

    /// Allocates zeroed memory, aligned to 256 bytes, and returns its address, which is one of this process, too: what CUDA
    /// calls pinned or managed memory is no other. An allocation of no bytes has an address that must not be accessed.
    ///
    /// # Errors
    /// The range is used up.
    pub fn allocate(&self, bytes: u64) -> Result<u64, MemoryError> {
        self.allocate_image(&[(0, bytes)])
    }

    /// Allocates one block for several objects at the given offsets; only their bytes are accessible.
    ///
    /// # Errors
    /// The range is used up.
    pub fn allocate_image(&self, objects: &[(u64, u64)]) -> Result<u64, MemoryError> {
        self.allocate_from(objects, |heap, bytes, range| heap.allocate(bytes, range))
    }

    /// The same as [`Memory::allocate`] on pages of the host (of 4 KiB) that nothing else is on, until it is freed.
    ///
    /// # Errors
    /// The range is used up.
    pub fn allocate_pages(&self, bytes: u64) -> Result<u64, MemoryError> {
        self.allocate_from(&[(0, bytes)], |heap, bytes, _| heap.allocate_pages(bytes))
    }

    fn allocate_from(
        &self,
        objects: &[(u64, u64)],
        take: impl FnOnce(&mut Heap, u64, &Range) -> Option<u64>,
    ) -> Result<u64, MemoryError> {
        let ends = objects.iter().map(|(offset, bytes)| offset.saturating_add(*bytes));
        let bytes = ends.max().unwrap_or(0);
        let mut state = self.lock();
        let Some(address) = take(&mut state.heap, bytes, &self.range) else {
            return Err(MemoryError::Full { wanted: bytes, left: state.heap.left() });
        };
        self.range.prefer_large_pages(address, address + bytes);
        state.live.insert(address, bytes);
        for (offset, bytes) in objects.iter().filter(|(_, bytes)| *bytes > 0) {
            let start = address + offset;
            state.regions.insert(Region { start, end: start + bytes });
        }
        self.changed();
        Ok(address)
    }

    /// Frees an allocation by its address: it must not be accessed any more. Its addresses are given out again when
    /// the quarantine has ended ([`Memory::set_quarantine`]).
    ///
    /// # Errors
    /// No allocation begins there.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let Some(bytes) = state.live.remove(&address) else {
            return Err(MemoryError::OutOfBounds { address, bytes: 0 });
        };
        let allocation = Region { start: address, end: address + bytes };
        state.regions.remove_within(allocation);
        state.constants.remove_within(allocation);
        self.freed_some();
        state.heap.free(allocation, state.quarantine, &self.range);
        Ok(())
    }

    /// The freed allocation that held an address, while it is in quarantine.
    pub fn freed(&self, address: u64) -> Option<Region> {
        let state = self.lock();
        state.heap.freed(address).or_else(|| state.blocks.freed(address))
    }

    /// Makes memory of the host reachable by kernels, by the addresses that it has, and returns the first of them. Accesses are
    /// checked against its bounds as for any allocation; its contents count as written.
    ///
    /// # Safety
    /// Until [`Memory::unmap_host`] has returned, and until every launch has ended that began before: the bytes are valid for
    /// reads and writes; and nothing in this process relies on what they hold while a launch that has the address may run, as by
    /// a Rust reference, but accesses them by atomics or through this memory.
    ///
    /// # Errors
    /// Some of the bytes are device memory, or are mapped already.
    pub unsafe fn map_host(&self, start: NonNull<u8>, bytes: usize) -> Result<u64, MemoryError> {
        let address = start.as_ptr().expose_provenance() as u64;
        let bytes = bytes as u64;
        let refused = MemoryError::NotMappable { address, bytes };
        let end = address.checked_add(bytes).filter(|end| *end > address).ok_or(refused.clone())?;
        let region = Region { start: address, end };
        let meets = |first: u64, behind: u64| address < behind && first < end;
        let mut state = self.lock();
        if meets(self.base(), self.range.end())
            || meets(windows::FIRST, windows::FIRST + windows::BYTES)
            || state.regions.meets(region)
        {
            return Err(refused);
        }
        state.mapped.insert(address, bytes);
        state.regions.insert(region);
        self.changed();
        Ok(address)
    }

    /// Takes memory of the host out of the reach of kernels.
    ///
    /// # Errors
    /// No mapped memory begins there.
    pub fn unmap_host(&self, address: u64) -> Result<(), MemoryError> {
        let mut state = self.lock();
        if state.mapped.remove(&address).is_none() {
            return Err(MemoryError::OutOfBounds { address, bytes: 0 });
        }
        state.regions.remove(address);
        self.freed_some();
        Ok(())
    }

    /// Makes an object constant by its address: kernels may only read it. The host may still write it.
    ///
    /// # Errors
    /// No object begins there.
    pub fn make_constant(&self, address: u64) -> Result<(), MemoryError> {
        let mut state = self.lock();
        let region = state.regions.find(address).filter(|region| region.start == address);
        let region = region.ok_or(MemoryError::OutOfBounds { address, bytes: 0 })?;
        state.constants.insert(region);
        self.changed();
        Ok(())
    }

    /// Copies host bytes to the device. A kernel that accesses them meanwhile finds old and new ones.
    ///
    /// # Errors
    /// The target is not inside one allocation.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        self.inside(address, bytes.len())?;
        copy::write(address, bytes);
        Ok(())
    }

    /// Copies bytes of the device to the host. Of bytes that a kernel writes meanwhile, some are old and some are new.
    ///
    /// # Errors
    /// They are not inside one allocation.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), MemoryError> {
        self.inside(address, to.len())?;
        copy::read(address, to);
        Ok(())
    }

    /// The allocation, object or mapped memory that holds an address.
    pub fn region(&self, address: u64) -> Option<Region> {
        self.lock().regions.find(address)
    }

    /// The allocations as they stand.
    pub fn regions(&self) -> Regions {
        self.lock().regions.clone()
    }

    fn inside(&self, address: u64, bytes: usize) -> Result<(), MemoryError> {
        let region = self.region(address);
        match bytes == 0 || region.is_some_and(|region| region.holds(address, bytes as u64)) {
            true => Ok(()),
            false => Err(MemoryError::OutOfBounds { address, bytes: bytes as u64 }),
        }
    }
}

/// What kernels allocate.
impl Memory {
    /// A block for a thread; `None` if more than `limit` bytes of blocks would be in use.
    pub(crate) fn allocate_block(&self, wanted: (Owner, u64), limit: u64) -> Option<Region> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let repeats = state.quarantine == Quarantine::Forever && state.known.len() < KEPT;
        let known = repeats.then_some(&mut state.known);
        let block = state.blocks.allocate(wanted, limit, &self.range, known)?;
        if block.start < block.end {
            state.regions.insert(block);
        }
        self.changed();
        Some(block)
    }

    /// Frees the block of a kernel that begins at an address.
    ///
    /// # Errors
    /// There is no such block.
    pub fn free_block(&self, address: u64) -> Result<Region, BadFree> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let around = state.regions.find(address);
        let freed = state.blocks.free(address, around, state.quarantine, &self.range)?;
        state.regions.remove(address);
        self.freed_some();
        Ok(freed)
    }

    /// The blocks that kernels have allocated and not freed, in ascending order.
    pub fn blocks(&self) -> Vec<Region> {
        let mut blocks: Vec<Region> = self.lock().blocks.iter().collect();
        blocks.sort_by_key(|block| block.start);
        blocks
    }
}

/// Textures and surfaces.
impl Memory {
    /// Makes a texture or a surface and returns its handle. Its texels need not be there yet: who reads them is stopped then.
    ///
    /// # Errors
    /// There can be no such object.
    pub fn create_texture_object(&self, object: TextureObject) -> Result<u64, TextureError> {
        self.objects.insert(object)
    }

    /// Forgets a texture or a surface; whether there was one. Its texels stay.
    pub fn destroy_texture_object(&self, handle: u64) -> bool {
        self.objects.remove(handle)
    }

    /// How many textures and surfaces are gone.
    #[inline]
    pub(crate) fn texture_objects_removed(&self) -> u64 {
        self.objects.removed()
    }

    /// What a handle leads to.
    pub fn texture_object(&self, handle: u64) -> Option<TextureObject> {
        self.objects.find(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes<const COUNT: usize>(
        memory: &Memory,
        address: u64,
    ) -> Result<[u8; COUNT], MemoryError> {
        let mut found = [0; COUNT];
        memory.read(address, &mut found).map(|()| found)
    }

    #[test]
    fn allocations_are_exact_zeroed_and_apart() {
        let memory = Memory::new().expect("the host reserves a range");
        let a = memory.allocate(10).expect("fits");
        let b = memory.allocate(1).expect("fits");
        assert!(b >= a + 10 + GAP && a.is_multiple_of(ALIGN) && b.is_multiple_of(ALIGN));
        assert_eq!(bytes::<10>(&memory, a), Ok([0; 10]));
        assert!(bytes::<11>(&memory, a).is_err() && bytes::<1>(&memory, a - 1).is_err());
        memory.write(b, &[7]).expect("inside");
        assert!(memory.write(b, &[7, 8]).is_err());
        assert_eq!(bytes(&memory, b), Ok([7]));
    }

    #[test]
    fn freed_memory_is_known_and_not_accessible() {
        let memory = Memory::new().expect("the host reserves a range");
        let a = memory.allocate(8).expect("fits");
        assert!(memory.free(a + 4).is_err());
        assert_eq!(memory.free(a), Ok(()));
        assert!(bytes::<1>(&memory, a).is_err() && memory.free(a).is_err());
        assert!(memory.freed(a + 7).is_some() && memory.freed(a + 8).is_none());
    }

    #[test]
    fn constants_are_written_by_the_host() {
        let memory = Memory::new().expect("the host reserves a range");
        let a = memory.allocate(8).expect("fits");
        assert!(memory.make_constant(a + 4).is_err() && memory.published().2.find(a).is_none());
        assert_eq!(memory.make_constant(a), Ok(()));
        assert!(memory.published().2.find(a + 7).is_some() && memory.write(a, &[1; 8]).is_ok());
        assert_eq!(memory.free(a), Ok(()));
        assert!(memory.published().2.find(a).is_none());
    }

    #[test]
    fn absurd_sizes_are_refused() {
        let memory = Memory::new().expect("the host reserves a range");
        assert!(matches!(memory.allocate(u64::MAX), Err(MemoryError::Full { .. })));
        assert!(memory.allocate(0).is_ok());
    }

    #[test]
    fn objects_of_an_image_are_exact() {
        let memory = Memory::new().expect("the host reserves a range");
        let base = memory.allocate_image(&[(0, 4), (16, 8)]).expect("fits");
        assert!(memory.write(base, &[1; 4]).is_ok() && memory.write(base + 16, &[1; 8]).is_ok());
        assert!(memory.write(base, &[1; 5]).is_err() && memory.write(base + 8, &[1]).is_err());
    }

    #[test]
    fn copies_of_any_alignment_and_length_are_exact() {
        let memory = Memory::new().expect("the host reserves a range");
        let a = memory.allocate(64).expect("fits");
        for offset in 0..16 {
            for count in 0..40 {
                memory.write(a, &[0; 64]).expect("inside");
                let values: Vec<u8> = (1..=count).collect();
                memory.write(a + offset, &values).expect("inside");
                let mut expected = [0; 64];
                expected[offset as usize..][..count.into()].copy_from_slice(&values);
                assert_eq!(bytes::<64>(&memory, a), Ok(expected));
                let mut found = vec![0; count.into()];
                memory.read(a + offset, &mut found).expect("inside");
                assert_eq!(found, values);
            }
        }
    }

    #[test]
    fn mapped_memory_of_the_host_is_bounded() {
        let memory = Memory::new().expect("the host reserves a range");
        let host: Vec<std::sync::atomic::AtomicU8> = (0..100).map(Into::into).collect();
        let start = NonNull::from(&host[10]).cast();
        // SAFETY: the bytes are atomics, which live longer than the memory.
        let map = |start, bytes| unsafe { memory.map_host(start, bytes) };
        let address = map(start, 80).expect("it is not mapped yet");
        assert_eq!(address, start.as_ptr() as u64);
        assert_eq!(bytes(&memory, address), Ok([10, 11]));
        memory.write(address + 79, &[200]).expect("inside");
        assert_eq!(host[89].load(Ordering::Relaxed), 200);
        assert!(
            memory.write(address + 79, &[1; 2]).is_err()
                && bytes::<1>(&memory, address - 1).is_err()
        );
        let refused =
            |at: u64, bytes| map(NonNull::new(at as *mut u8).expect("not null"), bytes).is_err();
        assert!(refused(address + 79, 1) && refused(address - 1, 2) && refused(address, 0));
        assert!(refused(memory.base(), 1) && refused(BASE - 1, 1) && refused(address, usize::MAX));
        assert!(memory.free(address).is_err() && memory.unmap_host(address + 1).is_err());
        assert_eq!(memory.unmap_host(address), Ok(()));
        assert!(bytes::<1>(&memory, address).is_err() && memory.unmap_host(address).is_err());
    }

    #[test]
    fn blocks_of_kernels_are_limited_and_freed_once() {
        let memory = Memory::new().expect("the host reserves a range");
        let owner = Owner { cta: 0, thread: 0 };
        let get = |bytes| memory.allocate_block((owner, bytes), 64);
        let one = get(17).expect("fits");
        assert!(one.start.is_multiple_of(16) && one.end == one.start + 17);
        assert_eq!((get(33), get(u64::MAX)), (None, None));
        let other = get(32).expect("fits: 17 bytes count as 32");
        assert_eq!(memory.blocks(), [one, other]);
        assert_eq!(memory.free_block(one.start + 16), Err(BadFree::Inside { start: one.start }));
        assert_eq!(memory.free_block(one.start), Ok(one));
        assert_eq!(memory.free_block(one.start), Err(BadFree::Twice));
        assert_eq!(memory.free_block(0x10), Err(BadFree::NoBlock));
        assert!(memory.freed(one.start + 16).is_some() && memory.write(one.start, &[1]).is_err());
        assert!(memory.free(other.start).is_err());
        let buffer = memory.allocate(8).expect("fits");
        assert_eq!(memory.free_block(buffer), Err(BadFree::NoBlock));
    }

    #[test]
    fn a_repeated_run_gets_the_same_blocks() {
        let memory = Memory::new().expect("the host reserves a range");
        let get = |cta, bytes| {
            let owner = Owner { cta, thread: 3 };
            memory.allocate_block((owner, bytes), 1 << 20).expect("fits").start
        };
        memory.set_quarantine(Quarantine::Forever);
        let kept = get(0, 8);
        memory.write(kept, &[5; 8]).expect("inside");
        let start = memory.snapshot();
        let first = [get(1, 100), get(2, 100), get(1, 50)];
        memory.write(first[0], &[9; 100]).expect("inside");
        memory.free_block(kept).expect("a block");
        let end = memory.snapshot();
        memory.restore(&start);
        assert_eq!((start.clone() == end, memory.blocks().len()), (true, 1));
        assert_eq!(bytes(&memory, kept), Ok([5; 8]));
        let mut again = [get(2, 100), get(1, 100), get(1, 50)];
        again.swap(0, 1);
        assert_eq!(again, first);
        assert_eq!(bytes(&memory, first[0]), Ok([0; 100]));
        // What was not asked for before gets addresses that nobody had.
        assert!(!first.contains(&get(1, 100)));
    }
}
