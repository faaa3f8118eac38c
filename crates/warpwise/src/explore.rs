//! Checking a kernel under many schedules.

use crate::argument::Arg;
use crate::check::{Checked, Coverage};
use crate::device::Device;
use crate::error::Error;
use crate::launch::{LaunchConfig, refusal};
use crate::module::Kernel;
use ir::{Inst, Place, Space, Touched};
use sanitize::explore::{self, Both, Explored, Footprints, Run, Subject};
use sanitize::{Code, Finding, Options};
use vm::memory::Snapshot;
use vm::{
    Chooser, Fault, FaultKind, Launch, LaunchError, Level, Memory, Observer, Schedule, ThreadId,
    View,
};

/// Which other schedules a kernel is run under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exploration {
    /// So many, from a seed.
    Some {
        /// How many.
        count: u64,
        /// Where the random choices begin.
        seed: u64,
    },
    /// All that could do anything else, but at most so many.
    All {
        /// How many.
        limit: u64,
    },
}

/// A kernel that issues so many times more instructions than under the first schedule does not end, unless it is short.
/// Threads that spin until others are done issue many.
const LONGER: u64 = 1000;
/// Instructions of a short kernel.
const SHORT: u64 = 1_000_000;

/// A kernel that can be launched on the same memory again and again.
struct Again<'a> {
    kernel: &'a Kernel,
    launch: &'a Launch<'a>,
    memory: &'a mut Memory,
    start: Snapshot,
    options: Options,
}

impl Subject for Again<'_> {
    type Error = LaunchError;

    fn run(
        &mut self,
        chooser: &mut dyn Chooser,
        footprints: Option<&mut Footprints>,
    ) -> Result<Run, LaunchError> {
        self.memory.restore(&self.start);
        let mut sanitizer = self.kernel.sanitizer(self.launch, self.options);
        let mut both = Both { first: &mut sanitizer, second: footprints };
        let kernel = &self.kernel.lowered.kernel;
        let outcome = vm::launch_chosen(kernel, self.launch, self.memory, &mut both, chooser)?;
        let freed = |address| self.memory.freed(address).is_some();
        let findings = sanitizer.finish(outcome.fault.as_ref(), freed);
        Ok(Run { findings, memory: self.memory.snapshot(), fault: outcome.fault })
    }

    fn interrupted(&self) -> bool {
        (self.launch.interrupted)()
    }
}

impl Kernel {
    /// Runs the kernel as [`Kernel::check`] does, and then from the start again under other schedules. Findings that
    /// only those show are added, each with a schedule that replays it; a result that depends on the schedule is W008.
    /// A kernel that is stopped under its own schedule is not run again.
    /// Device memory holds in the end what the first run left.
    ///
    /// # Errors
    /// The arguments do not fit the parameters, or the launch is not possible.
    pub fn explore(
        &self,
        device: &mut Device,
        config: &LaunchConfig<'_>,
        options: Options,
        exploration: Exploration,
        args: &[Arg],
    ) -> Result<Checked, Error> {
        let params = self.pack(args)?;
        let image_base = device.load(&self.image)?;
        let launch = config.launch(&params, image_base, Level::detect());
        let refuse = |error: LaunchError| self.refuse(refusal(&error));
        let memory = &mut device.memory;
        let start = memory.snapshot();

        let (findings, fault, report) = self.watched(memory, &launch, options)?;
        let first = Run { findings, memory: memory.snapshot(), fault };
        if first.fault.is_some() {
            // Nothing to compare with.
            let Run { findings, fault, .. } = first;
            return Ok(self.checked(findings, Vec::new(), fault, report, config, args));
        }
        let limit = report.stats.warp_instructions.saturating_mul(LONGER).saturating_add(SHORT);
        let launch = Launch { max_steps: launch.max_steps.or(Some(limit)), ..launch };
        let mut again = Again { kernel: self, launch: &launch, memory, start, options };
        let explored = match exploration {
            Exploration::Some { count, seed } => explore::some(&mut again, &first, count, seed),
            Exploration::All { limit } => explore::all(&mut again, &first, limit),
        }
        .map_err(refuse)?;
        let Explored { schedules, complete, different, findings: mut elsewhere } = explored;
        if let Some((schedule, other)) = different {
            let usual = config.schedule.to_string();
            let finding =
                again.dependence(&first, &other, &usual, &schedule, args).map_err(refuse)?;
            elsewhere.push((schedule, finding));
        }
        device.memory.restore(&first.memory);
        let Run { findings, fault, .. } = first;
        let mut checked = self.checked(findings, elsewhere, fault, report, config, args);
        checked.explored = Some(Coverage { schedules, complete });
        Ok(checked)
    }
}

