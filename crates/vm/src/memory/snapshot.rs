//! The contents of memory at one time, and going back to them.

use super::blocks::Blocks;
use super::regions::{Region, Regions};
use super::{Memory, State, copy};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// The bytes of a region.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) bytes: Vec<u8>,
}

/// The contents of a device's memory at one time. Equal snapshots have equal contents, blocks aside that kernels allocated:
/// they are restored, but what is in them is nothing that a kernel leaves.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// What the host allocated or mapped, in ascending order.
    pub(super) pieces: Vec<Piece>,
    pub(super) in_blocks: Vec<Piece>,
    pub(super) blocks: Blocks,
}

impl PartialEq for Snapshot {
    fn eq(&self, other: &Snapshot) -> bool {
        self.pieces == other.pieces
    }
}

impl Eq for Snapshot {}

impl Hash for Snapshot {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pieces.hash(state);
    }
}

impl Snapshot {
    /// The byte at an address; 0 where none was allocated.
    pub fn byte(&self, address: u64) -> u8 {
        let after = self.pieces.partition_point(|piece| piece.start <= address);
        let piece = after.checked_sub(1).and_then(|at| self.pieces.get(at));
        let byte = piece.and_then(|piece| {
            let inside = usize::try_from(address - piece.start).ok()?;
            piece.bytes.get(inside)
        });
        byte.copied().unwrap_or(0)
    }

    /// The address of the first byte that differs, of two snapshots with equal allocations.
    pub fn first_difference(&self, other: &Snapshot) -> Option<u64> {
        self.pieces.iter().zip(&other.pieces).find_map(|(one, other)| {
            let mut pairs = one.bytes.iter().zip(&other.bytes);
            let at = pairs.position(|(one, other)| one != other)?;
            Some(one.start + at as u64)
        })
    }

    /// The parts of ranges that it has the contents of: where each begins, and in which piece it lies.
    fn within(&self, ranges: &[Range<u64>]) -> impl Iterator<Item = (usize, Range<u64>)> {
        ranges.iter().flat_map(|range| {
            let first = self.pieces.partition_point(|piece| piece.end() <= range.start);
            let inside = self.pieces.iter().enumerate().skip(first);
            inside
                .take_while(|(_, piece)| piece.start < range.end)
                .map(|(nth, piece)| (nth, range.start.max(piece.start)..range.end.min(piece.end())))
        })
    }
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Where a range that lies in it lies in its bytes.
    fn inside(&self, range: &Range<u64>) -> Range<usize> {
        (range.start - self.start) as usize..(range.end - self.start) as usize
    }
}

impl Memory {
    /// The contents of all allocations as they stand. No kernel may run meanwhile.
    pub fn snapshot(&self) -> Snapshot {
        let state = self.lock();
        let (regions, blocks) = (state.regions.clone(), state.blocks.clone());
        drop(state);
        let pieces = regions.iter().filter(|region| !blocks.holds(region.start)).map(piece);
        Snapshot { pieces: pieces.collect(), in_blocks: in_blocks(&regions, &blocks), blocks }
    }

    /// An earlier snapshot with the contents of now in some ranges, as far as they are still allocated, and in the blocks that
    /// kernels allocated.
    pub fn snapshot_within(&self, earlier: &Snapshot, ranges: &[Range<u64>]) -> Snapshot {
        let state = self.lock();
        let mut pieces = earlier.pieces.clone();
        for (nth, range) in earlier.within(ranges) {
            if state.holds(&range)
                && let Some(piece) = pieces.get_mut(nth)
            {
                let inside = piece.inside(&range);
                copy::read(range.start, &mut piece.bytes[inside]);
            }
        }
        let blocks = state.blocks.clone();
        Snapshot { pieces, in_blocks: in_blocks(&state.regions, &blocks), blocks }
    }

    /// Gives the allocations that were there at a snapshot their contents back, and kernels the blocks that they had. No kernel
    /// may run meanwhile.
    pub fn restore(&self, snapshot: &Snapshot) {
        let all: Vec<_> = snapshot.pieces.iter().map(|piece| piece.start..piece.end()).collect();
        self.restore_within(snapshot, &all);
    }

    /// The same for some ranges of what the host allocated or mapped: nothing else of that is written.
    pub fn restore_within(&self, snapshot: &Snapshot, ranges: &[Range<u64>]) {
        let mut guard = self.lock();
        let state = &mut *guard;
        if !(state.blocks.is_untouched() && snapshot.blocks.is_untouched()) {
            for block in state.blocks.iter().filter(|block| block.start < block.end) {
                state.regions.remove(block.start);
            }
            state.blocks.restore(&snapshot.blocks, &self.range);
            for block in state.blocks.iter().filter(|block| block.start < block.end) {
                state.regions.insert(block);
            }
            self.freed_some();
        }
        let of_host = snapshot.within(ranges).filter_map(|(nth, range)| {
            let piece = snapshot.pieces.get(nth)?;
            Some((range.clone(), piece.bytes.get(piece.inside(&range))?))
        });
        let of_blocks = snapshot.in_blocks.iter();
        let of_blocks = of_blocks.map(|piece| (piece.start..piece.end(), piece.bytes.as_slice()));
        for (range, bytes) in of_host.chain(of_blocks) {
            if state.holds(&range) {
                copy::write(range.start, bytes);
            }
        }
    }
}

impl State {
    /// Whether a range is accessible.
    fn holds(&self, range: &Range<u64>) -> bool {
        let region = self.regions.find(range.start);
        region.is_some_and(|region| region.holds(range.start, range.end - range.start))
    }
}

fn piece(region: Region) -> Piece {
    let mut bytes = vec![0; (region.end - region.start) as usize];
    copy::read(region.start, &mut bytes);
    Piece { start: region.start, bytes }
}

/// The contents of the blocks that kernels allocated.
fn in_blocks(regions: &Regions, blocks: &Blocks) -> Vec<Piece> {
    regions.iter().filter(|region| blocks.holds(region.start)).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_go_back_and_what_lies_beside_them_stays() {
        let memory = Memory::new().expect("the host reserves a range");
        let (a, b) = (memory.allocate(8).expect("fits"), memory.allocate(4).expect("fits"));
        let held = || {
            let (mut one, mut other) = ([0; 8], [0; 4]);
            memory.read(a, &mut one).and(memory.read(b, &mut other)).expect("inside");
            (one, other)
        };
        let write = |value| memory.write(a, &[value; 8]).and(memory.write(b, &[value; 4]));
        write(1).expect("inside");
        let start = memory.snapshot();
        write(2).expect("inside");
        // From within one allocation to behind the other, over what is nobody's.
        let ranges = [a + 2..a + 4, a + 6..b + 1];
        let left = memory.snapshot_within(&start, &ranges);
        let bytes = |from: u64, count| (from..from + count).map(|at| left.byte(at)).collect();
        let (of_a, of_b): (Vec<u8>, Vec<u8>) = (bytes(a, 8), bytes(b, 4));
        assert_eq!((of_a, of_b), (vec![1, 1, 2, 2, 1, 1, 2, 2], vec![2, 1, 1, 1]));
        memory.restore_within(&start, &ranges);
        assert_eq!(held(), ([2, 2, 1, 1, 2, 2, 1, 1], [1, 2, 2, 2]));
        // What has been freed is left out.
        memory.free(b).expect("it is there");
        memory.restore_within(&left, &ranges);
        let mut one = [0; 8];
        memory.read(a, &mut one).expect("inside");
        assert_eq!(one, [2; 8]);
        assert_eq!(memory.snapshot_within(&start, &ranges).byte(b), 1);
    }
}
