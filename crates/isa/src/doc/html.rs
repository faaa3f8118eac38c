//! The manual as one HTML page that needs no other file.

use super::layout::{Kind, Segment, rows};
use super::page::{Page, Part, examples, field_rows, groups, pages, source_text, title};
use super::prose::{anchor, escape, link_names, to_html};
use crate::ast::{Block, ProseSection, Provenance, SectionKind, SourceId};
use crate::model::{Description, Opcode};
use std::collections::HashSet;
use std::fmt::Write;

const STYLE: &str = include_str!("manual.css");

/// The manual of a description as one HTML page: navigation, then a page an instruction with a diagram of
/// the 128 bits of every form.
pub fn html(description: &Description) -> String {
    let pages = pages(description);
    let names: HashSet<&str> = pages.iter().map(|page| page.name).collect();
    let file = description.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let title = format!("Instructions of {}", escape(file));
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<nav>\n<h1>{title}</h1>\n<ul>\n"
    );
    for page in &pages {
        let (name, anchor) = (escape(page.name), escape(&anchor(page.name)));
        let _ = writeln!(
            out,
            "<li><a href=\"#{anchor}\">{name}</a> <small>{}</small></li>",
            page.forms.len()
        );
    }
    let groups = groups(description);
    for (group, _) in &groups {
        let (name, anchor) = (escape(&group.name), escape(&anchor(&group.name)));
        let _ = writeln!(out, "<li><a href=\"#{anchor}\">{name}</a> <small>in common</small></li>");
    }
    out.push_str("</ul>\n");
    legend(&mut out);
    out.push_str("</nav>\n<main>\n");
    for page in &pages {
        one(description, page, &names, &mut out);
    }
    for (group, sections) in groups {
        let (name, id) = (escape(&group.name), escape(&anchor(&group.name)));
        let _ = writeln!(out, "<section id=\"{id}\">\n<h2>What {name} has in common</h2>");
        for section in sections {
            blocks(description, section, &names, &mut out);
        }
        out.push_str("</section>\n");
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn legend(out: &mut String) {
    out.push_str("<div class=\"legend\">\n");
    for kind in Kind::ALL {
        let _ = writeln!(out, "<span class=\"swatch {0}\"></span>{0}<br>", kind.word());
    }
    out.push_str("</div>\n");
}

fn one(description: &Description, page: &Page<'_>, names: &HashSet<&str>, out: &mut String) {
    let (name, id) = (escape(page.name), escape(&anchor(page.name)));
    let _ = writeln!(out, "<section id=\"{id}\">\n<h2>{name}</h2>");
    parts(description, page, page.parts(SectionKind::Description), names, out);
    titled(description, page, SectionKind::Syntax, names, out);
    for (nth, form) in page.forms.iter().enumerate() {
        self::form(description, form, nth == 0, out);
    }
    titled(description, page, SectionKind::OperandInfo, names, out);
    modifiers(description, page, names, out);
    titled(description, page, SectionKind::Semantics, names, out);
    titled(description, page, SectionKind::Examples, names, out);
    out.push_str("</section>\n");
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
        let _ = writeln!(out, "<h3>{}</h3>", title(kind));
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
            let _ = writeln!(out, "<h4>{}</h4>", escape(form));
        }
        blocks(description, section, names, out);
    }
}

/// A mark beside what is not taken from the described document.
fn badge(description: &Description, source: SourceId) -> String {
    let source = description.source(source);
    match source.provenance {
        Provenance::Document => String::new(),
        Provenance::Measured | Provenance::Chosen => format!(
            "<span class=\"badge {0}\" title=\"{1}\">{0}</span>",
            source.provenance.word(),
            escape(&source_text(source))
        ),
    }
}

fn blocks(
    description: &Description,
    section: &ProseSection,
    names: &HashSet<&str>,
    out: &mut String,
) {
    for block in &section.blocks {
        match block {
            Block::Text(text) if text.text.trim().is_empty() => {}
            Block::Text(text) => {
                let html = to_html(&link_names(&text.text, names));
                let badge = badge(description, text.source);
                let _ = writeln!(out, "<div class=\"prose\">{badge}{html}</div>");
            }
            Block::Fence(fence) if section.kind == SectionKind::Examples => {
                out.push_str("<table class=\"examples\">\n");
                for example in examples(description, fence) {
                    let _ = writeln!(
                        out,
                        "<tr><td><code>{}</code></td><td><code class=\"word\">{}</code></td></tr>",
                        escape(&example.text),
                        escape(&example.word)
                    );
                }
                out.push_str("</table>\n");
            }
            Block::Fence(fence) => {
                let badge = badge(description, fence.body.source);
                let _ = writeln!(
                    out,
                    "<div class=\"code\">{badge}<pre><code>{}</code></pre></div>",
                    escape(&fence.body.text)
                );
            }
        }
    }
}

