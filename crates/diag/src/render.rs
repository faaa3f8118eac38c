//! Diagnostics as text for people.

use crate::{Diagnostic, Severity, Sources, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::borrow::Cow;

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
            group = group.element(snippet(sources, diagnostic, label.span));
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

/// Bytes of a line that are shown before the first and after the last label, at most.
const MAX_CONTEXT: usize = 2000;

/// One excerpt of a file with every label that lies in it. Only the lines near the labels are handed
/// to the renderer, so that a diagnostic in a file of many megabytes stays cheap.
fn snippet<'a>(
    sources: &'a Sources,
    diagnostic: &'a Diagnostic,
    at: Span,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let file = sources.file(at.file);
    let here = || diagnostic.labels.iter().filter(|label| label.span.file == at.file);
    let text = file.text();
    let first = here().map(|label| label.span.start as usize).min().unwrap_or(0).min(text.len());
    let last =
        here().map(|label| label.span.end as usize).max().unwrap_or(0).clamp(first, text.len());
    let floor = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (first, last) = (floor(first), floor(last));
    // Lines longer than anybody reads are cut on both sides.
    let near = floor(first.saturating_sub(MAX_CONTEXT));
    let far = floor((last + MAX_CONTEXT).min(text.len()));
    let start = text[near..first].rfind('\n').map_or(near, |newline| near + newline + 1);
    let end = text[last..far].find('\n').map_or(far, |newline| last + newline);
    let line = file.location(start as u32).line as usize;
    let shown = &text[start..end];
    // A carriage return before a line end is part of it.
    let returns: Vec<usize> = shown.match_indices("\r\n").map(|(at, _)| at).collect();
    let without = |at: usize| at - returns.partition_point(|carriage| *carriage < at);
    let mut snippet = Snippet::source(match returns.is_empty() && !shown.ends_with('\r') {
        true => Cow::Borrowed(shown),
        false => Cow::Owned(shown.trim_end_matches('\r').replace("\r\n", "\n")),
    })
    .line_start(line)
    .path(file.name());
    let longest = end - start - returns.len() - usize::from(shown.ends_with('\r'));
    for (nth, label) in here().enumerate() {
        let primary = nth == 0 && label.span == at;
        let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let from = floor((label.span.start as usize).clamp(start, end)) - start;
        let to = floor((label.span.end as usize).clamp(start, end)) - start;
        let (from, to) = (without(from).min(longest), without(to).min(longest));
        let mut annotation = kind.span(from..to.max(from));
        if !label.text.is_empty() {
            annotation = annotation.label(label.text.as_str());
        }
        snippet = snippet.annotation(annotation);
    }
    snippet
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
