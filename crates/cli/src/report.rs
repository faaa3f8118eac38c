//! Telling the user how a command ended: diagnostics on standard error, results on standard output.

use crate::arguments::ReportFormat;
use crate::form::Form;
use crate::interrupt;
use crate::status::Status;
use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use warpwise::diag::junit::{self, Case, Suite};
use warpwise::diag::{Class, Diagnostic, Listing, Log, RuleInfo, Severity, Sources};
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

    /// Says what to do.
    pub(crate) fn help(mut self, help: &str) -> Stop {
        self.diagnostics.iter_mut().for_each(|it| it.help = Some(help.to_owned()));
        self
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
    let (mut explained, mut listing) = (HashSet::new(), Listing::default());
    for diagnostic in diagnostics.iter().filter(|it| it.suppressed.is_none()) {
        let mut diagnostic = Cow::Borrowed(diagnostic);
        // A rule is stated once.
        if diagnostic.reason.is_some_and(|reason| !explained.insert(reason)) {
            diagnostic.to_mut().reason = None;
        }
        // Not locked for all: somebody else may have to say that the command ends.
        remark(&listing.text(sources, &diagnostic, true));
    }
}

/// Says something to people, in one piece; without colours where they are not wanted.
pub(crate) fn remark(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = match AutoStream::choice(&stderr) {
        ColorChoice::Never => stderr.write_all(strip_str(text).to_string().as_bytes()),
        ColorChoice::Auto | ColorChoice::AlwaysAnsi | ColorChoice::Always => {
            AutoStream::always(stderr).write_all(text.as_bytes())
        }
    };
}

/// Diagnostics with the texts that they point into.
pub(crate) type Told = Vec<(Arc<Sources>, Vec<Diagnostic>)>;

/// The same for writers.
pub(crate) fn borrowed(told: &Told) -> Vec<(&Sources, &[Diagnostic])> {
    told.iter().map(|(sources, found)| (&**sources, found.as_slice())).collect()
}

/// What came of a command that can find something: from it its document is made, in any format.
pub(crate) struct Outcome<'a, T> {
    /// The form of its JSON document, and what that holds.
    pub(crate) form: &'a Form<T>,
    pub(crate) body: &'a T,
    pub(crate) status: Status,
    pub(crate) told: Vec<(&'a Sources, &'a [Diagnostic])>,
    /// The tests that JUnit shows.
    pub(crate) cases: Vec<Case>,
}

impl<T: Serialize + JsonSchema> Outcome<'_, T> {
    /// The document; `None` for text. SARIF lists every code that was looked for: `rules` are those of modules.
    pub(crate) fn document(self, format: ReportFormat, rules: Looked) -> Option<String> {
        let Outcome { form, body, status, told, cases } = self;
        let log = Log { told, ..Log::default() };
        Some(match format {
            ReportFormat::Text => return None,
            ReportFormat::Json => form.write(status, &log, body),
            ReportFormat::Sarif => sarif(log, status, Some(form.properties(status, body)), rules),
            ReportFormat::Junit => junit(cases),
            ReportFormat::Github => log.github(),
        })
    }
}

/// What a command looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looked {
    /// Findings of a run; of the rules of modules, those that were broken.
    Findings,
    /// Every rule of modules.
    Rules,
}

/// A JUnit document of one suite.
pub(crate) fn junit(cases: Vec<Case>) -> String {
    junit::document(&[Suite { name: "warpwise".to_owned(), cases }])
}

/// A SARIF document about a run.
pub(crate) fn sarif(
    log: Log<'_>,
    status: Status,
    properties: Option<serde_json::Value>,
    looked: Looked,
) -> String {
    let names: Vec<String> = Code::ALL.iter().map(|code| hyphenated(code.title())).collect();
    let findings = Code::ALL.iter().zip(&names).map(|(code, name)| RuleInfo {
        code: code.word(),
        name,
        summary: code.title(),
        details: code.help(),
        severity: Severity::Error,
    });
    let broken = |rule: &&&'static Rule| {
        log.told.iter().any(|(_, found)| found.iter().any(|it| it.code == rule.code))
    };
    let rules: Vec<RuleInfo<'_>> = match looked {
        Looked::Findings => {
            findings.chain(RULES.iter().filter(broken).map(|rule| info(rule))).collect()
        }
        Looked::Rules => RULES.iter().map(|rule| info(rule)).collect(),
    };
    let ended = Some((status.is_answer(), status.number()));
    let log = Log { told: log.told.clone(), rules: &rules, ended, properties };
    format!("{}\n", log.sarif())
}

/// A rule of modules as documents describe it.
fn info(rule: &'static Rule) -> RuleInfo<'static> {
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
    interrupt::prints();
    match write(text) {
        // A reader that has gone away wants no more; that is no failure of the command.
        Err(why) if why.kind() != std::io::ErrorKind::BrokenPipe => {
            let stop = Stop::rejected(format!("cannot write to standard output: {why}"));
            tell(&stop.sources, &stop.diagnostics);
            stop.status
        }
        Ok(()) | Err(_) => status,
    }
}

/// Writes to standard output.
pub(crate) fn write(text: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
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

/// What a command that finds nothing has to say.
pub(crate) struct Answer<T> {
    /// How it ended.
    pub(crate) status: Status,
    /// What people read.
    pub(crate) text: String,
    /// What the JSON document holds.
    pub(crate) body: T,
    /// Remarks.
    pub(crate) told: Told,
}

/// Prints the answer of a command as text or as its JSON document, or says why there is none.
pub(crate) fn answer<T: Serialize + JsonSchema + Default>(
    form: &Form<T>,
    format: ReportFormat,
    result: Result<Answer<T>, Stop>,
) -> Status {
    interrupt::done();
    let Answer { status, text, body, told } = result.unwrap_or_else(|stop| Answer {
        status: stop.status,
        text: String::new(),
        body: T::default(),
        told: vec![(stop.sources, stop.diagnostics)],
    });
    for (sources, found) in &told {
        tell(sources, found);
    }
    let status = status.unless_interrupted();
    let outcome = Outcome { form, body: &body, status, told: borrowed(&told), cases: Vec::new() };
    print(&outcome.document(format, Looked::Findings).unwrap_or(text), status)
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
