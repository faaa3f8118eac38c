//! The observer that feeds all detectors.

use crate::activemask::ActiveMasks;
use crate::asynchronous::AsyncCopies;
use crate::barriers::Barriers;
use crate::bounds::Bounds;
use crate::collectives::Collectives;
use crate::constants::Constants;
use crate::definedness::Definedness;
use crate::endless::Endless;
use crate::faults;
use crate::finding::{Findings, Found};
use crate::heap::Heap;
use crate::objects;
use crate::others::Outside;
use crate::patience::Patience;
use crate::phases::Phases;
use crate::race::Races;
use crate::straight::Summaries;
use crate::touch::Touches;
use crate::traffic::Watch;
use ir::{Inst, Kernel, Place, Pred, Terminator};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use vm::{
    Arrival, BarrierArrival, BarrierPart, ClusterArrival, Fault, Firing, HeapEvent, Memory,
    Observer, Straight, Verdict, View, Waiting,
};

/// What is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Also what is undefined and never used: shuffles that read lanes that do not take part (W002), races in which
    /// no value changes as errors, padding that is stored, every collective with a mask from `activemask`, and barriers
    /// that threads which returned early do not reach. And memory that a kernel allocates and leaves to a later one (M006).
    pub pedantic: bool,
}

/// All detectors as one observer. Watches one launch.
#[derive(Debug)]
pub struct Sanitizer {
    kernel: Arc<Kernel>,
    definedness: Definedness,
    collectives: Collectives,
    activemasks: ActiveMasks,
    barriers: Barriers,
    phases: Phases,
    bounds: Bounds,
    races: Races,
    copies: AsyncCopies,
    constants: Constants,
    heap: Heap,
    pedantic: bool,
    endless: Endless,
    /// `None` if nobody asks.
    traffic: Option<Watch>,
    /// `None` for a run that ends only where it must.
    patience: Option<Patience>,
    found: Findings,
    summaries: Summaries,
    touches: Touches,
}

impl Sanitizer {
    /// Detectors for a launch of a kernel with these extents in CTAs and threads.
    pub fn new(kernel: &Kernel, grid: [u32; 3], block: [u32; 3], options: Options) -> Sanitizer {
        let shared = Arc::new(kernel.clone());
        Sanitizer {
            definedness: Definedness::new(&shared, options.pedantic, &[]),
            collectives: Collectives::new(kernel.rules),
            activemasks: ActiveMasks::new(kernel, options.pedantic),
            barriers: Barriers::new(kernel, options.pedantic),
            phases: Phases::new(),
            bounds: Bounds::new(kernel),
            races: Races::new(kernel, grid, block, options.pedantic),
            copies: AsyncCopies::new(kernel),
            constants: Constants::new(kernel),
            heap: Heap::default(),
            pedantic: options.pedantic,
            endless: Endless::new(&shared, grid),
            traffic: None,
            patience: None,
            found: Findings::default(),
            summaries: Summaries::default(),
            touches: Touches::default(),
            kernel: shared,
        }
    }

    /// Ends the run when it goes on for more than so many warp instructions after something was found, and no CTA ends and nothing new
    /// is found.
    pub fn impatient(self, most: u64) -> Sanitizer {
        Sanitizer { patience: Some(Patience::new(most)), ..self }
    }

    /// Looks at every lane by itself where else rows of them are looked at: for tests, since nothing else may be found.
    #[doc(hidden)]
    pub fn one_by_one(self) -> Sanitizer {
        Sanitizer { touches: Touches::one_by_one(), ..self }
    }

    /// For a launch among others: of global memory nobody has written some ranges, which are in ascending order and apart, somebody
    /// `outside` may write it while the launch runs, and what the launch accesses is told ([`Found::traffic`]).
    pub fn among_others(self, unwritten: &[Range<u64>], outside: Outside) -> Sanitizer {
        let definedness = Definedness::new(&self.kernel, self.pedantic, unwritten);
        let endless = self.endless.among(outside);
        Sanitizer { definedness, endless, traffic: Some(Watch::new()), ..self }
    }

    /// What was found, with what stopped the kernel as the last finding. `memory` is as the run has left it.
    pub fn finish(mut self, fault: Option<&Fault>, memory: &Memory) -> Found {
        let silent = self.endless.is_met_by_silence();
        let explain = |fault| faults::explain(&self.kernel, fault, &self.heap, silent);
        match fault {
            Some(fault) => {
                if let Some(finding) = explain(fault) {
                    self.found.stopped(finding);
                }
            }
            None => self.heap.report_leaks(memory, self.pedantic, &mut self.found),
        }
        let traffic = self.traffic.map(Watch::into_traffic);
        Found { suspected: self.activemasks.into_suspected(), traffic, ..self.found.into_found() }
    }
}

impl Observer for Sanitizer {
    fn begin(&mut self, view: &View<'_>) {
        self.definedness.begin(view);
        self.collectives.begin(view);
        self.activemasks.begin(view);
        self.barriers.begin(view);
        self.phases.begin(view);
        self.races.begin(view);
        self.copies.begin(view);
        self.endless.begin();
    }

