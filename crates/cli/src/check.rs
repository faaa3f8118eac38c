//! `warpwise check`.

use crate::arguments::{CheckArguments, ReportFormat};
use crate::report::{self, Stop};
use crate::run::{self, Prepared, Said};
use crate::status::Status;
use warpwise::CheckOptions;

/// Runs the command and reports.
pub(crate) fn check(arguments: &CheckArguments) -> Status {
    let mut said = Said::default();
    let result = attempt(arguments, &mut said);
    let json = arguments.run.json || arguments.format == ReportFormat::Json;
    run::finish(&arguments.run, json, result, said)
}

fn attempt(arguments: &CheckArguments, said: &mut Said) -> Result<Status, Stop> {
    let mut prepared = run::prepare(&arguments.run, said)?;
    let args = prepared.args();
    let options = CheckOptions { pedantic: arguments.pedantic };
    let Prepared { kernel, device, .. } = &mut prepared;
    let checked =
        run::configured(&arguments.run, |config| kernel.check(device, config, options, &args))?;
    match arguments.format {
        ReportFormat::Text => run::tell(&checked.sources, &checked.diagnostics, said),
        ReportFormat::Json => {
            said.document.diagnostics.extend(report::json(&checked.sources, &checked.diagnostics));
        }
    }
    let status = match (checked.findings.is_empty(), &checked.fault) {
        (false, _) => Status::Findings,
        (true, Some(_)) => Status::Faulted,
        (true, None) => Status::Fine,
    };
    // What a kernel wrote that did not finish is not kept.
    if checked.fault.is_none() {
        run::deliver(&arguments.run, &prepared, &checked.report, said)?;
    }
    Ok(status)
}
