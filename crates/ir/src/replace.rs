//! Operands that passes replace by others with the same value.

use crate::{
    Address, AsyncCopy, BarrierAction, Collective, Completion, CopyProgress, Members, Op, Pred, Src,
};

impl Op {
    /// The addresses among its operands.
    pub fn addresses_mut(&mut self) -> [Option<&mut Address>; 3] {
        match self {
            Op::Load { address, .. } | Op::Store { address, .. } | Op::Atomic { address, .. } => {
                [Some(address), None, None]
            }
            Op::Copy(copy) => {
                let AsyncCopy { to, from, until, .. } = &mut **copy;
                let object = match until {
                    Completion::Object(_, object) => Some(object),
                    Completion::Group(_) => None,
                };
                [Some(&mut from.1), Some(&mut to.1), object]
            }
            Op::CopyProgress(CopyProgress::Signals(_, object)) => [Some(object), None, None],
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
            | Op::Host { .. } => [None, None, None],
        }
    }

    /// The data operands that may be replaced by another place with the same value.
    pub fn sources_mut(&mut self) -> Vec<&mut Src> {
        match self {
            Op::Unary { a, .. } => vec![a],
            Op::Binary { a, b, .. } | Op::Compare { a, b, .. } | Op::Select { a, b, .. } => {
                vec![a, b]
            }
            Op::Ternary { a, b, c, .. } => vec![a, b, c],
            Op::Load { address, .. } => vec![&mut address.base],
            Op::Store { values, address, .. } => {
                values.iter_mut().chain([&mut address.base]).collect()
            }
            Op::Atomic { address, b, c, .. } => vec![&mut address.base, b, c],
            Op::Collective { what, members, .. } => {
                let mask = match members {
                    Members::Mask(mask) => Some(mask),
                    Members::Active => None,
                };
                let mut found: Vec<&mut Src> = mask.into_iter().collect();
                match what {
                    Collective::Shfl { b, c, .. } => found.extend([b, c]),
                    Collective::MatchAny { a, .. }
                    | Collective::MatchAll { a, .. }
                    | Collective::Redux { a, .. }
                    | Collective::ReduxF32 { a, .. } => found.push(a),
                    Collective::MovMatrix { .. }
                    | Collective::Vote { .. }
                    | Collective::Ballot { .. }
                    | Collective::Elect { .. }
                    | Collective::WarpSync
                    | Collective::Matrix(_) => {}
                    Collective::Mma(mma) => found.extend(mma.sources_mut()),
                }
                found
            }
            Op::Barrier { id, threads, .. } => std::iter::once(id).chain(threads).collect(),
            Op::Nanosleep { nanoseconds } => vec![nanoseconds],
            Op::Host { operands, .. } => operands.iter_mut().collect(),
            Op::Copy(copy) => copy.sources_mut().collect(),
            Op::CopyProgress(CopyProgress::Signals(_, object)) => vec![&mut object.base],
            Op::Logic { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::CopyProgress(_) => Vec::new(),
        }
    }

    /// The predicate operands that may be replaced by another place with the same value.
    pub fn predicates_mut(&mut self) -> Vec<&mut Pred> {
        match self {
            Op::Logic { a, b, .. } => vec![a, b],
            Op::Select { p, .. } => vec![p],
            Op::Barrier { action: BarrierAction::Reduce { p, .. }, .. } => vec![p],
            Op::Collective { what, .. } => match what {
                Collective::Vote { a, .. } | Collective::Ballot { a, .. } => vec![a],
                Collective::Shfl { .. }
                | Collective::MatchAny { .. }
                | Collective::MatchAll { .. }
                | Collective::Redux { .. }
                | Collective::ReduxF32 { .. }
                | Collective::MovMatrix { .. }
                | Collective::Elect { .. }
                | Collective::WarpSync
                | Collective::Matrix(_)
                | Collective::Mma(_) => Vec::new(),
            },
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
            | Op::Host { .. } => Vec::new(),
        }
    }
}
