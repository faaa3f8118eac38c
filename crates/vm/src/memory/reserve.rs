//! The address range behind global memory.

use super::copy;
use super::error::MemoryError;
use std::ptr::NonNull;

/// Bytes at the start of the range that are never allocated.
pub(super) const RESERVED: u64 = 1 << 16;

/// Sizes to try, as powers of two: as much of a terabyte as the host gives.
#[cfg(not(miri))]
const SIZES: [u32; 7] = [40, 38, 36, 34, 32, 30, 28];

/// Bytes of a page, or of several: what is given back to the host begins and ends at a multiple.
pub(super) const PAGE: u64 = 4096;

/// Bytes of a large page, as most hosts have them.
const LARGE_PAGE: u64 = 2 << 20;
/// From so many bytes on an allocation has large pages: where little of one is touched, little is lost.
const MANY: u64 = 4 * LARGE_PAGE;

/// A range of addresses of this process, reserved for device memory. Nobody refers to its bytes: kernels and host access them
/// at the same time, through addresses.
#[derive(Debug)]
pub(super) struct Range {
    start: NonNull<u8>,
    bytes: usize,
    /// Ends the reservation when it is dropped.
    _mapping: Mapping,
}

// SAFETY: the range belongs to the value alone, like the memory of a `Vec<AtomicU8>`.
unsafe impl Send for Range {}
// SAFETY: as above; what shared references do to the bytes is unsafe, or an atomic access.
unsafe impl Sync for Range {}

impl Range {
    /// Reserves the range at [`windows::BASE`](super::windows::BASE) if the host lets it. Its bytes are zero, and pages are committed when they are first
    /// touched.
    pub(super) fn reserve() -> Result<Range, MemoryError> {
        let (start, bytes, mapping) = reserve()?;
        // Accesses of kernels go to addresses that they have computed.
        start.as_ptr().expose_provenance();
        Ok(Range { start, bytes, _mapping: mapping })
    }

    /// The first address.
    pub(super) fn base(&self) -> u64 {
        self.start.as_ptr() as u64
    }

    /// One past the last address.
    pub(super) fn end(&self) -> u64 {
        self.base() + self.bytes as u64
    }

    /// Asks the host for large pages where an allocation has several: whoever goes through it touches fewer.
    pub(super) fn prefer_large_pages(&self, start: u64, end: u64) {
        let (first, last) = (start.next_multiple_of(LARGE_PAGE), end - end % LARGE_PAGE);
        if end - start >= MANY && first < last {
            advise_large(self, first, last);
        }
    }

    /// Makes bytes of the range zero, and gives the pages that lie inside back to the host.
    pub(super) fn clear(&self, start: u64, end: u64) {
        let (start, end) = (start.max(self.base()), end.min(self.end()));
        let (first, last) = (start.next_multiple_of(PAGE), end - end % PAGE);
        if first < last {
            copy::zero(start, first - start);
            copy::zero(last, end - last);
            give_back(self, first, last);
        } else if start < end {
            copy::zero(start, end - start);
        }
    }
}

#[cfg(all(not(miri), unix))]
use for_unix::{Mapping, advise_large, give_back, reserve};

#[cfg(all(not(miri), unix))]
mod for_unix {
    use super::{Range, SIZES};
    use crate::memory::error::MemoryError;
    use crate::memory::windows::{self, BASE};
    use std::ptr::NonNull;
    use std::sync::Once;

