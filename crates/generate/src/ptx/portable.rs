//! What a device may do in its own way, replaced by what it may not.

use super::forms::{form, updated};
use super::specials::{shown, without_clusters};
use crate::case::Case;
use ir::{
    Access, AsyncCopy, BarrierAction, BinaryOp, Class, ClusterHalf, ClusterLimits, Collective,
    Completion, Groups, Op, Pred, Space, Special, Src, TernaryOp, UnaryOp, Update, WarpRules,
};
use lanes::{ReduxOp, VoteMode};

/// The first architecture with clusters.
pub(super) const CLUSTERS: u32 = 90;

/// A case like this one that every device of an architecture (`80` is `sm_80`) must run to the same end.
pub fn portable(case: &Case, target: u32) -> Case {
    let mut case = case.clone();
    case.kernel.rules = WarpRules::Independent;
    if target < CLUSTERS {
        case.cluster = None;
        case.kernel.cluster = ClusterLimits::default();
    } else if case.kernel.cluster.required.is_none() {
        // An H200 copies from shared memory to shared memory only where a launch has clusters.
        case.cluster.get_or_insert([1; 3]);
    }
    for inst in case.kernel.blocks.iter_mut().flat_map(|block| &mut block.insts) {
        replace(&mut inst.op, target);
    }
    case
}

fn replace(op: &mut Op, target: u32) {
    match op {
        Op::Unary { op, .. } if form(op, target).is_none() => {
            let ([a], d) = op.signature();
            *op = match (a, d) {
                (Class::W64, Class::W64) => UnaryOp::Mov64,
                (Class::W64, _) => UnaryOp::Low32,
                (_, Class::W64) => UnaryOp::ZeroExtend32,
                _ => UnaryOp::Mov32,
            };
        }
        Op::Binary { op, .. } if form(op, target).is_none() => {
            let ([a, _], d) = op.signature();
            *op = match (a, d) {
                (Class::W64, _) => BinaryOp::Xor64,
                (_, Class::W64) => BinaryOp::Pack64,
                _ => BinaryOp::Xor32,
            };
        }
        Op::Ternary { op, .. } if form(op, target).is_none() => {
            let ([a, b, _], _) = op.signature();
            *op = match (a, b) {
                (Class::W64, Class::W64) => TernaryOp::MadLo64,
                (Class::W64, _) => TernaryOp::BfeU64,
                _ => TernaryOp::MadLo32,
            };
        }
        Op::Special { what, .. } if target < CLUSTERS && without_clusters(*what) != *what => {
            *what = without_clusters(*what);
        }
        // The threads of the cluster are those of the CTA.
        Op::ClusterBarrier { half, .. } if target < CLUSTERS => {
            *op = match half {
                ClusterHalf::Arrive { .. } => Op::Nanosleep { nanoseconds: Src::Imm(1) },
                ClusterHalf::Wait => {
                    let (action, id) = (BarrierAction::Sync, Src::Imm(0));
                    Op::Barrier { action, id, threads: None, aligned: false }
                }
            };
        }
        Op::Special { what, .. } if shown(*what).is_none() => *what = Special::Constant(7),
        Op::Atomic { update: update @ Update::Apply(_), access, .. } => {
            if let Update::Apply(op) = *update
                && op != BinaryOp::MbarrierStep
                && updated(op).is_none()
            {
                let wide = *access == Access::B64;
                *update = Update::Apply(if wide { BinaryOp::AddI64 } else { BinaryOp::AddI32 });
            }
        }
        // Only devices with an `a` or `f` behind their number have it.
        Op::Collective { what: what @ Collective::ReduxF32 { .. }, .. } => {
            if let Collective::ReduxF32 { d, a, .. } = *what {
                *what = Collective::Redux { op: ReduxOp::Xor, d, a };
            }
        }
        Op::Collective { what: what @ Collective::Elect { .. }, .. } if target < 90 => {
            if let Collective::Elect { p, .. } = *what {
                let a = Pred::Const(true);
                *what = Collective::Vote { mode: VoteMode::All, d: p, a };
            }
        }
        // Where there are any, the architecture has them.
        Op::Copy(copy) if copy.until != Completion::Group(Groups::Plain) => {}
        Op::Copy(copy) => {
            copy.bytes = Src::Imm(copy.unit.into());
            if !is_portable(copy) {
                *op = Op::Nanosleep { nanoseconds: Src::Imm(1) };
            }
        }
        Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Compare { .. }
        | Op::Logic { .. }
        | Op::Select { .. }
        | Op::Special { .. }
        | Op::ActiveMask { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Atomic { .. }
        | Op::Collective { .. }
        | Op::Barrier { .. }
        | Op::ClusterBarrier { .. }
        | Op::Fence(_)
        | Op::Nanosleep { .. }
        | Op::CopyProgress(_)
        | Op::Host { .. } => {}
    }
}

/// Whether `cp.async` makes such a copy.
pub(super) fn is_portable(copy: &AsyncCopy) -> bool {
    let ends = (copy.from.0, copy.to.0) == (Space::Global, Space::Shared);
    ends && copy.bytes == Src::Imm(copy.unit.into())
}
