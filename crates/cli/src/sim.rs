//! `warpwise sim`.

use crate::arguments::SimArguments;
use crate::report::{self, Stop, read_text, tell};
use crate::status::Status;
use crate::{machine, run, state};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use warpwise::diag::{Diagnostic, Sources};
use warpwise::machine::{Machine, MachineChecked, Meaning, RunConfig, State};
use warpwise::{CheckOptions, Stats};

/// What a simulation has shown.
struct Simulated {
    status: Status,
    /// The state after a run to the end.
    state: Option<State>,
    stats: Stats,
    diagnostics: Vec<Diagnostic>,
    sources: Arc<Sources>,
}

/// Runs the command and reports.
pub(crate) fn run(arguments: &SimArguments) -> Status {
    let (status, mut document) = match simulate(arguments) {
        Ok(Simulated { status, state, stats, diagnostics, sources }) => {
            tell(&sources, &diagnostics);
            if !arguments.json {
                return report::print(
                    &state.as_ref().map_or_else(String::new, state::print),
                    status,
                );
            }
            let operations = json!({ "warp_operations": stats.warp_instructions });
            let diagnostics = report::json(&sources, &diagnostics);
            let state = state.as_ref().map(state::json);
            (status, json!({ "state": state, "stats": operations, "diagnostics": diagnostics }))
        }
        Err(stop) => {
            tell(&stop.sources, &stop.diagnostics);
            if !arguments.json {
                return stop.status;
            }
            let diagnostics = report::json(&stop.sources, &stop.diagnostics);
            (stop.status, json!({ "state": null, "stats": null, "diagnostics": diagnostics }))
        }
    };
    document["status"] = status.word().into();
    report::print(&format!("{document}\n"), status)
}

fn simulate(arguments: &SimArguments) -> Result<Simulated, Stop> {
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
        interrupted: run::interrupts(),
    };
    if !arguments.check {
        let stats = program.run(&mut state, &config)?;
        let (diagnostics, sources) = (Vec::new(), Arc::default());
        return Ok(Simulated {
            status: Status::Fine,
            state: Some(state),
            stats,
            diagnostics,
            sources,
        });
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
    Ok(Simulated { status, state, stats, diagnostics, sources })
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
