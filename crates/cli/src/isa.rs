//! `warpwise isa`.

use crate::arguments::{IsaCommand, ManualFormat};
use crate::output;
use crate::report::{self, Stop, tell};
use crate::status::Status;
use std::fmt::Write;
use std::path::Path;
use warpwise::diag::{Diagnostic, Severity, Sources};
use warpwise::machine::Machine;
use warpwise::machine::isa::doc;

/// Runs the command and reports.
pub(crate) fn run(command: &IsaCommand) -> Status {
    match command {
        IsaCommand::Check { description, json } => check(description, *json),
        IsaCommand::Doc { description, output, format } => {
            report::finish(manual(description, output.as_deref(), *format))
        }
        IsaCommand::List { description } => report::finish(list(description)),
    }
}

/// Reports warnings and errors. A description with warnings can be used.
fn check(path: &Path, json: bool) -> Status {
    let (status, sources, found) = match Machine::from_file(path) {
        Ok(machine) => (Status::Fine, machine.sources().clone(), machine.warnings()),
        Err(error) => {
            let stop = Stop::from(error);
            (stop.status, stop.sources, stop.diagnostics)
        }
    };
    tell(&sources, &found);
    if json {
        return report::print(&checked(status, &sources, &found), status);
    }
    let count =
        |severity| found.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let several = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let (errors, warnings) = (several(errors, "error"), several(warnings, "warning"));
    report::print(&format!("{}: {errors}, {warnings}\n", path.display()), status)
}

/// The document about a description.
pub(crate) fn checked(status: Status, sources: &Sources, found: &[Diagnostic]) -> String {
    let document = serde_json::json!({
        "status": status.word(),
        "diagnostics": report::json(sources, found),
    });
    format!("{document}\n")
}

fn manual(path: &Path, file: Option<&Path>, format: Option<ManualFormat>) -> Result<String, Stop> {
    if let Some(file) = file {
        output::check(file).map_err(Stop::usage)?;
    }
    let machine = Machine::from_file(path)?;
    let is_page = |file: &Path| file.extension().is_some_and(|ending| ending == "html");
    let named = if file.is_some_and(is_page) { ManualFormat::Html } else { ManualFormat::Markdown };
    let text = match format.unwrap_or(named) {
        ManualFormat::Html => doc::html(machine.description()),
        ManualFormat::Markdown => doc::markdown(machine.description()),
    };
    let Some(file) = file else { return Ok(text) };
    output::write_bytes(file, text.as_bytes()).map_err(Stop::rejected)?;
    Ok(String::new())
}

/// One line a form: its name, and how it is written.
fn list(path: &Path) -> Result<String, Stop> {
    let machine = Machine::from_file(path)?;
    let opcodes = machine.description().opcodes();
    let width = opcodes.iter().map(|opcode| opcode.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for opcode in opcodes {
        let rule = opcode.syntax_line().unwrap_or("(no syntax)");
        // Writing to a string does not fail.
        let _ = writeln!(out, "{:width$}  {rule}", opcode.name);
    }
    Ok(out)
}
