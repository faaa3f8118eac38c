//! Diagnostics as text for people and as JSON for programs.

use crate::excerpt::Excerpt;
use crate::{Diagnostic, Reason, Severity, Sources, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde::Serialize;

/// Renders one diagnostic the way rustc does: message, source line, marks, notes, help.
/// The text ends in a line end. `colour` adds ANSI escapes.
pub fn text(sources: &Sources, diagnostic: &Diagnostic, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut title = level.primary_title(diagnostic.message.as_str());
    if !diagnostic.code.is_empty() {
        title = title.id(diagnostic.code);
    }
    let mut group = Group::with_title(title);
    for (nth, label) in diagnostic.labels.iter().enumerate() {
        let first_of_file =
            !diagnostic.labels[..nth].iter().any(|l| l.span.file == label.span.file);
        if first_of_file {
            group = with_snippet(group, sources, diagnostic, label.span);
        }
    }
    if let Some(picture) = &diagnostic.picture {
        let drawn = if colour { picture.styled() } else { picture.to_string() };
        group = group.element(Level::NOTE.message(drawn));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(reason) = &diagnostic.reason {
        let rule = format!("{} ({}, {})", reason.rule, reason.manual, reason.section);
        group = group.element(Level::NOTE.message(rule));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = renderer.render(&[group]);
    out.push('\n');
    out
}

/// Adds one excerpt of a file with every label that lies in it.
fn with_snippet<'a>(
    group: Group<'a>,
    sources: &'a Sources,
    diagnostic: &'a Diagnostic,
    at: Span,
) -> Group<'a> {
    let file = sources.file(at.file);
    let here = || diagnostic.labels.iter().filter(|label| label.span.file == at.file);
    let spans: Vec<(usize, usize)> =
        here().map(|label| (label.span.start as usize, label.span.end as usize)).collect();
    let excerpt = Excerpt::of(file.text(), &spans);
    let line = file.location(excerpt.start as u32).line as usize;
    let mut snippet = Snippet::source(excerpt.text).line_start(line);
    let group = match excerpt.is_cut {
        false => {
            snippet = snippet.path(file.name());
            group
        }
        // The renderer would count columns in what is left of the line.
        true => {
            let place = file.location(at.start);
            let origin = Origin::path(file.name()).line(place.line as usize);
            group.element(origin.char_column(place.column as usize))
        }
    };
    for (nth, (label, (from, to))) in here().zip(excerpt.spans).enumerate() {
        let primary = nth == 0 && label.span == at;
        let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mut annotation = kind.span(from..to);
        if !label.text.is_empty() {
            annotation = annotation.label(label.text.as_str());
        }
        snippet = snippet.annotation(annotation);
    }
    group.element(snippet)
}

/// A diagnostic as JSON programs read it. The field names are stable.
#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    severity: &'static str,
    class: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<JsonRule>,
    places: Vec<JsonPlace<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<JsonFix<'a>>,
}

/// The rule that is broken.
#[derive(Serialize)]
struct JsonRule {
    summary: &'static str,
    manual: &'static str,
    section: &'static str,
}

impl From<Reason> for JsonRule {
    fn from(Reason { rule, manual, section }: Reason) -> Self {
        JsonRule { summary: rule, manual, section }
    }
}

/// A replacement that mends the input.
#[derive(Serialize)]
struct JsonFix<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    replacement: &'a str,
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
}

/// The diagnostics as one JSON array value.
pub fn json(sources: &Sources, diagnostics: &[Diagnostic]) -> serde_json::Value {
    diagnostics
        .iter()
        .map(|diagnostic| {
            let places = diagnostic.labels.iter();
            let places = places.map(|label| place(sources, label.span, &label.text)).collect();
            let fix = diagnostic.fix.as_ref().map(|fix| JsonFix {
                place: place(sources, fix.span, ""),
                replacement: &fix.replacement,
            });
            let value = JsonDiagnostic {
                severity: diagnostic.severity.word(),
                class: diagnostic.class.word(),
                code: diagnostic.code,
                message: &diagnostic.message,
                rule: diagnostic.reason.map(JsonRule::from),
                places,
                notes: diagnostic.paragraphs().collect(),
                help: diagnostic.help.as_deref(),
                fix,
            };
            serde_json::to_value(value).unwrap_or_default()
        })
        .collect()
}

fn place<'a>(sources: &'a Sources, span: Span, text: &'a str) -> JsonPlace<'a> {
    let file = sources.file(span.file);
    let (start, end) = (file.location(span.start), file.location(span.end));
    JsonPlace {
        file: file.name(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_names_file_line_column_and_shows_the_line() {
        let mut sources = Sources::new();
        let file = sources.add("k.ptx", ".version 8.0\nshfl.sync.left.b32 d, a;\n");
        let span = Span::new(file, 22, 27);
        let diagnostic = Diagnostic::error(span, "unknown modifier `.left`")
            .code("P001")
            .label(span, "not a mode of shfl.sync")
            .help("use `.up`, `.down`, `.bfly` or `.idx`");
        let shown = text(&sources, &diagnostic, false);
        for part in
            ["error[P001]: unknown modifier", "k.ptx:2:10", "shfl.sync.left.b32", "help: use"]
        {
            assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
        }
        let value = json(&sources, std::slice::from_ref(&diagnostic));
        assert_eq!(value[0]["places"][0]["line"], 2);
        assert_eq!(value[0]["places"][0]["column"], 10);
    }

    #[test]
    fn carriage_returns_are_not_shown() {
        let mut sources = Sources::new();
        let file = sources.add("k.ptx", "a\r\nbcd e\r\nf\r\n");
        let diagnostic = Diagnostic::error(Span::new(file, 7, 8), "x")
            .label(Span::new(file, 3, 6), "first")
            .label(Span::new(file, 10, 11), "last");
        let shown = text(&sources, &diagnostic, false);
        assert!(!shown.contains(['\r', '\u{240d}']), "{shown}");
        for part in ["k.ptx:2:5", "2 | bcd e\n  | ", "3 | f\n"] {
            assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
        }
        let end = Diagnostic::error(Span::new(file, 8, 8), "x");
        assert!(text(&sources, &end, false).contains("bcd e\n  |      ^"));
    }

    #[test]
    fn spans_outside_the_text_are_clipped() {
        let mut sources = Sources::new();
        let file = sources.add("k.ptx", "é");
        for (start, end) in [(0, 99), (1, 1), (50, 60)] {
            let diagnostic = Diagnostic::error(Span::new(file, start, end), "x");
            assert!(text(&sources, &diagnostic, false).contains("k.ptx:1"));
        }
    }
}
