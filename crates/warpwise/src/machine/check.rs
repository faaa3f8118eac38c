//! Checking a program of a described machine: a run that the detectors watch.

use super::run::{MachineProgram, Ran, RunConfig};
use crate::check::{PATIENCE, amend, incomplete, is_access, is_finding};
use crate::device::Buffer;
use crate::error::Error;
use crate::finding::{Finding, Locate, Location, Position, Told};
use ::machine::State;
use diag::{Diagnostic, Sources, Span};
use ir::Place;
use lanes::WARP;
use sanitize::detail::{Undefined, Use};
use sanitize::report::Places;
use sanitize::{At, Code, Detail, Finding as Seen, Found, Options, Sanitizer};
use std::sync::Arc;
use vm::{Executable, Fault, Launch, Memory, Stats};

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
        let run = |launch: &Launch<'_>, memory: &Memory| {
            let mut sanitizer = Sanitizer::new(&kernel, [1; 3], [WARP as u32, 1, 1], options);
            if launch.max_steps.is_none() {
                sanitizer = sanitizer.impatient(PATIENCE);
            }
            let outcome = vm::launch_observed(
                &Executable::new(kernel.clone()),
                launch,
                memory,
                &mut sanitizer,
            )?;
            found = sanitizer.finish(outcome.fault.as_ref(), memory);
            Ok(outcome)
        };
        let Ran { outcome, memory } = self.launch(state, config, run)?;
        let mut seen: Vec<Seen> = Vec::with_capacity(found.findings.len());
        for finding in found.findings.into_iter().filter_map(|finding| self.of_machine(finding)) {
            // A value that mattered before is in a register at the end, too.
            let is_left = undefined(&finding).is_some_and(|it| it.used == Use::FinalRegister);
            let known = |other: &Seen| {
                other.code() == finding.code() && other.detail.related().contains(&finding.place)
            };
            if !(is_left && seen.iter().any(known)) {
                seen.push(finding);
            }
        }
        let texts = Texts { program: self, memory };
        let mut told = Told::default();
        seen.iter().for_each(|seen| told.add(seen, &config.schedule, &texts));
        if let Some(fault) = &outcome.fault {
            let explained = self.explain(fault, memory);
            match (told.diagnostics.last_mut(), is_access(&seen)) {
                (Some(last), true) => amend(last, explained),
                _ if is_finding(fault) => {}
                _ => told.diagnostics.push(explained),
            }
        }
        if found.dropped > 0 {
            told.diagnostics.push(incomplete(found.dropped));
        }
        let (findings, diagnostics) = told.finish();
        let sources = Arc::clone(&self.sources);
        let (stats, fault) = (outcome.stats, outcome.fault);
        Ok(MachineChecked { findings, diagnostics, sources, stats, fault })
    }

    /// A finding in terms of the machine; `None` for what is right there.
    fn of_machine(&self, mut finding: Seen) -> Option<Seen> {
        // Who takes part is who executes it together: no form has a mask that it lacks.
        if finding.code() == Code::W005 {
            return None;
        }
        // A register that nothing writes is printed as it was: as zero.
        finding.place = finding.places().find(|place| *place != OUTSIDE)?;
        if let Detail::Undefined(value) = &mut finding.detail
            && value.used == Use::GlobalStore
        {
            if value.used_at == OUTSIDE {
                value.used = Use::FinalRegister;
            } else if self.program.writes_uniform(finding.place) {
                value.used = Use::UniformRegister;
            }
        }
        Some(finding)
    }
}

/// The facts of a finding about an undefined value.
fn undefined(finding: &Seen) -> Option<&Undefined> {
    match &finding.detail {
        Detail::Undefined(value) => Some(value),
        _ => None,
    }
}

/// The text of a program, and the memory of a run.
struct Texts<'p> {
    program: &'p MachineProgram,
    memory: Buffer,
}

impl Locate for Texts<'_> {
    fn shown(&self, address: u64) -> u64 {
        let memory = self.memory;
        let offset = address.checked_sub(memory.address).filter(|it| *it < memory.bytes);
        offset.unwrap_or(address)
    }

    fn location(&self, place: Place) -> Location {
        let instruction = self.ptx(place).map(|span| Position::of(&self.program.sources, span));
        Location {
            place,
            instruction,
            source: Vec::new(),
            functions: Vec::new(),
            is_guessed: false,
        }
    }
}

impl Places for Texts<'_> {
    fn ptx(&self, place: Place) -> Option<Span> {
        self.program.program.places.get(place.0 as usize).copied().filter(|_| place != OUTSIDE)
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
        span.map_or("?".to_owned(), |span| {
            format!("line {}", self.program.sources.location(span).line)
        })
    }

    /// As the program knows it: counted from the start of its memory.
    fn address(&self, at: At) -> String {
        format!("{:#x}", self.shown(at.address))
    }

    fn element(&self, at: At) -> String {
        self.address(at)
    }
}
