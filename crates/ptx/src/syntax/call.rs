//! The parts of a call.

use super::ast::{Instruction, Operand, OperandKind};

/// `call (results), callee, (arguments), table`, of which all but the callee may be missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallParts<'a> {
    /// What receives the results.
    pub(crate) results: Option<&'a [Operand]>,
    /// The function, or the register that holds its address.
    pub(crate) callee: &'a Operand,
    /// What is passed.
    pub(crate) arguments: Option<&'a [Operand]>,
    /// The prototype, or the table of functions, of an indirect call.
    pub(crate) table: Option<&'a Operand>,
    /// What follows and should not.
    pub(crate) extra: Option<&'a Operand>,
}

impl<'a> CallParts<'a> {
    /// The parts of an instruction; `None` where no callee is named.
    pub(crate) fn of(instruction: &'a Instruction) -> Option<Self> {
        let mut operands = instruction.operands.iter().peekable();
        let list = |operand: &&'a Operand| match &operand.kind {
            OperandKind::List(all) => Some(all.as_slice()),
            _ => None,
        };
        let results = operands.peek().and_then(list);
        if results.is_some() {
            operands.next();
        }
        let callee = operands.next()?;
        let arguments = operands.peek().and_then(list);
        if arguments.is_some() {
            operands.next();
        }
        let table = operands.next();
        Some(CallParts { results, callee, arguments, table, extra: operands.next() })
    }
}
