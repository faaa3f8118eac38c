//! The memory of arrays as kernels reach it: in place where its elements lie one after another and may be written, and as a
//! copy where not. Checks get copies of all, in the order of the arguments, so that equal checks are equal wherever arrays are, and
//! an access beyond one does not hit the next.

use std::fs;
use std::ops::Range;
use std::ptr::{NonNull, with_exposed_provenance, with_exposed_provenance_mut};
use warpwise::{Buffer, Device, ElementType, Error};

/// An array's memory, apart from Python. Whoever makes one keeps the array until the launch has ended.
pub(crate) struct Memory {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Bytes of an element, the shape, and bytes from one element to the next; only for those that do not lie one after another.
    pub(crate) scattered: Option<Scattered>,
    pub(crate) element: Option<ElementType>,
    pub(crate) readonly: bool,
    /// Whether kernels have its address from somewhere else.
    pub(crate) is_fixed: bool,
}

/// Elements that do not lie one after another.
pub(crate) struct Scattered {
    pub(crate) item: u64,
    pub(crate) shape: Vec<u64>,
    pub(crate) strides: Vec<i64>,
}

impl Scattered {
    /// The address of every element, in the order of the indices.
    fn addresses(&self, first: u64) -> impl Iterator<Item = u64> {
        let (mut index, mut address) = (vec![0; self.shape.len()], first);
        let mut left = self.shape.iter().product::<u64>();
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let current = address;
            for (at, (extent, stride)) in
                index.iter_mut().zip(self.shape.iter().zip(&self.strides)).rev()
            {
                *at += 1;
                address = address.wrapping_add_signed(*stride);
                if *at < *extent {
                    break;
                }
                address =
                    address.wrapping_add_signed(stride.wrapping_mul(*at as i64).wrapping_neg());
                *at = 0;
            }
            Some(current)
        })
    }
}

/// What becomes of a copy when the launch has ended.
enum Back<'m> {
    /// It goes to memory of the host from an address on.
    Whole(u64),
    /// Its elements go to where they were.
    Scattered(&'m Memory),
    /// The array is read-only.
    Nowhere,
}

/// What the launch gets instead of an array.
struct Copied<'m> {
    buffer: Buffer,
    back: Back<'m>,
    before: Vec<u8>,
}

/// Memory of one array, or of several that overlap.
struct Joined {
    range: Range<u64>,
    is_fixed: bool,
    /// What stands for it; nothing if it is reached in place.
    copy: Option<u64>,
}

/// Arrays within the reach of kernels, until it is given back.
pub(crate) struct Reach<'m> {
    device: &'m Device,
    mapped: Vec<u64>,
    copied: Vec<Copied<'m>>,
    /// What stands for each array, in order.
    pub(crate) buffers: Vec<Buffer>,
}

/// The bytes at an address of the host.
///
/// # Safety
/// They are there, and can be read.
unsafe fn read(address: u64, to: &mut [u8]) {
    // SAFETY: the caller's; an array of Python does not overlap with ours.
    unsafe {
        with_exposed_provenance::<u8>(address as usize)
            .copy_to_nonoverlapping(to.as_mut_ptr(), to.len())
    }
}

/// Puts bytes to an address of the host.
///
/// # Safety
/// There is room for them.
unsafe fn write(address: u64, from: &[u8]) {
    let to = with_exposed_provenance_mut::<u8>(address as usize);
    // SAFETY: the caller's; an array of Python does not overlap with ours.
    unsafe { to.copy_from_nonoverlapping(from.as_ptr(), from.len()) }
}

impl Memory {
    /// What it holds, element after element.
    pub(crate) fn gathered(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes as usize];
        match &self.scattered {
            // SAFETY: who has made it keeps the array.
            None => unsafe { read(self.address, &mut bytes) },
            Some(scattered) => {
                let places = bytes.chunks_mut(scattered.item as usize);
                for (address, place) in scattered.addresses(self.address).zip(places) {
                    // SAFETY: as above.
                    unsafe { read(address, place) }
                }
            }
        }
        bytes
    }

    /// Puts elements back to where they were.
    fn scatter(&self, bytes: &[u8]) {
        let Some(scattered) = &self.scattered else { return };
        let elements = bytes.chunks(scattered.item as usize);
        for (address, from) in scattered.addresses(self.address).zip(elements) {
            // SAFETY: the array is kept, and its elements may be written.
            unsafe { write(address, from) }
        }
    }

    /// Whether its elements lie one after another, and may be written.
    fn is_whole(&self) -> bool {
        self.bytes > 0 && !self.readonly && self.scattered.is_none()
    }

    /// Whether there is memory for what launches have instead of it, if that is a copy: an array may be much larger than what is behind it.
    pub(crate) fn has_room(&self) -> bool {
        self.is_whole() || Vec::<u8>::new().try_reserve_exact(self.bytes as usize).is_ok()
    }

    /// Whether the process can read it, and write it unless it is read-only: memory of a real device it cannot.
    pub(crate) fn is_reachable(&self) -> bool {
        let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return true };
        let rights = if self.readonly { "r" } else { "rw" };
        let line = |line: &str| -> Option<Range<u64>> {
            let (range, rest) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            let number = |digits| u64::from_str_radix(digits, 16).ok();
            rest.starts_with(rights).then_some(number(start)?..number(end)?)
        };
        let Some(extent) = self.extent() else { return false };
        // Neighbours may have been given different rights and be one to an array.
        let mut at = extent.start;
        for range in maps.lines().filter_map(line) {
            if range.contains(&at) {
                at = range.end;
            }
        }
        at >= extent.end
    }

    /// From its first byte to its last; `None` if there cannot be such memory.
    fn extent(&self) -> Option<Range<u64>> {
        let Some(scattered) = &self.scattered else {
            return Some(self.address..self.address.checked_add(self.bytes)?);
        };
        let (mut first, mut last) = (self.address, self.address);
        for (extent, stride) in scattered.shape.iter().zip(&scattered.strides) {
            let way = i64::try_from(extent.checked_sub(1)?).ok()?.checked_mul(*stride)?;
            match way < 0 {
                true => first = first.checked_add_signed(way)?,
                false => last = last.checked_add_signed(way)?,
            }
        }
        Some(first..last.checked_add(scattered.item)?)
    }
}

