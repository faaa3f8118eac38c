//! `warpwise check`.

use crate::arguments::{CheckArguments, Explore, ReportFormat};
use crate::report::{self, Stop};
use crate::run::{self, Prepared, Said};
use crate::status::Status;
use warpwise::diag::{RuleInfo, Severity, sarif};
use warpwise::{CheckOptions, Checked, Code, Coverage, ExploreEnd};

/// Runs the command and reports.
pub(crate) fn check(arguments: &CheckArguments) -> Status {
    let mut said = Said::default();
    let json = arguments.run.json || arguments.format == ReportFormat::Json;
    let (checked, status) = match attempt(arguments, &mut said) {
        Ok((checked, status)) => (Some(checked), Ok(status)),
        Err(stop) => (None, Err(stop)),
    };
    match (checked, status, arguments.format) {
        // The report is the whole output.
        (Some(checked), Ok(status), ReportFormat::Sarif) => {
            report::print(&format!("{}\n", document(&checked)), status)
        }
        (_, status, _) => run::finish(&arguments.run, json, status, said),
    }
}

fn attempt(arguments: &CheckArguments, said: &mut Said) -> Result<(Checked, Status), Stop> {
    let mut prepared = run::prepare(&arguments.run, said)?;
    let args = prepared.args();
    let options = CheckOptions { pedantic: arguments.pedantic };
    let Prepared { kernel, device, .. } = &mut prepared;
    let checked = run::configured(&arguments.run, |config| match arguments.explore {
        None => kernel.check(device, config, options, &args),
        Some(Explore(exploration)) => kernel.explore(device, config, options, exploration, &args),
    })?;
    if let Some(coverage) = checked.explored {
        said.document.explored = Some(coverage.into());
        said.text.push_str(&covered(coverage));
    }
    match arguments.format {
        ReportFormat::Text => run::tell(&checked.sources, &checked.diagnostics, said),
        ReportFormat::Json | ReportFormat::Sarif => {
            said.document.diagnostics.extend(report::json(&checked.sources, &checked.diagnostics));
        }
    }
    let complete = checked.explored.is_some_and(|coverage| coverage.end == ExploreEnd::Covered);
    let status = match (checked.findings.is_empty(), &checked.fault) {
        _ if run::interrupted() && !complete => Status::Interrupted,
        (false, _) => Status::Findings,
        (true, Some(_)) => Status::Faulted,
        (true, None) => Status::Fine,
    };
    // What a kernel wrote that did not finish is not kept.
    match checked.fault {
        None => run::deliver(&arguments.run, &prepared, &checked.report, said)?,
        Some(_) => said.printed(&checked.report.printed),
    }
    Ok((checked, status))
}

/// What an exploration covered, as a line.
fn covered(Coverage { schedules, end }: Coverage) -> String {
    let plural = if schedules == 1 { "" } else { "s" };
    let rest = match end {
        ExploreEnd::Covered => ", and no other can do anything else".to_owned(),
        ExploreEnd::Count => "; there are others".to_owned(),
        ExploreEnd::Began => "; others begin with CTAs for which there is no room".to_owned(),
        ExploreEnd::Divided => {
            "; others let lanes take more turns at activemask or an access".to_owned()
        }
        ExploreEnd::Races => {
            "; others let lanes take turns at weak accesses that race (R001, R002)".to_owned()
        }
        ExploreEnd::Barrier => {
            "; others let threads come to a barrier with a thread count in another order".to_owned()
        }
        ExploreEnd::Clocks => "; others may show other times to the kernel".to_owned(),
        ExploreEnd::Runs { runs } => format!("; there are others: stopped after {runs} runs"),
        ExploreEnd::Long { steps } => {
            format!("; there are others: stopped at one of more than {steps} steps")
        }
        ExploreEnd::Interrupted => "; there are others: interrupted".to_owned(),
    };
    format!("explored: {schedules} schedule{plural}{rest}\n")
}

/// The findings as SARIF, with every code that was looked for.
fn document(checked: &Checked) -> serde_json::Value {
    let names: Vec<String> = Code::ALL.iter().map(|code| hyphenated(code.title())).collect();
    let rules: Vec<RuleInfo<'_>> = Code::ALL
        .iter()
        .zip(&names)
        .map(|(code, name)| RuleInfo {
            code: code.word(),
            name,
            summary: code.title(),
            details: code.help(),
            severity: Severity::Error,
        })
        .collect();
    sarif(&checked.sources, &checked.diagnostics, &rules)
}

/// Words and hyphens.
fn hyphenated(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-").to_lowercase()
}
