//! What an operand must be.

use crate::catalogue::pattern::OperandPattern;
use crate::rules::Rule;
use crate::syntax::ast::Operand;
use crate::syntax::{ScalarType, Space};
use crate::types::Fit;
use diag::{Diagnostic, Span};

/// Whether an operand may stand; the diagnostic if not.
pub(super) type Verdict = Result<(), Box<Diagnostic>>;

/// An operand that may not stand.
pub(super) fn refuse(rule: &Rule, operand: &Operand, message: impl Into<String>) -> Verdict {
    Err(Box::new(rule.at(operand.span, message)))
}

/// What an operand must be.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'p> {
    pub(super) pattern: &'p OperandPattern,
    pub(super) ty: ScalarType,
    pub(super) fit: Fit,
    /// Whether a special register may stand there.
    pub(super) special: bool,
    /// Whether it is an element of a vector, where special registers count as untyped.
    pub(super) element: bool,
    /// Whether a sum of a register and a constant must be one of integers.
    pub(super) integers: bool,
    /// Whether the name of a function may stand there.
    pub(super) function: bool,
    /// The state space of the variable whose address may stand there, `None` for all.
    pub(super) space: Option<Space>,
    /// Where the instruction says the type.
    pub(super) says: Option<Span>,
}

impl Wanted<'_> {
    /// The operand is not of the type that is wanted.
    pub(super) fn mistyped(&self, rule: &Rule, operand: &Operand, message: String) -> Verdict {
        let error = rule.at(operand.span, message);
        Err(Box::new(match self.says {
            Some(word) => error.label(word, format!("the type of `{}`", self.pattern.name)),
            None => error,
        }))
    }
}
