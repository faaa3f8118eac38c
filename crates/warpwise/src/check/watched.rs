//! One run that every detector watches.

use crate::device::Device;
use crate::error::Error;
use crate::launch::{DeviceLaunch, Report, refusal};
use crate::module::Kernel;
use sanitize::explore::Run;
use sanitize::{Found, Options, Sanitizer};
use std::ops::Range;
use std::time::Instant;
use vm::{Fault, Launch, Memory};

/// Warp instructions for which a run goes on that has shown something and shows nothing new: some seconds.
pub(crate) const PATIENCE: u64 = 1 << 24;
/// The same of a launch among others, of which a program waits for the results: about a minute.
const PATIENCE_OF_PROGRAMS: u64 = 1 << 28;

/// What detectors are told of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watching<'w> {
    pub(crate) options: Options,
    /// What nobody has written, if the launch is one among others.
    pub(crate) unwritten: Option<&'w [Range<u64>]>,
}

impl From<Options> for Watching<'_> {
    fn from(options: Options) -> Self {
        Watching { options, unwritten: None }
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
    pub(crate) fn run(&self, memory: &Memory) -> Run {
        let findings = self.found.findings.clone();
        Run { findings, memory: memory.snapshot(), fault: self.fault.clone() }
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
        let (sanitizer, most) = match watching.unwritten {
            Some(unwritten) => (sanitizer.among_others(unwritten), PATIENCE_OF_PROGRAMS),
            None => (sanitizer, PATIENCE),
        };
        match launch.max_steps {
            Some(_) => sanitizer,
            None => sanitizer.impatient(most),
        }
    }
}
