//! The manual as Markdown.

use super::layout::{Kind, Segment, rows};
use super::page::{Page, Part, examples, field_rows, groups, pages, source_text, title};
use super::prose::{anchor, link_names};
use crate::ast::{Block, ProseSection, Provenance, SectionKind};
use crate::model::{Description, Opcode};
use std::collections::HashSet;
use std::fmt::Write;

/// The manual of a description as Markdown: a table of contents, then a page an instruction.
pub fn markdown(description: &Description) -> String {
    let pages = pages(description);
    let names: HashSet<&str> = pages.iter().map(|page| page.name).collect();
    let mut out = String::new();
    let name = description.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let _ = writeln!(out, "# Instructions of {}\n", cell(name));
    for page in &pages {
        let forms: Vec<&str> = page.forms.iter().map(|form| form.name.as_str()).collect();
        let _ = writeln!(out, "- [{}](#{}): {}", page.name, anchor(page.name), forms.join(", "));
    }
    for page in &pages {
        let _ = writeln!(out, "\n## {}\n", page.name);
        one(description, page, &names, &mut out);
    }
    for (group, sections) in groups(description) {
        let _ = writeln!(out, "\n## What {} has in common\n", group.name);
        for section in sections {
            blocks(description, section, &names, &mut out);
        }
    }
    out
}

fn one(description: &Description, page: &Page<'_>, names: &HashSet<&str>, out: &mut String) {
    parts(description, page, page.parts(SectionKind::Description), names, out);
    titled(description, page, SectionKind::Syntax, names, out);
    for form in &page.forms {
        let _ = writeln!(out, "\n### {}\n", form.name);
        match form.rule() {
            Some(line) => {
                let _ = writeln!(out, "```asm\n{line} ;\n```\n");
            }
            None => {
                let _ = writeln!(out, "The description gives no syntax.\n");
            }
        }
        diagram(form, out);
        fields(description, form, out);
    }
    titled(description, page, SectionKind::OperandInfo, names, out);
    modifiers(page, out);
    parts(description, page, page.parts(SectionKind::ModifierInfo), names, out);
    titled(description, page, SectionKind::Semantics, names, out);
    titled(description, page, SectionKind::Examples, names, out);
}

fn titled(
    description: &Description,
    page: &Page<'_>,
    kind: SectionKind,
    names: &HashSet<&str>,
    out: &mut String,
) {
    let found = page.parts(kind);
    if !found.is_empty() {
        let _ = writeln!(out, "\n### {} of {}\n", title(kind), page.name);
        parts(description, page, found, names, out);
    }
}

fn parts(
    description: &Description,
    page: &Page<'_>,
    parts: Vec<Part<'_>>,
    names: &HashSet<&str>,
    out: &mut String,
) {
    for Part { form, section } in parts {
        if let Some(form) = form.filter(|form| *form != page.name) {
            let _ = writeln!(out, "{form}:\n");
        }
        blocks(description, section, names, out);
    }
}

fn blocks(
    description: &Description,
    section: &ProseSection,
    names: &HashSet<&str>,
    out: &mut String,
) {
    for block in &section.blocks {
        let source = match block {
            Block::Text(text) => {
                let trimmed = text.text.trim();
                if trimmed.is_empty() {
                    continue;
                }
                let _ = writeln!(out, "{}\n", link_names(trimmed, names));
                text.source
            }
            Block::Fence(fence) if section.kind == SectionKind::Examples => {
                let _ = writeln!(out, "| assembly | word |\n|:---|:---|");
                for example in examples(description, fence) {
                    let _ = writeln!(out, "| `{}` | `{}` |", cell(&example.text), example.word);
                }
                out.push('\n');
                continue;
            }
            Block::Fence(fence) => {
                let _ = writeln!(out, "```{}\n{}```\n", fence.info, fence.body.text);
                fence.body.source
            }
        };
        let source = description.source(source);
        if source.provenance != Provenance::Document {
            let _ = writeln!(out, "*({})*\n", source_text(source));
        }
    }
}

/// Columns of one bit, with the line before it: the number of a bit has three digits.
const BIT: usize = 4;

fn diagram(opcode: &Opcode, out: &mut String) {
    let _ = writeln!(out, "```text");
    for row in rows(opcode) {
        let (mut top, mut middle) = (String::new(), String::new());
        for segment in &row {
            let width = segment.width() as usize * BIT - 1;
            let mut label = segment_label(segment);
            label.truncate(width);
            let _ = write!(middle, "|{label:^width$}");
            let bits = match (segment.high, segment.low) {
                (high, low) if width < 7 || high == low => high.to_string(),
                (high, low) => format!("{high:<0$}{low}", width - low.to_string().len()),
            };
            let _ = write!(top, " {bits:<width$.width$}");
        }
        let _ = writeln!(out, "{}\n{middle}|", top.trim_end());
    }
    let _ = writeln!(out, "```\n");
}

fn segment_label(segment: &Segment) -> String {
    match segment.kind {
        Kind::Reserved => "0".to_owned(),
        Kind::Ignored => "-".to_owned(),
        Kind::Fixed | Kind::Operand | Kind::Modifier | Kind::Control => segment.name.clone(),
    }
}

fn fields(description: &Description, opcode: &Opcode, out: &mut String) {
    let _ = writeln!(out, "| field | bits | type | meaning | provenance |");
    let _ = writeln!(out, "|:---|:---|:---|:---|:---|");
    for row in field_rows(opcode) {
        let corrects = if row.corrects > 0 { " (a correction)" } else { "" };
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {}{corrects} |",
            row.name,
            row.bits,
            row.type_name,
            cell(&row.meaning),
            cell(&source_text(description.source(row.source))),
        );
    }
    let unclaimed = |mask: u128, what: &str| match mask {
        0 => String::new(),
        mask => format!("{}: {what}. ", crate::bits::describe(mask)),
    };
    let reserved = unclaimed(opcode.reserved_bits(), "reserved, must be 0");
    let ignored = unclaimed(opcode.ignored_bits().mask, "ignored");
    let text = format!("{reserved}{ignored}");
    if !text.is_empty() {
        let _ = writeln!(out, "\nUnclaimed {}\n", text.trim_end());
    }
}

fn modifiers(page: &Page<'_>, out: &mut String) {
    let modifiers = page.modifiers();
    if modifiers.is_empty() && page.parts(SectionKind::ModifierInfo).is_empty() {
        return;
    }
    let _ = writeln!(out, "\n### Modifiers of {}\n", page.name);
    for modifier in modifiers {
        let _ = writeln!(out, "`.{}`, {}:\n", modifier.name, modifier.bits);
        let _ = writeln!(out, "| value | number |\n|:---|---:|");
        for value in modifier.values {
            let default = if value.default { " (default)" } else { "" };
            let _ = writeln!(out, "| `{}`{default} | {} |", cell(&value.spelling), value.number);
        }
        out.push('\n');
    }
}

/// Text in a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
