//! The opcode that the grammar must know.

/// The instruction whose operands may be lists.
pub(crate) const CALL: &str = "call";
