//! `warpwise asm`.

use crate::arguments::AsmArguments;
use crate::report::{self, Stop, read_text, tell};
use crate::status::Status;
use crate::{machine, output};

/// Runs the command and reports.
pub(crate) fn run(arguments: &AsmArguments) -> Status {
    report::finish(assemble(arguments))
}

fn assemble(arguments: &AsmArguments) -> Result<String, Stop> {
    output::check(&arguments.output).map_err(Stop::usage)?;
    let machine = machine::load(&arguments.machine)?;
    let text = read_text(&arguments.program)?;
    let assembled = machine.assemble(&arguments.program.display().to_string(), &text)?;
    tell(&assembled.sources, &assembled.warnings);
    output::write_bytes(&arguments.output, &assembled.bytes).map_err(Stop::rejected)?;
    Ok(String::new())
}
