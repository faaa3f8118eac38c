//! One run that every detector watches.

use crate::device::Device;
use crate::error::Error;
use crate::launch::{DeviceLaunch, Report, refusal};
use crate::module::Kernel;
use sanitize::explore::Run;
use sanitize::{Found, Options, Others, Outside, Sanitizer};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use vm::memory::Snapshot;
use vm::{Fault, Launch};

/// Warp instructions for which a run goes on that has shown something and shows nothing new: some seconds.
pub(crate) const PATIENCE: u64 = 1 << 24;
/// The same of a launch among others, of which a program waits for the results: about a minute.
const PATIENCE_OF_PROGRAMS: u64 = 1 << 28;

/// What surrounds a launch that is one among others of a program.
#[derive(Clone, Debug)]
pub struct Among<'a> {
    /// Device addresses, as ranges in ascending order that do not touch, which nobody has written: a value that is read from there and
    /// used is a finding.
    pub unwritten: &'a [Range<u64>],
    /// Who may write memory meanwhile.
    pub others: &'a Arc<dyn Others>,
}

/// What detectors are told of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watching<'w> {
    pub(crate) options: Options,
    pub(crate) among: Option<&'w Among<'w>>,
    pub(crate) presence: Presence,
}

/// Where the others are while a kernel runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Presence {
    /// It is the launch itself.
    There,
    /// It runs again, and nobody wrote what it read when it was launched.
    Rested,
    /// It runs again, and somebody may have.
    Gone,
}

impl Watching<'_> {
    fn outside(&self, among: &Among<'_>) -> Outside {
        match self.presence {
            Presence::There => Outside::There(Arc::clone(among.others)),
            Presence::Rested => Outside::Nobody,
            Presence::Gone => Outside::Gone,
        }
    }
}

impl From<Options> for Watching<'_> {
    fn from(options: Options) -> Self {
        Watching { options, among: None, presence: Presence::There }
    }
}

/// What a run under one schedule has shown.
pub(crate) struct Watched {
    pub(crate) found: Found,
    pub(crate) fault: Option<Fault>,
    pub(crate) report: Report,
}

impl Watched {
    /// The same for comparing with other runs; `memory` is as the run has left it.
    pub(crate) fn run(&self, memory: Snapshot) -> Run {
        Run { findings: self.found.findings.clone(), memory, fault: self.fault.clone() }
    }
}

impl Kernel {
    /// Runs the kernel under the launch's schedule with every detector: what they found, what stopped it, what it did.
    pub(crate) fn watched(
        &self,
        device: &Device,
        launch: &Launch<'_>,
        watching: Watching<'_>,
    ) -> Result<Watched, Error> {
        let memory = &device.memory;
        let started = Instant::now();
        let mut sanitizer = self.sanitizer(launch, watching);
        let outcome = vm::launch_observed(&self.executable, launch, memory, &mut sanitizer)
            .map_err(|error| self.refuse(refusal(&error)))?;
        let elapsed = started.elapsed();
        let found = sanitizer.finish(outcome.fault.as_ref(), memory);
        let launched = match outcome.fault {
            None => DeviceLaunch::of(self, device, &outcome),
            Some(_) => Vec::new(),
        };
        let report = Report { stats: outcome.stats, printed: outcome.printed, elapsed, launched };
        Ok(Watched { found, fault: outcome.fault, report })
    }

    /// Every detector, for a launch of this kernel.
    pub(crate) fn sanitizer(&self, launch: &Launch<'_>, watching: Watching<'_>) -> Sanitizer {
        let kernel = &self.lowered.kernel;
        let sanitizer = Sanitizer::new(kernel, launch.grid, launch.block, watching.options);
        let (sanitizer, most) = match watching.among {
            Some(among) => {
                let outside = watching.outside(among);
                (sanitizer.among_others(among.unwritten, outside), PATIENCE_OF_PROGRAMS)
            }
            None => (sanitizer, PATIENCE),
        };
        match launch.max_steps {
            Some(_) => sanitizer,
            None => sanitizer.impatient(most),
        }
    }
}
