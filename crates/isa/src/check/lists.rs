//! The modifier lists under a syntax line, `.mode = {.IDX, .UP*}`, against the fields they speak of.

use super::Family;
use crate::ast::SectionKind;
use crate::codes;
use crate::lexer::is_name_byte;
use crate::model::{Field, Role};
use crate::names::nearest;
use crate::types::{Enumeration, TypeKind};
use diag::{Diagnostic, Span};

/// `.name = {.VALUE, .VALUE*}` as written.
struct List<'a> {
    name: &'a str,
    name_span: Span,
    values: Vec<(&'a str, bool, Span)>,
    span: Span,
}

pub(super) fn check(family: &Family<'_>, found: &mut Vec<Diagnostic>) {
    let Some(section) = family.section(SectionKind::Syntax) else { return };
    let Some(fence) = section.fences().next() else { return };
    let fields = family.fields();
    let mut at = fence.body.span.start as usize;
    for line in fence.body.text.split_inclusive('\n') {
        if let Some(list) = read(line, at, fence.body.span) {
            one(family, &fields, &list, found);
        }
        at += line.len();
    }
}

fn read(line: &str, at: usize, of: Span) -> Option<List<'_>> {
    let trimmed = line.trim();
    let offset = |part: &str| at + (part.as_ptr() as usize - line.as_ptr() as usize);
    let span = |part: &str| Span::new(of.file, offset(part), offset(part) + part.len());
    let (left, right) = trimmed.split_once('=')?;
    let name = left.trim().strip_prefix('.')?;
    let inner = right.trim().strip_prefix('{')?.split('}').next()?;
    let values = inner
        .split(',')
        .map(str::trim)
        .filter(|value| !value.is_empty())
        .map(|value| {
            let bare = value.trim_start_matches('.').trim_end_matches('*').trim();
            (bare, value.ends_with('*'), span(value))
        })
        .collect();
    let plain = !name.is_empty() && name.bytes().all(is_name_byte);
    plain.then(|| List { name, name_span: span(left.trim()), values, span: span(trimmed) })
}

fn one(family: &Family<'_>, fields: &[&Field], list: &List<'_>, found: &mut Vec<Diagnostic>) {
    let known = fields.iter().find_map(|field| match &field.ty.kind {
        TypeKind::Enumeration(names) if field.name.text == list.name => Some((*field, names)),
        TypeKind::Enumeration(_) | TypeKind::Register(_) | TypeKind::Immediate(_) => None,
    });
    let Some((field, names)) = known else {
        let near = nearest(list.name, family.modifier_names());
        let message =
            format!("no field of `{}` is the modifier `.{}`", family.decl.name, list.name);
        let diagnostic = Diagnostic::warning(list.name_span, message)
            .label(family.decl.span, "in the syntax of this declaration")
            .code(codes::MODIFIER);
        found.push(match near {
            Some(near) => diagnostic.help(format!("did you mean `.{near}`?")),
            None => diagnostic.help("remove the list, or declare the field"),
        });
        return;
    };
    unknown_values(field, names, list, found);
    left_out(field, names, list, found);
    default_mark(field, names, list, found);
}

fn unknown_values(
    field: &Field,
    names: &Enumeration,
    list: &List<'_>,
    found: &mut Vec<Diagnostic>,
) {
    for (value, _, span) in &list.values {
        if names.values.iter().any(|known| known.spelling == *value) {
            continue;
        }
        let message = format!("`.{value}` is not a value of `.{}`", list.name);
        let diagnostic = Diagnostic::warning(*span, message)
            .label(field.ty.span, format!("`{}` is declared here", field.ty.name))
            .code(codes::MODIFIER_LIST);
        let spellings = names.values.iter().map(|known| known.spelling.as_str());
        found.push(match nearest(value, spellings) {
            Some(near) => diagnostic.help(format!("did you mean `.{near}`?")),
            None => diagnostic.help(format!("declare it in `{}`, or remove it", field.ty.name)),
        });
    }
}

fn left_out(field: &Field, names: &Enumeration, list: &List<'_>, found: &mut Vec<Diagnostic>) {
    let missing: Vec<String> = names
        .values
        .iter()
        .filter(|known| !known.spelling.is_empty())
        .filter(|known| !list.values.iter().any(|(value, _, _)| *value == known.spelling))
        .map(|known| format!("`.{}`", known.spelling))
        .collect();
    if !missing.is_empty() {
        let message = format!("the list of `.{}` leaves out {}", list.name, missing.join(", "));
        found.push(
            Diagnostic::warning(list.span, message)
                .label(field.ty.span, format!("`{}` is declared here", field.ty.name))
                .help("list every value of the type, in its order")
                .code(codes::MODIFIER_LIST),
        );
    }
}

fn default_mark(field: &Field, names: &Enumeration, list: &List<'_>, found: &mut Vec<Diagnostic>) {
    let Some((value, _, span)) = list.values.iter().find(|(_, marked, _)| *marked) else { return };
    let default = match &field.role {
        Role::Default(number) | Role::Fixed(number) => names.by_number(*number),
        Role::Free | Role::FixedOpen(_) => None,
    };
    if default.is_none_or(|default| default.spelling != *value) {
        let says = default.map_or_else(
            || "the field has no default".to_owned(),
            |default| format!("the default of the field is `.{}`", default.spelling),
        );
        found.push(
            Diagnostic::warning(*span, format!("`*` marks `.{value}` as default, but {says}"))
                .label(field.span, "the field is declared here")
                .help("mark the default of the field, or change the field")
                .code(codes::MODIFIER_LIST),
        );
    }
}