    fn end(&mut self, view: &View<'_>) {
        self.definedness.end(view);
        self.collectives.end(view);
        self.activemasks.end(view);
        self.barriers.end(view);
        self.phases.end(view);
        self.races.end(view, &mut self.found);
        self.copies.end(view);
        self.endless.end();
        self.patience.iter_mut().for_each(|patience| patience.end(view));
    }

    fn look_up(&mut self, view: &View<'_>, waiting: &[Waiting]) -> ControlFlow<Verdict> {
        self.endless.look_up(view, waiting)?;
        let patience = self.patience.as_mut();
        match patience.is_some_and(|patience| patience.look_up(view, &self.found)) {
            true => ControlFlow::Break(Verdict::Enough),
            false => ControlFlow::Continue(()),
        }
    }

    fn guard(&mut self, view: &View<'_>, guard: Pred, place: Place) {
        self.definedness.guard(view, guard, place, &mut self.found);
        self.endless.guard(view, place);
    }

    fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        match inst.op.touches().any(|touched| self.bounds.looks_at(touched.space)) {
            true => self.touches.find(view, inst),
            false => self.touches.clear(),
        }
        let touches = &self.touches;
        self.definedness.inst(view, inst, touches, &mut self.found);
        self.activemasks.inst(view, inst, touches);
        self.barriers.inst(view, inst);
        self.bounds.inst(view, inst, touches, &mut self.found);
        self.races.inst(view, inst, touches, &mut self.found);
        let races = &mut self.races;
        self.copies.inst(view, inst, touches, &mut self.found, |touch, place, part| {
            races.lasts(view, touch, place, part);
        });
        self.constants.inst(view, inst, touches, &mut self.found);
        objects::inst(view, inst, touches, &mut self.found);
        self.traffic.iter_mut().for_each(|traffic| traffic.see(inst, touches));
        self.endless.inst(view, inst, touches);
        self.heap.inst(view, inst);
    }

    fn heap(&mut self, view: &View<'_>, event: &HeapEvent) {
        self.heap.happened(view, event);
        self.definedness.heap(event);
    }

    fn straight(&mut self, view: &View<'_>, straight: &Straight<'_>) -> bool {
        if self.activemasks.follows() || self.endless.looks() {
            return true;
        }
        let summary = self.summaries.of(straight);
        if !self.definedness.straight(view, summary) {
            return true;
        }
        if let Some(meetings) = &summary.meetings {
            self.collectives.meet(view, meetings);
            self.barriers.meet(view, meetings);
            self.races.meet(view, meetings);
        }
        false
    }

    fn leave(&mut self, view: &View<'_>, terminator: &Terminator, place: Place) {
        self.definedness.leave(view, terminator, place, &mut self.found);
        self.activemasks.leave(view, terminator, place);
        self.barriers.leave(view, terminator, place);
        self.races.leave(view, terminator);
        self.endless.leave(view, terminator, place);
    }

    fn arrive(&mut self, view: &View<'_>, arrival: &Arrival<'_>) {
        self.definedness.arrive(view, arrival, &mut self.found);
        self.collectives.arrive(view, arrival, &mut self.found);
        self.activemasks.arrive(view, arrival, &mut self.found);
        self.endless.arrive(view, arrival);
    }

    fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        self.collectives.fire(view, firing, &mut self.found);
        self.definedness.fire(view, firing, &mut self.found);
        self.barriers.fire(view, firing);
        self.races.fire(view, firing);
        self.endless.fire(view, firing);
    }

    fn arrive_at_barrier(&mut self, view: &View<'_>, arrival: &BarrierArrival<'_>) {
        self.definedness.arrive_at_barrier(view, arrival, &mut self.found);
        self.barriers.arrive(view, arrival);
        self.phases.arrive(view, arrival, &mut self.found);
        self.races.arrive_at_barrier(view, arrival);
        self.endless.arrive_at_barrier();
    }

    fn come_to_cluster(&mut self, view: &View<'_>, arrival: &ClusterArrival<'_>) {
        self.barriers.come_to_cluster(view, arrival);
        self.races.come_to_cluster(view, arrival);
        self.endless.arrive_at_barrier();
    }

    fn complete_cluster(&mut self, ctas: &[View<'_>]) {
        self.barriers.complete_cluster(ctas, &mut self.found);
        self.races.complete_cluster(ctas);
    }

    fn pass_cluster(&mut self, view: &View<'_>, parts: &[BarrierPart<'_>]) {
        self.races.pass_cluster(view, parts);
    }

    fn complete_barrier(&mut self, view: &View<'_>, id: u32, waiting: &[BarrierPart<'_>]) {
        self.barriers.complete(view, &self.kernel, waiting, &mut self.found);
        self.phases.complete(view, id);
        self.definedness.complete_barrier(view, id, waiting, &mut self.found);
        self.races.complete_barrier(view, id, waiting);
    }
}
