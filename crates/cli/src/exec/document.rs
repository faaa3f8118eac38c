//! The document about a program: what all its processes have found.

use crate::arguments::{ExecArguments, ReportFormat};
use crate::form::Form;
use crate::output;
use crate::report::{Looked, Outcome, Stop, Told, borrowed, remark};
use crate::status::Status;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use warpwise::diag::junit::{Case, Verdict};
use warpwise::diag::{Carried, Diagnostic, Sources};

/// The form of the document.
pub(crate) const FORM: Form<Body> = Form::new("exec");

/// What the document of `exec` has.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Body {
    /// The program and its arguments.
    program: Vec<String>,
    /// The program's exit status as shells give it; 128 and the number of a signal that ended it.
    exit_status: Option<u8>,
    /// The kernels that were checked, by name, and whether something is wrong with them. `memory` stands for what was not freed.
    checked: BTreeMap<String, bool>,
}

/// Makes the document of what the processes wrote to `found`, and puts it where the user wants it.
pub(super) fn write(
    arguments: &ExecArguments,
    found: &Path,
    ended: u8,
    status: Status,
) -> Result<(), Stop> {
    let text = std::fs::read(found).unwrap_or_default();
    let carried = Carried::lines(&String::from_utf8_lossy(&text));
    let document = document(arguments, &carried, ended, status);
    let Some(document) = document else { return Ok(()) };
    match &arguments.library.report {
        Some(file) => output::write_bytes(file, document.as_bytes()).map_err(Stop::rejected),
        None => {
            // Standard output is the program's.
            remark(&document);
            Ok(())
        }
    }
}

fn document(
    arguments: &ExecArguments,
    carried: &[Carried],
    ended: u8,
    status: Status,
) -> Option<String> {
    let words = arguments.program.iter().map(|word| word.to_string_lossy().into_owned());
    let program: Vec<String> = words.collect();
    let mut checked = BTreeMap::new();
    for Carried { subject, failed, .. } in carried {
        *checked.entry(subject.clone()).or_default() |= failed;
    }
    let told: Told = carried
        .iter()
        .filter(|carried| !carried.diagnostics.is_empty())
        .map(|carried| (Arc::new(carried.sources()), carried.diagnostics.clone()))
        .collect();
    let class = program.first().cloned().unwrap_or_default();
    let case = |(subject, failed): (&String, &bool)| {
        let of: Vec<(Sources, &[Diagnostic])> = carried
            .iter()
            .filter(|carried| carried.subject == *subject)
            .map(|carried| (carried.sources(), carried.diagnostics.as_slice()))
            .collect();
        let of: Vec<(&Sources, &[Diagnostic])> =
            of.iter().map(|(sources, found)| (sources, *found)).collect();
        let verdict = if *failed { Verdict::Failed } else { Verdict::Passed };
        Case::new(class.as_str(), subject.as_str(), verdict, &of)
    };
    let mut cases: Vec<Case> = checked.iter().map(case).collect();
    let ran = if ended == 0 { Verdict::Passed } else { Verdict::Failed };
    cases.push(Case::new(class.as_str(), "exit status", ran, &[]));
    let body = Body { program, exit_status: Some(ended), checked };
    let outcome = Outcome { form: &FORM, body: &body, status, told: borrowed(&told), cases };
    outcome.document(arguments.library.format, Looked::Findings)
}

/// Whether the processes are to write for this command, and not for people.
pub(super) fn is_asked_for(arguments: &ExecArguments) -> bool {
    arguments.library.format != ReportFormat::Text
}
