//! B001 and W006: who reaches a CTA barrier.
//!
//! Rules: PTX ISA 9.1, `bar`, `barrier`. Without a thread count all threads of the CTA take part, so a thread that
//! exits first breaks the rule, although hardware lets the others go. The `.aligned` forms, `bar` among them, demand
//! that all threads of a warp execute the same instruction; they need not arrive at the same time.

use crate::code::Code;
use crate::collectives::misaligned;
use crate::definedness::matters::named;
use crate::finding::{Finding, Findings};
use crate::meeting;
use crate::per_cta::PerCta;
use crate::strip::Cell;
use ir::{Inst, Op, Place, Terminator};
use lanes::{LaneMask, Lanes, WARP};
use vm::{BarrierPart, View};

/// Where each lane of a warp exited.
type Exits = Vec<Lanes<Place>>;

/// Judges every barrier that is complete.
#[derive(Debug)]
pub(crate) struct Barriers {
    exits: PerCta<Exits>,
}

impl Barriers {
    pub(crate) fn new() -> Barriers {
        Barriers { exits: PerCta::new() }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        self.exits.begin(view.cta(), |_| (), || vec![[Place::default(); WARP]; view.warps()]);
    }

    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.exits.end(view.cta());
    }

    pub(crate) fn leave(&mut self, view: &View<'_>, terminator: &Terminator, place: Place) {
        let (Terminator::Exit, Some(exits)) = (terminator, self.exits.get(view.cta())) else {
            return;
        };
        for (warp, lanes) in view.group() {
            for lane in lanes {
                exits[warp][lane as usize] = place;
            }
        }
    }

    pub(crate) fn complete(
        &mut self,
        view: &View<'_>,
        parts: &[BarrierPart<'_>],
        found: &mut Findings,
    ) {
        for part in parts {
            let Op::Barrier { aligned: true, .. } = part.inst.op else { continue };
            // Lanes of the warp may stand at the same instruction in several splits.
            let same = |other: &&BarrierPart<'_>| other.warp == part.warp && same_inst(other, part);
            let here =
                parts.iter().filter(same).fold(LaneMask::EMPTY, |all, part| all | part.lanes);
            if here != view.live(part.warp) {
                misaligned(view, part.warp, here, part.inst.place, found);
            }
        }
        let Some(part) = parts.first() else { return };
        if !matches!(part.inst.op, Op::Barrier { threads: None, .. }) {
            return;
        }
        for warp in 0..view.warps() {
            let gone = view.existing(warp) - view.live(warp);
            if !gone.is_empty() {
                self.unreached(view, part, (warp, gone), found);
                return;
            }
        }
    }

    /// A barrier that is complete although some threads exited.
    fn unreached(
        &mut self,
        view: &View<'_>,
        part: &BarrierPart<'_>,
        (warp, gone): (usize, LaneMask),
        found: &mut Findings,
    ) {
        let Some(exits) = self.exits.get(view.cta()) else { return };
        let lane = gone.lowest().unwrap_or(0);
        let exit = exits[warp][lane as usize];
        let place = part.inst.place;
        found.report(Code::B001, place, Some(exit), || {
            let all: u32 =
                (0..view.warps()).map(|warp| (view.existing(warp) - view.live(warp)).count()).sum();
            let threads = if all == 1 { "1 thread has" } else { &format!("{all} threads have") };
            let message =
                format!("{threads} exited and never reach this barrier of all threads of the CTA");
            let thread = view.thread(part.warp, part.lanes.lowest().unwrap_or(0));
            let (live, existing) = (view.live(warp), view.existing(warp));
            let strip = meeting::strip(live, LaneMask::FULL, "waits here", "exited before")
                .mark(live, Cell::Arrived)
                .mark(existing - live, Cell::Wrong);
            Finding::new(Code::B001, place, thread, message)
                .label("the others wait here")
                .related(exit, format!("{} of warp {warp} exited here", named(gone)))
                .strip(strip)
        });
    }
}

fn same_inst(one: &BarrierPart<'_>, other: &BarrierPart<'_>) -> bool {
    std::ptr::eq::<Inst>(one.inst, other.inst)
}
