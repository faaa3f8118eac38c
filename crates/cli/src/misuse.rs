//! Arguments that make no sense, requests for help, and the documents of commands that end before they know anything.

use crate::arguments::ReportFormat;
use crate::forms::{self, Listed};
use crate::report::{self, Looked, Stop};
use crate::status::Status;
use clap::ValueEnum;
use warpwise::diag::junit::Case;
use warpwise::diag::{Diagnostic, Log, Sources};

/// Shows what clap says: help on standard output, errors on standard error. Who asked for a document gets one.
pub(crate) fn explain(why: &clap::Error) -> Status {
    // A stream that nobody reads is no failure of the command.
    let _ = why.print();
    if !why.use_stderr() {
        return Status::Fine;
    }
    let text = why.render().to_string();
    let text = text.trim_start_matches("error: ").trim_end();
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut stop = Stop::usage(message.trim_end());
    if !rest.is_empty() {
        stop.diagnostics = stop.diagnostics.into_iter().map(|error| error.note(rest)).collect();
    }
    match document(&stop) {
        Some(document) => report::print(&document, stop.status),
        None => stop.status,
    }
}

/// The document about a command that was stopped before anything was known, if the arguments ask for one.
pub(crate) fn document(stop: &Stop) -> Option<String> {
    let (form, format) = asked(std::env::args().skip(1))?;
    let Stop { status, sources, diagnostics, .. } = stop;
    let told: Vec<(&Sources, &[Diagnostic])> = vec![(sources, diagnostics)];
    let case = || Case::new("warpwise", form.name, status.verdict(), &told);
    let log = Log { told: told.clone(), ..Log::default() };
    Some(match format {
        ReportFormat::Text => return None,
        ReportFormat::Json => form.refused.map_or(String::new(), |refused| refused(*status, &log)),
        ReportFormat::Sarif => report::sarif(log, *status, None, Looked::Findings),
        ReportFormat::Junit => report::junit(vec![case()]),
        ReportFormat::Github => log.github(),
    })
}

/// The document that the arguments ask for, if a command does that gives one.
fn asked(arguments: impl Iterator<Item = String>) -> Option<(&'static Listed, ReportFormat)> {
    let mut arguments = arguments.peekable();
    let mut name = arguments.next()?;
    if name == "isa" {
        name = format!("{name}-{}", arguments.next()?);
    }
    let form = forms::named(&name).filter(|form| form.refused.is_some())?;
    let gives = |format: &ReportFormat| match form.name {
        "run" | "check" | "lint" => true,
        "test" => matches!(format, ReportFormat::Json | ReportFormat::Junit),
        _ => *format == ReportFormat::Json,
    };
    let mut asked = None;
    while let Some(argument) = arguments.next() {
        let word = match argument.as_str() {
            "--json" => Some("json".to_owned()),
            "--format" => arguments.next(),
            other => other.strip_prefix("--format=").map(str::to_owned),
        };
        let format = word.and_then(|word| ReportFormat::from_str(&word, false).ok());
        asked = format.filter(gives).or(asked);
    }
    Some((form, asked?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_for_those_who_ask() {
        let asked = |words: &str| {
            let (form, format) = asked(words.split(' ').map(str::to_owned))?;
            Some((form.name, format))
        };
        assert_eq!(asked("check k.ptx --format sarif"), Some(("check", ReportFormat::Sarif)));
        assert_eq!(asked("run --format=junit"), Some(("run", ReportFormat::Junit)));
        assert_eq!(asked("run --json"), Some(("run", ReportFormat::Json)));
        assert_eq!(asked("isa check --json"), Some(("isa-check", ReportFormat::Json)));
        assert_eq!(asked("asm --format json"), Some(("asm", ReportFormat::Json)));
        assert_eq!(asked("asm --format sarif"), None);
        assert_eq!(asked("explain --format svg"), None);
        assert_eq!(asked("run --format"), None);
    }
}
