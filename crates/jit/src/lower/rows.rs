//! Functions of whole rows: the approximate functions, which are called.

use super::Lower;
use ir::{Access, Op, Reg, RowOp};

impl Lower<'_> {
    /// Emits a function of rows whose result varies. Says whether the operation is one.
    pub(super) fn row_op(&mut self, op: &Op, d: Reg) -> bool {
        let (row_op, operands) = match op {
            Op::Unary { op, a, .. } => (RowOp::Unary(*op), [Some(*a), None]),
            Op::Binary { op, a, b, .. } => (RowOp::Binary(*op), [Some(*a), Some(*b)]),
            _ => return false,
        };
        let Some(function) = row_op.number() else { return false };
        if self.approximation(op, d, function) {
            return true;
        }
        for (nth, operand) in operands.into_iter().flatten().enumerate() {
            self.give_element(operand, Access::B32, nth);
        }
        self.func.rows(function as u32, self.gang.warps as u32);
        self.take_element(d, 0);
        true
    }
}
