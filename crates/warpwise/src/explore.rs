//! Checking a kernel under many schedules.

use crate::apart::asks_who_is_there;
use crate::argument::Arg;
use crate::check::{Checked, Coverage, interrupted};
use crate::device::Device;
use crate::element::Scalar;
use crate::error::Error;
use crate::launch::{LaunchConfig, refusal};
use crate::module::Kernel;
use crate::owner::{Element, Owners};
use crate::source::Located;
use ir::{Inst, Members, Op, Place, Space, Touched};
use sanitize::detail::{Ending, EndsDiffer, PresenceDiffers, ResultsDiffer, ValueSeen};
use sanitize::explore::{self, Elsewhere, End, Explored, Footprints, Run, Subject};
use sanitize::{At, Code, Finding, Found, Options};
use vm::memory::Snapshot;
use vm::{
    Chooser, Fault, FaultKind, Launch, LaunchError, Level, Memory, Observer, Schedule, Stats,
    ThreadId, View, WaitingFor,
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

/// A launch with a limit that kernels which end keep under other schedules, too. `first` is what the first run did.
pub(crate) fn bounded<'a>(launch: &Launch<'a>, first: &Stats) -> Launch<'a> {
    let limit = first.warp_instructions.saturating_mul(LONGER).saturating_add(SHORT);
    let max_steps = launch.max_steps.or(Some(limit));
    Launch { max_steps, schedule: launch.schedule.clone(), ..*launch }
}

/// A kernel that can be launched on the same memory again and again.
pub(crate) struct Again<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) memory: &'a mut Memory,
    pub(crate) start: Snapshot,
    pub(crate) options: Options,
    places: Located<'a>,
    /// How often it has run, and who is told.
    pub(crate) runs: u64,
    repeated: &'a (dyn Fn(u64) + Sync),
}

impl Subject for Again<'_> {
    type Error = LaunchError;

    fn run(
        &mut self,
        chooser: &mut dyn Chooser,
        footprints: Option<&mut Footprints>,
    ) -> Result<Run, LaunchError> {
        self.count();
        self.memory.restore(&self.start);
        let mut sanitizer = self.kernel.sanitizer(self.launch, self.options);
        let mut both = (&mut sanitizer, footprints);
        let kernel = &self.kernel.lowered.kernel;
        let outcome = vm::launch_chosen(kernel, self.launch, self.memory, &mut both, chooser)?;
        let freed = |address| self.memory.freed(address).is_some();
        let Found { findings, .. } = sanitizer.finish(outcome.fault.as_ref(), freed);
        Ok(Run { findings, memory: self.memory.snapshot(), fault: outcome.fault })
    }

    fn line(&self, place: Place) -> u64 {
        self.places.line(place)
    }

    fn kernel(&self) -> &ir::Kernel {
        &self.kernel.lowered.kernel
    }

    fn counts_lanes(&self) -> bool {
        let blocks = &self.kernel.lowered.kernel.blocks;
        blocks.iter().flat_map(|block| &block.insts).any(|inst| match inst.op {
            Op::ActiveMask { .. } => true,
            Op::Collective { members, .. } => members == Members::Active,
            _ => false,
        })
    }

    fn ctas(&self) -> u64 {
        self.launch.grid.iter().map(|extent| u64::from(*extent)).product()
    }

    fn interrupted(&self) -> bool {
        (self.launch.interrupted)()
    }
}

impl Kernel {
    /// Runs the kernel as [`Kernel::check`] does, and then from the start again under other schedules. Findings that
    /// only those show are added, each with a schedule that replays it. What depends on the schedule, the result or
    /// whether something is found, is W008 and comes with two schedules.
    /// A kernel that reaches its limit of steps, is interrupted, or goes round loops for ever under its own schedule is not
    /// run again.
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

        let watched = self.watched(memory, &launch, options)?;
        if watched.fault.as_ref().is_some_and(|fault| fault.is_limit() || is_endless(fault)) {
            // Nothing to compare with; and under other schedules it may be endless, too, where nobody tells.
            let owners = Owners::new(self, args, image_base, memory.base());
            return Ok(self.checked(watched, Vec::new(), config, &owners));
        }
        let first = watched.run(memory);
        let launch = bounded(&launch, &watched.report.stats);
        let mut again = Again::new(self, &launch, memory, start, options, config.repeated);
        let apart = match asks_who_is_there(&self.lowered.kernel) {
            true => again.apart(&first, &watched, args).map_err(refuse)?,
            false => None,
        };
        let explored = match exploration {
            Exploration::Some { count, seed } => explore::some(&mut again, &first, count, seed),
            Exploration::All { limit } => explore::all(&mut again, &first, limit),
        }
        .map_err(refuse)?;
        let Explored { schedules, end, different, more, fewer } = explored;
        let usual = &config.schedule;
        let presence = |elsewhere: &Elsewhere, shows: bool| {
            let other = &elsewhere.schedule;
            let (with, without) = if shows { (other, usual) } else { (usual, other) };
            let finding = presence(&elsewhere.finding, with, without);
            Elsewhere { finding, schedule: other.clone(), fault: None }
        };
        let mut dependent = Vec::new();
        let known = apart.as_ref().is_some_and(|apart| apart.finding.code() == Code::W008);
        if let Some((schedule, other)) = different.filter(|_| !known) {
            let finding =
                again.dependence(&first, &other, usual, &schedule, args).map_err(refuse)?;
            dependent.push(Elsewhere { schedule, finding, fault: None });
        }
        dependent.extend(more.iter().map(|elsewhere| presence(elsewhere, true)));
        dependent.extend(fewer.iter().map(|elsewhere| presence(elsewhere, false)));
        let runs = again.runs;
        device.memory.restore(&first.memory);
        let elsewhere = apart.into_iter().chain(more).chain(dependent).collect();
        let owners = Owners::new(self, args, image_base, device.memory.base());
        let mut checked = self.checked(watched, elsewhere, config, &owners);
        checked.runs += runs;
        checked.explored = Some(Coverage { schedules, end });
        if end == End::Interrupted {
            checked.diagnostics.push(interrupted());
        }
        Ok(checked)
    }
}

