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
    /// What the first thread wanted that came to each.
    wanted: PerCta<[Option<BarrierUse>; BARRIERS]>,
}

impl Phases {
    pub(crate) fn new() -> Phases {
        Phases { wanted: PerCta::new() }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        let restart = |wanted: &mut [Option<BarrierUse>; BARRIERS]| *wanted = [None; BARRIERS];
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
                Finding::new(place, thread, BarrierCount { threads: odd })
            });
        }
        let Some(wanted) = self.wanted.get(view.cta()) else { return };
        let Some(first) = wanted.get_mut(arrival.id as usize) else { return };
        let wants = BarrierUse { place, threads, reduction };
        let first = first.get_or_insert(wants);
        if (first.threads, first.reduction) != (threads, reduction) {
            let (id, before) = (arrival.id, *first);
            found.report(Code::B001, place, Some(before.place), || {
                Finding::new(place, thread, BarrierReused { id, here: wants, before })
            });
        }
    }

    pub(crate) fn complete(&mut self, view: &View<'_>, id: u32) {
        if let Some(wanted) = self.wanted.get(view.cta())
            && let Some(first) = wanted.get_mut(id as usize)
        {
            *first = None;
        }
    }
}
