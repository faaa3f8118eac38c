//! Checking the pseudo-code of a description before any program uses it.

use crate::binding;
use crate::emit::Emitter;
use crate::operand::{Lane, Lowered};
use crate::pseudo::Code;
use diag::{Diagnostic, Severity};
use isa::{Description, Field, Instruction, Opcode, Role, TypeKind};
use std::collections::BTreeSet;

/// What is wrong with the pseudo-code of a description, each place once. It is compiled under every value
/// of every modifier.
pub fn check(description: &Description) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for opcode in description.opcodes() {
        // A machine that knows the instruction does without the code.
        let needed = binding::entry(opcode).is_none();
        for mut why in problems(opcode) {
            if seen.insert(why.span()) {
                why.severity = if needed { Severity::Warning } else { Severity::Note };
                found.push(why);
            }
        }
    }
    found
}

fn problems(opcode: &Opcode) -> Vec<Diagnostic> {
    let code = match Code::of(opcode) {
        None => return Vec::new(),
        Some(Err(why)) => return vec![*why],
        Some(Ok(code)) => code,
    };
    let compiled = variants(opcode).into_iter().map(|instruction| {
        let mut emitter = Emitter::new(&opcode.name);
        compile(&mut emitter, &code, &instruction, opcode)
    });
    compiled.filter_map(|compiled| compiled.err().map(|why| *why)).collect()
}

fn compile(
    emitter: &mut Emitter,
    code: &Code,
    instruction: &Instruction<'_>,
    opcode: &Opcode,
) -> Lowered {
    let mut lane = Lane::begin(emitter, instruction, 0, opcode.span)?;
    code.lower(&mut lane)
}

/// Instructions of an opcode in which every value of every modifier occurs.
fn variants(opcode: &Opcode) -> Vec<Instruction<'_>> {
    let free = opcode.fields.iter().filter(|field| field.role == Role::Free);
    let plain: Vec<(&str, u128)> =
        free.map(|field| (field.name.text.as_str(), numbers(field).next().unwrap_or(0))).collect();
    let mut variants: Vec<Instruction<'_>> = opcode.instruction(&plain).into_iter().collect();
    for field in opcode.fields.iter().filter(|field| !field.is_fixed()) {
        for number in numbers(field) {
            let mut changed = plain.clone();
            changed.retain(|(name, _)| *name != field.name.text);
            changed.push((&field.name.text, number));
            variants.extend(opcode.instruction(&changed));
        }
    }
    variants
}

/// The numbers of a modifier's values; none for other fields.
fn numbers(field: &Field) -> impl Iterator<Item = u128> {
    let values = match &field.ty.kind {
        TypeKind::Enumeration(values) => values.values.as_slice(),
        TypeKind::Register(_) | TypeKind::Immediate(_) => &[],
    };
    values.iter().filter_map(|value| value.number)
}
