//! Telling the user how a command ended: diagnostics on standard error, results on standard output.

use crate::status::Status;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use warpwise::diag::{Class, Diagnostic, Log, RuleInfo, Severity, Sources, render};
use warpwise::rules::{RULES, Rule};
use warpwise::{Code, Error, Printed, Stage, Stats};

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
                _ => Status::Faulted,
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

/// A SARIF document about a run, with every code that was looked for.
pub(crate) fn sarif(
    told: Vec<(&Sources, &[Diagnostic])>,
    status: Status,
    properties: Option<serde_json::Value>,
) -> serde_json::Result<String> {
    let names: Vec<String> = Code::ALL.iter().map(|code| hyphenated(code.title())).collect();
    let findings = Code::ALL.iter().zip(&names).map(|(code, name)| RuleInfo {
        code: code.word(),
        name,
        summary: code.title(),
        details: code.help(),
        severity: Severity::Error,
    });
    // Of the rules of modules, those that were broken.
    let broken =
        |rule: &&&Rule| told.iter().any(|(_, found)| found.iter().any(|it| it.code == rule.code));
    let rules: Vec<RuleInfo<'_>> =
        findings.chain(RULES.iter().filter(broken).map(|rule| info(rule))).collect();
    let ended = Some((matches!(status, Status::Fine | Status::Findings), status.number()));
    serde_json::to_string(&Log { told, rules: &rules, ended, properties }.sarif())
}

/// A rule of modules as documents describe it.
pub(crate) fn info(rule: &'static Rule) -> RuleInfo<'static> {
    RuleInfo {
        code: rule.code,
        name: rule.name,
        summary: rule.summary,
        details: rule.section,
        severity: rule.severity,
    }
}

/// Words and hyphens.
fn hyphenated(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-").to_lowercase()
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
    warpwise::read_file(path).map_err(|why| {
        let class = match why.kind() {
            std::io::ErrorKind::FileTooLarge => Class::Limit,
            _ => Class::BadInput,
        };
        let message = format!("cannot read {}: {why}", path.display());
        Stop::new(Status::Rejected, class, message)
    })
}
