//! Expressions over the fields of an opcode, resolved and ready to evaluate.

use crate::ast::{BinaryOp, UnaryOp};

/// A resolved expression. Fields are indices into the opcode's fields.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Int(i128),
    Field(usize),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The value, or `None` on overflow, division by zero, or a field above 2¹²⁷ - 1.
    pub(crate) fn evaluate(&self, fields: &[u128]) -> Option<i128> {
        match self {
            Expr::Int(value) => Some(*value),
            Expr::Field(index) => i128::try_from(*fields.get(*index)?).ok(),
            Expr::Unary(UnaryOp::Negate, inner) => inner.evaluate(fields)?.checked_neg(),
            Expr::Unary(UnaryOp::Not, inner) => Some(i128::from(inner.evaluate(fields)? == 0)),
            Expr::Binary(op, left, right) => {
                let left = left.evaluate(fields)?;
                match op {
                    BinaryOp::And if left == 0 => return Some(0),
                    BinaryOp::Or if left != 0 => return Some(1),
                    _ => {}
                }
                apply(*op, left, right.evaluate(fields)?)
            }
        }
    }

    /// Adds the indices of the fields that the value depends on.
    pub(crate) fn fields(&self, into: &mut Vec<usize>) {
        match self {
            Expr::Int(_) => {}
            Expr::Field(index) => {
                if !into.contains(index) {
                    into.push(*index);
                }
            }
            Expr::Unary(_, inner) => inner.fields(into),
            Expr::Binary(_, left, right) => {
                left.fields(into);
                right.fields(into);
            }
        }
    }
}

fn apply(op: BinaryOp, left: i128, right: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Subtract => left.checked_sub(right),
        BinaryOp::Multiply => left.checked_mul(right),
        BinaryOp::Divide => left.checked_div(right),
        BinaryOp::Remainder => left.checked_rem(right),
        BinaryOp::Equal => Some(i128::from(left == right)),
        BinaryOp::NotEqual => Some(i128::from(left != right)),
        BinaryOp::Less => Some(i128::from(left < right)),
        BinaryOp::LessEqual => Some(i128::from(left <= right)),
        BinaryOp::Greater => Some(i128::from(left > right)),
        BinaryOp::GreaterEqual => Some(i128::from(left >= right)),
        BinaryOp::And => Some(i128::from(left != 0 && right != 0)),
        BinaryOp::Or => Some(i128::from(left != 0 || right != 0)),
    }
}
