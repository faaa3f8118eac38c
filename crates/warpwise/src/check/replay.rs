//! Runs of a kernel on the same memory under other schedules, and how they differ.

use super::rewind::Rewind;
use super::watched::Watching;
use crate::element::Scalar;
use crate::launch::Arg;
use crate::module::Kernel;
use crate::owner::{Element, Owners};
use crate::source::Located;
use ir::{Inst, Members, Op, Place, Space, Touched};
use sanitize::detail::{EndSeen, Ending, EndsDiffer, ResultsDiffer, ValueSeen};
use sanitize::explore::{Footprints, Run, Subject};
use sanitize::{At, Finding, Found};
use vm::memory::Snapshot;
use vm::{
    Chooser, Fault, FaultKind, Launch, LaunchError, Observer, Schedule, Stats, ThreadId, View,
};

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

/// A kernel that can be launched on the same memory again and replay.
pub(crate) struct Replay<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) rewind: Rewind<'a>,
    pub(crate) watching: Watching<'a>,
    places: Located<'a>,
    /// How often it has run, and who is told.
    pub(crate) runs: u64,
    repeated: &'a (dyn Fn(u64) + Sync),
}

impl Subject for Replay<'_> {
    type Error = LaunchError;

    fn run(
        &mut self,
        chooser: &mut dyn Chooser,
        footprints: Option<&mut Footprints>,
    ) -> Result<Run, LaunchError> {
        self.count();
        self.rewind.back();
        let mut sanitizer = self.kernel.sanitizer(self.launch, self.watching);
        let mut both = (&mut sanitizer, footprints);
        let kernel = &*self.kernel.executable;
        let outcome =
            vm::launch_chosen(kernel, self.launch, self.rewind.memory, &mut both, chooser)?;
        let found = sanitizer.finish(outcome.fault.as_ref(), self.rewind.memory);
        let Found { findings, traffic, .. } = found;
        Ok(Run { findings, memory: self.rewind.left(traffic.as_ref()), fault: outcome.fault })
    }

    fn start(&self) -> &Snapshot {
        self.rewind.start()
    }

    fn ran_elsewhere(&mut self) {
        self.count();
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

impl<'a> Replay<'a> {
    /// A kernel that begins with memory as it was before. The launch is [`bounded`].
    pub(crate) fn new(
        kernel: &'a Kernel,
        launch: &'a Launch<'a>,
        rewind: Rewind<'a>,
        watching: Watching<'a>,
        repeated: &'a (dyn Fn(u64) + Sync),
    ) -> Replay<'a> {
        let places = Located::new(kernel);
        Replay { kernel, launch, rewind, watching, places, runs: 0, repeated }
    }

    fn count(&mut self) {
        self.runs += 1;
        (self.repeated)(self.runs);
    }

    /// Memory as it was at the start, and the launch under another schedule.
    pub(crate) fn begin_anew(&mut self, schedule: &Schedule) -> Launch<'a> {
        self.count();
        self.rewind.back();
        Launch { schedule: schedule.clone(), ..*self.launch }
    }

    /// How two runs differ, and the last write to the first difference.
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
        let (Some(address), true) = (differing, both_end) else {
            let fault = other.fault.as_ref().or(first.fault.as_ref());
            let (place, thread) =
                fault.map_or((Place::default(), nobody), |fault| (fault.place, fault.thread));
            let seen =
                |schedule: &Schedule, run| EndSeen { schedule: schedule.clone(), ending: end(run) };
            let (first, other) = (seen(usual, first), seen(schedule, other));
            return Ok(Finding::new(place, thread, EndsDiffer { first, other }));
        };
        let mut writer = LastWriter { address, found: None };
        // Perhaps only one of the two runs writes it.
        for schedule in [schedule, &self.launch.schedule] {
            if writer.found.is_none() {
                self.rewind.back();
                let launch = Launch { schedule: schedule.clone(), ..*self.launch };
                vm::launch_observed(
                    &self.kernel.executable,
                    &launch,
                    self.rewind.memory,
                    &mut writer,
                )?;
            }
        }
        let (place, thread) = writer.found.unwrap_or((Place::default(), nobody));
        let base = self.rewind.memory.base();
        let owners = Owners::new(self.kernel, args, self.launch.image_base, base);
        let Element { element, start, .. } = owners.element(address);
        let bytes = element.bytes() as u64;
        let value = |run: &Run, schedule: &Schedule| {
            let bytes = (0..bytes).map(|nth| run.memory.byte(start + nth));
            let bits = bytes.rev().fold(0, |bits, byte| bits << 8 | u64::from(byte));
            let value = Scalar::new(element, bits).to_string();
            ValueSeen { schedule: schedule.clone(), value }
        };
        let (first, other) = (value(first, usual), value(other, schedule));
        let at = At { space: Space::Global, address: start, bytes };
        Ok(Finding::new(place, thread, ResultsDiffer { at, first, other }))
    }
}

/// Finds the last write to a byte of global memory.
struct LastWriter {
    address: u64,
    found: Option<(Place, ThreadId)>,
}

impl Observer for LastWriter {
    fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        for touched in inst.op.touches().filter(|touched| touched.writes) {
            let Touched { space, address, .. } = touched;
            if !matches!(space, Space::Global | Space::Generic) {
                continue;
            }
            for (warp, lanes) in view.group() {
                let (addresses, bytes) =
                    (view.address(address, warp), view.length(touched.length, warp));
                for lane in lanes.iter() {
                    let start = view.locate(space, addresses[lane as usize]);
                    let inside = self.address.wrapping_sub(start.address) < bytes[lane as usize];
                    if start.space == Space::Global && inside {
                        self.found = Some((inst.place, view.thread(warp, lane)));
                    }
                }
            }
        }
    }
}
