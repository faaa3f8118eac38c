//! `warpwise sim`.

use crate::arguments::SimArguments;
use crate::report::{self, Answer, Stop, Told, read_text};
use crate::state::JsonState;
use crate::status::Status;
use crate::{forms, interrupt, machine, state};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use warpwise::diag::Sources;
use warpwise::machine::{Machine, MachineChecked, Meaning, RunConfig, State};
use warpwise::{CheckOptions, Stats};

/// What the document holds.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Body {
    /// Registers and memory after a run to the end.
    state: Option<JsonState>,
    /// What the run did.
    stats: Option<JsonOperations>,
}

/// What a run did.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Stats")]
struct JsonOperations {
    /// Operations of the warp.
    warp_operations: u64,
}

/// Runs the command and reports.
pub(crate) fn run(arguments: &SimArguments) -> Status {
    report::answer(&forms::SIM, arguments.answering.format(), simulate(arguments))
}

fn simulate(arguments: &SimArguments) -> Result<Answer<Body>, Stop> {
    let machine = machine::load(&arguments.machine)?;
    let text = read_text(&arguments.program)?;
    let meaning = if arguments.pseudo_code { Meaning::PseudoCode } else { Meaning::BuiltIn };
    let program = machine.program(&arguments.program.display().to_string(), &text, meaning)?;
    let mut state = match &arguments.state {
        Some(path) => read_state(&machine, path)?,
        None => State::default(),
    };
    let config = RunConfig {
        schedule: arguments.schedule.clone(),
        max_steps: arguments.max_steps,
        interrupted: &interrupt::interrupted,
    };
    if !arguments.check {
        let stats = program.run(&mut state, &config)?;
        return Ok(answer(Status::Fine, Some(&state), &stats, Vec::new()));
    }
    let options = CheckOptions { pedantic: arguments.pedantic };
    let MachineChecked { findings, diagnostics, sources, stats, fault } =
        program.check(&mut state, &config, options)?;
    let harmful = findings.iter().any(|finding| !finding.is_harmless());
    let status = match (harmful, &fault) {
        (true, _) => Status::Findings,
        (false, Some(_)) => Status::Faulted,
        (false, None) => Status::Fine,
    };
    let state = fault.is_none().then_some(state);
    Ok(answer(status, state.as_ref(), &stats, vec![(sources, diagnostics)]))
}

fn answer(status: Status, state: Option<&State>, stats: &Stats, told: Told) -> Answer<Body> {
    let stats = Some(JsonOperations { warp_operations: stats.warp_instructions });
    let body = Body { state: state.map(state::json), stats };
    Answer { status, text: state.map_or_else(String::new, state::print), body, told }
}

fn read_state(machine: &Machine, path: &Path) -> Result<State, Stop> {
    let text = read_text(path)?;
    let mut sources = Sources::new();
    let file = sources.add(path.display().to_string(), text);
    state::parse(machine.description(), &sources, file).map_err(|diagnostics| Stop {
        diagnostics,
        sources: Arc::new(sources),
        ..Stop::rejected("")
    })
}
