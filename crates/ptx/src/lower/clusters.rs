//! What clusters of CTAs ask of lowering: the demands of a kernel, and addresses that mean the same in all CTAs.

use super::extents;
use super::lowering::Lowering;
use crate::syntax::Space;
use crate::syntax::ast::{Function, Item, Module, Statement, StatementKind};
use crate::target::Target;
use diag::{Diagnostic, Span};
use ir::{BinaryOp, CLUSTER_STRIDE, Class, ClusterLimits, Op, Special, Src, UnaryOp};

/// The first target with clusters.
pub(super) const SINCE: u32 = 90;

/// What a kernel demands of the clusters that it is launched in.
///
/// # Errors
/// It demands what is not implemented.
pub(super) fn limits(
    function: &Function,
    target: Target,
) -> Result<ClusterLimits, Vec<Diagnostic>> {
    let available = target.sm >= SINCE;
    let mut limits = ClusterLimits { available, ..ClusterLimits::default() };
    let mut counted: Option<Span> = None;
    for directive in &function.directives {
        match directive.name.trim_start_matches('.') {
            "reqnctapercluster" => limits.required = Some(extents(directive)),
            "explicitcluster" => limits.explicit = true,
            "maxclusterrank" => limits.maximum = extents(directive).first().copied(),
            "blocksareclusters" => counted = Some(directive.span),
            _ => {}
        }
    }
    // The grid of a launch counts CTAs, and that of such a kernel clusters.
    let several = limits.required.is_some_and(|extents| extents != [1; 3]);
    match counted.filter(|_| several) {
        Some(span) => {
            let message = "grids that count clusters of several CTAs are not implemented";
            Err(vec![Diagnostic::unsupported(span, message)])
        }
        None => Ok(limits),
    }
}

/// Whether instructions of a module have to do with clusters: then threads may tell those of other CTAs where something stands
/// in shared memory.
pub(super) fn concern(module: &Module) -> bool {
    fn any(statements: &[Statement]) -> bool {
        statements.iter().any(|statement| match &statement.kind {
            StatementKind::Block(inner) => any(inner),
            StatementKind::Instruction(instruction) => {
                let mut parts = instruction.suffixes.iter().flat_map(|word| word.split("::"));
                parts.any(|part| part == "cluster")
            }
            _ => false,
        })
    }
    module.items.iter().any(|item| match item {
        Item::Function(function) => any(function.body.as_deref().unwrap_or_default()),
        Item::Variable(_) | Item::Directive(_) => false,
    })
}

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
