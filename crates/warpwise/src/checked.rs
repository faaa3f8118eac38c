//! What a check has shown.

use crate::finding::Finding;
use crate::launch::Report;
use diag::{Class, Diagnostic, Severity, Sources};
use sanitize::Found;
use sanitize::explore::{End, Run};
use std::sync::Arc;
use vm::{Fault, Memory};

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
}

/// What a run under one schedule has shown.
pub(crate) struct Watched {
    pub(crate) found: Found,
    pub(crate) fault: Option<Fault>,
    pub(crate) report: Report,
}

impl Watched {
    /// The same for comparing with other runs; `memory` is as the run has left it.
    pub(crate) fn run(&self, memory: &Memory) -> Run {
        let findings = self.found.findings.clone();
        Run { findings, memory: memory.snapshot(), fault: self.fault.clone() }
    }
}

/// How many schedules an exploration covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Schedules that were run.
    pub schedules: u64,
    /// Why there were no more.
    pub end: End,
}

/// Says that other schedules were not run as they should have been.
pub(crate) fn interrupted() -> Diagnostic {
    let message = "interrupted: what other schedules show is not all in this report";
    Diagnostic::new(Severity::Warning, Class::Limit, message)
}
