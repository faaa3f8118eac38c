//! W001, W003, W005, W006: the lanes that execute a collective, compared with its membermask.
//!
//! Rules: PTX ISA 9.1, `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`, `bar.warp.sync` (the executing thread is in
//! the membermask; all of it executes the same instruction with the same mask), their notes on `sm_6x` and below
//! (in convergence), and `.aligned` (the whole warp executes it; `movmatrix`, `ldmatrix`, `stmatrix`, `mma`, `wmma`: no
//! thread of the warp has exited).

use crate::anew::Anew;
use crate::code::Code;
use crate::detail::{
    MembermasksDiffer, NotAligned, NotConverged, NotNamed, SourcesLost, WithoutMask,
};
use crate::finding::{Finding, Findings};
use crate::meeting;
use crate::per_cta::PerCta;
use crate::straight::Meetings;
use ir::{Collective, Members, Op, Place, WarpRules};
use lanes::{LaneMask, Lanes, WARP, shfl};
use vm::{Arrival, Firing, Part, View};

/// The collective that a lane executed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Last {
    place: Place,
    mask: LaneMask,
}

/// The collectives that the lanes of a warp executed last.
#[derive(Clone, Debug, Default)]
struct Lasts {
    /// That of all lanes, if they executed one together.
    all: Option<Last>,
    each: Anew<Lanes<Option<Last>>>,
}

impl Lasts {
    /// None so far.
    fn restart(&mut self) {
        self.all = None;
        self.each.restart(|each| *each = Lanes::default());
    }

    fn of(&self, lane: u32) -> Option<Last> {
        self.all.or(self.each[lane as usize % WARP])
    }

    fn set(&mut self, lanes: LaneMask, last: Last) {
        if lanes.is_full() {
            self.all = Some(last);
            return;
        }
        if let Some(all) = self.all.take() {
            *self.each = [Some(all); WARP];
        }
        for lane in lanes {
            self.each[lane as usize] = Some(last);
        }
    }
}

/// Judges every arrival and every meeting.
#[derive(Debug)]
pub(crate) struct Collectives {
    rules: WarpRules,
    /// Per warp.
    last: PerCta<Vec<Lasts>>,
}

