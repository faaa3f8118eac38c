//! R001, R002: accesses to the same bytes, at least one a write, that nothing orders. M008: those to the shared memory of a CTA that
//! nothing says is there.
//!
//! Order (*happens before*) follows the memory consistency model of PTX ISA 9.1, chapter 8: the program order of a
//! thread; CTA barriers between all who take part; `barrier.cluster`; `bar.warp.sync` between its lanes, and no other warp collective; releases
//! and acquires, as qualifiers or as fences around strong accesses, within their scopes. On targets below `sm_70` the
//! lanes of a warp run in lockstep and are ordered. Threads that exited count as having arrived at every later barrier.
//!
//! Strong accesses (atomics, `.relaxed`, `.volatile` and stronger) may meet each other, unless they lie in different
//! CTAs and one is of CTA scope. One case is reported against the letter of the model: volatile accesses to shared memory by lanes of one warp
//! that execute together. No rule calls them a race, but which of them sees which value is as open, and code that does
//! so relies on the lockstep of old targets.
//!
//! The other warp collectives order nothing. But what a lane has acquired before it takes part in one, the others count as having
//! acquired too: they depend on what it tells them, and NVIDIA's own tiles of several warps rely on that. And what a lane has
//! read before it takes part in one counts as read when another participant writes behind it: no hardware does otherwise,
//! and NVIDIA's libraries rely on that too.
//!
//! Barriers are CTA scope: what a relaxed load has seen of another CTA needs a wider fence. After atomics they count as one, as in the
//! usual code for the last CTA that is done.
//!
//! The plain read with which a compare-and-swap loop begins is no race either: the swap succeeds only if the value was right. Nor
//! does a loop that only waits rely on lockstep.
//!
//! Of a byte of shared memory everything is kept that a later access can race with; of global memory, the last writes and
//! two reads of different threads. Stated limits: accesses of different sizes to one location count as the same kind.

mod clock;
mod clusters;
mod expected;
mod fence;
mod happens_before;
mod joint_collectives;
mod judge;
mod line;
mod pages;
mod presence;
mod spins;
mod step;
mod sync;
mod unread;

use crate::asynchronous::Part;
use crate::finding::Findings;
use crate::per_cta::PerCta;
use crate::straight::Meetings;
use crate::touch::{Touch, Touches};
use clock::Clocks;
use clusters::Clusters;
use fixedbitset::FixedBitSet;
use ir::{
    Address, ClusterHalf, Inst, Kernel, Op, Ordering, Place, Scope, Space, Src, Terminator,
    WarpRules,
};
use judge::{Extents, How, Judge, Where, Written};
use lanes::{LaneMask, WARP};
use line::{Kind, Lines};
use pages::Pages;
use presence::Presence;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use step::Thread;
use sync::{Read, SyncVars};
use unread::Unread;
use vm::{AccessKind, BarrierArrival, BarrierPart, ClusterArrival, Firing, View};

/// What the race detector knows of the shared memory of a running CTA, which all CTAs of its cluster may access.
#[derive(Debug)]
struct Shared {
    lines: Lines,
    unread: Unread,
    /// Synchronisation through it.
    vars: SyncVars,
}

/// Watches all accesses to shared and global memory.
#[derive(Debug)]
pub(crate) struct Races {
    rules: WarpRules,
    /// Shared memory in which CUDA's own code works, by rules of its own; what it synchronises counts.
    system: Range<u64>,
    /// Loads that count as strong ones, by place: those whose value is what a compare-and-swap expects, and those of loops that wait.
    strong: FixedBitSet,
    pedantic: bool,
    clocks: PerCta<Clocks>,
    shared: PerCta<Shared>,
    /// What threads have brought to the barriers of their clusters.
    clusters: Clusters,
    presence: Presence,
    global: Pages,
    /// Synchronisation through global memory.
    vars: SyncVars,
    extents: Extents,
}

/// A set of places, by number.
fn places(places: impl Iterator<Item = Place>) -> FixedBitSet {
    let mut set = FixedBitSet::new();
    places.for_each(|place| set.grow_and_insert(place.0 as usize));
    set
}

