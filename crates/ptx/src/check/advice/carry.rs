//! Chains of extended-precision arithmetic that mix sums and subtractions.

use super::Checker;
use crate::catalogue::{Matched, Role};
use crate::rules;

impl<'a> Checker<'a> {
    pub(super) fn advise_carry(&mut self, inst: &Matched<'a>) {
        let Role::Carry { subtracts, takes } = inst.form.form.role else { return };
        let span = inst.instruction.span;
        let of_other = self.advice.flag.filter(|(subtracted, _)| takes && *subtracted != subtracts);
        if let Some((_, there)) = of_other {
            let (message, set) = match subtracts {
                false => (
                    "this adds the flag of a subtraction, which is 1 where nothing was borrowed",
                    "the subtraction that sets the flag",
                ),
                true => (
                    "this takes the carry of a sum for a subtraction, which borrows where the flag is 0",
                    "the sum that sets the flag",
                ),
            };
            let advice = rules::MIXED_CARRY.at(span, message).label(there, set);
            self.report(advice.help("begin a chain of its own with the form without the flag"));
        }
        if inst.has("cc") {
            self.advice.flag = Some((subtracts, span));
        }
    }
}
