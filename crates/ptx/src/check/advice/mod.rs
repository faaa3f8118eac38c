//! What is legal and deserves a look.

mod carry;
mod halves;
mod mask;
mod shuffle;
mod words;

use super::Checker;
use crate::catalogue::{Matched, Role};
use crate::syntax::ast::{Constant, DirectiveArg, Function, Operand, OperandKind};
use diag::Span;
use foldhash::HashMap;
use halves::Halves;

/// What is known on the way through a function.
#[derive(Default)]
pub(super) struct Advice<'a> {
    /// Registers that hold the mask of active lanes, and where they got it.
    active: HashMap<&'a str, Span>,
    /// Halves of 64-bit values.
    halves: Halves<'a>,
    /// Whether the carry flag is that of a subtraction, and what set it, since the last label.
    flag: Option<(bool, Span)>,
    /// Whether every lane of the warp comes here: no branch, label or exit yet.
    everybody: bool,
    /// Whether the function requires whole warps.
    whole_warps: bool,
}

impl<'a> Advice<'a> {
    /// At the beginning of a function.
    pub(super) fn new(function: &Function) -> Self {
        Advice { everybody: true, whole_warps: has_whole_warps(function), ..Advice::default() }
    }

    /// Past a label, where code from elsewhere arrives.
    pub(super) fn label(&mut self) {
        self.everybody = false;
        self.halves.clear();
        self.flag = None;
    }
}

/// Whether `.reqntid` makes every warp of the kernel full.
fn has_whole_warps(function: &Function) -> bool {
    let required =
        function.directives.iter().find(|it| it.name.trim_start_matches('.') == "reqntid");
    let threads = required.map(|directive| {
        let extents = directive.args.iter().filter_map(|arg| match arg {
            DirectiveArg::Constant(constant) => constant.integer(),
            DirectiveArg::Name(_) | DirectiveArg::Text(_) => None,
        });
        extents.product::<i128>()
    });
    threads.is_some_and(|threads| threads > 0 && threads % 32 == 0)
}

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

/// The register that an operand is.
fn register(operand: Option<&Operand>) -> Option<&str> {
    match operand.map(|operand| &operand.kind) {
        Some(OperandKind::Name(name)) => Some(name),
        _ => None,
    }
}
