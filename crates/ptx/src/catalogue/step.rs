//! The last step of an instruction's computation, before it has a register.

use crate::lower::{Inst, Lowering, Result};
use ir::{BinaryOp, Class, Op, Pred, Src, TernaryOp, UnaryOp};

/// A result that is computed where it is needed: in a register of its own by [`Step::value`], or, as an
/// instruction's last step, right in the result operand by [`Step::write`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A value that exists.
    Value(Src),
    /// `op(a)`.
    Unary(UnaryOp, Src),
    /// `op(a, b)`.
    Binary(BinaryOp, Src, Src),
    /// `op(a, b, c)`.
    Ternary(TernaryOp, Src, Src, Src),
    /// `p ? a : b` in that class.
    Select(Class, Pred, Src, Src),
}

impl Step {
    /// The result as an operand of further operations.
    pub(super) fn value(self, lo: &mut Lowering) -> Src {
        match self {
            Step::Value(value) => value,
            Step::Unary(op, a) => lo.b.unary(op, a).into(),
            Step::Binary(op, a, b) => lo.b.binary(op, a, b).into(),
            Step::Ternary(op, a, b, c) => lo.b.ternary(op, a, b, c).into(),
            Step::Select(class, p, a, b) => lo.b.select(class, p, a, b).into(),
        }
    }

    /// `op` of the result.
    pub(super) fn then(self, lo: &mut Lowering, op: UnaryOp) -> Step {
        Step::Unary(op, self.value(lo))
    }

    /// `op` of the result, or the result itself.
    pub(super) fn then_maybe(self, lo: &mut Lowering, op: Option<UnaryOp>) -> Step {
        match op {
            Some(op) => self.then(lo, op),
            None => self,
        }
    }

    /// Writes the result to the operand `d`.
    pub(super) fn write(self, lo: &mut Lowering, inst: &Inst<'_>) -> Result {
        let d = lo.result(inst, "d")?;
        match self {
            Step::Value(value) => lo.b.copy_to(d, value),
            Step::Unary(op, a) => lo.b.unary_to(d, op, a),
            Step::Binary(op, a, b) => lo.b.binary_to(d, op, a, b),
            Step::Ternary(op, a, b, c) => lo.b.ternary_to(d, op, a, b, c),
            Step::Select(_, p, a, b) => lo.b.push(Op::Select { d, a, b, p }),
        }
        Ok(())
    }
}
