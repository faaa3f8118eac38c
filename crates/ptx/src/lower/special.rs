//! Special registers by name.

use super::Result;
use crate::nearest::nearest;
use crate::syntax::ast::Name;
use diag::Diagnostic;
use ir::{Dim, Special};

/// Registers without components.
const SCALARS: &[(&str, Special)] = &[
    ("%laneid", Special::Laneid),
    ("%warpid", Special::Warpid),
    ("%nwarpid", Special::Nwarpid),
    ("%smid", Special::Smid),
    ("%nsmid", Special::Nsmid),
    ("%gridid", Special::Gridid),
    ("%lanemask_eq", Special::LanemaskEq),
    ("%lanemask_le", Special::LanemaskLe),
    ("%lanemask_lt", Special::LanemaskLt),
    ("%lanemask_ge", Special::LanemaskGe),
    ("%lanemask_gt", Special::LanemaskGt),
    ("%clock", Special::Clock),
    ("%clock_hi", Special::ClockHi),
    ("%clock64", Special::Clock64),
    ("%globaltimer", Special::Globaltimer),
    ("%globaltimer_lo", Special::GlobaltimerLo),
    ("%globaltimer_hi", Special::GlobaltimerHi),
    ("%dynamic_smem_size", Special::DynamicSmemSize),
    ("%total_smem_size", Special::TotalSmemSize),
    ("%aggr_smem_size", Special::TotalSmemSize),
    // Without clusters, every CTA is a cluster of its own.
    ("%is_explicit_cluster", Special::Constant(0)),
    ("%cluster_ctarank", Special::Constant(0)),
    ("%cluster_nctarank", Special::Constant(1)),
    // No shared memory is set aside for the system.
    ("%reserved_smem_offset_begin", Special::Constant(0)),
    ("%reserved_smem_offset_end", Special::Constant(0)),
    ("%reserved_smem_offset_cap", Special::Constant(0)),
    ("%reserved_smem_offset_0", Special::Constant(0)),
    ("%reserved_smem_offset_1", Special::Constant(0)),
    ("%current_graph_exec", Special::Constant(0)),
];

/// The register that a component of a vector register is.
type Component = fn(Dim) -> Special;

/// Registers with components `.x`, `.y`, `.z`.
const VECTORS: &[(&str, Component)] = &[
    ("%tid", Special::Tid),
    ("%ntid", Special::Ntid),
    ("%ctaid", Special::Ctaid),
    ("%nctaid", Special::Nctaid),
    ("%cluster_ctaid", |_| Special::Constant(0)),
    ("%cluster_nctaid", |_| Special::Constant(1)),
    ("%clusterid", Special::Ctaid),
    ("%nclusterid", Special::Nctaid),
];

/// The special register of that name and component (PTX ISA 9.1, 10 "Special Registers").
///
/// # Errors
/// The name is no special register, or the component does not belong to it.
pub(super) fn find(name: &Name, part: Option<&Name>) -> Result<Special> {
    let text: &str = name;
    if let Some((_, vector)) = VECTORS.iter().find(|(known, _)| *known == text) {
        let dim = match part.map(|part| &**part) {
            Some("x" | "r") | None => Dim::X,
            Some("y" | "g") => Dim::Y,
            Some("z" | "b") => Dim::Z,
            Some("w" | "a") => return Ok(Special::Constant(0)),
            Some(other) => {
                let message = format!("`{name}` has no component `.{other}`");
                return Err(Box::new(Diagnostic::error(name.span, message)));
            }
        };
        return Ok(vector(dim));
    }
    if let Some((_, what)) = SCALARS.iter().find(|(known, _)| *known == text) {
        return match part {
            None => Ok(*what),
            Some(part) => {
                let message = format!("`{name}` has no components");
                Err(Box::new(Diagnostic::error(part.span, message)))
            }
        };
    }
    let numbered = |prefix: &str| {
        let digits = text.strip_prefix(prefix)?.trim_end_matches("_64");
        digits.parse::<u32>().ok().filter(|number| *number < 32)
    };
    if numbered("%envreg").is_some() || numbered("%pm").is_some() {
        return Ok(Special::Constant(0));
    }
    Err(Box::new(Diagnostic::error(name.span, format!("`{name}` is not declared"))))
}

/// The special register whose name is nearest to a misspelled one.
pub(super) fn nearest_name(name: &str) -> Option<&'static str> {
    let names = VECTORS.iter().map(|(name, _)| *name).chain(SCALARS.iter().map(|(name, _)| *name));
    nearest(name, names)
}

/// Whether a name is a special register's.
pub(super) fn is_special(name: &str) -> bool {
    VECTORS.iter().any(|(known, _)| *known == name)
        || SCALARS.iter().any(|(known, _)| *known == name)
        || name.starts_with("%envreg")
        || name.starts_with("%pm")
}
