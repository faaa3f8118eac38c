//! Findings as diagnostics.

use crate::detail::At;
use crate::finding::Finding;
use diag::{Class, Diagnostic, Severity, Span};
use ir::Place;
use vm::Schedule;

/// Where the instructions of a kernel stand in its texts, and what lies at the addresses of a launch.
pub trait Places {
    /// The PTX instruction.
    fn ptx(&self, place: Place) -> Option<Span>;

    /// The line that the user wrote, if its file was found.
    fn source(&self, place: Place) -> Option<Span>;

    /// The lines of the same file from which that line's function was called, if it was inlined; the nearest first.
    fn callers(&self, place: Place) -> Vec<Span>;

    /// The same as words: file, line and column, and through which functions it was inlined.
    fn source_name(&self, place: Place) -> Option<String>;

    /// A place in a few words, such as `k.ptx:12`.
    fn short(&self, place: Place) -> String;

    /// What an access touches, in words that are the same in every run: an argument or a variable and the element, or the
    /// address.
    fn address(&self, at: At) -> String;

    /// The element of global memory that begins at an address, in words.
    fn element(&self, at: At) -> String;
}

impl Finding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        if self.is_harmless() { Severity::Warning } else { Severity::Error }
    }
}

/// A finding as a diagnostic: code and sentence, source lines, the picture of the warp, facts, how often, and under
/// which schedule.
pub fn diagnostic(finding: &Finding, places: &dyn Places, schedule: &Schedule) -> Diagnostic {
    let words = finding.words(places);
    let mut found = Diagnostic::new(finding.severity(), Class::Undefined, &words.message)
        .code(finding.code().word());
    let texts = std::iter::once(&words.label).chain(&words.related);
    let all: Vec<(Place, &str)> = finding.places().zip(texts.map(String::as_str)).collect();
    let all = || all.iter().copied();
    // The line that the user wrote comes first; the PTX follows.
    for (place, text) in all() {
        if let Some(span) = places.source(place) {
            found = found.label(span, text);
        }
    }
    let mut called = Vec::new();
    for (place, _) in all() {
        let fresh = places.callers(place).into_iter().filter(|span| !called.contains(span));
        called.extend(fresh.collect::<Vec<_>>());
    }
    found = called.into_iter().fold(found, |found, span| found.label(span, "called from here"));
    for (place, text) in all() {
        if let Some(span) = places.ptx(place) {
            found = found.label(span, text);
        }
    }
    for (nth, (place, text)) in all().enumerate() {
        if let Some(name) = places.source_name(place) {
            found = found.note(match nth {
                0 => format!("source: {name}"),
                _ => format!("{text}: {name}"),
            });
        }
    }
    if let Some(strip) = &words.strip {
        found = found.picture(strip.picture());
    }
    for fact in &words.facts {
        found = found.note(fact);
    }
    let often = match finding.count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    };
    found
        .note(format!("first in {}; {often} in all; schedule {schedule}", finding.thread))
        .help(words.help)
}
