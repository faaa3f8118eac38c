//! `warpwise lower`.

use crate::arguments::LowerArguments;
use crate::machine;
use crate::report::{self, Stop, tell};
use crate::run::choose;
use crate::status::Status;
use warpwise::Module;

/// Runs the command and reports.
pub(crate) fn run(arguments: &LowerArguments) -> Status {
    report::finish(lower(arguments))
}

fn lower(arguments: &LowerArguments) -> Result<String, Stop> {
    let machine = machine::load(&arguments.machine)?;
    let module = Module::from_ptx_file(&arguments.module)?;
    tell(module.sources(), module.warnings());
    let kernel = choose(&module, arguments.entry.as_deref())?;
    let lowered = machine.lower(&kernel)?;
    tell(kernel.sources(), &lowered.warnings);
    Ok(lowered.text)
}