impl Races {
    pub(crate) fn new(kernel: &Kernel, grid: [u32; 3], block: [u32; 3], pedantic: bool) -> Races {
        Races {
            rules: kernel.rules,
            system: kernel.system_shared.start.into()..kernel.system_shared.end.into(),
            strong: places(expected::loads(kernel).into_iter().chain(spins::loads(kernel))),
            pedantic,
            clocks: PerCta::new(),
            shared: PerCta::new(),
            clusters: Clusters::default(),
            presence: Presence::default(),
            global: Pages::new(),
            vars: SyncVars::new(),
            extents: Extents { grid, cluster: [1; 3], block },
        }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        let cta = view.cta() as u32;
        let lockstep = self.rules == WarpRules::Lockstep;
        self.extents.cluster = view.cluster();
        let existing = || (0..view.warps()).map(|warp| view.existing(warp)).collect();
        let new = || Clocks::new(cta, existing(), lockstep);
        self.clocks.begin(view.cta(), |clocks| clocks.restart(cta), new);
        let restart = |shared: &mut Shared| {
            shared.lines.restart();
            shared.unread.clear();
            shared.vars.clear();
        };
        let new = || Shared {
            lines: Lines::new(view.shared_bytes()),
            unread: Unread::default(),
            vars: SyncVars::new(),
        };
        self.shared.begin(view.cta(), restart, new);
    }

    pub(crate) fn end(&mut self, view: &View<'_>, found: &mut Findings) {
        if let Some(shared) = self.shared.get(view.cta()) {
            shared.unread.end(found);
        }
        self.presence.end(view, &self.extents, found);
        self.shared.end(view.cta());
        self.clocks.end(view.cta());
        self.clusters.end(view);
    }

    /// Whether a scope reaches beyond the CTA. A cluster is as wide as the device where it has several CTAs.
    fn is_wide(&self, scope: Scope) -> bool {
        match scope {
            Scope::Cta => false,
            Scope::Cluster => self.extents.cluster != [1; 3],
            Scope::Gpu | Scope::Sys => true,
        }
    }

    fn kind(&self, ordering: Ordering, write: bool) -> Kind {
        match ordering {
            Ordering::Volatile => Kind::volatile(write),
            Ordering::Weak
            | Ordering::Constant
            | Ordering::AsyncProxy
            | Ordering::Relaxed(_)
            | Ordering::Acquire(_)
            | Ordering::Release(_)
            | Ordering::AcqRel(_) => match ordering.scope() {
                None => Kind::weak(write),
                Some(scope) => Kind::strong(write, !self.is_wide(scope)),
            },
        }
    }

