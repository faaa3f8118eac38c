//! Two opcodes of one mnemonic whose text is the same.

use crate::asm::AsmToken;
use crate::codes;
use crate::instruction::Instruction;
use crate::model::{Description, Opcode};
use crate::types::TypeKind;
use diag::Diagnostic;

/// So many texts are compared in one description.
const MOST_COMPARED: usize = 20_000;

pub(super) fn check(description: &Description, found: &mut Vec<Diagnostic>) {
    let mut mnemonics: Vec<&Vec<usize>> = description.by_mnemonic.values().collect();
    mnemonics.sort_unstable();
    let mut compared = 0;
    for forms in mnemonics {
        for (nth, index) in forms.iter().enumerate() {
            let opcode = &description.opcodes[*index];
            let texts = specimens(opcode);
            for other in forms.iter().enumerate().filter(|(m, _)| *m != nth).map(|(_, i)| i) {
                let other = &description.opcodes[*other];
                compared += 1;
                if compared > MOST_COMPARED {
                    return;
                }
                let same = texts.iter().find(|text| reads(other, text, opcode));
                if let Some(text) = same.filter(|_| opcode.span > other.span) {
                    found.push(
                        Diagnostic::error(
                            opcode.span,
                            format!("`{text}` is both `{}` and `{}`", other.name, opcode.name),
                        )
                        .label(opcode.span, "this form")
                        .label(other.span, "and this one")
                        .help("let a modifier or the kind of an operand tell the texts apart")
                        .code(codes::SAME_TEXT),
                    );
                }
            }
        }
    }
}

fn reads(opcode: &Opcode, text: &str, of: &Opcode) -> bool {
    let Some(syntax) = &opcode.syntax else { return false };
    let tokens: Vec<AsmToken<'_>> = crate::asm::tokens(of.span.file, text, 0);
    crate::asm::matches(opcode, syntax, &tokens)
}

/// Texts of an opcode: with the lowest and with the highest values that its fields may have.
fn specimens(opcode: &Opcode) -> Vec<String> {
    [false, true]
        .into_iter()
        .filter_map(|highest| {
            let values: Vec<u128> = opcode
                .fields
                .iter()
                .map(|field| match field.implied() {
                    Some(number) if field.is_fixed() || !highest => number,
                    _ => match &field.ty.kind {
                        TypeKind::Enumeration(names) => {
                            let mut numbers = names.values.iter().filter_map(|value| value.number);
                            let number = if highest { numbers.max() } else { numbers.next() };
                            number.unwrap_or(0)
                        }
                        TypeKind::Register(_) | TypeKind::Immediate(_) => u128::from(highest),
                    },
                })
                .collect();
            Instruction::new(opcode, values, 0).text(0)
        })
        .collect()
}
