//! Registers among operands.

use crate::syntax::ast::{Operand, OperandKind};

/// The register that an operand is.
pub(super) fn register(operand: Option<&Operand>) -> Option<&str> {
    match operand.map(|operand| &operand.kind) {
        Some(OperandKind::Name(name)) => Some(name),
        _ => None,
    }
}
