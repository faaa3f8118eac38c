//! Telling the user how a command ended: diagnostics on standard error, results on standard output.

use crate::status::Status;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use warpwise::diag::{Class, Diagnostic, Severity, Sources, render};
use warpwise::{Error, Printed, Stage, Stats};

/// Why a command ended early.
pub(crate) struct Stop {
    pub(crate) status: Status,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) sources: Arc<Sources>,
    pub(crate) stats: Option<Stats>,
    /// What the kernel had printed.
    pub(crate) printed: Box<Printed>,
}

impl Stop {
    pub(crate) fn new(status: Status, class: Class, message: impl Into<String>) -> Stop {
        let diagnostic = Diagnostic::new(Severity::Error, class, message);
        Stop {
            status,
            diagnostics: vec![diagnostic],
            sources: Arc::default(),
            stats: None,
            printed: Box::default(),
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Stop {
        Stop::new(Status::Usage, Class::BadInput, message)
    }

    pub(crate) fn rejected(message: impl Into<String>) -> Stop {
        Stop::new(Status::Rejected, Class::BadInput, message)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        let failure = error.failure();
        Stop {
            status: match failure.stage {
                Stage::Module => Status::Rejected,
                Stage::Launch => Status::Usage,
                Stage::Run => Status::Faulted,
            },
            diagnostics: failure.diagnostics.clone(),
            sources: Arc::clone(&failure.sources),
            stats: failure.stats,
            printed: Box::new(failure.printed.clone()),
        }
    }
}

/// Shows diagnostics to people.
pub(crate) fn tell(sources: &Sources, diagnostics: &[Diagnostic]) {
    let mut stderr = anstream::stderr().lock();
    let mut explained = HashSet::new();
    for diagnostic in diagnostics {
        let mut diagnostic = Cow::Borrowed(diagnostic);
        // A rule is stated once.
        if diagnostic.reason.is_some_and(|reason| !explained.insert(reason)) {
            diagnostic.to_mut().reason = None;
        }
        let _ = write!(stderr, "{}", render::text(sources, &diagnostic, true));
    }
}

/// Diagnostics as values of a JSON document.
pub(crate) fn json(sources: &Sources, diagnostics: &[Diagnostic]) -> Vec<serde_json::Value> {
    match render::json(sources, diagnostics) {
        serde_json::Value::Array(values) => values,
        _ => Vec::new(),
    }
}

/// Writes a command's result to standard output; returns the status that the command ends with.
pub(crate) fn print(text: &str, status: Status) -> Status {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // A reader that has gone away wants no more; that is no failure of the command.
        Err(why) if why.kind() != std::io::ErrorKind::BrokenPipe => {
            let stop = Stop::rejected(format!("cannot write to standard output: {why}"));
            tell(&stop.sources, &stop.diagnostics);
            stop.status
        }
        Ok(()) | Err(_) => status,
    }
}

/// Prints the text of a command that gives nothing but text, or says why there is none.
pub(crate) fn finish(result: Result<String, Stop>) -> Status {
    match result {
        Ok(text) => print(&text, Status::Fine),
        Err(stop) => {
            tell(&stop.sources, &stop.diagnostics);
            stop.status
        }
    }
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, Stop> {
    String::from_utf8(read_bytes(path)?).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        let line = 1 + why.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        let path = path.display();
        Stop::rejected(format!(
            "cannot read {path}: it is not text: byte {at}, on line {line}, is not UTF-8"
        ))
    })
}

/// The bytes of a file of a reasonable size.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Stop> {
    /// Every offset fits a span.
    const MOST: u64 = 1 << 30;
    let fail = |why: &dyn std::fmt::Display| {
        Stop::rejected(format!("cannot read {}: {why}", path.display()))
    };
    let size = std::fs::metadata(path).map_err(|why| fail(&why))?.len();
    if size > MOST {
        let message = format!("cannot read {}: it has more than {MOST} bytes", path.display());
        return Err(Stop::new(Status::Rejected, Class::Limit, message));
    }
    std::fs::read(path).map_err(|why| fail(&why))
}
