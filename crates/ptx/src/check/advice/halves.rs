//! The halves of a 64-bit value, shuffled one by one.

use super::Checker;
use super::register::register;
use super::state::{Half, Way};
use crate::catalogue::pattern::{Length, Shape};
use crate::catalogue::{Matched, Role};
use crate::rules;
use crate::syntax::ast::{Operand, OperandKind};

impl<'a> Checker<'a> {
    pub(super) fn advise_halves(&mut self, inst: &Matched<'a>) {
        let packs = inst.operands().any(|(pattern, _)| {
            matches!(pattern.shape, Shape::Results(Length::Packed) | Shape::Values(Length::Packed))
        });
        let (d, a) = (inst.operand("d"), inst.operand("a"));
        if packs && inst.operand_type("d").bits() == 64 {
            if let Some([first, second]) = elements(a) {
                self.join(inst, first, second);
            }
            if let Some([first, second]) = elements(d) {
                let halves = &mut self.advice.halves;
                halves.values += 1;
                let value = halves.values;
                for half in [first, second].into_iter().filter_map(|half| register(Some(half))) {
                    halves.registers.insert(half, Half { value, way: None });
                }
                return;
            }
        }
        let moved = match (inst.form.form.role, register(a)) {
            (Role::Shuffle, Some(source)) => self.advice.halves.registers.get(source).cloned(),
            _ => None,
        };
        let target = match d.map(|d| &d.kind) {
            Some(OperandKind::Pair(first, _)) => register(Some(first)),
            _ => register(d),
        };
        let Some(target) = target else { return };
        match moved {
            Some(half) => {
                let operands = ["b", "c", "membermask"]
                    .into_iter()
                    .filter_map(|name| inst.operand(name).map(|operand| show(&operand.kind)));
                let way = Way { mode: inst.word("mode"), operands: operands.collect() };
                let way = Some((way, inst.instruction.span));
                self.advice.halves.registers.insert(target, Half { way, ..half });
            }
            None => _ = self.advice.halves.registers.remove(target),
        }
    }

    fn join(&mut self, inst: &Matched<'a>, first: &Operand, second: &Operand) {
        let half = |operand| {
            let name = register(Some(operand))?;
            self.advice.halves.registers.get(name)
        };
        let (Some(low), Some(high)) = (half(first), half(second)) else { return };
        let (Some((one, here)), Some((other, there))) = (&low.way, &high.way) else { return };
        if low.value == high.value && one != other {
            let message = "the halves of this value were shuffled with different operands";
            let advice = rules::SPLIT_SHUFFLE
                .at(*there, message)
                .label(*here, "the other half")
                .label(inst.instruction.span, "put together here");
            self.report(advice);
        }
    }
}

/// The two elements of a vector.
fn elements(operand: Option<&Operand>) -> Option<[&Operand; 2]> {
    match operand.map(|operand| &operand.kind) {
        Some(OperandKind::Vector(all)) => match all.as_slice() {
            [first, second] => Some([first, second]),
            _ => None,
        },
        _ => None,
    }
}

/// An operand in a form that compares.
fn show(operand: &OperandKind) -> String {
    match operand {
        OperandKind::Name(name) => name.to_string(),
        OperandKind::Constant(constant) => format!("{constant:?}"),
        other => format!("{other:?}"),
    }
}
