//! What a checked run hands out.

use super::divergence::reads_active_mask;
use super::message_passing::passes_messages;
use super::watched::Watched;
use crate::error::{Error, Stage};
use crate::finding::{Finding, Told};
use crate::launch::{LaunchConfig, Report};
use crate::module::Kernel;
use crate::owner::Owners;
use crate::source::Located;
use diag::{Class, Diagnostic, Listing, Severity, Sources};
use sanitize::explore::{Elsewhere, End};
use sanitize::{Code, Found, MAX_FINDINGS, Traffic};
use std::sync::Arc;
use vm::{Fault, FaultKind};

/// What a checked run has shown.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What is wrong with the kernel, in the order in which it first happened; what only other schedules show comes last.
    pub findings: Vec<Finding>,
    /// How often something else happened after so many findings that no more were kept. The diagnostics say so.
    pub dropped: u64,
    /// The findings in words, and what stopped the kernel if that is none.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into: the module, and source files that it names.
    pub sources: Arc<Sources>,
    /// What the run did.
    pub report: Report,
    /// What stopped the kernel, if it was stopped; device memory then holds what was written so far.
    pub fault: Option<Fault>,
    /// How often the kernel ran, the first time included.
    pub runs: u64,
    /// Whether the kernel has atomics, strong accesses or `activemask`: what it does may then depend on the schedule also where
    /// nothing is wrong.
    pub order_matters: bool,
    /// What an exploration covered ([`Kernel::explore`]).
    pub explored: Option<Coverage>,
    /// The global memory that it accessed, if that was asked for ([`Kernel::check_among_others`]).
    pub traffic: Option<Traffic>,
}

/// How many schedules an exploration covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Schedules that were run.
    pub schedules: u64,
    /// Why there were no more.
    pub end: End,
}

impl Kernel {
    /// Findings in words: those of a run under the launch's schedule, and those of other schedules.
    pub(crate) fn checked(
        &self,
        watched: Watched,
        elsewhere: Vec<Elsewhere>,
        config: &LaunchConfig<'_>,
        owners: &Owners,
    ) -> Checked {
        let Watched { found: Found { findings: found, dropped, traffic, .. }, fault, report } =
            watched;
        let mut places = Located::of_launch(self, owners);
        let mut seen = places.fold(found);
        let mut told = Told::default();
        for finding in &seen {
            places.find(finding);
            told.add(finding, &config.schedule, &places);
        }
        if let Some(fault) = &fault {
            let explained = self.explain(fault, owners);
            match (told.diagnostics.last_mut(), is_access(&seen)) {
                (Some(last), true) => amend(last, explained),
                _ if is_finding(fault) => {}
                _ => told.diagnostics.push(places.led(explained, fault.place)),
            }
        }
        if dropped > 0 {
            told.diagnostics.push(incomplete(dropped));
        }
        for Elsewhere { schedule, finding, fault } in elsewhere {
            let harmful = seen.iter().filter(|known| !known.is_harmless() || finding.is_harmless());
            let mut both: Vec<sanitize::Finding> = harmful.cloned().collect();
            let known = both.len();
            both.push(finding.clone());
            // The same line of the user may have been found already, at another instruction.
            if places.fold(both).len() == known {
                continue;
            }
            places.find(&finding);
            told.add(&finding, &schedule, &places);
            seen.push(finding);
            let fault = fault.filter(|_| is_access(&seen));
            if let (Some(fault), Some(last)) = (fault, told.diagnostics.last_mut()) {
                amend(last, self.explain(&fault, owners));
            }
        }
        let sources = Arc::new(places.into_sources());
        let (findings, diagnostics) = told.finish();
        let order_matters = order_matters(&self.lowered.kernel);
        let (runs, explored) = (1, None);
        Checked {
            findings,
            dropped,
            diagnostics,
            sources,
            report,
            fault,
            runs,
            order_matters,
            explored,
            traffic,
        }
    }
}

/// Whether a kernel has instructions that find or leave something else when threads come in another order.
fn order_matters(kernel: &ir::Kernel) -> bool {
    let mut insts = kernel.blocks.iter().flat_map(|block| &block.insts);
    reads_active_mask(kernel)
        || passes_messages(kernel)
        || insts.any(|inst| inst.op.is_ordered_atomic())
}

/// Adds what the run knows of allocations and buffers, and detectors do not.
pub(crate) fn amend(found: &mut Diagnostic, explained: Diagnostic) {
    found.message = explained.message;
    found.notes.splice(0..0, explained.notes);
}

/// Says that other schedules were not run as they should have been.
pub(crate) fn interrupted() -> Diagnostic {
    let message = "interrupted: what other schedules show is not all in this report";
    Diagnostic::new(Severity::Warning, Class::Limit, message)
}

/// Says that a report does not hold everything.
pub(crate) fn incomplete(dropped: u64) -> Diagnostic {
    let message = format!(
        "more than {MAX_FINDINGS} findings of one code: {dropped} more, at other places, are not in this report"
    );
    let help = "mend what is reported and check again";
    Diagnostic::new(Severity::Warning, Class::Limit, message).help(help)
}

/// Whether the last finding is a bad access, which stopped the kernel.
pub(crate) fn is_access(findings: &[sanitize::Finding]) -> bool {
    let codes = [Code::M001, Code::M002, Code::M003];
    findings.last().is_some_and(|finding| codes.contains(&finding.code()))
}

/// Whether a fault is a finding itself.
pub(crate) fn is_finding(fault: &Fault) -> bool {
    match &fault.kind {
        FaultKind::OutOfBounds { .. }
        | FaultKind::Misaligned { .. }
        | FaultKind::Constant { .. }
        | FaultKind::NoFunction { .. }
        | FaultKind::BadFree { .. }
        | FaultKind::BadBarrier { .. }
        | FaultKind::ArrivedTwice { .. }
        | FaultKind::Deadlock { .. } => true,
        FaultKind::Trap
        | FaultKind::BadSurface { .. }
        | FaultKind::BadTensor { .. }
        | FaultKind::Assertion { .. }
        | FaultKind::StackOverflow { .. }
        | FaultKind::StepLimit { .. }
        | FaultKind::Interrupted
        | FaultKind::GivenUp => false,
    }
}

impl Checked {
    /// The findings and what stopped the kernel, as text for people; `colour` adds ANSI escapes.
    pub fn render(&self, colour: bool) -> String {
        Listing::all(&self.sources, &self.diagnostics, colour)
    }

    /// Whether what stopped the kernel is a finding: a bad access or a deadlock, not a trap, a limit or an interruption.
    pub fn stopped_by_finding(&self) -> bool {
        self.fault.as_ref().is_some_and(is_finding)
    }

    /// Whether something was found that is more than a warning.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| !finding.is_harmless())
    }

    /// Nothing was found but warnings, and the kernel ran to its end: its report. Else an error with everything in words.
    ///
    /// # Errors
    /// There are findings, or the kernel was stopped.
    pub fn into_result(self) -> Result<Report, Error> {
        match !self.has_errors() && self.fault.is_none() {
            true => Ok(self.report),
            false => Err(Error::new(Stage::Run, self.sources, self.diagnostics)),
        }
    }
}
