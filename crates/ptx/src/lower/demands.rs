//! What kernels demand of the launches that they are part of, and whether a module has to do with clusters.

use crate::syntax::ast::{
    Directive, DirectiveArg, Function, Item, Module, Statement, StatementKind,
};
use crate::target::Target;
use diag::{Diagnostic, Span};
use ir::{ClusterLimits, ThreadLimits};

/// The first target with clusters.
pub(super) const CLUSTERS_SINCE: u32 = 90;

/// What a kernel demands of the clusters that it is launched in.
///
/// # Errors
/// It demands what is not implemented.
pub(super) fn cluster_limits(
    function: &Function,
    target: Target,
) -> Result<ClusterLimits, Vec<Diagnostic>> {
    let available = target.sm >= CLUSTERS_SINCE;
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
pub(super) fn concerns_clusters(module: &Module) -> bool {
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

/// The extents that a directive gives; 1 where it gives none.
fn extents(directive: &Directive) -> [u32; 3] {
    let mut extents = [1; 3];
    for (extent, arg) in extents.iter_mut().zip(&directive.args) {
        if let DirectiveArg::Constant(constant) = arg {
            let value = constant.integer().and_then(|value| u32::try_from(value).ok());
            *extent = value.unwrap_or(1);
        }
    }
    extents
}

/// The most registers that a thread of it may have (`.maxnreg`).
pub(super) fn register_limit(function: &Function) -> Option<u32> {
    let mut directives = function.directives.iter();
    let directive = directives.find(|it| it.name.trim_start_matches('.') == "maxnreg")?;
    let DirectiveArg::Constant(constant) = directive.args.first()? else { return None };
    constant.integer().and_then(|most| u32::try_from(most).ok())
}

/// What it demands of the CTAs.
pub(super) fn thread_limits(function: &Function) -> ThreadLimits {
    let mut limits = ThreadLimits::default();
    for directive in &function.directives {
        match directive.name.trim_start_matches('.') {
            "reqntid" => limits.required = Some(extents(directive)),
            "maxntid" => limits.maximum = Some(extents(directive)),
            _ => {}
        }
    }
    limits
}