    #[inline]
    pub(crate) fn inst(
        &mut self,
        view: &View<'_>,
        inst: &Inst,
        touches: &Touches,
        found: &mut Findings,
    ) {
        let place = inst.place;
        let how = |kind, written, address| How { kind, place, address, written, lasts: false };
        match &inst.op {
            Op::Load { space, address, ordering, .. } => {
                if matches!(space, Space::Param | Space::Local) {
                    return;
                }
                let kind = match (self.strong.contains(inst.place.0 as usize), ordering.scope()) {
                    (true, None) => Kind::excused(),
                    (true, Some(_)) => Kind::strong(false, false),
                    (false, _) => self.kind(*ordering, false),
                };
                let how = how(kind, Written::Read, address);
                self.touch(view, touches, how, found);
                if let Some(scope) = ordering.scope() {
                    let wide = self.is_wide(scope);
                    self.synchronise(view, touches, |var, clocks, lane| {
                        let read = if ordering.acquires() { Read::Acquire } else { Read::Relaxed };
                        var.read(clocks, lane, wide, read);
                    });
                }
            }
            Op::Store { values, space, access, address, ordering } => {
                if matches!(space, Space::Param | Space::Local) {
                    return;
                }
                let kind = self.kind(*ordering, true);
                let how = how(kind, Written::Stored(values, access.bytes()), address);
                self.touch(view, touches, how, found);
                if let Some(scope) = ordering.scope() {
                    let wide = self.is_wide(scope);
                    self.synchronise(view, touches, |var, clocks, lane| {
                        var.write(clocks, lane, wide, ordering.releases());
                    });
                }
            }
            Op::Atomic { d, address, ordering, .. } => {
                let wide = ordering.scope().is_some_and(|scope| self.is_wide(scope));
                let kind = self.kind(*ordering, true);
                let kind = if d.is_some() { kind } else { kind.blind() };
                let how = how(kind, Written::Read, address);
                self.touch(view, touches, how, found);
                self.synchronise(view, touches, |var, clocks, lane| {
                    let read = if ordering.acquires() { Read::Acquire } else { Read::Update };
                    var.read(clocks, lane, wide, read);
                    var.update(clocks, lane, wide, ordering.releases());
                });
            }
            Op::Copy(copy) => {
                let (from, to) = (&copy.from.1, &copy.to.1);
                let how_read = how(self.kind(Ordering::Weak, false), Written::Read, from);
                self.touch(view, touches, how_read, found);
                let how_written = match copy.update {
                    None => how(self.kind(Ordering::Weak, true), Written::Copied(copy), to),
                    Some(_) => how(
                        self.kind(Ordering::Relaxed(Scope::Gpu), true).blind(),
                        Written::Read,
                        to,
                    ),
                };
                self.touch(view, touches, how_written, found);
            }
            Op::Fence(fence) => {
                let wide = self.is_wide(fence.scope);
                let Some(clocks) = self.clocks.get(view.cta()) else { return };
                for (warp, lanes) in view.group() {
                    clocks.fence(warp, lanes, wide);
                }
            }
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Nanosleep { .. }
            | Op::CopyProgress(_)
            | Op::Host { .. } => {}
        }
    }

    /// What strong accesses say to each other, lane by lane.
    fn synchronise(
        &mut self,
        view: &View<'_>,
        touches: &Touches,
        each: impl Fn(&mut sync::Var, &mut Clocks, Thread),
    ) {
        let Some(clocks) = self.clocks.get(view.cta()) else { return };
        clocks.begin();
        for touch in touches.of(0) {
            let vars = match touch.space {
                Space::Shared => match self.shared.get(touch.cta) {
                    Some(shared) => &mut shared.vars,
                    None => continue,
                },
                Space::Global => &mut self.vars,
                Space::Generic | Space::Local | Space::Param => continue,
            };
            for (lane, address) in touch.iter() {
                let thread = Thread::new(view.cta(), touch.warp, lane);
                each(vars.at(address), clocks, thread);
            }
        }
    }

    fn touch(&mut self, view: &View<'_>, touches: &Touches, how: How<'_>, found: &mut Findings) {
        let Some(clocks) = self.clocks.get(view.cta()) else { return };
        let judge = Judge { extents: &self.extents, pedantic: self.pedantic, view, how: &how };
        let system = &self.system;
        for touch in touches.that(how.kind.writes()) {
            let lines = match touch.space {
                Space::Shared if system.start <= touch.low && touch.high <= system.end => continue,
                Space::Shared => match self.shared.get(touch.cta) {
                    Some(shared) => Where::Shared(&mut shared.lines, &mut shared.unread),
                    None => continue,
                },
                Space::Global => Where::Global(&mut self.global),
                Space::Generic | Space::Local | Space::Param => continue,
            };
            judge.touched(&touch, lines, clocks, found);
            if touch.cta != view.cta() {
                let kind = match (how.kind.writes(), how.written) {
                    (false, _) => AccessKind::Load,
                    (true, Written::Read) => AccessKind::Atomic,
                    (true, Written::Stored(..) | Written::Copied(_)) => AccessKind::Store,
                };
                self.presence.accessed(view, &touch, clocks, (how.place, kind), found);
            }
        }
    }

