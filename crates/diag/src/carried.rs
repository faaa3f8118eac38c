//! Diagnostics on their way from one process to another.

use crate::{Diagnostic, Sources};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a process has to say of one subject, as a line of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// What it is about, such as a kernel.
    pub subject: String,
    /// Whether something is wrong.
    pub failed: bool,
    /// Names and texts of files; those that nothing points into are empty.
    files: Vec<(String, String)>,
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

impl Carried {
    /// What is to be carried.
    pub fn new(subject: &str, failed: bool, sources: &Sources, diagnostics: &[Diagnostic]) -> Self {
        let labels = diagnostics.iter().flat_map(|told| &told.labels).map(|label| label.span.file);
        let fixes = diagnostics.iter().filter_map(|told| Some(told.fix.as_ref()?.span.file));
        let used: BTreeSet<_> = labels.chain(fixes).collect();
        let files = sources.files().map(|(id, file)| {
            let text = if used.contains(&id) { file.text() } else { "" };
            (file.name().to_owned(), text.to_owned())
        });
        let (subject, diagnostics) = (subject.to_owned(), diagnostics.to_vec());
        Carried { subject, failed, files: files.collect(), diagnostics }
    }

    /// The line, with its end.
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// What the lines of a text carry; those that are cut off are left out.
    pub fn lines(text: &str) -> Vec<Carried> {
        let carried = text.lines().filter_map(|line| serde_json::from_str::<Carried>(line).ok());
        carried.filter(Carried::is_whole).collect()
    }

    /// The texts that the diagnostics point into.
    pub fn sources(&self) -> Sources {
        let mut sources = Sources::new();
        for (name, text) in &self.files {
            sources.add(name.as_str(), text.as_str());
        }
        sources
    }

    /// Whether everything points into a file that is there.
    fn is_whole(&self) -> bool {
        let sources = self.sources();
        let known: BTreeSet<_> = sources.files().map(|(id, _)| id).collect();
        let labels = self.diagnostics.iter().flat_map(|told| &told.labels).map(|label| label.span);
        let fixes = self.diagnostics.iter().filter_map(|told| Some(told.fix.as_ref()?.span));
        labels.chain(fixes).all(|span| {
            let text = |id| sources.file(id).text();
            known.contains(&span.file)
                && text(span.file).get(span.start as usize..span.end as usize).is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Picture, Reason, Span, Tint};

    #[test]
    fn what_is_carried_arrives() {
        let mut sources = Sources::new();
        sources.add("unused", "much");
        let file = sources.add("k.ptx", "one two");
        let mut told = Diagnostic::error(Span::new(file, 4, 7), "it is wrong").code("W001");
        told.reason = Some(Reason { rule: "r", manual: "m", section: "s" });
        told.picture = Some(Picture::default().line().piece("x", Some(Tint::Bad)));
        let carried = Carried::new("k", true, &sources, &[told]);
        let line = carried.line();
        let again = Carried::lines(&format!("{line}{}", &line[..line.len() / 2]));
        assert_eq!(again, std::slice::from_ref(&carried));
        let sources = again[0].sources();
        let span = again[0].diagnostics[0].span().expect("it has a place");
        assert_eq!((sources.slice(span), sources.file(span.file).name()), ("two", "k.ptx"));
        assert!(!line.contains("much"));
    }

    #[test]
    fn places_outside_of_the_text_are_refused() {
        let mut sources = Sources::new();
        let file = sources.add("k.ptx", "one");
        let told = Diagnostic::error(Span::new(file, 0, 9), "it is wrong");
        let line = Carried::new("k", true, &sources, &[told]).line();
        assert!(Carried::lines(&line).is_empty());
    }
}
