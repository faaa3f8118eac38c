//! Launching a kernel.

use super::arg::Arg;
use super::extents::Extents;
use super::launched::DeviceLaunch;
use super::packed::Packed;
use crate::device::Device;
use crate::error::{Error, Failure, Stage};
use crate::module::Kernel;
use crate::owner::Owners;
use crate::source::Located;
use diag::{Class, Diagnostic, Severity};
use std::sync::Arc;
use std::time::{Duration, Instant};
use vm::{
    CLOCK_KHZ, DEFAULT_STACK, EngineChoice, HEAP_LIMIT, Launch, LaunchError, Memory, Observer,
    Outcome, Printed, Schedule, Stats,
};

/// How to launch a kernel.
#[derive(Clone)]
pub struct LaunchConfig<'a> {
    /// The grid's extents in CTAs.
    pub grid: Extents,
    /// The CTA's extents in threads.
    pub block: Extents,
    /// The cluster's extents in CTAs. Without them, those that the kernel requires (`.reqnctapercluster`), or one CTA.
    pub cluster: Option<Extents>,
    /// Whether all CTAs begin before one waits for another, as in a cooperative launch: what a barrier of the whole grid needs to be
    /// fast. Without it such a barrier works, too; CTAs begin when those before them get nowhere. Each takes memory of the host.
    pub cooperative: bool,
    /// Bytes of dynamic shared memory of a CTA.
    pub dynamic_shared: u32,
    /// Bytes of the stack that each thread has in local memory, for functions that call themselves and for `alloca`: what
    /// CUDA calls `cudaLimitStackSize`. Variables of functions that cannot be called again before they return are not in it, and
    /// kernels that need no stack have none.
    pub stack_limit: u32,
    /// Host threads; 0 takes all cores.
    pub threads: usize,
    /// What decides every free choice of the run.
    pub schedule: Schedule,
    /// Whether equal launches do the same, also what they read from clocks: one host thread, on which time is
    /// counted. So it is for every schedule but the fair ones, and for checked kernels.
    pub deterministic: bool,
    /// Kilohertz of `%clock`, where it is not counted: it is the host's time then.
    pub clock_khz: u32,
    /// Warp instructions after which the kernel is stopped.
    pub max_steps: Option<u64>,
    /// What executes the kernel: the best that this machine has, unless another is chosen. All give the same results.
    pub engine: EngineChoice,
    /// Bytes that kernels may have allocated with `malloc` at one time, in this launch and before; a `malloc` of more returns
    /// null.
    pub heap_limit: u64,
    /// How many kernels launched each other before this one: from 24 on, its own launches fail.
    pub depth: u32,
    /// Whether a checked kernel runs again under other schedules if those may show more ([`Kernel::check`]).
    pub again: bool,
    /// Asked now and then whether to stop.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
    /// Told that the kernel is prepared and begins, by 0, and then now and then how many CTAs are done.
    pub progress: &'a (dyn Fn(u64) + Sync),
    /// Told how many times a checked kernel has run again, under other schedules.
    pub repeated: &'a (dyn Fn(u64) + Sync),
}

impl<'a> LaunchConfig<'a> {
    /// A launch of these extents on all cores, under the default schedule and without limits.
    pub fn new(grid: impl Into<Extents>, block: impl Into<Extents>) -> Self {
        LaunchConfig {
            grid: grid.into(),
            block: block.into(),
            cluster: None,
            cooperative: false,
            dynamic_shared: 0,
            stack_limit: DEFAULT_STACK,
            threads: 0,
            schedule: Schedule::default(),
            deterministic: false,
            clock_khz: CLOCK_KHZ,
            max_steps: None,
            engine: EngineChoice::Auto,
            heap_limit: HEAP_LIMIT,
            depth: 0,
            again: true,
            interrupted: &|| false,
            progress: &|_| (),
            repeated: &|_| (),
        }
    }

    /// The launch as the VM takes it.
    pub(crate) fn launch(&self, params: &'a [u8], image_base: u64) -> Launch<'a> {
        Launch {
            cluster: self.cluster.map(|cluster| cluster.0),
            cooperative: self.cooperative,
            dynamic_shared: self.dynamic_shared,
            image_base,
            stack: self.stack_limit,
            threads: self.threads,
            schedule: self.schedule.clone(),
            deterministic: self.deterministic,
            clock_khz: self.clock_khz,
            max_steps: self.max_steps,
            engine: self.engine,
            heap_limit: self.heap_limit,
            depth: self.depth,
            interrupted: self.interrupted,
            progress: self.progress,
            ..Launch::new(self.grid.0, self.block.0, params)
        }
    }
}

/// What a launch that ended well did.
#[derive(Clone, Debug)]
pub struct Report {
    /// Counts of instructions, divergences, CTAs and threads.
    pub stats: Stats,
    /// What it printed.
    pub printed: Printed,
    /// Time on the host's clock, from the first instruction to the last.
    pub elapsed: Duration,
    /// What it launched and has yet to be done: nothing where [`Kernel::launch`] has done it.
    pub launched: Vec<DeviceLaunch>,
}

impl Report {
    /// Adds what another launch did, behind this one.
    pub(super) fn add(&mut self, other: &Report) {
        self.stats.add(&other.stats);
        self.printed.append(&other.printed);
        self.elapsed += other.elapsed;
    }

