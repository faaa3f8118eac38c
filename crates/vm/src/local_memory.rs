//! The local memory of a CTA's threads on the host. It is cut into pieces, and those that the threads of a warp have at one address lie side by
//! side, lane after lane: mostly all of them access the same address, of a local array, and then move a few lines of the cache.

use ir::{Inst, Kernel, Length, Op, Space};
use lanes::WARP;
use std::ops::Range;

/// Bytes of a word: no piece is smaller.
const WORD: u64 = 4;

/// Where the local memory of threads is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Bytes that a thread may access.
    pub(crate) bytes: u64,
    /// Bytes of a piece: a power of two.
    pub(crate) piece: u64,
}

impl Layout {
    /// That of a kernel whose threads have so many bytes. An element is in one piece, and so is all that an access by a generic address
    /// moves.
    pub(crate) fn of(kernel: &Kernel, bytes: u64) -> Layout {
        let insts = kernel.blocks.iter().flat_map(|block| &block.insts);
        Layout { bytes, piece: insts.map(widest).max().unwrap_or(WORD).max(WORD) }
    }

    /// Bytes of whole pieces that a thread has.
    pub(crate) fn stride(self) -> u64 {
        self.bytes.next_multiple_of(self.piece)
    }

    /// Where an address of a thread is, in bytes from where the memory of all begins.
    #[inline(always)]
    pub(crate) fn place(self, thread: usize, address: u64) -> u64 {
        let (warp, lane) = ((thread / WARP) as u64, (thread % WARP) as u64);
        warp * self.stride() * WARP as u64 + lane * self.piece + self.further(address)
    }

    /// The same, if a thread may access so many bytes from there on.
    #[inline(always)]
    pub(crate) fn place_of(self, thread: usize, address: u64, bytes: u64) -> Option<u64> {
        let inside = address.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        inside.then(|| self.place(thread, address))
    }

    /// Whether so many bytes from an address on are in one piece.
    #[inline(always)]
    pub(crate) fn is_in_one(self, address: u64, bytes: u64) -> bool {
        (address & (self.piece - 1)) + bytes <= self.piece
    }

    /// As machine code is told of it.
    #[inline(always)]
    pub(crate) fn told(self) -> jit::Local {
        let (stride, piece) = (self.stride() as u32, self.piece as u32);
        jit::Local { bytes: self.bytes, stride, piece }
    }

    /// How far a byte is on the host from the one that is so many bytes before it ([`jit::Local::further`]).
    #[inline(always)]
    pub(crate) fn further(self, bytes: u64) -> u64 {
        self.told().further(bytes.cast_signed()).cast_unsigned()
    }

    /// Bytes from an address on, as far as they are in one piece each.
    pub(crate) fn pieces(self, address: u64, bytes: u64) -> impl Iterator<Item = Range<u64>> {
        let end = address + bytes;
        let mut next = address;
        std::iter::from_fn(move || {
            let start = next;
            next = (start + 1).next_multiple_of(self.piece).min(end);
            (start < end).then_some(start..next)
        })
    }
}

/// How many bytes of local memory an instruction may move to or from one place.
fn widest(inst: &Inst) -> u64 {
    if let Op::Load { space: Space::Local, access, .. }
    | Op::Store { space: Space::Local, access, .. } = &inst.op
    {
        return access.bytes().into();
    }
    let own = inst.op.touches().filter(|touched| touched.is_own());
    let bytes = own.map(|touched| match touched.length {
        Length::Whole(bytes) => bytes,
        Length::Counted { unit, .. } => unit.into(),
    });
    bytes.max().unwrap_or(0)
}

/// A line of the cache.
const LINE: usize = 64;

/// The memory. The host gives it pages where threads use it: stacks are mostly empty.
#[derive(Debug)]
pub(crate) struct LocalMemory {
    words: Vec<u64>,
    /// Words before the first that is aligned like a line.
    skipped: usize,
    /// Whether it is as it was made, and zero.
    is_new: bool,
}

