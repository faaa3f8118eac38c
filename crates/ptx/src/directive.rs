//! The directives of functions: whose they are, and which numbers they take (PTX ISA 9.1, 11.4 Performance-Tuning Directives,
//! 11.7 Cluster Dimension Directives, 11.8 Miscellaneous Directives).

use crate::catalogue::Since;
use crate::syntax::ast::FunctionKind;
use std::ops::RangeInclusive;

/// A directive between the parameters of a function and its body.
#[derive(Debug)]
pub(crate) struct FunctionDirective {
    /// Its name, without the dot.
    pub(crate) word: &'static str,
    /// The kind of function that has it.
    pub(crate) of: FunctionKind,
    /// How many numbers follow.
    pub(crate) count: RangeInclusive<usize>,
    /// The values that each may have.
    pub(crate) values: RangeInclusive<i128>,
    /// The version and target that brought it.
    pub(crate) since: Since,
}

/// Registers that a function may keep for its caller, at most.
const KEPT: i128 = 239;

/// Of the registers that steer control flow.
const KEPT_CONTROL: i128 = 11;

/// What fits a number of 32 bits.
const LARGE: i128 = u32::MAX as i128;

const fn directive(
    word: &'static str,
    of: FunctionKind,
    count: RangeInclusive<usize>,
    values: RangeInclusive<i128>,
    ptx: (u32, u32),
    sm: u32,
) -> FunctionDirective {
    FunctionDirective { word, of, count, values, since: Since { ptx, sm } }
}

const ALL: &[FunctionDirective] = {
    use FunctionKind::{Entry, Func};
    &[
        directive("maxntid", Entry, 1..=3, 1..=LARGE, (1, 3), 10),
        directive("reqntid", Entry, 1..=3, 1..=LARGE, (2, 1), 10),
        directive("minnctapersm", Entry, 1..=1, 1..=LARGE, (2, 0), 10),
        directive("maxnctapersm", Entry, 1..=1, 1..=LARGE, (1, 3), 10),
        directive("maxnreg", Entry, 1..=1, 1..=LARGE, (1, 3), 10),
        directive("explicitcluster", Entry, 0..=0, 0..=0, (7, 8), 90),
        directive("reqnctapercluster", Entry, 1..=3, 0..=LARGE, (7, 8), 90),
        directive("maxclusterrank", Entry, 1..=1, 0..=LARGE, (7, 8), 90),
        directive("blocksareclusters", Entry, 0..=0, 0..=0, (9, 0), 90),
        directive("noreturn", Func, 0..=0, 0..=0, (6, 4), 30),
        directive("abi_preserve", Func, 1..=1, 0..=KEPT, (9, 0), 10),
        directive("abi_preserve_control", Func, 1..=1, 0..=KEPT_CONTROL, (9, 0), 10),
        // It takes a text.
        directive("pragma", Entry, 1..=usize::MAX, 0..=0, (2, 0), 10),
    ]
};

/// The directive of functions of that name.
pub(crate) fn find(word: &str) -> Option<&'static FunctionDirective> {
    ALL.iter().find(|directive| directive.word == word)
}

/// The names of all.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|directive| directive.word)
}
