//! What all kinds of findings have in common.

use crate::code::Code;
use ir::Place;
use vm::Waiting;

/// What every kind of finding answers.
pub(crate) trait Facts {
    /// The code that reports print.
    fn code(&self) -> Code;

    /// The other instructions that belong to the finding, in the order of [`crate::Words::related`].
    fn related(&self) -> Vec<Place> {
        Vec::new()
    }

    /// Whether nothing can come of it with these inputs: then it is a warning.
    fn is_harmless(&self) -> bool {
        false
    }

    /// The addresses of memory among the facts.
    fn addresses(&mut self) -> Vec<&mut u64> {
        Vec::new()
    }

    /// Every waiting group of lanes: where it waits, and for which lanes.
    fn waiting(&self) -> &[Waiting] {
        &[]
    }
}
