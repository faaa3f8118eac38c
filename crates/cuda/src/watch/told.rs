//! Findings for people.

use super::known::known;
use crate::memory::CallPlace;
use crate::report;
use warpwise::Code;
use warpwise::diag::{Class, Diagnostic, Severity};

/// An error, or a warning, of a code.
pub(super) fn finding(code: Code, severity: Severity, message: String) -> Diagnostic {
    Diagnostic::new(severity, Class::Undefined, message).code(code.word()).help(code.help())
}

/// A note, if there is something to say.
pub(super) fn note(finding: Diagnostic, text: Option<String>) -> Diagnostic {
    match text {
        Some(text) => finding.note(text),
        None => finding,
    }
}

/// A note about a place, if it is known.
pub(super) fn at(what: &str, place: Option<&CallPlace>) -> Option<String> {
    place.and_then(CallPlace::told).map(|place| format!("{what} in {place}"))
}

/// Tells a finding once.
pub(super) fn tell(subject: &str, finding: Diagnostic) {
    let failed = finding.severity == Severity::Error;
    let text = format!("{subject} {} {:?}", finding.message, finding.notes);
    if let Some(known) = known()
        && known.with(|known| known.told.insert(text))
    {
        report::boundary(subject, failed, finding);
    }
}
