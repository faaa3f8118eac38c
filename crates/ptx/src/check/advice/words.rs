//! Forms that are going away or came later, and how modifiers are written.

use super::Checker;
use crate::catalogue::Matched;
use crate::rules;

impl<'a> Checker<'a> {
    pub(super) fn advise_words(&mut self, inst: &Matched<'a>) {
        let instruction = inst.instruction;
        let opcode = &instruction.opcode;
        let name = instruction
            .suffixes
            .iter()
            .fold(opcode.to_string(), |name, suffix| name + "." + suffix);
        let end = instruction.suffixes.last().unwrap_or(opcode).span;
        let span = opcode.span.to(end);
        let removed = inst.form.form.removed;
        if let Some(removed) = removed.filter(|removed| self.target.ptx >= removed.deprecated) {
            let (major, minor) = removed.ptx;
            let message = format!(
                "`{name}` is gone for sm_{} and later from PTX {major}.{minor} on",
                removed.sm
            );
            let advice = rules::DEPRECATED.at(span, message);
            self.report(advice.help(removed.instead));
        }
        let since = inst.form.form.since.ptx;
        if self.target.ptx < since {
            let (major, minor) = since;
            let (own_major, own_minor) = self.target.ptx;
            let message = format!(
                "the manual has `{name}` from PTX {major}.{minor} on; the module is PTX \
                 {own_major}.{own_minor}"
            );
            self.report(rules::EARLY_VERSION.at(span, message));
        }
        if let Some(word) = inst.repeated {
            let message = format!("`.{word}` is repeated, which has no effect");
            self.report(
                rules::REPEATED_WORD.at(word.span, message).help("remove it").fix(word.span, ""),
            );
        } else if inst.is_out_of_order() && self.reordered.insert(name.clone()) {
            let usual = inst.in_order();
            let message = format!("the manual writes `{name}` as `{usual}`");
            self.report(
                rules::WORD_ORDER.at(span, message).help("reorder the modifiers").fix(span, usual),
            );
        }
    }
}
