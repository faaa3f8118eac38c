//! The operands of operations that a [`Code`](super::frame::Code) has no room for.

use super::slot::Slot;
use crate::simd::ConstantSources;
use ir::{Access, BarrierReduction, CollectiveKind, Place, Service, Space, Update};
use lanes::{LaneMask, Product, ShflMode, WARP, shfl};

/// The operands of a load or store.
#[derive(Clone, Debug)]
pub(crate) struct MemoryOp {
    /// Result slots of a load, value slots of a store; [`Slot::NONE`] drops an element.
    pub(crate) values: Vec<Slot>,
    pub(crate) base: Slot,
    pub(crate) offset: u64,
    pub(crate) access: Access,
    pub(crate) space: Space,
    /// Index into [`Frame::caches`].
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

/// The operands of a collective, as slots. Which are used depends on the kind.
#[derive(Clone, Debug)]
pub(crate) struct CollectiveOp {
    pub(crate) kind: CollectiveKind,
    /// Receives values; [`Slot::NONE`] when dropped.
    pub(crate) d: Slot,
    /// Receives predicates; [`Slot::NONE`] when dropped.
    pub(crate) p: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    /// The predicate operand is negated.
    pub(crate) negated: bool,
    /// The membermask; `None` takes the executing lanes.
    pub(crate) members: Option<Slot>,
    /// Whether lanes wait for those of the membermask that are not there.
    pub(crate) waits: bool,
    /// The source lanes of a shuffle whose `b` and `c` are constants.
    pub(crate) sources: Option<ConstantShuffle>,
    /// A product of matrices, which has operands of its own.
    pub(crate) product: Option<Box<ProductOp>>,
    /// Where lanes go on after having waited.
    pub(crate) resume: usize,
}

/// The operands of a product of matrices, as slots: for each matrix, its registers.
#[derive(Clone, Debug)]
pub(crate) struct ProductOp {
    pub(super) product: Product,
    pub(super) a: Box<[Slot]>,
    pub(super) b: Box<[Slot]>,
    pub(super) c: Box<[Slot]>,
    /// [`Slot::NONE`] drops a register.
    pub(super) d: Box<[Slot]>,
}

impl ProductOp {
    /// Every slot.
    pub(super) fn slots_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        let ProductOp { a, b, c, d, .. } = self;
        a.iter_mut().chain(b).chain(c).chain(d)
    }
}

/// What a shuffle with constant `b` and `c` does.
#[derive(Clone, Debug)]
pub(crate) struct ConstantShuffle {
    pub(super) sources: ConstantSources,
    pub(super) in_range: LaneMask,
}

impl ConstantShuffle {
    pub(crate) fn new(mode: ShflMode, b: u32, c: u32) -> Self {
        let found = shfl::source_lanes(mode, &[b; WARP], &[c; WARP]);
        let sources = ConstantSources::new(found.lane);
        ConstantShuffle { sources, in_range: found.in_range }
    }
}

/// A branch: where its lanes go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BranchOp {
    pub(crate) p: Slot,
    pub(crate) negated: bool,
    pub(crate) then: usize,
    pub(crate) otherwise: usize,
}

/// What a barrier makes of the predicates of those who arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    pub(crate) op: BarrierReduction,
    pub(crate) d: Slot,
    pub(crate) p: Slot,
    pub(crate) negated: bool,
}

/// A CTA barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierOp {
    pub(crate) id: Slot,
    pub(crate) threads: Option<Slot>,
    /// Arrives without waiting.
    pub(crate) arrive_only: bool,
    pub(crate) reduction: Option<Reduction>,
    /// Where lanes go on.
    pub(crate) resume: usize,
}

/// The operands of a request.
#[derive(Clone, Debug)]
pub(crate) struct HostOp {
    pub(crate) service: Service,
    pub(crate) d: Slot,
    pub(crate) operands: Vec<Slot>,
    /// Index into [`Frame::caches`].
    pub(crate) cache: usize,
    pub(crate) place: Place,
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
