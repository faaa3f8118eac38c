//! What declarations and directives need of the version and the target, as the sections of PTX ISA 9.1 about them say.

use super::Checker;
use crate::catalogue::{Lack, Since};
use crate::rules;
use crate::syntax::ScalarType;
use diag::Span;

/// Something that the first version did not have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feature {
    what: &'static str,
    since: Since,
}

const fn feature(what: &'static str, ptx: (u32, u32), sm: u32) -> Feature {
    Feature { what, since: Since { ptx, sm } }
}

pub(super) const WEAK: Feature = feature("`.weak`", (3, 1), 10);
pub(super) const COMMON: Feature = feature("`.common`", (5, 0), 10);
pub(super) const MANAGED: Feature = feature("`.managed`", (4, 0), 30);
pub(super) const UNIFIED: Feature = feature("`.unified`", (8, 0), 90);
pub(super) const ALIAS: Feature = feature("`.alias`", (6, 3), 30);
pub(super) const PRAGMA: Feature = feature("`.pragma`", (2, 0), 10);
pub(super) const SECTION: Feature = feature("`.section`", (2, 0), 10);
pub(super) const SECTION_LABEL: Feature = feature("a label in a `.section`", (7, 0), 10);
pub(super) const INLINED: Feature = feature("`inlined_at`", (7, 0), 10);
pub(super) const FILE_STAMP: Feature = feature("a time and a size in `.file`", (3, 2), 10);
pub(super) const CALL_PROTOTYPE: Feature = feature("`.callprototype`", (2, 1), 20);
pub(super) const CALL_TARGETS: Feature = feature("`.calltargets`", (2, 1), 20);
pub(super) const BRANCH_TARGETS: Feature = feature("`.branchtargets`", (6, 0), 30);
pub(super) const KERNEL_PROTOTYPE: Feature = feature("a kernel without a body", (3, 0), 10);
pub(super) const FUNCTION_PARAM: Feature = feature("a `.param` of a function", (2, 0), 20);
pub(super) const POINTER: Feature = feature("`.ptr`", (2, 2), 10);
pub(super) const INITIAL_ADDRESS: Feature = feature("an address as initial value", (2, 1), 10);
pub(super) const INITIAL_FUNCTION: Feature = feature("a function as initial value", (2, 1), 20);
pub(super) const GENERIC: Feature = feature("`generic()`", (3, 1), 10);
pub(super) const MASK: Feature = feature("a mask before an address", (7, 1), 10);

const F16X2: Feature = feature("`.f16x2`", (4, 2), 53);
const B128: Feature = feature("`.b128`", (8, 3), 70);
const OPAQUE: Feature = feature("a texture, sampler or surface variable", (1, 5), 10);

/// What the type of a declaration needs.
pub(super) fn of_type(ty: ScalarType) -> Option<Feature> {
    match ty {
        ScalarType::F16x2 => Some(F16X2),
        ScalarType::B128 => Some(B128),
        ScalarType::TexRef | ScalarType::SamplerRef | ScalarType::SurfRef => Some(OPAQUE),
        _ => None,
    }
}

impl Checker<'_> {
    /// Whether the version and the target have a feature; if not, says so at `span`.
    pub(super) fn has(&mut self, feature: Feature, span: Span) -> bool {
        self.has_since(feature.what, feature.since, span)
    }

    /// Whether the version and the target have what came with `since`; if not, says so at `span`.
    pub(super) fn has_since(&mut self, what: &str, since: Since, span: Span) -> bool {
        let needs = match self.target.lacks(since) {
            None => return true,
            Some(Lack::Version((major, minor))) => format!("PTX {major}.{minor}"),
            Some(Lack::Architecture(sm)) => format!("sm_{sm}"),
            Some(Lack::Other(_) | Lack::Removed { .. }) => "another target".to_owned(),
        };
        self.report(rules::FEATURE.at(span, format!("{what} needs {needs} or later")));
        false
    }
}