impl Collectives {
    pub(crate) fn new(rules: WarpRules) -> Collectives {
        Collectives { rules, last: PerCta::new() }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        let restart = |last: &mut Vec<_>| last.iter_mut().for_each(Lasts::restart);
        self.last.begin(view.cta(), restart, || vec![Lasts::default(); view.warps()]);
    }

    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.last.end(view.cta());
    }

    pub(crate) fn arrive(&mut self, view: &View<'_>, arrival: &Arrival<'_>, found: &mut Findings) {
        let Some(mask) = arrival.membermask else { return };
        let (warp, place) = (arrival.warp, arrival.inst.place);
        let stray = arrival.lanes - mask;
        if let Some(lane) = stray.lowest() {
            found.report(Code::W001, place, None, || {
                let executing = arrival.executing;
                let detail = NotNamed { membermask: mask, lanes: stray, executing };
                Finding::new(place, view.thread(warp, lane), detail)
                    .lanes(meeting::lanes(view, warp, mask).with(executing & mask, stray))
            });
        }
        let Some(last) = self.last.get(view.cta()).and_then(|last| last.get_mut(warp)) else {
            return;
        };
        last.set(arrival.lanes, Last { place, mask });
    }

    /// Whole warps meet, where nothing can be wrong.
    pub(crate) fn meet(&mut self, view: &View<'_>, meetings: &Meetings) {
        let Some(last) = self.last.get(view.cta()) else { return };
        for (warp, lanes) in view.group() {
            if let Some(last) = last.get_mut(warp) {
                last.set(lanes, Last { place: meetings.last, mask: LaneMask::FULL });
            }
        }
    }

    pub(crate) fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>, found: &mut Findings) {
        for part in firing.parts {
            let Op::Collective { what, members, aligned } = &part.inst.op else { continue };
            match members {
                Members::Active => self.without_mask(view, firing, part, what, found),
                Members::Mask(_) => {
                    if !firing.participants.is_full() {
                        self.disagreement(view, firing, part, found);
                        self.convergence(view, firing, part, found);
                    }
                }
            }
            if *aligned && !part.lanes.is_full() {
                // Lanes of the warp may stand at the same instruction in several splits.
                let same = |other: &&Part<'_>| std::ptr::eq(other.inst, part.inst);
                let parts = firing.parts.iter().filter(same);
                let here = parts.fold(LaneMask::EMPTY, |all, part| all | part.lanes);
                if !here.is_full() {
                    misaligned(view, firing.warp, here, LaneMask::FULL, part.inst.place, found);
                }
            }
        }
    }

    /// Lanes of the membermask that executed the instruction with another membermask and are gone.
    fn disagreement(
        &mut self,
        view: &View<'_>,
        firing: &Firing<'_>,
        part: &Part<'_>,
        found: &mut Findings,
    ) {
        let (warp, place) = (firing.warp, part.inst.place);
        let Some(last) = self.last.get(view.cta()).and_then(|last| last.get(warp)) else { return };
        let lanes = part.lanes & firing.participants;
        let Some(lane) = lanes.lowest() else { return };
        let mask = meeting::membermask(view, part.inst, warp, lane);
        // Under lockstep rules lanes of one execution may be here with another mask.
        let others = match self.rules {
            WarpRules::Independent => mask - firing.participants - view.live(warp),
            WarpRules::Lockstep => mask & firing.executing,
        };
        let differs = |lane: &u32| {
            last.of(*lane).is_some_and(|last| last.place == place && last.mask != mask)
        };
        let others: LaneMask = others.iter().filter(differs).collect();
        let Some(other) = others.lowest() else { return };
        let theirs = last.of(other).map_or(LaneMask::EMPTY, |last| last.mask);
        found.report(Code::W003, place, None, || {
            let participants = firing.participants;
            let detail = MembermasksDiffer {
                participants,
                lanes,
                membermask: mask,
                others,
                other_membermask: theirs,
            };
            Finding::new(place, view.thread(warp, lane), detail)
                .lanes(meeting::lanes(view, warp, mask).with(participants, others))
        });
    }

    /// Below `sm_70`, all lanes of the membermask execute a collective together.
    fn convergence(
        &self,
        view: &View<'_>,
        firing: &Firing<'_>,
        part: &Part<'_>,
        found: &mut Findings,
    ) {
        if self.rules != WarpRules::Lockstep {
            return;
        }
        let (warp, place) = (firing.warp, part.inst.place);
        let Some(lane) = (part.lanes & firing.participants).lowest() else { return };
        let mask = meeting::membermask(view, part.inst, warp, lane);
        let absent = (mask & view.live(warp)) - firing.executing;
        if absent.is_empty() {
            return;
        }
        found.report(Code::W006, place, None, || {
            let detail = NotConverged { membermask: mask, lanes: part.lanes, absent };
            Finding::new(place, view.thread(warp, lane), detail)
                .lanes(meeting::lanes(view, warp, mask).with(firing.participants, absent))
        });
    }

    /// A shuffle or vote without `.sync`: the active lanes take part. Below `sm_70` those are the lanes that took the same
    /// path, and a vote among them is well defined; from `sm_70` on the active lanes are unspecified.
    fn without_mask(
        &self,
        view: &View<'_>,
        firing: &Firing<'_>,
        part: &Part<'_>,
        what: &Collective,
        found: &mut Findings,
    ) {
        let (warp, place) = (firing.warp, part.inst.place);
        let live = view.live(warp);
        let absent = live - firing.participants;
        let sources = match what {
            Collective::Shfl { mode, b, c, .. } => {
                Some(shfl::source_lanes(*mode, &view.w32(*b, warp), &view.w32(*c, warp)))
            }
            Collective::Vote { .. }
            | Collective::Ballot { .. }
            | Collective::MatchAny { .. }
            | Collective::MatchAll { .. }
            | Collective::Redux { .. }
            | Collective::ReduxF32 { .. }
            | Collective::Elect { .. }
            | Collective::MovMatrix { .. }
            | Collective::WarpSync
            | Collective::Matrix(_)
            | Collective::Mma(_) => None,
        };
        let lost = sources.map_or(LaneMask::EMPTY, |sources| {
            let lost = shfl::undefined_reads(&sources.lane, firing.participants, part.lanes);
            // Reading a lane that exited is undefined and no matter of divergence.
            let divergent = |lane: &u32| live.contains(sources.lane[*lane as usize]);
            lost.iter().filter(divergent).collect()
        });
        let reported = match self.rules {
            WarpRules::Independent => !absent.is_empty(),
            WarpRules::Lockstep => !lost.is_empty(),
        };
        let Some(lane) = lost.lowest().or(part.lanes.lowest()).filter(|_| reported) else { return };
        found.report(Code::W005, place, None, || {
            let participants = firing.participants;
            let guarded_off = firing.guarded_off & absent;
            let reads = sources.filter(|_| !lost.is_empty()).map(|sources| SourcesLost {
                lanes: lost,
                sources: lost.iter().map(|lane| sources.lane[lane as usize]).collect(),
            });
            let elsewhere = absent - guarded_off;
            let detail = WithoutMask { participants, guarded_off, elsewhere, reads };
            Finding::new(place, view.thread(warp, lane), detail)
                .lanes(meeting::lanes(view, warp, live).with(participants, lost))
        });
    }
}

/// An `.aligned` instruction that only some lanes of a warp execute, and not all that are `needed`.
pub(crate) fn misaligned(
    view: &View<'_>,
    warp: usize,
    lanes: LaneMask,
    needed: LaneMask,
    place: Place,
    found: &mut Findings,
) {
    let (live, existing) = (view.live(warp), view.existing(warp));
    let Some(lane) = lanes.lowest() else { return };
    found.report(Code::W006, place, None, || {
        let absent = needed - lanes;
        let detail = NotAligned {
            lanes,
            elsewhere: absent & live,
            exited: absent & (existing - live),
            never_existed: absent - existing,
        };
        Finding::new(place, view.thread(warp, lane), detail)
            .lanes(meeting::lanes(view, warp, LaneMask::FULL).with(lanes, LaneMask::EMPTY))
    });
}
