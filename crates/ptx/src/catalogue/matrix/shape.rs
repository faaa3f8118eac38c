//! The shape of the matrices of an instruction.

use crate::lower::Inst;

/// `m`, `n` and `k` of an instruction.
pub(super) fn shape(inst: &Inst<'_>) -> (u32, u32, u32) {
    let word = inst.word("shape").unwrap_or_default();
    let mut numbers = word.split(['m', 'n', 'k']).skip(1).map(|number| number.parse().unwrap_or(8));
    let mut next = || numbers.next().unwrap_or(8);
    (next(), next(), next())
}
