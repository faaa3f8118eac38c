//! Asynchronous copies.

use crate::{Access, Address, BinaryOp, Space, Src};

/// An asynchronous copy by each lane (PTX ISA 9.1, cp.async, cp.async.bulk and cp.reduce.async.bulk).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AsyncCopy {
    /// The first byte that it writes.
    pub to: (Space, Address),
    /// The first byte that it reads.
    pub from: (Space, Address),
    /// How many bytes it writes, 32 bits.
    pub bytes: Src,
    /// How many bytes it reads, 32 bits, but never more than it writes. What it writes beyond them is zero.
    pub read: Src,
    /// What the addresses that it accesses are multiples of: a power of two up to [`BULK_UNIT`].
    pub unit: u32,
    /// How elements that it reads change those that they come to; they take their place without it.
    pub update: Option<ElementUpdate>,
    /// What tells that it is complete.
    pub until: Completion,
}

/// What a copy does with each element: `op(old, read)` is stored, atomically, relaxed and in the scope of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementUpdate {
    /// The operation.
    pub op: BinaryOp,
    /// An element.
    pub access: Access,
}

impl AsyncCopy {
    /// Its operands.
    pub fn sources(&self) -> impl Iterator<Item = Src> {
        let object = self.until.object().map(|(_, object)| object.base);
        [self.to.1.base, self.from.1.base, self.bytes, self.read].into_iter().chain(object)
    }

    /// The same, to be replaced.
    pub fn sources_mut(&mut self) -> impl Iterator<Item = &mut Src> {
        let object = match &mut self.until {
            Completion::Object(_, object) => Some(&mut object.base),
            Completion::Group(_) => None,
        };
        let AsyncCopy { to, from, bytes, read, .. } = self;
        [&mut to.1.base, &mut from.1.base, bytes, read].into_iter().chain(object)
    }
}

/// Copies as the accesses that they are made of: offsets and sizes, each a power of two up to `unit` bytes to which its address
/// is aligned where the whole range is aligned to `unit`.
pub fn pieces(bytes: u64, unit: u32) -> impl Iterator<Item = (u64, u32)> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let left = bytes.checked_sub(offset).filter(|left| *left > 0)?;
        let size = if left >= u64::from(unit) { unit } else { 1 << left.ilog2() };
        let piece = (offset, size);
        offset += u64::from(size);
        Some(piece)
    })
}

/// How far the asynchronous copies of a thread are (PTX ISA 9.1, cp.async and cp.async.bulk).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyProgress {
    /// The copies begun so far and in no group yet are a group.
    Commits(Groups),
    /// Waits for all groups but the last ones.
    Waits {
        /// Of which groups.
        of: Groups,
        /// How many of them may be under way still.
        groups: u32,
        /// Whether it waits only until the copies have read their sources.
        reads: bool,
    },
    /// This barrier object is told when all copies in groups that were begun so far are complete.
    Signals(Space, Address),
    /// Copies of the asynchronous proxy that begin from now on read what was written to shared memory before.
    Fences,
}

/// Bulk copies are of a multiple of so many bytes, at such addresses (PTX ISA 9.1, cp.async.bulk).
pub const BULK_UNIT: u64 = 16;

/// The two kinds of groups of copies that a thread counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Groups {
    /// Of `cp.async`.
    Plain,
    /// Of `cp.async.bulk`.
    Bulk,
}

/// What tells that an asynchronous copy is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Completion {
    /// Its thread waits for its group.
    Group(Groups),
    /// The phase of a barrier object.
    Object(Space, Address),
}

impl Completion {
    /// The barrier object, if it is one.
    pub fn object(self) -> Option<(Space, Address)> {
        match self {
            Completion::Object(space, address) => Some((space, address)),
            Completion::Group(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_made_of_aligned_pieces() {
        assert_eq!(pieces(0, 16).count(), 0);
        assert_eq!(
            pieces(39, 16).collect::<Vec<_>>(),
            [(0, 16), (16, 16), (32, 4), (36, 2), (38, 1)]
        );
        assert_eq!(pieces(7, 4).collect::<Vec<_>>(), [(0, 4), (4, 2), (6, 1)]);
    }
}
