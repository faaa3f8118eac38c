//! Attributes of operands, such as the negation of a predicate, that the syntax line has no place for: text cannot
//! say them.

use super::Family;
use crate::ast::{DeclKind, SectionKind};
use crate::codes;
use crate::model::Opcode;
use crate::syntax::syntax_line;
use crate::types::TypeKind;
use diag::Diagnostic;

pub(super) fn check(family: &Family<'_>, found: &mut Vec<Diagnostic>) {
    if family.decl.kind != DeclKind::Opcode {
        return;
    }
    for opcode in &family.opcodes {
        one(opcode, found);
    }
}

fn one(opcode: &Opcode, found: &mut Vec<Diagnostic>) {
    let Some(syntax) = &opcode.syntax else { return };
    let Some(section) = opcode.sections.get(&SectionKind::Syntax) else { return };
    let Some(line) = syntax_line(section) else { return };
    for (index, field) in opcode.fields.iter().enumerate() {
        let attribute = field.name.attribute().is_some() && !field.name.is_control();
        if !attribute || field.is_fixed() || syntax.shown.contains(&index) {
            continue;
        }
        let TypeKind::Enumeration(names) = &field.ty.kind else { continue };
        let operand = opcode.field_index(field.name.base());
        let Some(operand) = operand.filter(|operand| syntax.shown.contains(operand)) else {
            continue;
        };
        let Some(value) = names.values.iter().find(|value| !value.spelling.is_empty()) else {
            continue;
        };
        let named = syntax.operands.iter().find(|(_, shown)| *shown == operand);
        let named = named.map_or(field.name.base(), |(name, _)| name.as_str());
        let marks = value.spelling.chars().all(|c| c.is_ascii_punctuation());
        let write = match marks {
            true => format!("{{{}}}{named}", value.spelling),
            false => format!("{named}{{.{}}}", field.name.attribute().unwrap_or_default()),
        };
        let message =
            format!("the syntax line of `{}` does not show `{}`", opcode.name, field.name.text);
        found.push(
            Diagnostic::warning(line.span, message)
                .label(field.name.span, "declared here")
                .help(format!("write `{write}` in the line, or remove the field"))
                .code(codes::SYNTAX_OPERAND),
        );
    }
}