    /// A mapping of this process.
    #[derive(Debug)]
    pub(super) struct Mapping(NonNull<u8>, usize);

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: the mapping was made with these bounds, and nothing refers to it any more.
            unsafe { libc::munmap(self.0.as_ptr().cast(), self.1) };
        }
    }

    const ACCESS: i32 = libc::PROT_READ | libc::PROT_WRITE;
    const KIND: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;

    /// Reserves the range at [`BASE`], so that equal runs have equal addresses. Where something else stands, it
    /// comes to stand elsewhere.
    pub(super) fn reserve() -> Result<(NonNull<u8>, usize, Mapping), MemoryError> {
        keep_windows();
        let mut last = String::new();
        for bytes in SIZES.iter().filter_map(|bits| 1_usize.checked_shl(*bits)) {
            let wished = std::ptr::without_provenance_mut(BASE as usize);
            // SAFETY: a new anonymous mapping; the address is a wish, and no other mapping is replaced.
            let start = unsafe { libc::mmap(wished, bytes, ACCESS, KIND, -1, 0) };
            match NonNull::new(start.cast()).filter(|_| start != libc::MAP_FAILED) {
                Some(start) => return Ok((start, bytes, Mapping(start, bytes))),
                None => last = std::io::Error::last_os_error().to_string(),
            }
        }
        Err(MemoryError::Reserve(last))
    }

    /// The host may back these addresses by large pages, or not.
    pub(super) fn advise_large(range: &Range, first: u64, last: u64) {
        #[cfg(target_os = "linux")]
        {
            let start = range.start.as_ptr().wrapping_add((first - range.base()) as usize);
            // SAFETY: the pages lie inside the mapping, whose contents stay as they are.
            unsafe {
                libc::madvise(start.cast(), (last - first) as usize, libc::MADV_HUGEPAGE);
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (range, first, last);
    }

    /// Keeps everything else out of the windows, as long as the process lives. Where the host gives not so many addresses, it gives none
    /// of them to others.
    fn keep_windows() {
        static KEPT: Once = Once::new();
        KEPT.call_once(|| {
            let wished = std::ptr::without_provenance_mut(windows::FIRST as usize);
            let bytes = windows::BYTES as usize;
            // SAFETY: a new anonymous mapping that nobody may access; no other is replaced.
            let start = unsafe { libc::mmap(wished, bytes, libc::PROT_NONE, KIND, -1, 0) };
            if start != libc::MAP_FAILED && start != wished {
                // SAFETY: as made above; it is of no use elsewhere.
                unsafe { libc::munmap(start, bytes) };
            }
        });
    }

    /// Gives whole pages of the range back to the host: they read as zero from now on.
    pub(super) fn give_back(range: &Range, first: u64, last: u64) {
        let bytes = (last - first) as usize;
        let start = range.start.as_ptr().wrapping_add((first - range.base()) as usize);
        // SAFETY: the pages lie inside the mapping, which is anonymous and private: Linux replaces them by zeros, and nobody
        // has a reference to them.
        #[cfg(target_os = "linux")]
        let done = unsafe { libc::madvise(start.cast(), bytes, libc::MADV_DONTNEED) } == 0;
        // SAFETY: as above; other systems need a new mapping for it.
        #[cfg(not(target_os = "linux"))]
        let done =
            unsafe { libc::mmap(start.cast(), bytes, ACCESS, KIND | libc::MAP_FIXED, -1, 0) }
                != libc::MAP_FAILED;
        if !done {
            super::copy::zero(first, bytes as u64);
        }
    }
}

#[cfg(all(not(miri), not(unix)))]
use for_others::{Mapping, advise_large, give_back, reserve};

#[cfg(all(not(miri), not(unix)))]
mod for_others {
    use super::{Range, SIZES};
    use crate::memory::error::MemoryError;
    use std::ptr::NonNull;

    /// The range, as whoever made it knows it.
    pub(super) type Mapping = memmap2::MmapMut;

    /// Reserves the range where the host likes.
    pub(super) fn reserve() -> Result<(NonNull<u8>, usize, Mapping), MemoryError> {
        let mut last = String::new();
        for bits in SIZES {
            match memmap2::MmapOptions::new().len(1 << bits).no_reserve_swap().map_anon() {
                Ok(mut range) => {
                    let bytes = range.len();
                    if let Some(start) = NonNull::new(range.as_mut_ptr()) {
                        return Ok((start, bytes, range));
                    }
                }
                Err(why) => last = why.to_string(),
            }
        }
        Err(MemoryError::Reserve(last))
    }

    /// The host chooses its pages.
    pub(super) fn advise_large(_: &Range, _: u64, _: u64) {}

    /// Pages stay committed: they are only made zero.
    pub(super) fn give_back(_: &Range, first: u64, last: u64) {
        super::copy::zero(first, last - first);
    }
}

#[cfg(miri)]
use for_miri::{Mapping, advise_large, give_back, reserve};

/// Miri reserves nothing: a small block stands for the range.
#[cfg(miri)]
mod for_miri {
    use super::{PAGE, RESERVED, Range};
    use crate::memory::error::MemoryError;
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    const BYTES: usize = RESERVED as usize + (1 << 17);

    #[derive(Debug)]
    pub(super) struct Mapping(NonNull<u8>, Layout);

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: it was allocated with this layout.
            unsafe { dealloc(self.0.as_ptr(), self.1) };
        }
    }

    pub(super) fn reserve() -> Result<(NonNull<u8>, usize, Mapping), MemoryError> {
        let refused = || MemoryError::Reserve("no memory".to_owned());
        let layout = Layout::from_size_align(BYTES, PAGE as usize).map_err(|_| refused())?;
        // SAFETY: the layout has bytes.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(refused)?;
        Ok((start, BYTES, Mapping(start, layout)))
    }

    /// There are no pages.
    pub(super) fn advise_large(_: &Range, _: u64, _: u64) {}

    pub(super) fn give_back(_: &Range, first: u64, last: u64) {
        super::copy::zero(first, last - first);
    }
}
