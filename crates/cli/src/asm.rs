//! `warpwise asm`.

use crate::arguments::AsmArguments;
use crate::form::Form;
use crate::report::{self, Answer, Stop, read_text};
use crate::status::Status;
use crate::{machine, output};
use schemars::JsonSchema;
use serde::Serialize;

/// The form of its document.
pub(crate) const FORM: Form<Body> = Form::new("asm");

/// What the document holds.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Body {
    /// The file that was written.
    output: Option<String>,
    /// Words of 16 bytes in it.
    words: usize,
}

/// Runs the command and reports.
pub(crate) fn run(arguments: &AsmArguments) -> Status {
    report::answer(&FORM, arguments.answering.format(), assemble(arguments))
}

fn assemble(arguments: &AsmArguments) -> Result<Answer<Body>, Stop> {
    output::check(&arguments.output).map_err(Stop::usage)?;
    let machine = machine::load(&arguments.machine)?;
    let text = read_text(&arguments.program)?;
    let assembled = machine.assemble(&arguments.program.display().to_string(), &text)?;
    output::write_bytes(&arguments.output, &assembled.bytes).map_err(Stop::rejected)?;
    let output = Some(arguments.output.display().to_string());
    let body = Body { output, words: assembled.bytes.len() / 16 };
    let told = vec![(assembled.sources, assembled.warnings)];
    Ok(Answer { status: Status::Fine, text: String::new(), body, told })
}