impl LocalMemory {
    /// That of so many threads.
    pub(crate) fn new(layout: Layout, threads: usize) -> LocalMemory {
        let bytes = layout.stride() as usize * threads.next_multiple_of(WARP);
        let words = vec![0u64; (bytes + LINE).div_ceil(size_of::<u64>())];
        let skipped = words.as_ptr().align_offset(LINE).min(words.len());
        LocalMemory { words, skipped, is_new: true }
    }

    pub(crate) fn start(&mut self) -> *mut u8 {
        self.words[self.skipped..].as_mut_ptr().cast()
    }

    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// Clears all of it, or the first bytes of each thread's.
    pub(crate) fn clear(&mut self, layout: Layout, first: Option<u64>) {
        if std::mem::take(&mut self.is_new) {
            return;
        }
        let words = &mut self.words[self.skipped..];
        let Some(first) = first else { return words.fill(0) };
        let of_warp = |bytes: u64| bytes as usize * WARP / size_of::<u64>();
        let warp = of_warp(layout.stride());
        let first = of_warp(first.next_multiple_of(layout.piece));
        words.chunks_exact_mut(warp.max(1)).for_each(|own| own[..first.min(warp)].fill(0));
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, LocalMemory};
    use std::collections::BTreeSet;

    const LAYOUT: Layout = Layout { bytes: 44, piece: 16 };

    #[test]
    fn each_byte_of_each_thread_has_its_own_place() {
        for piece in [4, 8, 16, 32] {
            let layout = Layout { bytes: 44, piece };
            let threads = 64;
            let places: BTreeSet<u64> = (0..threads)
                .flat_map(|thread| (0..layout.stride()).map(move |at| layout.place(thread, at)))
                .collect();
            assert_eq!(places, (0..threads as u64 * layout.stride()).collect());
        }
    }

    #[test]
    fn what_is_in_one_piece_is_in_one_piece_on_the_host() {
        for bytes in [1, 2, 4, 8, 16] {
            for at in (0..32).step_by(bytes) {
                let start = LAYOUT.place(37, at);
                assert!(LAYOUT.is_in_one(at, bytes as u64));
                assert!((0..bytes as u64).all(|byte| LAYOUT.place(37, at + byte) == start + byte));
            }
        }
        assert!(!LAYOUT.is_in_one(12, 8));
        assert_eq!(LAYOUT.place_of(37, 40, 4), Some(LAYOUT.place(37, 40)));
        assert_eq!(LAYOUT.place_of(37, 40, 8), None);
        assert_eq!(LAYOUT.place_of(37, u64::MAX, 1), None);
        // Elements of an access that is larger than a piece.
        let words = Layout { bytes: 64, piece: 4 };
        assert!(
            (0..16).all(|at| words.place(37, 32) + words.further(at) == words.place(37, 32 + at))
        );
        assert_eq!(LAYOUT.pieces(12, 30).collect::<Vec<_>>(), [12..16, 16..32, 32..42]);
        assert_eq!(LAYOUT.pieces(16, 20).collect::<Vec<_>>(), [16..32, 32..36]);
        assert_eq!(LAYOUT.pieces(7, 0).count(), 0);
    }

    #[test]
    fn the_first_bytes_of_each_thread_are_cleared() {
        let threads = 64;
        let mut memory = LocalMemory::new(LAYOUT, threads);
        memory.clear(LAYOUT, None);
        memory.words.fill(u64::MAX);
        memory.clear(LAYOUT, Some(13));
        let start = memory.skipped;
        let byte = |at: u64| memory.words[start + at as usize / 8].to_le_bytes()[at as usize % 8];
        for thread in 0..threads {
            for at in 0..LAYOUT.stride() {
                let wanted = if at < 16 { 0 } else { 0xff };
                assert_eq!(byte(LAYOUT.place(thread, at)), wanted, "{thread} {at}");
            }
        }
    }
}