impl Again<'_> {
    /// Says how two runs differ, and who wrote what differs.
    fn dependence(
        &mut self,
        first: &Run,
        other: &Run,
        usual: &str,
        schedule: &Schedule,
        args: &[Arg],
    ) -> Result<Finding, LaunchError> {
        let nobody = ThreadId { cta: [0; 3], thread: [0; 3], warp: 0, lane: 0 };
        let end = |run: &Run| match &run.fault {
            Some(Fault { kind: FaultKind::StepLimit { limit }, .. }) => {
                format!("the kernel does not end within {limit} warp instructions")
            }
            Some(fault) => format!("the kernel is stopped ({})", fault.kind.word()),
            None => "the kernel runs to its end".to_owned(),
        };
        let differing = first.memory.first_difference(&other.memory);
        let both_end = first.fault.is_none() && other.fault.is_none();
        let (Some(offset), true) = (differing, both_end) else {
            let fault = other.fault.as_ref().or(first.fault.as_ref());
            let (place, thread) =
                fault.map_or((Place::default(), nobody), |fault| (fault.place, fault.thread));
            let message = "whether the kernel runs to its end depends on the schedule";
            return Ok(Finding::new(Code::W008, place, thread, message)
                .label("stopped here under one of them")
                .fact(format!("under {usual} {}", end(first)))
                .fact(format!("under {schedule} {}", end(other))));
        };
        let address = self.memory.base() + offset;
        self.memory.restore(&self.start);
        let mut writer = LastWriter { address, found: None };
        let launch = Launch { schedule: schedule.clone(), ..*self.launch };
        vm::launch_observed(&self.kernel.lowered.kernel, &launch, self.memory, &mut writer)?;
        let (place, thread) = writer.found.unwrap_or((Place::default(), nobody));
        let whose = args.iter().enumerate().find_map(|(nth, arg)| match arg {
            Arg::Buffer(buffer) => {
                let inside = address.checked_sub(buffer.address)?;
                (inside < buffer.bytes)
                    .then(|| format!("byte {inside} of the buffer of parameter {nth}"))
            }
            Arg::Scalar(_) | Arg::Bytes(_) => None,
        });
        let what = whose.unwrap_or_else(|| format!("the byte at {address:#x}"));
        let message = format!("the result depends on the schedule: {what} has different values");
        Ok(Finding::new(Code::W008, place, thread, message).label("the last write to it").fact(
            format!(
                "{:#04x} under {usual}, {:#04x} under {schedule}",
                first.memory.byte(offset),
                other.memory.byte(offset)
            ),
        ))
    }
}

/// Remembers who wrote a byte of global memory last.
struct LastWriter {
    address: u64,
    found: Option<(Place, ThreadId)>,
}

impl Observer for LastWriter {
    fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        let Some(Touched { space, address, bytes, writes: true }) = inst.op.touches() else {
            return;
        };
        if !matches!(space, Space::Global | Space::Generic) {
            return;
        }
        for (warp, lanes) in view.group() {
            let addresses = view.address(address, warp);
            for lane in lanes.iter() {
                let start = view.locate(space, addresses[lane as usize]);
                let inside = self.address.wrapping_sub(start.address) < bytes;
                if start.space == Space::Global && inside {
                    self.found = Some((inst.place, view.thread(warp, lane)));
                }
            }
        }
    }
}
