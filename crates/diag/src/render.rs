//! Diagnostics as text for people.

use crate::excerpt::Excerpt;
use crate::{Diagnostic, Severity, Sources, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

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
