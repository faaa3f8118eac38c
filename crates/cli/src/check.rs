//! `warpwise check`.

use crate::arguments::{CheckArguments, Explore, ReportFormat};
use crate::forms;
use crate::report::Stop;
use crate::run::{self, Prepared, Said};
use crate::status::Status;
use warpwise::{CheckOptions, Coverage, ExploreEnd};

/// Runs the command and reports.
pub(crate) fn check(arguments: &CheckArguments) -> Status {
    let mut said = Said::new(arguments.run.reporting.format());
    let result = attempt(arguments, &mut said);
    run::finish(&forms::CHECK, &arguments.run, result, said)
}

fn attempt(arguments: &CheckArguments, said: &mut Said) -> Result<Status, Stop> {
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
    let has_errors = checked.has_errors();
    match arguments.run.reporting.format() {
        ReportFormat::Text => said.tell(&checked.sources, checked.diagnostics),
        ReportFormat::Json | ReportFormat::Sarif | ReportFormat::Junit | ReportFormat::Github => {
            said.keep(&checked.sources, checked.diagnostics)
        }
    }
    let complete = checked.explored.is_some_and(|coverage| coverage.end == ExploreEnd::Covered);
    let mut status = match (has_errors, &checked.fault) {
        _ if run::interrupted() && !complete => Status::Interrupted,
        (true, _) => Status::Findings,
        (false, Some(_)) => Status::Faulted,
        (false, None) => Status::Fine,
    };
    // What a kernel wrote that did not finish is not kept.
    match checked.fault {
        None => {
            let delivered = run::deliver(&arguments.run, &mut prepared, &checked.report, said)?;
            status = if status == Status::Fine { delivered } else { status };
        }
        Some(_) => said.printed(&checked.report.printed),
    }
    Ok(status)
}

/// What an exploration covered, as a line.
fn covered(Coverage { schedules, end }: Coverage) -> String {
    let plural = if schedules == 1 { "" } else { "s" };
    let rest = match end {
        ExploreEnd::Covered => ", and no other can do anything else".to_owned(),
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
        _ => "; there are others".to_owned(),
    };
    format!("explored: {schedules} schedule{plural}{rest}\n")
}
