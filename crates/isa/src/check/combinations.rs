//! The table of operand combinations under `__OperandInfo`, whose columns are operands of the syntax line and whose
//! rows are the types that they have together, against the forms.
//!
//! ```text
//! | SrcB  | SrcC   |
//! |:------|:-------|
//! | GPR   | UImm13 |
//! ```

use super::Family;
use crate::ast::{SectionKind, Text};
use crate::codes;
use crate::model::{Field, Opcode};
use crate::types::TypeKind;
use diag::{Diagnostic, Span};

/// A cell of a table as written.
struct Cell<'a> {
    text: &'a str,
    span: Span,
}

/// A row of a table.
struct Row<'a> {
    cells: Vec<Cell<'a>>,
    span: Span,
}

pub(super) fn check(family: &Family<'_>, found: &mut Vec<Diagnostic>) {
    let Some(section) = family.section(SectionKind::OperandInfo) else { return };
    let forms: Vec<&Opcode> =
        family.opcodes.iter().copied().filter(|opcode| opcode.mnemonic().is_some()).collect();
    for text in section.texts() {
        for table in tables(text) {
            one(family, &forms, &table, found);
        }
    }
}

/// The tables of a text, without the lines of dashes under their heads.
fn tables(text: &Text) -> Vec<Vec<Row<'_>>> {
    let mut tables: Vec<Vec<Row<'_>>> = vec![Vec::new()];
    let mut at = text.span.start as usize;
    for line in text.text.split_inclusive('\n') {
        match (row(line, at, text.span), tables.last_mut()) {
            (Some(row), Some(table)) => table.push(row),
            (None, Some(table)) if !table.is_empty() => tables.push(Vec::new()),
            (None, _) | (_, None) => {}
        }
        at += line.len();
    }
    let is_rule = |row: &Row<'_>| {
        row.cells.iter().all(|cell| cell.text.chars().all(|c| matches!(c, '-' | ':')))
    };
    tables.retain(|rows| rows.get(1).is_some_and(is_rule));
    for rows in &mut tables {
        rows.remove(1);
    }
    tables
}

fn row(line: &str, at: usize, of: Span) -> Option<Row<'_>> {
    let span = |part: &str| {
        let start = at + (part.as_ptr() as usize - line.as_ptr() as usize);
        Span::new(of.file, start, start + part.len())
    };
    let whole = line.trim();
    let inner = whole.strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let cells = inner.split('|').map(str::trim).map(|text| Cell { text, span: span(text) });
    Some(Row { cells: cells.collect(), span: span(whole) })
}

/// What one of the syntax line's operands is in a form.
fn operand<'f>(form: &'f Opcode, name: &str) -> Option<&'f Field> {
    form.operand_names().find(|(operand, _)| *operand == name).map(|(_, field)| field)
}

/// Whether a field is what a cell says: of one of the types or register files that it names. A cell without names, such
/// as a dash, says nothing.
fn is(field: &Field, what: &str) -> bool {
    let mut names = what.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut says = false;
    let found = names.any(|name| {
        says |= !name.is_empty();
        !name.is_empty() && is_of(field, name)
    });
    found || !says
}

fn is_of(field: &Field, what: &str) -> bool {
    let file = match &field.ty.kind {
        TypeKind::Register(registers) => registers.file.as_deref(),
        TypeKind::Enumeration(_) | TypeKind::Immediate(_) => None,
    };
    field.ty.name == what || file == Some(what)
}

/// What a field is, as a cell would say it.
fn word(field: &Field) -> &str {
    match &field.ty.kind {
        TypeKind::Register(registers) => registers.file.as_deref().unwrap_or(&field.ty.name),
        TypeKind::Enumeration(_) | TypeKind::Immediate(_) => &field.ty.name,
    }
}

fn one(family: &Family<'_>, forms: &[&Opcode], table: &[Row<'_>], found: &mut Vec<Diagnostic>) {
    let Some((head, rows)) = table.split_first() else { return };
    let has = |form: &&&Opcode| head.cells.iter().all(|cell| operand(form, cell.text).is_some());
    let forms: Vec<&Opcode> = forms.iter().filter(has).copied().collect();
    // A table of something else: of modifiers, of values.
    if forms.is_empty() {
        return;
    }
    let fits = |form: &Opcode, row: &Row<'_>| {
        let mut pairs = head.cells.iter().zip(&row.cells);
        row.cells.len() == head.cells.len()
            && pairs.all(|(name, cell)| {
                operand(form, name.text).is_some_and(|field| is(field, cell.text))
            })
    };
    for row in rows {
        if forms.iter().any(|form| fits(form, row)) {
            continue;
        }
        let name = &family.decl.name;
        let names: Vec<&str> = row.cells.iter().map(|cell| cell.text).collect();
        let message = format!("no form of `{name}` takes {}", names.join(", "));
        let mut diagnostic = Diagnostic::warning(row.span, message);
        // The cell that no form has in its column, if that is it.
        for (head, cell) in head.cells.iter().zip(&row.cells) {
            let known =
                |form: &&Opcode| operand(form, head.text).is_some_and(|field| is(field, cell.text));
            if !forms.iter().any(known) {
                let label = format!("`{}` is `{}` in no form", head.text, cell.text);
                diagnostic = diagnostic.label(cell.span, label);
            }
        }
        found.push(
            diagnostic
                .label(family.decl.span, "the table belongs to this one")
                .help("name the types or register files of a form, or describe the form")
                .code(codes::COMBINATION),
        );
    }
    for form in forms {
        if rows.iter().any(|row| fits(form, row)) {
            continue;
        }
        let words: Vec<&str> =
            head.cells.iter().filter_map(|cell| operand(form, cell.text).map(word)).collect();
        let message =
            format!("the table of operands has no row for `{}`: {}", form.name, words.join(", "));
        found.push(
            Diagnostic::warning(head.span, message)
                .label(form.span, "this form")
                .help("add a row with what the form takes")
                .code(codes::COMBINATION),
        );
    }
}
