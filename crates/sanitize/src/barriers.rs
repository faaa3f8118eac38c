//! B001 and W006: CTA barriers that not all threads reach.
//!
//! Rules: PTX ISA 9.1, `bar`, `barrier`, `exit`. Without a thread count a barrier waits for all threads of the CTA that
//! have not exited, and orders the memory accesses of those that take part. An early return
//! alone is allowed. A thread that exited went around the barrier if it left writes to shared memory that nothing orders, or if it wrote
//! global memory or came to a conditional branch in code after the barrier, which the waiting threads execute too. The `.aligned` forms, `bar` among them, demand that all
//! threads of a warp execute the same instruction; they need not arrive at the same time.

use crate::after_barrier::AfterBarrier;
use crate::alike::Alike;
use crate::code::Code;
use crate::collectives::misaligned;
use crate::detail::{BarrierMissed, Missed};
use crate::finding::{Finding, Findings};
use crate::meeting;
use crate::per_cta::PerCta;
use crate::straight::Meetings;
use fixedbitset::FixedBitSet;
use foldhash::HashSet;
use ir::{Address, ClusterHalf, Inst, Kernel, Op, Place, Space, Terminator};
use lanes::{LaneMask, WARP};
use vm::{BarrierArrival, BarrierPart, ClusterArrival, Firing, View};

/// What is remembered of a warp.
#[derive(Clone, Debug)]
struct Warp {
    /// Where each lane exited.
    exits: Alike<Place>,
    /// The lanes that wrote shared memory after their last barrier.
    shared: LaneMask,
    /// The lanes that wrote global memory after their last CTA barrier.
    global: LaneMask,
    /// Where each of them did so last.
    writes: Alike<Place>,
    /// The lanes that came to a branch behind some barrier after their last CTA barrier.
    branched: LaneMask,
    /// Where each of them did so last.
    branches: Alike<Place>,
    /// The lanes that have arrived at the barrier of the cluster since it was complete, by the instruction, if it is `.aligned`.
    arrived: Vec<(Place, LaneMask)>,
}

impl Warp {
    const NEW: Warp = Warp {
        exits: Alike::new(Place(0)),
        shared: LaneMask::EMPTY,
        global: LaneMask::EMPTY,
        writes: Alike::new(Place(0)),
        branched: LaneMask::EMPTY,
        branches: Alike::new(Place(0)),
        arrived: Vec::new(),
    };

    /// The same for the next CTA. Places count for the lanes of the masks, and where lanes have exited.
    fn restart(&mut self) {
        (self.shared, self.global) = (LaneMask::EMPTY, LaneMask::EMPTY);
        self.branched = LaneMask::EMPTY;
        self.arrived.clear();
    }
}

/// Judges every barrier that is complete.
#[derive(Debug)]
pub(crate) struct Barriers {
    pedantic: bool,
    /// Whether the kernel has a CTA barrier at all.
    present: bool,
    behind: AfterBarrier,
    /// The conditional branches behind some barrier of all threads, by place.
    branches: FixedBitSet,
    warps: PerCta<Vec<Warp>>,
}

