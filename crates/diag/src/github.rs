//! Diagnostics as workflow commands of GitHub Actions, which mark the lines of a pull request.

use crate::{Diagnostic, Log, Severity, Sources};
use std::fmt::Write as _;

impl Log<'_> {
    /// One workflow command a diagnostic, each on its line. The first place of a diagnostic is where it is shown.
    pub fn github(&self) -> String {
        let told = self.diagnostics().filter(|(_, found)| found.suppressed.is_none());
        told.map(|(sources, found)| command(sources, found)).collect()
    }
}

fn command(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let mut out = match diagnostic.severity {
        Severity::Error => "::error ",
        Severity::Warning => "::warning ",
        Severity::Note => "::notice ",
    }
    .to_owned();
    if let Some(span) = diagnostic.span() {
        let file = sources.file(span.file);
        let (start, end) = (file.location(span.start), file.location(span.end));
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "file={},line={},endLine={},col={},",
            property(file.name()),
            start.line,
            end.line,
            start.column
        );
        // Columns mark a part of one line; the last one is included.
        if start.line == end.line {
            let _ = write!(out, "endColumn={},", end.column.saturating_sub(1).max(start.column));
        }
    }
    let mut title = "warpwise".to_owned();
    if !diagnostic.code.is_empty() {
        title = format!("{title} {}", diagnostic.code);
    }
    let _ = writeln!(out, "title={}::{}", property(&title), data(&diagnostic.full_text()));
    out
}

/// Text behind `::`, as the runner of GitHub Actions reads it (actions/toolkit, `escapeData`).
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property (actions/toolkit, `escapeProperty`).
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Class, Span};

    #[test]
    fn commands_name_the_place_and_escape_what_would_end_them() {
        let mut sources = Sources::new();
        let file = sources.add("a,b: c%.ptx", "one\ntwo three\n");
        let found = [
            Diagnostic::error(Span::new(file, 8, 13), "100%: wrong,\nand so on")
                .code("W001")
                .help("mend it"),
            Diagnostic::warning(Span::new(file, 0, 5), "two lines"),
            Diagnostic::new(Severity::Note, Class::Limit, "nowhere"),
        ];
        let log = Log { told: vec![(&sources, &found)], ..Log::default() };
        let expected = "\
::error file=a%2Cb%3A c%25.ptx,line=2,endLine=2,col=5,endColumn=9,title=warpwise W001::100%25: wrong,%0Aand so on%0AHelp: mend it
::warning file=a%2Cb%3A c%25.ptx,line=1,endLine=2,col=1,title=warpwise::two lines
::notice title=warpwise::nowhere
";
        assert_eq!(log.github(), expected);
    }
}