/// Arrays that overlap, such as views of one, are one.
fn joined(arrays: &[Memory]) -> Vec<Joined> {
    let own = arrays.iter().filter(|memory| memory.is_whole());
    let one = |memory: &Memory| Joined {
        range: memory.address..memory.address + memory.bytes,
        is_fixed: memory.is_fixed,
        copy: None,
    };
    let mut all: Vec<Joined> = own.map(one).collect();
    all.sort_by_key(|one| one.range.start);
    all.dedup_by(|next, known| {
        let overlaps = next.range.start < known.range.end;
        if overlaps {
            known.range.end = known.range.end.max(next.range.end);
            known.is_fixed |= next.is_fixed;
        }
        overlaps
    });
    all
}

impl<'m> Reach<'m> {
    /// Lets kernels of a device reach arrays, in place or by copies.
    ///
    /// # Errors
    /// There is no room for a copy, or the memory is the device's own.
    pub(crate) fn new(
        device: &'m Device,
        arrays: &'m [Memory],
        in_place: bool,
    ) -> Result<Reach<'m>, Error> {
        let mut reach =
            Reach { device, mapped: Vec::new(), copied: Vec::new(), buffers: Vec::new() };
        let mut all = joined(arrays);
        for one in all.iter().filter(|one| in_place || one.is_fixed) {
            reach.map(&one.range)?;
        }
        for memory in arrays {
            let whole = memory.is_whole().then(|| {
                let at = all.partition_point(|one| one.range.end <= memory.address);
                all.get_mut(at)
            });
            let buffer = match whole.flatten() {
                Some(one) if in_place || one.is_fixed => {
                    Buffer { address: memory.address, bytes: memory.bytes, element: memory.element }
                }
                Some(one) => {
                    let copy = match one.copy {
                        Some(copy) => copy,
                        None => reach.copy_of(one)?,
                    };
                    let address = copy + (memory.address - one.range.start);
                    Buffer { address, bytes: memory.bytes, element: memory.element }
                }
                None => {
                    let back = match memory.readonly {
                        true => Back::Nowhere,
                        false => Back::Scattered(memory),
                    };
                    Buffer { element: memory.element, ..reach.copy(memory.gathered(), back)? }
                }
            };
            reach.buffers.push(buffer);
        }
        Ok(reach)
    }

    fn map(&mut self, range: &Range<u64>) -> Result<(), Error> {
        let Some(start) = NonNull::new(with_exposed_provenance_mut(range.start as usize)) else {
            return Ok(());
        };
        let bytes = (range.end - range.start) as usize;
        // SAFETY: the arrays are kept until the launch has ended, and `drop` takes them out of reach before. What other threads of
        // Python do with them meanwhile is what they may do with any array whose bytes a library writes.
        let mapped = unsafe { self.device.memory().map_host(start, bytes) };
        self.mapped.push(mapped?);
        Ok(())
    }

    fn copy_of(&mut self, one: &mut Joined) -> Result<u64, Error> {
        let mut bytes = vec![0; (one.range.end - one.range.start) as usize];
        // SAFETY: the arrays that it is made of are kept.
        unsafe { read(one.range.start, &mut bytes) };
        let address = self.copy(bytes, Back::Whole(one.range.start))?.address;
        one.copy = Some(address);
        Ok(address)
    }

    fn copy(&mut self, before: Vec<u8>, back: Back<'m>) -> Result<Buffer, Error> {
        let buffer = self.device.upload(&before)?;
        self.copied.push(Copied { buffer, back, before });
        Ok(buffer)
    }

    /// Gives arrays what copies hold. What stands for arrays that must not be written and have been.
    ///
    /// # Errors
    /// The device does not know a copy any more.
    pub(crate) fn finish(&mut self) -> Result<Vec<u64>, Error> {
        let mut written = Vec::new();
        for Copied { buffer, back, before } in &self.copied {
            let after = self.device.bytes(*buffer)?;
            match back {
                _ if after == *before => {}
                Back::Nowhere => written.push(buffer.address),
                Back::Scattered(memory) => memory.scatter(&after),
                // SAFETY: the arrays that it is made of are kept, and may be written.
                Back::Whole(start) => unsafe { write(*start, &after) },
            }
        }
        Ok(written)
    }
}

impl Drop for Reach<'_> {
    fn drop(&mut self) {
        for address in &self.mapped {
            // Nobody else takes them away.
            let _ = self.device.memory().unmap_host(*address);
        }
        for copied in &self.copied {
            let _ = self.device.free(copied.buffer);
        }
    }
}
