//! B001: threads that come to one barrier and want different things of it before it is complete.
//!
//! Rules: PTX ISA 9.1, `bar`, `barrier`. All expect the same number of threads, which is a multiple of the warp's size, and a
//! reduction is one for all.

use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::per_cta::PerCta;
use ir::{BarrierAction, BarrierReduction, Op, Place};
use lanes::WARP;
use vm::{BARRIERS, BarrierArrival, View};

/// What the first thread wanted that came to a barrier.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    place: Place,
    threads: u32,
    reduction: Option<BarrierReduction>,
}

/// Watches what is wanted of the barriers.
#[derive(Debug)]
pub(crate) struct Phases {
    wanted: PerCta<[Option<Wanted>; BARRIERS]>,
}

impl Phases {
    pub(crate) fn new() -> Phases {
        Phases { wanted: PerCta::new() }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        let restart = |wanted: &mut [Option<Wanted>; BARRIERS]| *wanted = [None; BARRIERS];
        self.wanted.begin(view.cta(), restart, || [None; BARRIERS]);
    }

    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.wanted.end(view.cta());
    }

    pub(crate) fn arrive(
        &mut self,
        view: &View<'_>,
        arrival: &BarrierArrival<'_>,
        found: &mut Findings,
    ) {
        let Op::Barrier { action, .. } = &arrival.inst.op else { return };
        let all = || (0..view.warps()).map(|warp| view.existing(warp).count()).sum();
        let reduction = match action {
            BarrierAction::Reduce { op, .. } => Some(*op),
            BarrierAction::Sync | BarrierAction::Arrive => None,
        };
        let threads = arrival.threads.unwrap_or_else(all);
        let place = arrival.inst.place;
        let thread = view.thread(arrival.warp, arrival.lanes.lowest().unwrap_or(0));
        if let Some(odd) = arrival.threads.filter(|threads| threads % WARP as u32 != 0) {
            found.report(Code::B001, place, None, || {
                let message = format!("a barrier of {odd} threads, which is no number of warps");
                Finding::new(Code::B001, place, thread, message)
                    .label(thread.to_string())
                    .help("give the number of threads in whole warps")
            });
        }
        let Some(wanted) = self.wanted.get(view.cta()) else { return };
        let Some(first) = wanted.get_mut(arrival.id as usize) else { return };
        let first = first.get_or_insert(Wanted { place, threads, reduction });
        let message = if first.threads != threads {
            format!("barrier {} is one of {} threads and of {threads}", arrival.id, first.threads)
        } else if first.reduction != reduction {
            format!("barrier {} is used in two ways at a time", arrival.id)
        } else {
            return;
        };
        let name = |reduction: Option<BarrierReduction>, threads: u32| match reduction {
            None => format!("waits or arrives, with {threads} threads"),
            Some(BarrierReduction::Popc) => format!("counts predicates of {threads} threads"),
            Some(BarrierReduction::And) => format!("joins predicates of {threads} threads by and"),
            Some(BarrierReduction::Or) => format!("joins predicates of {threads} threads by or"),
        };
        found.report(Code::B001, place, Some(first.place), || {
            Finding::new(Code::B001, place, thread, message)
                .label(name(reduction, threads))
                .help("let all who use one barrier at a time give the same number and the same reduction, or use different barriers")
                .related(
                    first.place,
                    format!("before, another {}", name(first.reduction, first.threads)),
                )
        });
    }

    pub(crate) fn complete(&mut self, view: &View<'_>, id: u32) {
        if let Some(wanted) = self.wanted.get(view.cta())
            && let Some(first) = wanted.get_mut(id as usize)
        {
            *first = None;
        }
    }
}
