//! Sections that are missing or stand under the wrong heading.

use super::Family;
use crate::ast::{Block, DeclKind, ProseSection, SectionKind};
use crate::codes;
use crate::model::Description;
use diag::{Diagnostic, Span};

/// Reports sections whose content belongs elsewhere; returns the kinds that were found elsewhere.
pub(super) fn check(
    description: &Description,
    family: &Family<'_>,
    found: &mut Vec<Diagnostic>,
) -> Vec<SectionKind> {
    let mut misplaced = Vec::new();
    if let Some(section) = family.section(SectionKind::Examples)
        && section.fences().next().is_none()
        && let Some(first) = first_line(section)
    {
        let name = &family.decl.name;
        let lacks = !has(family, SectionKind::Semantics);
        let diagnostic = Diagnostic::warning(
            section.heading,
            format!("`__Examples` of `{name}` holds prose and no example"),
        )
        .label(first, "this is no assembly");
        let diagnostic = if lacks {
            misplaced.push(SectionKind::Semantics);
            diagnostic
                .note(format!("`{name}` has no `__Semantics`"))
                .help("change the heading to `__Semantics`, and give an example in a code block")
                .fix(section.heading, SectionKind::Semantics.heading())
        } else {
            diagnostic.help("put examples into a code block, and prose under its own heading")
        };
        misplaced.push(SectionKind::Examples);
        found.push(diagnostic.code(codes::WRONG_HEADING));
    }
    if let Some(section) = family.section(SectionKind::Semantics)
        && let Some(first) = only_examples(description, section)
    {
        let diagnostic = Diagnostic::warning(
            section.heading,
            format!("`__Semantics` of `{}` holds nothing but examples", family.decl.name),
        )
        .label(first, "this assembles")
        .help("change the heading to `__Examples`")
        .fix(section.heading, SectionKind::Examples.heading());
        found.push(diagnostic.code(codes::WRONG_HEADING));
        misplaced.extend([SectionKind::Semantics, SectionKind::Examples]);
    }
    if let Some(section) = family.section(SectionKind::Syntax)
        && section.fences().next().is_none()
        && let Some(first) = first_line(section)
    {
        let diagnostic = Diagnostic::warning(
            section.heading,
            format!("`__Syntax` of `{}` holds prose and no syntax line", family.decl.name),
        )
        .label(first, "this is no code block")
        .help("put the syntax line into a code block, or give the prose its own heading");
        found.push(diagnostic.code(codes::WRONG_HEADING));
        misplaced.push(SectionKind::Syntax);
    }
    misplaced
}

/// Where the first line of prose stands.
fn first_line(section: &ProseSection) -> Option<Span> {
    section.texts().find_map(|text| {
        let mut at = text.span.start as usize;
        for line in text.text.split_inclusive('\n') {
            let trimmed = line.trim();
            if !trimmed.is_empty() {
                let start = at + (line.len() - line.trim_start().len());
                return Some(Span::new(text.span.file, start, start + trimmed.len()));
            }
            at += line.len();
        }
        None
    })
}

/// The first line, when a section consists of code blocks in which every line assembles.
fn only_examples(description: &Description, section: &ProseSection) -> Option<Span> {
    let only_code = section.blocks.iter().all(|block| match block {
        Block::Text(text) => text.text.trim().is_empty(),
        Block::Fence(_) => true,
    });
    if !only_code {
        return None;
    }
    let mut first = None;
    for fence in section.fences() {
        for line in super::examples::lines(&fence.body) {
            description
                .instruction_of_line(line.span.file, line.text, line.span.start as usize)
                .ok()?;
            first = first.or(Some(line.span));
        }
    }
    first
}

fn has(family: &Family<'_>, kind: SectionKind) -> bool {
    let of = |section: &ProseSection| !section.is_blank();
    family.opcodes.iter().any(|opcode| opcode.sections.get(&kind).is_some_and(of))
}

/// Reports what an instruction lacks. One report an instruction: forms share the sections of their optype.
pub(super) fn missing(family: &Family<'_>, misplaced: &[SectionKind], found: &mut Vec<Diagnostic>) {
    const NEEDED: [SectionKind; 4] = [
        SectionKind::Syntax,
        SectionKind::Description,
        SectionKind::Semantics,
        SectionKind::Examples,
    ];
    let decl = family.decl;
    let own_page = decl.kind == DeclKind::Optype
        || family.opcodes.first().is_some_and(|opcode| opcode.optype.is_none());
    if !own_page || family.opcodes.is_empty() {
        return;
    }
    let missing: Vec<&str> = NEEDED
        .into_iter()
        .filter(|kind| !misplaced.contains(kind) && !has(family, *kind))
        .map(SectionKind::heading)
        .collect();
    let Some(first) = missing.first() else { return };
    let list = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let mut diagnostic = Diagnostic::warning(decl.span, format!("`{}` has no {list}", decl.name))
        .help(format!("add the sections, here or in an overlay with `__Refine {}`", decl.name))
        .code(codes::MISSING);
    if let Some(opcode) = family.opcodes.iter().find(|opcode| opcode.span != decl.span) {
        diagnostic = diagnostic.label(opcode.span, "a form of it");
    }
    if *first == SectionKind::Syntax.heading() {
        diagnostic = diagnostic
            .note("without a syntax line its words can be neither written nor shown as text");
    }
    found.push(diagnostic);
}
