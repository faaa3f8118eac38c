//! `warpwise lower`.

use crate::arguments::LowerArguments;
use crate::form::Form;
use crate::machine;
use crate::report::{self, Answer, Stop};
use crate::run::choose;
use crate::status::Status;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use warpwise::Module;

/// The form of its document.
pub(crate) const FORM: Form<Body> = Form::new("lower");

/// What the document holds.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Body {
    /// The name of the kernel in the module.
    kernel: Option<String>,
    /// The assembly of its warp instructions.
    assembly: Option<String>,
}

/// Runs the command and reports.
pub(crate) fn run(arguments: &LowerArguments) -> Status {
    report::answer(&FORM, arguments.answering.format(), lower(arguments))
}

fn lower(arguments: &LowerArguments) -> Result<Answer<Body>, Stop> {
    let machine = machine::load(&arguments.machine)?;
    let module = Module::from_ptx_file(&arguments.module)?;
    let mut told = vec![(Arc::clone(module.sources()), module.warnings().to_vec())];
    let kernel = choose(&module, arguments.entry.as_deref())?;
    let lowered = machine.lower(&kernel)?;
    told.push((Arc::clone(kernel.sources()), lowered.warnings));
    let text = lowered.text;
    let body = Body { kernel: Some(kernel.name().to_owned()), assembly: Some(text.clone()) };
    Ok(Answer { status: Status::Fine, text, body, told })
}
