//! Membermasks that cannot be right, or are right by chance.

use super::{Checker, constant, register};
use crate::catalogue::{Matched, Role};
use crate::rules;

/// What the manual calls the operand.
const MASK: &str = "membermask";

impl<'a> Checker<'a> {
    pub(super) fn advise_mask(&mut self, inst: &Matched<'a>) {
        let operand = inst.operand(MASK);
        if let Some(operand) = operand {
            match constant(Some(operand)) {
                Some(0) => {
                    let message =
                        "this membermask holds no lane, not even the one that executes it";
                    let advice = rules::EMPTY_MASK.at(operand.span, message);
                    self.report(advice.help("use `0xffffffff` if all lanes of the warp come here"));
                }
                Some(mask) if self.misses_lanes(inst, mask) => {
                    let lane = mask.trailing_ones();
                    let message =
                        format!("every lane comes here, and lane {lane} is not in the membermask");
                    self.report(
                        rules::NARROW_MASK
                            .at(operand.span, message)
                            .help("use `0xffffffff`, or let only lanes of the mask come here"),
                    );
                }
                Some(_) | None => {}
            }
            if let Some(name) = register(Some(operand))
                && let Some(from) = self.advice.active.get(name)
            {
                let message = format!("`{name}` holds the lanes that happen to be active");
                self.report(
                    rules::ACTIVE_MASK
                        .at(operand.span, message)
                        .label(*from, "the active lanes are taken here")
                        .note("which lanes are active together depends on the schedule")
                        .help("compute the mask from the condition that brought the lanes here"),
                );
            }
        }
        self.track_active(inst);
    }

    /// Whether lanes reach the instruction that a constant mask does not hold.
    fn misses_lanes(&self, inst: &Matched<'a>, mask: u32) -> bool {
        let advice = &self.advice;
        mask != u32::MAX
            && advice.everybody
            && advice.whole_warps
            && self.in_kernel
            && inst.instruction.guard.is_none()
    }

    /// Follows the mask of active lanes through copies.
    fn track_active(&mut self, inst: &Matched<'a>) {
        let Some(d) = register(inst.operand("d")) else { return };
        let source = match inst.form.form.role {
            Role::ActiveMask => Some(inst.instruction.span),
            Role::Copy => {
                register(inst.operand("a")).and_then(|a| self.advice.active.get(a).copied())
            }
            Role::Shuffle | Role::Carry { .. } | Role::Other => None,
        };
        match source {
            Some(span) => _ = self.advice.active.insert(d, span),
            None => _ = self.advice.active.remove(d),
        }
    }
}
