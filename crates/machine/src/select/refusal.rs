//! What cannot be turned into assembly.

use crate::codes;
use diag::{Class, Diagnostic, Severity};
use ir::Place;

/// Something that cannot be turned into assembly.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The instruction.
    pub place: Place,
    /// Why, and what to do; it has no label yet.
    pub diagnostic: Diagnostic,
}

/// A refusal of an instruction that the machine has no counterpart for.
pub(super) fn unsupported(place: Place, message: impl Into<String>, help: &str) -> Refusal {
    let diagnostic = Diagnostic::new(Severity::Error, Class::Unsupported, message);
    Refusal { place, diagnostic: diagnostic.code(codes::NO_COUNTERPART).help(help) }
}
