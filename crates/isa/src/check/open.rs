//! What a description leaves open: numbers of constants, places of control fields.

use crate::codes;
use crate::model::{Description, Role};
use diag::{Diagnostic, Severity, Span};

pub(super) fn check(description: &Description, found: &mut Vec<Diagnostic>) {
    numbers(description, found);
    controls(description, found);
}

fn note(span: Span, message: String) -> Diagnostic {
    let mut diagnostic = Diagnostic::warning(span, message);
    diagnostic.severity = Severity::Note;
    diagnostic
}

/// One remark a type: which of its constants have no number.
fn numbers(description: &Description, found: &mut Vec<Diagnostic>) {
    let mut open: Vec<(&str, Span, Span, Vec<&str>)> = Vec::new();
    for field in description.opcodes.iter().flat_map(|opcode| &opcode.fields) {
        let Role::FixedOpen(constant) = &field.role else { continue };
        let entry = match open.iter().position(|(name, ..)| *name == field.ty.name) {
            Some(at) => &mut open[at],
            None => {
                let span = field.value_span.unwrap_or(field.span);
                open.push((&field.ty.name, span, field.ty.span, Vec::new()));
                let last = open.len() - 1;
                &mut open[last]
            }
        };
        if !entry.3.contains(&constant.as_str()) {
            entry.3.push(constant);
        }
    }
    for (name, first, declared, constants) in open {
        let message = format!("the numbers of `{name}` are open: {}", constants.join(", "));
        found.push(
            note(first, message)
                .label(first, "used here first")
                .label(declared, "the type is declared here")
                .help(format!("number them in an overlay: `__Refine {name}` and `NAME = number;`"))
                .code(codes::OPEN_NUMBER),
        );
    }
}

/// One remark a control name: it is in a syntax line and no field has it.
fn controls(description: &Description, found: &mut Vec<Diagnostic>) {
    let mut open: Vec<(&str, Span, Span, usize)> = Vec::new();
    for opcode in &description.opcodes {
        let Some(syntax) = &opcode.syntax else { continue };
        for (name, span) in &syntax.controls {
            if opcode.fields.iter().any(|field| field.name.base() == name) {
                continue;
            }
            match open.iter_mut().find(|(other, ..)| other == name) {
                Some(entry) => entry.3 += 1,
                None => open.push((name, *span, opcode.span, 1)),
            }
        }
    }
    for (name, span, opcode, count) in open {
        let forms = if count == 1 { "opcode" } else { "opcodes" };
        found.push(
            note(span, format!("control field `{name}` has no place in {count} {forms}"))
                .label(opcode, "the first of them")
                .help(format!("place it in an overlay: `field<position, width> Type {name} = 0;`"))
                .code(codes::CONTROL),
        );
    }
}
