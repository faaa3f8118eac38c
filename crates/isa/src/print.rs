//! Instruction → text, by the opcode's syntax rule.

use crate::instruction::Instruction;
use crate::model::{Opcode, Role};
use crate::syntax::Step;
use crate::types::TypeKind;

/// The label at an address, if it has one.
pub(crate) type Labels<'a> = &'a dyn Fn(i128) -> Option<String>;

impl Instruction<'_> {
    /// The text of the instruction in a word at `address` (in bytes), without the closing `;`. `None`
    /// when the description gives no syntax.
    ///
    /// Control fields and ignored bits are not part of the text; a disassembled line carries them in its
    /// data comment.
    pub fn text(&self, address: u64) -> Option<String> {
        self.text_with(address, &|_| None)
    }

    /// The text as [`Instruction::text`] gives it, with labels in place of the addresses that have one
    /// and whose type says how labels are written.
    pub(crate) fn text_with(&self, address: u64, labels: Labels<'_>) -> Option<String> {
        let opcode = self.opcode();
        let steps = &opcode.syntax.as_ref()?.steps;
        let mut text = String::new();
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            at += 1;
            match step {
                Step::Word(word) => text.push_str(word),
                Step::Mark(mark) => text.push(*mark),
                Step::Space => {
                    if !text.is_empty() && !text.ends_with(' ') {
                        text.push(' ');
                    }
                }
                Step::Modifier(index) => {
                    let spelling = opcode.spelling(*index, self.values(), address, labels)?;
                    if !spelling.is_empty() {
                        text.push('.');
                        text.push_str(&spelling);
                    }
                }
                Step::Affix(index) | Step::Operand(index) => {
                    text.push_str(&opcode.spelling(*index, self.values(), address, labels)?);
                }
                Step::Optional { end, fields } => {
                    let left_out = fields
                        .iter()
                        .all(|i| opcode.fields[*i].implied() == Some(self.values()[*i]));
                    if left_out {
                        at = *end;
                    }
                }
            }
        }
        text.truncate(text.trim_end().len());
        Some(text)
    }

    /// Fields that the text does not show, fixed ones aside, with their values: control fields and
    /// whatever the syntax line leaves out.
    pub fn hidden_fields(&self) -> impl Iterator<Item = (&str, u128)> {
        let opcode = self.opcode();
        opcode.hidden().map(|index| (opcode.fields[index].name.text.as_str(), self.values()[index]))
    }
}

impl Opcode {
    /// The syntax rule of this form, with its own operands in the place of placeholders and with the
    /// guard: `{@{!}pg }SHFL.mode pu, rd, ra, rb, vc`. `None` when the description gives no syntax.
    pub fn rule(&self) -> Option<String> {
        let steps = &self.syntax.as_ref()?.steps;
        let mut text = String::new();
        let mut ends: Vec<usize> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            while ends.last() == Some(&at) {
                ends.pop();
                text.push('}');
            }
            match step {
                Step::Word(word) => text.push_str(word),
                Step::Mark(mark) => text.push(*mark),
                Step::Space => text.push(' '),
                Step::Modifier(index) | Step::Operand(index) => {
                    let dot = if matches!(step, Step::Modifier(_)) { "." } else { "" };
                    let field = &self.fields[*index];
                    let shown = match (&field.role, &field.ty.kind) {
                        (Role::Fixed(number), TypeKind::Enumeration(names)) => {
                            names.by_number(*number).map(|value| value.spelling.as_str())
                        }
                        _ => None,
                    };
                    let shown = shown.unwrap_or(&field.name.text);
                    if !shown.is_empty() {
                        text.push_str(dot);
                        text.push_str(shown);
                    }
                }
                Step::Affix(index) => {
                    if let TypeKind::Enumeration(names) = &self.fields[*index].ty.kind {
                        let marks = names.values.iter().map(|value| value.spelling.as_str());
                        let marks: Vec<&str> = marks.filter(|mark| !mark.is_empty()).collect();
                        text.push_str(&format!("{{{}}}", marks.join("|")));
                    }
                }
                Step::Optional { end, .. } => {
                    ends.push(*end);
                    text.push('{');
                }
            }
        }
        text.extend(ends.iter().map(|_| '}'));
        Some(text)
    }

    /// Indices of the fields that the text does not show and that are not fixed.
    pub(crate) fn hidden(&self) -> impl Iterator<Item = usize> + '_ {
        let shown = self.syntax.as_ref().map(|syntax| syntax.shown.as_slice()).unwrap_or_default();
        (0..self.fields.len())
            .filter(move |index| !self.fields[*index].is_fixed() && !shown.contains(index))
    }

    /// The text of one field.
    pub(crate) fn spelling(
        &self,
        index: usize,
        values: &[u128],
        address: u64,
        labels: Labels<'_>,
    ) -> Option<String> {
        let field = &self.fields[index];
        let (number, width) = (values[index], field.width());
        if let Role::FixedOpen(name) = &field.role {
            return Some(name.clone());
        }
        match &field.ty.kind {
            TypeKind::Enumeration(names) => Some(names.by_number(number)?.spelling.clone()),
            TypeKind::Register(file) => {
                file.text(number, width, file.form(self.operand_bits(index, values)))
            }
            TypeKind::Immediate(immediate) => {
                let shown = immediate.label.as_ref().and_then(|form| {
                    Some(form.show(&labels(immediate.shown(number, width, address))?))
                });
                Some(shown.unwrap_or_else(|| immediate.text(number, width, address)))
            }
        }
    }
}
