//! `warpwise check`.

use crate::accept::{Acceptance, Suppressed};
use crate::arguments::{CheckArguments, Explore, ReportFormat};
use crate::covered::JsonCovered;
use crate::form::Form;
use crate::interrupt;
use crate::prepared::Prepared;
use crate::report::{self, Stop};
use crate::run::{self, Said};
use crate::scouts::{self, Processes};
use crate::status::Status;
use std::mem::ManuallyDrop;
use warpwise::diag::{Class, Diagnostic, Severity};
use warpwise::{CheckOptions, Coverage, Exploration, ExploreEnd};

/// The form of its document.
pub(crate) const FORM: Form<crate::json::Document> = Form::new("check");

/// Runs the command and reports.
pub(crate) fn check(arguments: &CheckArguments) -> Status {
    if let Some(which) = arguments.scout {
        return scouts::scout(arguments, which).map_or_else(|stop| stop.status, |()| Status::Fine);
    }
    let mut said = Said::new(&arguments.run);
    let result = attempt(arguments, &mut said);
    run::finish(&FORM, &arguments.run, result, said)
}

fn attempt(arguments: &CheckArguments, said: &mut Said) -> Result<Status, Stop> {
    said.acceptance = Acceptance::new(&arguments.accepting, false)?;
    // The process ends behind it.
    let mut prepared = ManuallyDrop::new(run::prepare(&arguments.run, said)?);
    let args = prepared.args();
    let options = CheckOptions { pedantic: arguments.pedantic };
    let Prepared { kernel, device, .. } = &mut *prepared;
    let repeats = arguments.explore.and_then(|Explore(exploration)| match exploration {
        Exploration::Some { count, .. } => Some(count),
        Exploration::All { .. } => None,
    });
    let checked = run::configured(&arguments.run, repeats, |config| match arguments.explore {
        None => kernel.check(device, config, options, &args),
        Some(Explore(exploration)) => {
            let mut scouts = Processes::new(repeats.unwrap_or(0), arguments.run.threads);
            kernel.explore_with_scouts(device, config, options, exploration, &args, &mut scouts)
        }
    })?;
    if let Some(coverage) = checked.explored {
        said.document.explored = Some(coverage.into());
        said.text.push_str(&explored(coverage));
    }
    let complete = checked.explored.is_some_and(|coverage| coverage.end == ExploreEnd::Covered);
    let interrupted = interrupt::asked() && !complete;
    if interrupted {
        said.acceptance.write_nothing();
    }
    let is_text = arguments.run.reporting.format() == ReportFormat::Text;
    match is_text {
        true => said.tell(&checked.sources, checked.diagnostics.clone()),
        false => said.keep(&checked.sources, checked.diagnostics.clone()),
    }
    let is_finding = |it: &Diagnostic| {
        it.severity == Severity::Error && it.class == Class::Undefined && !it.code.is_empty()
    };
    let has_errors = said.diagnostics().any(is_finding);
    let accepted_stop = checked.stopped_by_finding() && !has_errors;
    let mut status = match (has_errors, &checked.fault) {
        _ if interrupted => Status::Interrupted,
        (true, _) => Status::Findings,
        (false, Some(_)) if !accepted_stop => Status::Faulted,
        (false, _) => Status::Fine,
    };
    let mut remarks = String::new();
    if status != Status::Interrupted {
        let kernel = prepared.kernel.name();
        let acceptance = std::mem::take(&mut said.acceptance);
        let is_whole = checked.fault.is_none();
        let suppressed = acceptance.finish(&[(&said.module, Some(kernel))], is_whole)?;
        remarks = suppressed.as_ref().map_or(String::new(), Suppressed::text);
        said.document.suppressed = suppressed;
    }
    // What a kernel wrote that did not finish is not kept.
    match checked.fault {
        None => {
            let delivered = run::deliver(&arguments.run, &mut prepared, &checked.report, said)?;
            status = if status == Status::Fine { delivered } else { status };
        }
        Some(_) => said.printed(&checked.report.printed),
    }
    if accepted_stop {
        remarks += "what is suppressed stopped the kernel: nothing behind it was looked at, and no result is kept\n";
    } else if status == Status::Fine {
        let covered = JsonCovered::new(arguments, &prepared.module.target(), &checked);
        remarks += &covered.text(&prepared.kernel.plain_name(), &checked);
        said.document.covered = Some(covered);
    }
    if is_text {
        report::remark(&remarks);
    }
    Ok(status)
}

/// What an exploration covered, as a line.
fn explored(Coverage { schedules, end }: Coverage) -> String {
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
        ExploreEnd::Heap => {
            "; others let threads allocate and free memory in another order".to_owned()
        }
        ExploreEnd::Runs { runs } => format!("; there are others: stopped after {runs} runs"),
        ExploreEnd::Long { steps } => {
            format!("; there are others: stopped at one of more than {steps} steps")
        }
        ExploreEnd::Interrupted => "; there are others: interrupted".to_owned(),
        _ => "; there are others".to_owned(),
    };
    format!("explored: {schedules} schedule{plural}{rest}\n")
}
