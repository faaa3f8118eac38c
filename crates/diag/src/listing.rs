//! Diagnostics one after the other, as text for people.

use crate::{Class, Diagnostic, Severity, Sources, Span, render};
use std::collections::HashMap;

/// Findings of a kind that are shown in full.
const FULL: u32 = 3;

/// Shows the diagnostics of a report in its order: of findings with one code in one kernel the first three in full, and the others in a
/// line each. One mistake, such as a barrier that is missing, often shows at many pairs of instructions.
#[derive(Debug, Default)]
pub struct Listing {
    told: HashMap<Kind, u32>,
}

/// What findings have in common that are likely one mistake: how bad they are, the code, and the kernel.
type Kind = (Severity, String, String);

impl Listing {
    /// All of a report.
    pub fn all(sources: &Sources, diagnostics: &[Diagnostic], colour: bool) -> String {
        let mut listing = Listing::default();
        diagnostics.iter().map(|it| listing.text(sources, it, colour)).collect()
    }

    /// The next one, which ends in a line end. `colour` adds ANSI escapes to what is shown in full.
    pub fn text(&mut self, sources: &Sources, diagnostic: &Diagnostic, colour: bool) -> String {
        let Diagnostic { severity, class, code, message, functions, .. } = diagnostic;
        let (Class::Undefined, Some(span)) = (class, diagnostic.span()) else {
            return render::text(sources, diagnostic, colour);
        };
        let kernel = functions.last().map_or("", String::as_str);
        let told = self.told.entry((*severity, code.to_string(), kernel.to_owned())).or_default();
        *told += 1;
        if *told <= FULL {
            return render::text(sources, diagnostic, colour);
        }
        let mut text = match *told == FULL + 1 {
            true => format!("more of {code} in the same kernel, a line each:\n"),
            false => String::new(),
        };
        let line = |span: Span| (span.file, sources.location(span).line);
        let mut lines = vec![line(span)];
        let mut others = Vec::new();
        for label in diagnostic.labels.iter().filter(|label| label.span.file == span.file) {
            if !lines.contains(&line(label.span)) {
                lines.push(line(label.span));
                others.push(format!("line {}", line(label.span).1));
            }
        }
        text += &format!("{}: {}[{code}]: {message}", sources.place(span), severity.word());
        if !others.is_empty() {
            text += &format!(" (and {})", others.join(", "));
        }
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_kind_are_shown_in_full_and_the_others_in_a_line_each() {
        let mut sources = Sources::new();
        let file = sources.add("k.ptx", "one\ntwo\nthree\nfour\nfive\n");
        let at = |start: usize| Span::new(file, start, start + 3);
        let found = |start: usize, kernel: &str| Diagnostic {
            class: Class::Undefined,
            functions: vec!["inner".to_owned(), kernel.to_owned()],
            ..Diagnostic::error(at(start), format!("a race at {start}"))
                .code("R001")
                .label(at(0), "before")
                .note("a note")
        };
        let mut listing = Listing::default();
        let mut show = |found: &Diagnostic| listing.text(&sources, found, false);
        for start in [0, 4, 8] {
            let found = found(start, "k");
            assert_eq!(show(&found), render::text(&sources, &found, false));
        }
        let first = "more of R001 in the same kernel, a line each:\n";
        let line = |at: &str| format!("k.ptx:{at}: error[R001]: a race at ");
        assert_eq!(show(&found(14, "k")), format!("{first}{}14 (and line 1)\n", line("4:1")));
        assert_eq!(show(&found(0, "k")), format!("{}0\n", line("1:1")));
        // Other kernels, other severities and what is no finding are others.
        for other in [
            found(0, "other"),
            Diagnostic { severity: Severity::Warning, ..found(0, "k") },
            Diagnostic { class: Class::Limit, ..found(0, "k") },
            Diagnostic { labels: Vec::new(), ..found(0, "k") },
        ] {
            assert_eq!(show(&other), render::text(&sources, &other, false));
        }
    }
}
