//! Addresses in shared memory that mean the same in all CTAs of a cluster.

use super::lowering::Lowering;
use crate::syntax::Space;
use ir::{BinaryOp, CLUSTER_STRIDE, Class, Op, Special, Src, UnaryOp};

impl Lowering {
    /// The address of a variable as a value that threads can hand to others: in shared memory, one that leads to it from
    /// every CTA of the cluster.
    pub(super) fn for_all(&mut self, address: Src, space: Space) -> Src {
        if space != Space::Shared || !self.clusters {
            return address;
        }
        // Where clusters have one CTA it is known before the kernel runs, guarded or not.
        let guard = self.b.guard();
        self.b.set_guard(None);
        let rank = self.cluster_special(Special::ClusterCtarank);
        let start = self.cluster_start(rank);
        let start = self.b.unary(UnaryOp::ZeroExtend32, start);
        let address = self.b.binary(BinaryOp::AddI64, start, address);
        self.b.set_guard(guard);
        address.into()
    }

    /// Where the shared memory of a rank begins, as a 32-bit address.
    pub fn cluster_start(&mut self, rank: Src) -> Src {
        let window = self.cluster_special(Special::ClusterWindow);
        let shift = Src::Imm(CLUSTER_STRIDE.trailing_zeros().into());
        let from = self.b.binary(BinaryOp::Shl32, rank, shift);
        self.b.binary(BinaryOp::AddI32, window, from).into()
    }

    /// Whether shared memory may be reached from other CTAs of a cluster.
    pub fn has_clusters(&self) -> bool {
        self.clusters
    }

    /// A special register of 32 bits.
    pub fn cluster_special(&mut self, what: Special) -> Src {
        let d = self.b.reg(Class::W32);
        self.b.push(Op::Special { d, what });
        d.into()
    }
}
