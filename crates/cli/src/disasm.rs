//! `warpwise disasm`.

use crate::arguments::DisasmArguments;
use crate::form::Form;
use crate::machine;
use crate::report::{self, Answer, Stop, read_bytes};
use crate::status::Status;
use schemars::JsonSchema;
use serde::Serialize;
use warpwise::machine::{disassemble_cubin, is_elf};

/// The form of its document.
pub(crate) const FORM: Form<Body> = Form::new("disasm");

/// What the document holds.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Body {
    /// One line of assembly an instruction; of a cubin also sections and labels.
    assembly: Option<String>,
}

/// Runs the command and reports.
pub(crate) fn run(arguments: &DisasmArguments) -> Status {
    let answer = disassemble(arguments).map(|text| Answer {
        status: Status::Fine,
        body: Body { assembly: Some(text.clone()) },
        text,
        told: Vec::new(),
    });
    report::answer(&FORM, arguments.answering.format(), answer)
}

fn disassemble(arguments: &DisasmArguments) -> Result<String, Stop> {
    let machine = machine::load(&arguments.machine)?;
    let bytes = read_bytes(&arguments.words)?;
    let text = match is_elf(&bytes) {
        true => disassemble_cubin(&machine, &bytes),
        false => machine.disassemble(&bytes),
    };
    text.map_err(|error| {
        let mut stop = Stop::from(error);
        for diagnostic in &mut stop.diagnostics {
            diagnostic.message = format!("{}: {}", arguments.words.display(), diagnostic.message);
        }
        stop
    })
}