    /// Thread instructions per second.
    pub fn throughput(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.stats.thread_instructions as f64 / seconds } else { 0.0 }
    }
}

impl Kernel {
    /// Runs the kernel to its end, and then what it launches; the report is about all of it.
    ///
    /// # Errors
    /// The arguments do not fit the parameters, the launch is not possible, or the kernel was stopped
    /// ([`Failure::fault`]); device memory then holds what was written so far.
    pub fn launch(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        args: &[Arg],
    ) -> Result<Report, Error> {
        let kernel = &*self.executable;
        let run = |launch: &Launch<'_>, memory: &Memory| vm::launch(kernel, launch, memory);
        let mut report = self.run(device, config, args, run)?;
        self.follow(device, config, &mut report)?;
        Ok(report)
    }

    /// Runs the kernel alone, with arguments that have been packed already. What it launches is left to the caller
    /// ([`Report::launched`]).
    ///
    /// # Errors
    /// The launch is not possible, or the kernel was stopped.
    pub fn launch_packed(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        packed: &Packed,
    ) -> Result<Report, Error> {
        let kernel = &*self.executable;
        let args = || self.named(device, packed);
        let run = |launch: &Launch<'_>, memory: &Memory| vm::launch(kernel, launch, memory);
        self.run_packed(device, config, &packed.space, args, run)
    }

    /// Runs the kernel to its end on one host thread, under the same schedule as [`Kernel::launch`], and shows the observer
    /// every step. [`observe`](crate::observe) has what an observer is made of.
    ///
    /// # Errors
    /// As for [`Kernel::launch`].
    pub fn observe<O: Observer>(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        args: &[Arg],
        observer: &mut O,
    ) -> Result<Report, Error> {
        let kernel = &*self.executable;
        let run = |launch: &Launch<'_>, memory: &Memory| {
            vm::launch_observed(kernel, launch, memory, observer)
        };
        self.run(device, config, args, run)
    }

    fn run(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        args: &[Arg],
        run: impl FnOnce(&Launch<'_>, &Memory) -> Result<Outcome, LaunchError>,
    ) -> Result<Report, Error> {
        let params = self.pack(args)?;
        self.run_packed(device, config, &params, || args.to_vec(), run)
    }

    /// Where the variables of the module lie on a device that can launch the kernel so.
    ///
    /// # Errors
    /// It cannot.
    pub(crate) fn placed_on(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
    ) -> Result<u64, Error> {
        self.fits(device, config)?;
        device.load_image(&self.image)
    }

    fn run_packed(
        &self,
        device: &Device,
        config: &LaunchConfig<'_>,
        params: &[u8],
        args: impl FnOnce() -> Vec<Arg>,
        run: impl FnOnce(&Launch<'_>, &Memory) -> Result<Outcome, LaunchError>,
    ) -> Result<Report, Error> {
        let image_base = self.placed_on(device, config)?;
        let launch = config.launch(params, image_base);
        let started = Instant::now();
        let outcome = run(&launch, &device.memory).map_err(|error| self.refuse(refusal(&error)))?;
        let elapsed = started.elapsed();
        let launched = match outcome.fault {
            None => DeviceLaunch::of(self, device, &outcome),
            Some(_) => Vec::new(),
        };
        let report = Report { stats: outcome.stats, printed: outcome.printed, elapsed, launched };
        let Some(fault) = outcome.fault else { return Ok(report) };
        let owners = Owners::new(self, &args(), image_base, device.memory.base());
        let mut places = Located::new(self);
        Err(Error::of(Failure {
            stage: Stage::Run,
            diagnostics: vec![places.led(self.explain(&fault, &owners), fault.place)],
            sources: Arc::new(places.into_sources()),
            fault: Some(fault),
            stats: (report.stats != Stats::default()).then_some(report.stats),
            printed: report.printed,
        }))
    }
}

/// A launch that did not begin, as a diagnostic.
pub(crate) fn refusal(error: &LaunchError) -> Diagnostic {
    let class = match error {
        LaunchError::RequiredShape { .. }
        | LaunchError::RequiredCluster { .. }
        | LaunchError::ExplicitCluster
        | LaunchError::NoClusters
        | LaunchError::PartialCluster { .. } => Class::BadInput,
        LaunchError::Extents { .. }
        | LaunchError::TooManyThreads { .. }
        | LaunchError::TooManyCtas { .. }
        | LaunchError::TooMuchMemory { .. } => Class::Limit,
        LaunchError::Params { .. } => Class::Bug,
    };
    Diagnostic::new(Severity::Error, class, error.to_string())
}
