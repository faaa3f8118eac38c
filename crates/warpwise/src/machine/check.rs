//! Checking a program of a described machine: a run that the detectors watch.

use super::run::{MachineProgram, Ran, RunConfig};
use crate::check::{amend, incomplete, is_access, is_finding};
use crate::device::Buffer;
use crate::error::Error;
use ::machine::State;
use diag::{Diagnostic, Sources, Span};
use ir::Place;
use lanes::WARP;
use sanitize::report::{self, Places};
use sanitize::{At, Code, Finding, Found, Options, Related, Sanitizer};
use std::sync::Arc;
use vm::{Fault, Launch, Memory, Stats};

/// What a checked run of a program has shown.
#[derive(Clone, Debug)]
pub struct MachineChecked {
    /// What is wrong with the program, in the order in which it first happened.
    pub findings: Vec<Finding>,
    /// The findings in words, and what stopped the program if that is none.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that the diagnostics point into.
    pub sources: Arc<Sources>,
    /// What the run did.
    pub stats: Stats,
    /// What stopped the program, if it was stopped; the state is as before then.
    pub fault: Option<Fault>,
}

/// The place outside every instruction: registers are loaded and stored there.
const OUTSIDE: Place = Place(0);
/// What [`OUTSIDE`] does with a value, in a finding's words and in ours.
const STORED: &str = "is stored to global memory";
const LEFT: &str = "is in a register when the program ends";
/// What a write of a register of the warp does with a value.
const WRITTEN: &str = "is written to a register of the warp";

impl MachineProgram {
    /// Runs the program as [`MachineProgram::run`] does, and looks for what `Kernel::check` looks for: undefined
    /// values, lanes that their mask does not name, deadlocks, races, bad accesses. A register of the lanes that neither
    /// the state nor the program sets is undefined; undefined values may not be in a register when the program ends. A
    /// program that is stopped is no error here.
    ///
    /// # Errors
    /// The state's memory is too large.
    pub fn check(
        &self,
        state: &mut State,
        config: &RunConfig<'_>,
        options: Options,
    ) -> Result<MachineChecked, Error> {
        let kernel = self.program.kernel_for(state);
        let mut found = Found::default();
        let run = |launch: &Launch<'_>, memory: &mut Memory| {
            let mut sanitizer = Sanitizer::new(&kernel, [1; 3], [WARP as u32, 1, 1], options);
            if launch.max_steps.is_none() {
                sanitizer = sanitizer.impatient();
            }
            let outcome = vm::launch_observed(&kernel, launch, memory, &mut sanitizer)?;
            let freed = |address| memory.freed(address).is_some();
            found = sanitizer.finish(outcome.fault.as_ref(), freed);
            Ok(outcome)
        };
        let Ran { outcome, memory } = self.launch(state, config, run)?;
        let mut findings: Vec<Finding> = Vec::with_capacity(found.findings.len());
        let words = counted(memory);
        for mut finding in found.findings.into_iter().filter_map(|finding| self.of_machine(finding))
        {
            // A value that mattered before is in a register at the end, too.
            let known = |other: &Finding| {
                other.code == finding.code
                    && other.related.iter().any(|related| related.place == finding.place)
            };
            if !(finding.message.ends_with(LEFT) && findings.iter().any(known)) {
                finding.name_addresses(&words);
                findings.push(finding);
            }
        }
        let schedule = config.schedule.to_string();
        let diagnostic = |finding: &Finding| report::diagnostic(finding, self, &schedule);
        let mut diagnostics: Vec<Diagnostic> = findings.iter().map(diagnostic).collect();
        if let Some(fault) = &outcome.fault {
            let explained = self.explain(fault, memory);
            match (diagnostics.last_mut(), is_access(&findings)) {
                (Some(last), true) => amend(last, explained),
                _ if is_finding(fault) => {}
                _ => diagnostics.push(explained),
            }
        }
        if found.dropped > 0 {
            diagnostics.push(incomplete(found.dropped));
        }
        let sources = Arc::clone(&self.sources);
        let (stats, fault) = (outcome.stats, outcome.fault);
        Ok(MachineChecked { findings, diagnostics, sources, stats, fault })
    }

    /// A finding in terms of the machine; `None` for what is right there.
    fn of_machine(&self, mut finding: Finding) -> Option<Finding> {
        // Who takes part is who executes it together: no form has a mask that it lacks.
        if finding.code == Code::W005 {
            return None;
        }
        if finding.place != OUTSIDE {
            if self.program.writes_uniform(finding.place) {
                finding.message = finding.message.replace(STORED, WRITTEN);
            }
            return Some(finding);
        }
        // A register that nothing writes is printed as it was: as zero.
        let mut related = finding.related.into_iter();
        let Related { place, text } = related.find(|related| related.place != OUTSIDE)?;
        (finding.place, finding.label) = (place, text);
        finding.related = Vec::new();
        finding.message = finding.message.replace(STORED, LEFT);
        Some(finding)
    }
}

/// An address as the program knows it: counted from the start of its memory.
fn counted(memory: Buffer) -> impl Fn(At) -> String {
    move |at| {
        let offset = at.address.checked_sub(memory.address).filter(|it| *it < memory.bytes);
        format!("{:#x}", offset.unwrap_or(at.address))
    }
}

impl Places for MachineProgram {
    fn ptx(&self, place: Place) -> Option<Span> {
        self.program.places.get(place.0 as usize).copied().filter(|_| place != OUTSIDE)
    }

    fn source(&self, _: Place) -> Option<Span> {
        None
    }

    fn callers(&self, _: Place) -> Vec<Span> {
        Vec::new()
    }

    fn source_name(&self, _: Place) -> Option<String> {
        None
    }

    fn short(&self, place: Place) -> String {
        let span = self.ptx(place);
        span.map_or("?".to_owned(), |span| format!("line {}", self.sources.location(span).line))
    }
}
