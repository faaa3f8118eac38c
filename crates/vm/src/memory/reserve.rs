//! The address range behind global memory.

use super::MemoryError;

/// The range as bytes.
#[cfg(not(miri))]
pub(super) type Range = memmap2::MmapMut;

/// Reserves as much of a terabyte as the host gives. Pages are committed when they are first touched.
#[cfg(not(miri))]
pub(super) fn reserve() -> Result<Range, MemoryError> {
    let mut last = String::new();
    for bits in [40, 38, 36, 34, 32, 30, 28] {
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
    use super::MemoryError;
    use crate::memory::RESERVED;
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