fn form(description: &Description, opcode: &Opcode, open: bool, out: &mut String) {
    let _ = writeln!(out, "<article>\n<h3>{}</h3>", escape(&opcode.name));
    match opcode.rule() {
        Some(line) => {
            let _ = writeln!(out, "<pre class=\"syntax\"><code>{} ;</code></pre>", escape(&line));
        }
        None => out.push_str("<p>The description gives no syntax.</p>\n"),
    }
    diagram(opcode, out);
    let open = if open { " open" } else { "" };
    let _ = writeln!(out, "<details{open}><summary>Fields</summary>\n<table class=\"fields\">");
    out.push_str("<tr><th>field</th><th>bits</th><th>type</th><th>meaning</th><th></th></tr>\n");
    for row in field_rows(opcode) {
        let correction =
            if row.corrects > 0 { "<span class=\"badge\">correction</span>" } else { "" };
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{}{correction}</td></tr>",
            escape(&row.name),
            escape(row.bits.trim_start_matches("bits ").trim_start_matches("bit ")),
            escape(&row.type_name),
            escape(&row.meaning),
            badge(description, row.source),
        );
    }
    out.push_str("</table>\n</details>\n</article>\n");
}

fn diagram(opcode: &Opcode, out: &mut String) {
    out.push_str("<div class=\"word-diagram\">\n");
    for row in rows(opcode) {
        out.push_str("<div class=\"row\">\n");
        for segment in &row {
            self::segment(segment, out);
        }
        out.push_str("</div>\n");
    }
    out.push_str("</div>\n");
}

fn segment(segment: &Segment, out: &mut String) {
    let bits = match (segment.high, segment.low) {
        (high, low) if high == low => high.to_string(),
        (high, low) => format!("{high}-{low}"),
    };
    let what = if segment.name.is_empty() { segment.kind.word() } else { &segment.name };
    let value = segment.value.as_deref().unwrap_or_default();
    let title = format!("bits {bits}: {what} {value}");
    let label = match segment.kind {
        Kind::Reserved => "0".to_owned(),
        Kind::Ignored => String::new(),
        Kind::Fixed => value.rsplit(' ').next().unwrap_or(value).to_owned(),
        Kind::Operand | Kind::Modifier | Kind::Control => segment.name.clone(),
    };
    // A narrow cell shows of `pg.not` only `.not`, in small letters.
    let narrow = label.chars().count() as u32 > segment.width() * 3;
    let label = match label.split_once('.') {
        Some((_, attribute)) if narrow => format!(".{attribute}"),
        _ => label,
    };
    let class = if narrow { " narrow" } else { "" };
    let edges = match (segment.high, segment.low) {
        (high, low) if high == low => format!("<i>{high}</i>"),
        (high, low) => format!("<i>{high}</i><i>{low}</i>"),
    };
    let _ = writeln!(
        out,
        "<div class=\"bits {}{class}\" style=\"grid-column: span {}\" title=\"{}\"><span \
         class=\"edges\">{edges}</span><b>{}</b></div>",
        segment.kind.word(),
        segment.width(),
        escape(title.trim_end()),
        escape(&label)
    );
}

fn modifiers(description: &Description, page: &Page<'_>, names: &HashSet<&str>, out: &mut String) {
    let modifiers = page.modifiers();
    let prose = page.parts(SectionKind::ModifierInfo);
    if modifiers.is_empty() && prose.is_empty() {
        return;
    }
    out.push_str("<h3>Modifiers</h3>\n<div class=\"modifiers\">\n");
    for modifier in modifiers {
        let _ = writeln!(
            out,
            "<table>\n<caption><code>.{}</code> <small>{}</small></caption>",
            escape(modifier.name),
            escape(&modifier.bits)
        );
        for value in modifier.values {
            let class = if value.default { " class=\"default\" title=\"default\"" } else { "" };
            let _ = writeln!(
                out,
                "<tr{class}><td><code>{}</code></td><td class=\"number\">{}</td></tr>",
                escape(&value.spelling),
                escape(&value.number)
            );
        }
        out.push_str("</table>\n");
    }
    out.push_str("</div>\n");
    parts(description, page, prose, names, out);
}
