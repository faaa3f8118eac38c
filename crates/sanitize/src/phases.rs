//! B001: conflicting uses of one barrier before it completes.
//!
//! Rules: PTX ISA 9.1, `bar`, `barrier`. All expect the same number of threads, which is a multiple of the warp's size, and a
//! reduction is one for all.

use crate::code::Code;
use crate::detail::{BarrierCount, BarrierReused, BarrierUse};
use crate::finding::{Finding, Findings};
use crate::per_cta::PerCta;
use ir::{BarrierAction, Op};
use lanes::WARP;
use vm::{BARRIERS, BarrierArrival, View};

/// Watches how barriers are used.
#[derive(Debug)]
pub(crate) struct Phases {
    ctas: PerCta<Cta>,
}

#[derive(Debug)]
struct Cta {
    /// Its threads.
    threads: u32,
    /// What the first thread wanted that came to each barrier.
    wanted: [Option<BarrierUse>; BARRIERS],
}

impl Phases {
    pub(crate) fn new() -> Phases {
        Phases { ctas: PerCta::new() }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        let restart = |cta: &mut Cta| cta.wanted = [None; BARRIERS];
        let threads = || (0..view.warps()).map(|warp| view.existing(warp).count()).sum();
        self.ctas
            .begin(view.cta(), restart, || Cta { threads: threads(), wanted: [None; BARRIERS] });
    }

    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.ctas.end(view.cta());
    }

    pub(crate) fn arrive(
        &mut self,
        view: &View<'_>,
        arrival: &BarrierArrival<'_>,
        found: &mut Findings,
    ) {
        let Op::Barrier { action, .. } = &arrival.inst.op else { return };
        let thread = || view.thread(arrival.warp, arrival.lanes.lowest().unwrap_or(0));
        let reduction = match action {
            BarrierAction::Reduce { op, .. } => Some(*op),
            BarrierAction::Sync | BarrierAction::Arrive => None,
        };
        let place = arrival.inst.place;
        if let Some(odd) = arrival.threads.filter(|threads| threads % WARP as u32 != 0) {
            found.report(Code::B001, place, None, || {
                Finding::new(place, thread(), BarrierCount { threads: odd })
            });
        }
        let Some(Cta { threads, wanted }) = self.ctas.get(view.cta()) else { return };
        let Some(first) = wanted.get_mut(arrival.id as usize) else { return };
        let threads = arrival.threads.unwrap_or(*threads);
        let wants = BarrierUse { place, threads, reduction };
        let first = first.get_or_insert(wants);
        if (first.threads, first.reduction) != (threads, reduction) {
            let (id, before) = (arrival.id, *first);
            found.report(Code::B001, place, Some(before.place), || {
                Finding::new(place, thread(), BarrierReused { id, here: wants, before })
            });
        }
    }

    pub(crate) fn complete(&mut self, view: &View<'_>, id: u32) {
        if let Some(cta) = self.ctas.get(view.cta())
            && let Some(first) = cta.wanted.get_mut(id as usize)
        {
            *first = None;
        }
    }
}
