//! The memory that operations access.

use crate::{Access, Address, Op, Space, Src};

/// The memory that each lane of an operation accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched<'o> {
    /// The space as the operation names it.
    pub space: Space,
    /// The address of the first byte.
    pub address: &'o Address,
    /// How many bytes of one lane.
    pub length: Length,
    /// Whether it writes: stores, atomics and copies do.
    pub writes: bool,
}

impl Touched<'_> {
    /// Whether it may be memory of the thread's own.
    pub fn is_own(&self) -> bool {
        matches!(self.space, Space::Local | Space::Generic)
    }
}

/// How many bytes a lane accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many, at a multiple of that: a power of two.
    Whole(u64),
    /// As many as the smaller of these 32-bit operands says, in pieces of up to `unit` bytes ([`crate::pieces`]).
    Counted {
        /// One of them.
        bytes: Src,
        /// The other.
        limit: Src,
        /// What their address is a multiple of.
        unit: u32,
    },
}

impl Op {
    /// Whether it loads from what may be memory of the thread's own.
    pub fn loads_from_own(&self) -> bool {
        matches!(self, Op::Load { .. }) && self.touches_own()
    }

    /// Whether it stores to what may be memory of the thread's own.
    pub fn stores_to_own(&self) -> bool {
        matches!(self, Op::Store { .. }) && self.touches_own()
    }

    fn touches_own(&self) -> bool {
        self.touches().any(|touched| touched.is_own())
    }

    /// The memory that it accesses: what it reads before what it writes.
    #[inline]
    pub fn touches(&self) -> impl Iterator<Item = Touched<'_>> {
        self.touched().into_iter().flatten()
    }

    /// The same to be looked at where it is.
    #[inline]
    pub fn touched(&self) -> [Option<Touched<'_>>; 2] {
        let one = |space: &Space, access: &Access, address, count: usize, writes| {
            let length = Length::Whole(u64::from(access.bytes()) * count as u64);
            [Some(Touched { space: *space, address, length, writes }), None]
        };
        match self {
            Op::Load { d, space, access, address, .. } => {
                one(space, access, address, d.len(), false)
            }
            Op::Store { values, space, access, address, .. } => {
                one(space, access, address, values.len(), true)
            }
            Op::Atomic { space, access, address, .. } => one(space, access, address, 1, true),
            Op::Copy(copy) => {
                let (bytes, unit) = (copy.bytes, copy.unit);
                [
                    Some(Touched {
                        space: copy.from.0,
                        address: &copy.from.1,
                        length: Length::Counted { bytes, limit: copy.read, unit },
                        writes: false,
                    }),
                    Some(Touched {
                        space: copy.to.0,
                        address: &copy.to.1,
                        length: Length::Counted { bytes, limit: bytes, unit },
                        writes: true,
                    }),
                ]
            }
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::CopyProgress(_)
            | Op::Host { .. } => [None, None],
        }
    }
}
