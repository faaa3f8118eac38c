//! The contents of memory at one time.

use super::blocks::Blocks;
use std::hash::{Hash, Hasher};

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
}
