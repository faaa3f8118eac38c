//! Why an instruction is not of a form.

use super::entry::{CompiledForm, Word};
use super::lack::Lack;
use super::pattern::OperandPattern;
use crate::syntax::ast::{Name, Operand};
use crate::target::Target;

/// Why an instruction is not of a form.
pub(crate) enum Miss<'a> {
    /// The entry has no form.
    NoForm,
    /// Words that no slot accepts, and slots that no word fills; what fills the others.
    Words {
        unknown: Vec<&'a Name>,
        missing: Vec<usize>,
        words: Vec<Word>,
        form: &'static CompiledForm,
    },
    /// Too few or too many operands.
    Count { form: &'static CompiledForm, words: Vec<Word>, least: usize, most: usize },
    /// An operand of the wrong shape.
    Shape { at: usize, pattern: &'static OperandPattern, form: &'static CompiledForm },
    /// The target does not have the form, or that part of it.
    Target { form: &'static CompiledForm, part: Option<Part<'a>>, lack: Lack, target: Target },
}

/// What a target may lack of a form that it has.
pub(crate) enum Part<'a> {
    Word(&'a Name),
    Operand(&'a Operand),
}

impl Miss<'_> {
    /// How far the instruction is from the form: the least is told.
    pub(super) fn distance(&self) -> usize {
        match self {
            Miss::Target { .. } => 0,
            // The later the wrong operand, the more of the form is there.
            Miss::Shape { at, .. } => 100 - at.min(&50),
            Miss::Count { .. } => 200,
            Miss::Words { unknown, missing, .. } => 300 + 20 * unknown.len() + 11 * missing.len(),
            Miss::NoForm => usize::MAX,
        }
    }
}
