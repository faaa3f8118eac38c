//! `warpwise sim`.

use crate::arguments::SimArguments;
use crate::report::{self, Stop, read_text, tell};
use crate::status::Status;
use crate::{machine, run, state};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use warpwise::Stats;
use warpwise::diag::Sources;
use warpwise::machine::{Machine, Meaning, RunConfig, State};

/// Runs the command and reports.
pub(crate) fn run(arguments: &SimArguments) -> Status {
    let result = simulate(arguments);
    if !arguments.json {
        return report::finish(result.map(|(state, _)| state::print(&state)));
    }
    let (status, mut document) = match result {
        Ok((state, stats)) => {
            let operations = json!({ "warp_operations": stats.warp_instructions });
            (
                Status::Fine,
                json!({ "state": state::json(&state), "stats": operations, "diagnostics": [] }),
            )
        }
        Err(stop) => {
            tell(&stop.sources, &stop.diagnostics);
            let diagnostics = report::json(&stop.sources, &stop.diagnostics);
            (stop.status, json!({ "state": null, "stats": null, "diagnostics": diagnostics }))
        }
    };
    document["status"] = status.word().into();
    report::print(&format!("{document}\n"), status)
}

fn simulate(arguments: &SimArguments) -> Result<(State, Stats), Stop> {
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
    let stats = program.run(&mut state, &config)?;
    Ok((state, stats))
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
