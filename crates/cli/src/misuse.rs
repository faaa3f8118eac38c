//! Arguments that make no sense, and requests for help.

use crate::arguments::ReportFormat;
use crate::report;
use crate::status::Status;
use clap::ValueEnum;
use serde_json::json;
use warpwise::diag::{Class, Diagnostic, Severity, Sources};

/// Shows what clap says: help on standard output, errors on standard error. Who asked for a document gets one.
pub(crate) fn explain(why: &clap::Error) -> Status {
    // A stream that nobody reads is no failure of the command.
    let _ = why.print();
    if !why.use_stderr() {
        return Status::Fine;
    }
    let status = Status::Usage;
    let Some(format) = asked(std::env::args().skip(1)) else { return status };
    let text = why.render().to_string();
    let text = text.trim_start_matches("error: ").trim_end();
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut error = Diagnostic::new(Severity::Error, Class::BadInput, message.trim_end());
    if !rest.is_empty() {
        error = error.note(rest);
    }
    let (sources, found) = (Sources::default(), [error]);
    let document = match format {
        ReportFormat::Text => return status,
        ReportFormat::Json => {
            let diagnostics = report::json(&sources, &found);
            Ok(json!({ "status": status.word(), "diagnostics": diagnostics }).to_string())
        }
        ReportFormat::Sarif => report::sarif(vec![(&sources, &found)], status, None),
    };
    report::print(&document.map_or(String::new(), |text| text + "\n"), status)
}

/// The document that the arguments ask for, if a command does that gives one.
fn asked(mut arguments: impl Iterator<Item = String>) -> Option<ReportFormat> {
    let command = arguments.next()?;
    if !matches!(command.as_str(), "run" | "check" | "lint") {
        return None;
    }
    let mut asked = None;
    while let Some(argument) = arguments.next() {
        let format = match argument.as_str() {
            "--json" => Some("json".to_owned()),
            "--format" => arguments.next(),
            other => other.strip_prefix("--format=").map(str::to_owned),
        };
        asked = format.and_then(|word| ReportFormat::from_str(&word, false).ok()).or(asked);
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_for_those_who_ask() {
        let asked = |words: &str| asked(words.split(' ').map(str::to_owned));
        assert_eq!(asked("check k.ptx --format sarif"), Some(ReportFormat::Sarif));
        assert_eq!(asked("run --format=json"), Some(ReportFormat::Json));
        assert_eq!(asked("run --json"), Some(ReportFormat::Json));
        assert_eq!(asked("explain --format svg"), None);
        assert_eq!(asked("run --format"), None);
    }
}
