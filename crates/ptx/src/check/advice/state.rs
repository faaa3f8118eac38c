//! What advice remembers on the way through a function.

use crate::syntax::ast::{DirectiveArg, Function};
use diag::Span;
use foldhash::HashMap;

/// What is known on the way through a function.
#[derive(Default)]
pub(in crate::check) struct Advice<'a> {
    /// Registers that hold the mask of active lanes, and where they got it.
    pub(in crate::check) active: HashMap<&'a str, Span>,
    /// Halves of 64-bit values.
    pub(in crate::check) halves: Halves<'a>,
    /// Whether the carry flag is that of a subtraction, and what set it, since the last label.
    pub(in crate::check) flag: Option<(bool, Span)>,
    /// Whether every lane of the warp comes here: no branch, label or exit yet.
    pub(in crate::check) everybody: bool,
    /// Whether the function requires whole warps.
    pub(in crate::check) whole_warps: bool,
}

impl<'a> Advice<'a> {
    /// At the beginning of a function.
    pub(in crate::check) fn new(function: &Function) -> Self {
        Advice { everybody: true, whole_warps: has_whole_warps(function), ..Advice::default() }
    }

    /// Past a label, where code from elsewhere arrives.
    pub(in crate::check) fn label(&mut self) {
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

/// How a half travelled: the instruction's words and its operands behind the source.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) mode: Option<&'static str>,
    pub(super) operands: Vec<String>,
}

/// Half of a value.
#[derive(Clone)]
pub(super) struct Half {
    /// Which value it belongs to.
    pub(super) value: usize,
    /// The shuffle that moved it.
    pub(super) way: Option<(Way, Span)>,
}

/// Registers of the code since the last label that hold a half of a value.
#[derive(Default)]
pub(in crate::check) struct Halves<'a> {
    pub(super) registers: HashMap<&'a str, Half>,
    pub(super) values: usize,
}

impl Halves<'_> {
    pub(super) fn clear(&mut self) {
        self.registers.clear();
    }
}