    /// The group leaves a block.
    pub(crate) fn leave(&mut self, view: &View<'_>, terminator: &Terminator) {
        if let (Terminator::Exit, true) = (terminator, view.has_peers())
            && let Some(clocks) = self.clocks.get(view.cta())
        {
            self.presence.exits(view, clocks);
        }
    }

    /// An access by lanes of a warp that began earlier, and was shown then, lasts until now.
    pub(crate) fn lasts(&mut self, view: &View<'_>, touch: &Touch<'_>, place: Place, part: Part) {
        let Some(clocks) = self.clocks.get(view.cta()) else { return };
        let lines = match touch.space {
            Space::Shared => match self.shared.get(touch.cta) {
                Some(shared) => Where::Shared(&mut shared.lines, &mut shared.unread),
                None => return,
            },
            Space::Global => Where::Global(&mut self.global),
            Space::Generic | Space::Local | Space::Param => return,
        };
        let kind = match part {
            Part::Reads | Part::Writes => Kind::weak(part == Part::Writes),
            Part::Updates => Kind::strong(true, false),
        };
        let (kind, address) = (kind.copy(), &Address { base: Src::Imm(0), offset: 0 });
        let how = How { kind, place, address, written: Written::Read, lasts: true };
        let judge = Judge { extents: &self.extents, pedantic: self.pedantic, view, how: &how };
        judge.touched(touch, lines, clocks, &mut Findings::default());
    }

    pub(crate) fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        if firing.participants.is_empty() {
            return;
        }
        let Some(clocks) = self.clocks.get(view.cta()) else { return };
        if firing.parts.iter().any(|part| part.inst.op.orders_memory()) {
            let live = view.live(firing.warp);
            clocks.warp_sync(firing.warp, firing.participants, live);
        } else {
            clocks.tell(firing.warp, firing.participants);
        }
    }

    /// The same for whole warps, and for several collectives between which they access nothing.
    pub(crate) fn meet(&mut self, view: &View<'_>, meetings: &Meetings) {
        let Some(clocks) = self.clocks.get(view.cta()) else { return };
        let Meetings { orders, tells, last_orders, .. } = *meetings;
        for (warp, lanes) in view.group() {
            if tells && last_orders {
                clocks.tell(warp, lanes);
            }
            if orders {
                clocks.warp_sync(warp, lanes, view.live(warp));
            }
            if tells && !last_orders {
                clocks.tell(warp, lanes);
            }
        }
    }

    pub(crate) fn arrive_at_barrier(&mut self, view: &View<'_>, arrival: &BarrierArrival<'_>) {
        let Some(clocks) = self.clocks.get(view.cta()) else { return };
        if let Op::Barrier { action: ir::BarrierAction::Arrive, .. } = arrival.inst.op {
            clocks.arrive(arrival.id as usize, arrival.warp, arrival.lanes);
        }
    }

    pub(crate) fn complete_barrier(&mut self, view: &View<'_>, id: u32, parts: &[BarrierPart<'_>]) {
        let Some(clocks) = self.clocks.get(view.cta()) else { return };
        let mut waiting: SmallVec<[LaneMask; WARP]> = smallvec![LaneMask::EMPTY; view.warps()];
        for part in parts {
            waiting[part.warp] |= part.lanes;
        }
        let all = (0..view.warps()).all(|warp| waiting[warp] == view.live(warp));
        clocks.barrier(id as usize, &waiting, all);
    }

    pub(crate) fn come_to_cluster(&mut self, view: &View<'_>, arrival: &ClusterArrival<'_>) {
        if let (ClusterHalf::Arrive { releases }, Some(clocks)) =
            (arrival.half, self.clocks.get(view.cta()))
        {
            self.clusters.arrive(view, clocks, (arrival.warp, arrival.lanes), releases);
        }
    }

    pub(crate) fn complete_cluster(&mut self, ctas: &[View<'_>]) {
        self.clusters.complete(ctas);
    }

    pub(crate) fn pass_cluster(&mut self, view: &View<'_>, parts: &[BarrierPart<'_>]) {
        if let Some(clocks) = self.clocks.get(view.cta()) {
            self.clusters.pass(view, clocks, parts);
        }
    }
}
