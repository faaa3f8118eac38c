//! The address range behind global memory.

#[cfg(all(not(miri), not(unix)))]
use super::error::MemoryError;

/// Where the range stands if the host lets it, and what reports count device addresses from: it is the same in every run.
pub const BASE: u64 = 0x2000_0000_0000;
/// Bytes at the start of the range that are never allocated.
pub(super) const RESERVED: u64 = 1 << 16;

/// Sizes to try, as powers of two: as much of a terabyte as the host gives.
#[cfg(not(miri))]
const SIZES: [u32; 7] = [40, 38, 36, 34, 32, 30, 28];

#[cfg(all(not(miri), unix))]
pub(super) use for_unix::{Range, reserve};

/// Reserves the range at [`BASE`], so that equal runs have equal addresses. Where something else stands, it
/// comes to stand elsewhere.
#[cfg(all(not(miri), unix))]
mod for_unix {
    use super::{BASE, SIZES};
    use crate::memory::error::MemoryError;
    use std::ops::{Deref, DerefMut};
    use std::ptr::NonNull;

    /// A mapping of this process.
    #[derive(Debug)]
    pub(in crate::memory) struct Range {
        start: NonNull<u8>,
        bytes: usize,
    }

    // SAFETY: the mapping belongs to the value alone, like the memory of a `Vec<u8>`.
    unsafe impl Send for Range {}
    // SAFETY: as above; shared references only read.
    unsafe impl Sync for Range {}

    impl Deref for Range {
        type Target = [u8];

        fn deref(&self) -> &[u8] {
            // SAFETY: the mapping is readable, its pages start as zeros, and it lives as long as the value.
            unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
        }
    }

    impl DerefMut for Range {
        fn deref_mut(&mut self) -> &mut [u8] {
            // SAFETY: as above; the mapping is writable and nobody else refers to it.
            unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
        }
    }

    impl Drop for Range {
        fn drop(&mut self) {
            // SAFETY: the mapping was made with these bounds, and nothing refers to it any more.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
        }
    }

    pub(in crate::memory) fn reserve() -> Result<Range, MemoryError> {
        let mut last = String::new();
        for bytes in SIZES.iter().filter_map(|bits| 1_usize.checked_shl(*bits)) {
            let wished = std::ptr::without_provenance_mut(BASE as usize);
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: a new anonymous mapping; the address is a wish, and no other mapping is replaced.
            let start = unsafe { libc::mmap(wished, bytes, access, kind, -1, 0) };
            match NonNull::new(start.cast()).filter(|_| start != libc::MAP_FAILED) {
                Some(start) => return Ok(Range { start, bytes }),
                None => last = std::io::Error::last_os_error().to_string(),
            }
        }
        Err(MemoryError::Reserve(last))
    }
}

/// The range as bytes.
#[cfg(all(not(miri), not(unix)))]
pub(super) type Range = memmap2::MmapMut;

/// Reserves the range. Pages are committed when they are first touched.
#[cfg(all(not(miri), not(unix)))]
pub(super) fn reserve() -> Result<Range, MemoryError> {
    let mut last = String::new();
    for bits in SIZES {
        match memmap2::MmapOptions::new().len(1 << bits).no_reserve_swap().map_anon() {
            Ok(range) => return Ok(range),
            Err(why) => last = why.to_string(),
        }
    }
    Err(MemoryError::Reserve(last))
}

#[cfg(miri)]
pub(super) use for_miri::{Range, reserve};

/// Miri reserves nothing: a small block stands for the range.
#[cfg(miri)]
mod for_miri {
    use super::RESERVED;
    use crate::memory::error::MemoryError;
    use std::ops::{Deref, DerefMut};

    const PAGE: usize = 4096;
    const BYTES: usize = RESERVED as usize + (1 << 16);

    #[derive(Clone)]
    #[repr(align(4096))]
    struct Page(#[expect(dead_code, reason = "gives the page its size")] [u8; PAGE]);

    pub(in crate::memory) struct Range(Vec<Page>);

    impl std::fmt::Debug for Range {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "Range({} pages)", self.0.len())
        }
    }

    impl Deref for Range {
        type Target = [u8];

        fn deref(&self) -> &[u8] {
            // SAFETY: pages are bytes.
            unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * PAGE) }
        }
    }

    impl DerefMut for Range {
        fn deref_mut(&mut self) -> &mut [u8] {
            // SAFETY: pages are bytes.
            unsafe {
                std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len() * PAGE)
            }
        }
    }

    pub(in crate::memory) fn reserve() -> Result<Range, MemoryError> {
        Ok(Range(vec![Page([0; PAGE]); BYTES / PAGE]))
    }
}
