//! What is legal and deserves a look.

mod carry;
mod halves;
mod mask;
mod register;
mod shuffle;
mod state;
mod words;

use super::Checker;
use crate::catalogue::{Matched, Role};
use crate::syntax::ast::{Constant, Operand, OperandKind};
use register::register;

pub(super) use state::Advice;

impl<'a> Checker<'a> {
    /// Looks at a legal instruction.
    pub(super) fn advise(&mut self, inst: &Matched<'a>) {
        self.advise_words(inst);
        self.advise_mask(inst);
        if inst.form.form.role == Role::Shuffle {
            self.advise_shuffle(inst);
        }
        self.advise_halves(inst);
        self.advise_carry(inst);
        if inst.form.pattern.leaves() {
            self.advice.everybody = false;
            self.advice.halves.clear();
        }
    }
}

/// The low 32 bits of a constant operand.
fn constant(operand: Option<&Operand>) -> Option<u32> {
    match operand.map(|operand| &operand.kind) {
        Some(OperandKind::Constant(Constant::Int { bits, .. })) => Some(*bits as u32),
        _ => None,
    }
}
