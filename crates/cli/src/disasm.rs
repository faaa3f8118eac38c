//! `warpwise disasm`.

use crate::arguments::DisasmArguments;
use crate::machine;
use crate::report::{self, Stop, read_bytes};
use crate::status::Status;
use warpwise::machine::{disassemble_cubin, is_elf};

/// Runs the command and reports.
pub(crate) fn run(arguments: &DisasmArguments) -> Status {
    report::finish(disassemble(arguments))
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