impl Barriers {
    pub(crate) fn new(kernel: &Kernel, pedantic: bool) -> Barriers {
        let insts = || kernel.blocks.iter().flat_map(|block| &block.insts);
        let present = insts().any(|inst| matches!(inst.op, Op::Barrier { .. }));
        let mut behind = AfterBarrier::default();
        let all = insts().filter(|inst| matches!(inst.op, Op::Barrier { threads: None, .. }));
        let barriers: HashSet<Place> = all.map(|inst| inst.place).collect();
        let mut branches = FixedBitSet::new();
        for block in &kernel.blocks {
            if let Terminator::Branch { .. } = block.terminator
                && barriers.iter().any(|barrier| behind.contains(kernel, *barrier, block.place))
            {
                branches.grow_and_insert(block.place.0 as usize);
            }
        }
        Barriers { pedantic, present, behind, branches, warps: PerCta::new() }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        let restart = |warps: &mut Vec<Warp>| warps.iter_mut().for_each(Warp::restart);
        self.warps.begin(view.cta(), restart, || vec![Warp::NEW; view.warps()]);
    }

    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.warps.end(view.cta());
    }

    #[inline]
    pub(crate) fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        if self.present
            && let Op::Store { space, address, .. } | Op::Atomic { space, address, .. } = &inst.op
            && *space != Space::Local
        {
            self.wrote(view, inst.place, *space, address);
        }
    }

    fn wrote(&mut self, view: &View<'_>, place: Place, space: Space, address: &Address) {
        let Some(warps) = self.warps.get(view.cta()) else { return };
        for (warp, lanes) in view.group() {
            let (shared, global) = match space {
                Space::Generic => {
                    let addresses = view.address(address, warp);
                    let within = |space: Space| {
                        let at = |lane: &u32| {
                            view.locate(Space::Generic, addresses[*lane as usize % WARP]).space
                        };
                        lanes.iter().filter(|lane| at(lane) == space).collect()
                    };
                    (within(Space::Shared), within(Space::Global))
                }
                Space::Shared => (lanes, LaneMask::EMPTY),
                Space::Global => (LaneMask::EMPTY, lanes),
                Space::Local | Space::Param => continue,
            };
            let warp = &mut warps[warp];
            warp.shared |= shared;
            warp.global |= global;
            warp.writes.set(global, place);
        }
    }

    pub(crate) fn leave(&mut self, view: &View<'_>, terminator: &Terminator, place: Place) {
        let exits = match terminator {
            _ if !self.present => return,
            Terminator::Exit => true,
            Terminator::Branch { .. } if self.branches.contains(place.0 as usize) => false,
            Terminator::Branch { .. } | Terminator::Jump(_) | Terminator::Trap => return,
        };
        let Some(warps) = self.warps.get(view.cta()) else { return };
        for (warp, lanes) in view.group() {
            let warp = &mut warps[warp];
            if exits {
                warp.exits.set(lanes, place);
            } else {
                warp.branched |= lanes;
                warp.branches.set(lanes, place);
            }
        }
    }

    /// What the lanes wrote is ordered by the barrier, whether they wait there or not.
    pub(crate) fn arrive(&mut self, view: &View<'_>, arrival: &BarrierArrival<'_>) {
        if let Some(warps) = self.warps.get(view.cta()) {
            let warp = &mut warps[arrival.warp];
            warp.shared -= arrival.lanes;
            warp.global -= arrival.lanes;
            warp.branched -= arrival.lanes;
        }
    }

    /// `bar.warp.sync` orders what the lanes wrote for their warp.
    pub(crate) fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        if firing.parts.iter().any(|part| part.inst.op.orders_memory())
            && let Some(warps) = self.warps.get(view.cta())
        {
            warps[firing.warp].shared -= firing.participants;
        }
    }

    /// The same for whole warps.
    pub(crate) fn meet(&mut self, view: &View<'_>, meetings: &Meetings) {
        if meetings.orders
            && let Some(warps) = self.warps.get(view.cta())
        {
            view.group().for_each(|(warp, lanes)| warps[warp].shared -= lanes);
        }
    }

    /// Lanes come to a half of the barrier of their cluster. It orders what they wrote for its threads.
    pub(crate) fn come_to_cluster(&mut self, view: &View<'_>, arrival: &ClusterArrival<'_>) {
        let Some(warps) = self.warps.get(view.cta()) else { return };
        let warp = &mut warps[arrival.warp];
        let (place, lanes) = (arrival.inst.place, arrival.lanes);
        if let Op::ClusterBarrier { half: ClusterHalf::Arrive { .. }, aligned } = arrival.inst.op {
            warp.shared -= lanes;
            if aligned {
                match warp.arrived.iter_mut().find(|(at, _)| *at == place) {
                    Some((_, known)) => *known |= lanes,
                    None => warp.arrived.push((place, lanes)),
                }
            }
        }
    }

    /// The barrier of a cluster is complete.
    pub(crate) fn complete_cluster(&mut self, ctas: &[View<'_>], found: &mut Findings) {
        for view in ctas {
            let Some(warps) = self.warps.get(view.cta()) else { continue };
            for (nth, warp) in warps.iter_mut().enumerate() {
                let live = view.live(nth);
                for (place, here) in warp.arrived.drain(..) {
                    if here & live != live {
                        misaligned(view, nth, here, live, place, found);
                    }
                }
            }
        }
    }

    pub(crate) fn complete(
        &mut self,
        view: &View<'_>,
        kernel: &Kernel,
        parts: &[BarrierPart<'_>],
        found: &mut Findings,
    ) {
        for part in parts {
            let Op::Barrier { aligned: true, .. } = part.inst.op else { continue };
            if part.lanes == view.live(part.warp) {
                continue;
            }
            // Lanes of the warp may stand at the same instruction in several splits.
            let same = |other: &&BarrierPart<'_>| other.warp == part.warp && same_inst(other, part);
            let here =
                parts.iter().filter(same).fold(LaneMask::EMPTY, |all, part| all | part.lanes);
            let live = view.live(part.warp);
            if here != live {
                misaligned(view, part.warp, here, live, part.inst.place, found);
            }
        }
        let Some(part) = parts.first() else { return };
        if !matches!(part.inst.op, Op::Barrier { threads: None, .. }) {
            return;
        }
        if (0..view.warps()).all(|warp| view.existing(warp) == view.live(warp)) {
            return;
        }
        let place = part.inst.place;
        let Some(warps) = self.warps.get(view.cta()) else { return };
        // The exited lanes that wrote something, and all that went around.
        let mut around = |warp: usize| -> (LaneMask, LaneMask) {
            let gone = view.existing(warp) - view.live(warp);
            let Warp { shared, global, writes, branched, branches, .. } = &warps[warp];
            let mut behind = |lanes: LaneMask, places: &Alike<Place>| -> LaneMask {
                let at = |lane: &u32| places.of(*lane as usize);
                let is_behind = |lane: &u32| self.behind.contains(kernel, place, at(lane));
                (gone & lanes).iter().filter(is_behind).collect()
            };
            let wrote = (gone & *shared) | behind(*global, writes);
            (wrote, wrote | behind(*branched, branches))
        };
        let around: Vec<(LaneMask, LaneMask)> = (0..view.warps()).map(&mut around).collect();
        let missed = |warp: usize| match self.pedantic {
            true => view.existing(warp) - view.live(warp),
            false => around[warp].1,
        };
        let Some(warp) = (0..view.warps()).find(|warp| !missed(*warp).is_empty()) else { return };
        let lanes = missed(warp);
        let exit = warps[warp].exits.of(lanes.lowest().unwrap_or(0) as usize);
        found.report(Code::B001, place, Some(exit), || {
            let how = match around[warp] {
                (wrote, _) if !wrote.is_empty() => Missed::Wrote,
                (_, passed) if !passed.is_empty() => Missed::WentAround,
                _ => Missed::Exited,
            };
            let threads = (0..view.warps()).map(|warp| missed(warp).count()).sum();
            let detail = BarrierMissed { threads, warp: warp as u32, lanes, how, exit };
            let thread = view.thread(part.warp, part.lanes.lowest().unwrap_or(0));
            let (live, existing) = (view.live(warp), view.existing(warp));
            Finding::new(place, thread, detail)
                .lanes(meeting::lanes(view, warp, LaneMask::FULL).with(live, existing - live))
        });
    }
}

fn same_inst(one: &BarrierPart<'_>, other: &BarrierPart<'_>) -> bool {
    std::ptr::eq::<Inst>(one.inst, other.inst)
}