/// Whether a run was stopped in loops that never end.
fn is_endless(fault: &Fault) -> bool {
    matches!(&fault.kind, FaultKind::Deadlock { waiting }
        if waiting.iter().any(|group| group.waiting_for == WaitingFor::Change))
}

/// A finding that one of two schedules shows and the other does not.
fn presence(finding: &Finding, with: &Schedule, without: &Schedule) -> Finding {
    let (place, thread) = (finding.place, finding.thread);
    let finding = Box::new(finding.clone());
    let (with, without) = (with.clone(), without.clone());
    Finding::new(place, thread, PresenceDiffers { finding, with, without })
}

impl<'a> Again<'a> {
    /// A kernel that begins with memory as it is at `start`. The launch is [`bounded`].
    pub(crate) fn new(
        kernel: &'a Kernel,
        launch: &'a Launch<'a>,
        memory: &'a mut Memory,
        start: Snapshot,
        options: Options,
        repeated: &'a (dyn Fn(u64) + Sync),
    ) -> Again<'a> {
        let places = Located::new(kernel);
        Again { kernel, launch, memory, start, options, places, runs: 0, repeated }
    }

    fn count(&mut self) {
        self.runs += 1;
        (self.repeated)(self.runs);
    }

    /// Memory as it was at the start, and the launch under another schedule.
    pub(crate) fn begin_anew(&mut self, schedule: &Schedule) -> Launch<'a> {
        self.count();
        self.memory.restore(&self.start);
        Launch { schedule: schedule.clone(), ..*self.launch }
    }

    /// Says how two runs differ, and who wrote what differs.
    pub(crate) fn dependence(
        &mut self,
        first: &Run,
        other: &Run,
        usual: &Schedule,
        schedule: &Schedule,
        args: &[Arg],
    ) -> Result<Finding, LaunchError> {
        let nobody = ThreadId { cta: [0; 3], thread: [0; 3], warp: 0, lane: 0 };
        let end = |run: &Run| match &run.fault {
            Some(Fault { kind: FaultKind::StepLimit { limit }, .. }) => Ending::Limit(*limit),
            Some(fault) => Ending::Stopped(fault.kind.word()),
            None => Ending::Ends,
        };
        let differing = first.memory.first_difference(&other.memory);
        let both_end = first.fault.is_none() && other.fault.is_none();
        let (Some(offset), true) = (differing, both_end) else {
            let fault = other.fault.as_ref().or(first.fault.as_ref());
            let (place, thread) =
                fault.map_or((Place::default(), nobody), |fault| (fault.place, fault.thread));
            let (first, other) = ((usual.clone(), end(first)), (schedule.clone(), end(other)));
            return Ok(Finding::new(place, thread, EndsDiffer { first, other }));
        };
        let address = self.memory.base() + offset;
        let mut writer = LastWriter { address, found: None };
        // Perhaps only one of the two runs writes it.
        for schedule in [schedule, &self.launch.schedule] {
            if writer.found.is_none() {
                self.memory.restore(&self.start);
                let launch = Launch { schedule: schedule.clone(), ..*self.launch };
                vm::launch_observed(
                    &self.kernel.lowered.kernel,
                    &launch,
                    self.memory,
                    &mut writer,
                )?;
            }
        }
        let (place, thread) = writer.found.unwrap_or((Place::default(), nobody));
        let base = self.memory.base();
        let owners = Owners::new(self.kernel, args, self.launch.image_base, base);
        let Element { element, start, .. } = owners.element(address);
        let bytes = element.bytes() as u64;
        let value = |run: &Run, schedule: &Schedule| {
            let bytes = (0..bytes).map(|nth| run.memory.byte(start - base + nth));
            let bits = bytes.rev().fold(0, |bits, byte| bits << 8 | u64::from(byte));
            let value = Scalar::new(element, bits).to_string();
            ValueSeen { schedule: schedule.clone(), value }
        };
        let (first, other) = (value(first, usual), value(other, schedule));
        let at = At { space: Space::Global, address: start, bytes };
        Ok(Finding::new(place, thread, ResultsDiffer { at, first, other }))
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
