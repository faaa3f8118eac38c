//! `warpwise isa`.

use crate::arguments::{IsaCommand, ManualFormat};
use crate::report::{self, Answer, Stop};
use crate::status::Status;
use crate::{forms, output};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;
use warpwise::diag::Severity;
use warpwise::machine::isa::doc;
use warpwise::machine::{Machine, Shipped, shipped};

/// What the document of `isa check` has beside what was found.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct CheckBody {}

/// What the document of `isa list` holds.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct ListBody {
    /// The forms of the machine's instructions, in the order of the description.
    opcodes: Vec<JsonOpcode>,
    /// The machines that come with Warpwise, if no description is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    machines: Option<Vec<JsonMachine>>,
}

/// A machine that comes with Warpwise.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Machine")]
struct JsonMachine {
    /// What `--isa` calls it.
    name: &'static str,
    /// What it is.
    about: &'static str,
}

/// A form of an instruction.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Opcode")]
struct JsonOpcode {
    /// Its name.
    name: String,
    /// How it is written; missing where the description has no syntax for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    syntax: Option<String>,
}

/// Runs the command and reports.
pub(crate) fn run(command: &IsaCommand) -> Status {
    match command {
        IsaCommand::Check { description, answering } => {
            report::answer(&forms::ISA_CHECK, answering.format(), check(description))
        }
        IsaCommand::Doc { description, output, format } => {
            report::finish(manual(description, output.as_deref(), *format))
        }
        IsaCommand::List { description, answering } => {
            report::answer(&forms::ISA_LIST, answering.format(), list(description.as_deref()))
        }
    }
}

/// Reports warnings and errors. A description with warnings can be used.
fn check(path: &Path) -> Result<Answer<CheckBody>, Stop> {
    let (status, sources, found) = match Machine::from_file(path) {
        Ok(machine) => (Status::Fine, machine.sources().clone(), machine.warnings()),
        Err(error) => {
            let stop = Stop::from(error);
            (stop.status, stop.sources, stop.diagnostics)
        }
    };
    let count =
        |severity| found.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let several = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let (errors, warnings) = (several(errors, "error"), several(warnings, "warning"));
    let text = format!("{}: {errors}, {warnings}\n", path.display());
    Ok(Answer { status, text, body: CheckBody::default(), told: vec![(sources, found)] })
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

/// One line a description that comes with Warpwise.
fn machines() -> Answer<ListBody> {
    let (mut text, mut machines) = (String::new(), Vec::new());
    for Shipped { name, about } in shipped() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name:6}  {about}");
        machines.push(JsonMachine { name, about });
    }
    let body = ListBody { machines: Some(machines), ..ListBody::default() };
    Answer { status: Status::Fine, text, body, told: Vec::new() }
}

/// One line a form: its name, and how it is written.
fn list(path: Option<&Path>) -> Result<Answer<ListBody>, Stop> {
    let Some(path) = path else { return Ok(machines()) };
    let machine = Machine::from_file(path)?;
    let opcodes = machine.description().opcodes();
    let width = opcodes.iter().map(|opcode| opcode.name.len()).max().unwrap_or(0);
    let (mut text, mut body) = (String::new(), ListBody::default());
    for opcode in opcodes {
        let syntax = opcode.syntax_line();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:width$}  {}", opcode.name, syntax.unwrap_or("(no syntax)"));
        let (name, syntax) = (opcode.name.to_string(), syntax.map(str::to_owned));
        body.opcodes.push(JsonOpcode { name, syntax });
    }
    Ok(Answer { status: Status::Fine, text, body, told: Vec::new() })
}
