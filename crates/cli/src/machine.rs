//! What the commands for described machines share.

use crate::arguments::MachineArguments;
use crate::report::{Stop, tell};
use warpwise::diag::Severity;
use warpwise::machine::Machine;

/// The machine of a description. Warnings of the description are the business of `isa check`; here only
/// their number is told.
pub(crate) fn load(arguments: &MachineArguments) -> Result<Machine, Stop> {
    let path = &arguments.isa;
    let machine = Machine::from_file(path)?;
    let warnings = machine.warnings();
    let count = warnings.iter().filter(|found| found.severity == Severity::Warning).count();
    if count > 0 {
        use warpwise::diag::{Class, Diagnostic};
        let plural = if count == 1 { "" } else { "s" };
        let message = format!("{} has {count} warning{plural}", path.display());
        let note = Diagnostic::new(Severity::Note, Class::BadInput, message);
        tell(machine.sources(), &[note.help(format!("warpwise isa check {}", path.display()))]);
    }
    Ok(machine)
}
