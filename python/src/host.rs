//! The memory of arrays as kernels reach it: in place where its elements lie one after another and may be written, and as a
//! copy where not.

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
}

/// Elements that do not lie one after another.
pub(crate) struct Scattered {
    pub(crate) item: u64,
    pub(crate) shape: Vec<u64>,
    pub(crate) strides: Vec<i64>,
}

impl Scattered {
    /// The address of every element, the last index first.
    fn addresses(&self, first: u64) -> Vec<u64> {
        let mut addresses = vec![first];
        for (extent, stride) in self.shape.iter().zip(&self.strides) {
            let of = |address: &u64| {
                let (address, stride) = (*address, *stride);
                (0..*extent).map(move |nth| address.wrapping_add_signed(nth as i64 * stride))
            };
            addresses = addresses.iter().flat_map(of).collect();
        }
        addresses
    }
}

/// What the launch gets instead of an array.
struct Copied<'m> {
    buffer: Buffer,
    of: &'m Memory,
    before: Vec<u8>,
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

impl Memory {
    /// What it holds, element after element.
    pub(crate) fn gathered(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes as usize];
        match &self.scattered {
            // SAFETY: who has made it keeps the array.
            None => unsafe { read(self.address, &mut bytes) },
            Some(scattered) => {
                let addresses = scattered.addresses(self.address);
                for (address, place) in
                    addresses.into_iter().zip(bytes.chunks_mut(scattered.item as usize))
                {
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
        let addresses = scattered.addresses(self.address);
        for (address, from) in addresses.into_iter().zip(bytes.chunks(scattered.item as usize)) {
            let to = with_exposed_provenance_mut::<u8>(address as usize);
            // SAFETY: the array is kept, and its elements may be written.
            unsafe { to.copy_from_nonoverlapping(from.as_ptr(), from.len()) }
        }
    }

    fn is_in_place(&self) -> bool {
        self.bytes > 0 && !self.readonly && self.scattered.is_none()
    }

    /// Whether the process can read and write it: memory of a real device it cannot.
    pub(crate) fn is_reachable(&self) -> bool {
        let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return true };
        let line = |line: &str| -> Option<Range<u64>> {
            let (range, rest) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            let number = |digits| u64::from_str_radix(digits, 16).ok();
            rest.starts_with("rw").then_some(number(start)?..number(end)?)
        };
        // Neighbours may have been given different rights and be one to an array.
        let mut at = self.address;
        for range in maps.lines().filter_map(line) {
            if range.contains(&at) {
                at = range.end;
            }
        }
        at >= self.address.saturating_add(self.bytes)
    }
}

impl<'m> Reach<'m> {
    /// Lets kernels of a device reach arrays.
    ///
    /// # Errors
    /// There is no room for a copy, or the memory is the device's own.
    pub(crate) fn new(device: &'m Device, arrays: &'m [Memory]) -> Result<Reach<'m>, Error> {
        let mut reach =
            Reach { device, mapped: Vec::new(), copied: Vec::new(), buffers: Vec::new() };
        // Arrays that overlap, such as views of one, are mapped as one.
        let in_place = arrays.iter().filter(|memory| memory.is_in_place());
        let mut ranges: Vec<Range<u64>> =
            in_place.map(|memory| memory.address..memory.address + memory.bytes).collect();
        ranges.sort_by_key(|range| range.start);
        ranges.dedup_by(|next, known| {
            let overlaps = next.start < known.end;
            if overlaps {
                known.end = known.end.max(next.end);
            }
            overlaps
        });
        for range in ranges {
            let Some(start) = NonNull::new(with_exposed_provenance_mut(range.start as usize))
            else {
                continue;
            };
            // SAFETY: the arrays are kept until the launch has ended, and `drop` takes them out of reach before. What other threads of
            // Python do with them meanwhile is what they may do with any array whose bytes a library writes.
            let mapped =
                unsafe { device.memory().map_host(start, (range.end - range.start) as usize) };
            reach.mapped.push(mapped?);
        }
        for memory in arrays {
            let buffer = if memory.is_in_place() {
                Buffer { address: memory.address, bytes: memory.bytes, element: memory.element }
            } else {
                let before = memory.gathered();
                let buffer = device.upload(&before)?;
                let buffer = Buffer { element: memory.element, ..buffer };
                reach.copied.push(Copied { buffer, of: memory, before });
                buffer
            };
            reach.buffers.push(buffer);
        }
        Ok(reach)
    }

    /// Gives arrays what copies hold. The arrays, by their numbers, that must not be written and have been.
    ///
    /// # Errors
    /// The device does not know a copy any more.
    pub(crate) fn finish(&mut self) -> Result<Vec<Buffer>, Error> {
        let mut written = Vec::new();
        for Copied { buffer, of, before } in &self.copied {
            let after = self.device.bytes(*buffer)?;
            match (after == *before, of.readonly) {
                (true, _) => {}
                (false, true) => written.push(*buffer),
                (false, false) => of.scatter(&after),
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
