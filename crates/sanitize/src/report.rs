//! Findings as diagnostics.

use crate::finding::Finding;
use diag::{Class, Diagnostic, Severity, Span};
use ir::Place;
use lanes::LaneMask;
use vm::{Waiting, WaitingFor};

/// Where the instructions of a kernel stand in its texts.
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
}

/// At most this many waiting groups are listed.
const MAX_GROUPS: usize = 64;

/// A finding as a diagnostic: code and sentence, source lines, the picture of the warp, facts, how often, and under
/// which schedule.
pub fn diagnostic(finding: &Finding, places: &impl Places, schedule: &str) -> Diagnostic {
    let severity = if finding.is_harmless { Severity::Warning } else { Severity::Error };
    let mut found =
        Diagnostic::new(severity, Class::Undefined, &finding.message).code(finding.code.word());
    let all = || {
        let first = (finding.place, finding.label.as_str());
        let related = finding.related.iter().map(|related| (related.place, related.text.as_str()));
        std::iter::once(first).chain(related)
    };
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
    if let Some(strip) = &finding.strip {
        found = found.picture(strip.picture());
    }
    if !finding.waiting.is_empty() {
        found = found.note(table(finding, places));
    }
    for fact in &finding.facts {
        found = found.note(fact);
    }
    let often = match finding.count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    };
    found
        .note(format!("first in {}; {often} in all; schedule {schedule}", finding.thread))
        .help(finding.help)
}

/// Who waits where for whom.
fn table(finding: &Finding, places: &impl Places) -> String {
    let mut out = "who waits where for whom:".to_owned();
    let several = finding.waiting.iter().any(|group| group.cta != finding.thread.cta);
    for group in finding.waiting.iter().take(MAX_GROUPS) {
        let mut lanes = format!("warp {} lanes {}", group.warp, group.lanes.ranges());
        if several {
            let [x, y, z] = group.cta;
            lanes.insert_str(0, &format!("CTA ({x},{y},{z}) "));
        }
        let what = match group.waiting_for {
            WaitingFor::Lanes(mask) => {
                // Nobody waits for those who have exited, unless nobody else is missing.
                let missing = mask - group.lanes;
                let of_warp = |other: &&Waiting| (other.cta, other.warp) == (group.cta, group.warp);
                let alive = finding.waiting.iter().filter(of_warp);
                let alive = alive.fold(LaneMask::EMPTY, |all, other| all | other.lanes);
                let waited_for = if missing.intersects(alive) { missing & alive } else { missing };
                match waited_for.is_empty() {
                    true => "a lane that cannot arrive".to_owned(),
                    false => format!("lanes {}", waited_for.ranges()),
                }
            }
            WaitingFor::Barrier { id, arrived, expected } => {
                format!("barrier {id}: {arrived} of {expected} threads are there")
            }
            WaitingFor::Change => "goes round a loop in which nothing changes".to_owned(),
        };
        out.push_str(&format!("\n  {lanes:<24} {:<20} {what}", places.short(group.place)));
    }
    if finding.waiting.len() > MAX_GROUPS {
        out.push_str(&format!("\n  and {} more", finding.waiting.len() - MAX_GROUPS));
    }
    out
}
