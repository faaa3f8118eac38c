//! The operands of operations that a [`Code`](super::program::Code) has no room for.

use crate::fault::AccessKind;
use crate::plan::Slot;
use ir::{Access, ElementUpdate, Place, Service, Space, Update};

/// The operands of a load or store.
#[derive(Clone, Debug)]
pub(crate) struct MemoryOp {
    /// Result slots of a load, value slots of a store; [`Slot::NONE`] drops an element.
    pub(crate) values: Vec<Slot>,
    pub(crate) base: Slot,
    pub(crate) offset: u64,
    pub(crate) access: Access,
    pub(crate) space: Space,
    /// Index into [`Frame::sites`](crate::frame::Frame::sites).
    pub(crate) cache: usize,
    /// What a turn loses by it: strong accesses may be part of a wait for another thread.
    pub(crate) fuel: i64,
    /// A strong access: each lane's elements move in one piece, by an atomic of the host.
    pub(crate) strong: bool,
    pub(crate) place: Place,
}

impl MemoryOp {
    /// Bytes that one lane accesses, and their alignment.
    #[inline(always)]
    pub(super) fn bytes(&self) -> u64 {
        u64::from(self.access.bytes()) * self.values.len() as u64
    }

    /// Whether all elements of a lane have to move at once.
    #[inline(always)]
    pub(super) fn is_single_copy(&self) -> bool {
        self.strong && self.values.len() > 1
    }
}

/// The operands of an atomic update.
#[derive(Clone, Debug)]
pub(crate) struct AtomicOp {
    pub(crate) update: Update,
    /// Receives the old values; [`Slot::NONE`] for reductions.
    pub(crate) d: Slot,
    pub(crate) base: Slot,
    pub(crate) wide_base: bool,
    pub(crate) offset: u64,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    pub(crate) space: Space,
    pub(crate) cache: usize,
    pub(crate) place: Place,
}

/// The operands of a request.
#[derive(Clone, Debug)]
pub(crate) struct HostOp {
    pub(crate) service: Service,
    pub(crate) d: Slot,
    pub(crate) operands: Vec<Slot>,
    /// Index into [`Frame::sites`](crate::frame::Frame::sites).
    pub(crate) cache: usize,
    pub(crate) place: Place,
}

/// The operands of a copy.
#[derive(Clone, Debug)]
pub(crate) struct CopyOp {
    pub(crate) to: End,
    pub(crate) from: End,
    pub(crate) bytes: Slot,
    pub(crate) read: Slot,
    pub(crate) unit: u32,
    pub(crate) update: Option<ElementUpdate>,
    pub(crate) place: Place,
}

/// Where a copy writes or reads.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) access: AccessKind,
    pub(crate) space: Space,
    pub(crate) base: Slot,
    pub(crate) wide: bool,
    pub(crate) offset: u64,
    /// Index into [`Frame::sites`](crate::frame::Frame::sites).
    pub(crate) cache: usize,
}

/// A branch over a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredicatedOp {
    pub(crate) p: Slot,
    /// Whether the lanes whose predicate is false run the block.
    pub(crate) negated: bool,
    /// Instructions of the front end in the block.
    pub(crate) instructions: u32,
}
