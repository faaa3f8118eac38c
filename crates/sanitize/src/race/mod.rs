//! R001, R002: accesses to the same bytes, at least one a write, that nothing orders.
//!
//! Order (*happens before*) follows the memory consistency model of PTX ISA 9.1, chapter 8: the program order of a
//! thread; CTA barriers between all who take part; `bar.warp.sync` between its lanes, and no other warp collective; releases
//! and acquires, as qualifiers or as fences around strong accesses, within their scopes. On targets below `sm_70` the
//! lanes of a warp run in lockstep and are ordered. Threads that exited count as having arrived at every later barrier.
//!
//! Strong accesses (atomics, `.relaxed`, `.volatile` and stronger) may meet each other, unless they lie in different
//! CTAs and one is of CTA scope (`.cluster` too: launches have no clusters). One case is reported against the letter of the model: volatile accesses to shared memory by lanes of one warp
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
mod expected;
mod fence;
mod happens_before;
mod joint_collectives;
mod judge;
mod line;
mod spins;
mod step;
mod sync;
mod unread;

use crate::finding::Findings;
use crate::per_cta::PerCta;
use crate::touch::Touch;
use clock::Clocks;
use foldhash::HashSet;
use ir::{Address, Inst, Kernel, Op, Ordering, Place, Scope, Space, Src, WarpRules};
use judge::{Extents, How, Judge, Where};
use lanes::LaneMask;
use line::{Kind, Lines, Pages};
use std::ops::Range;
use step::Thread;
use sync::{Read, SyncVars};
use unread::Unread;
use vm::{BarrierArrival, BarrierPart, Firing, View};

/// What the race detector knows of a running CTA.
#[derive(Debug)]
struct Cta {
    clocks: Clocks,
    shared: Lines,
    unread: Unread,
    /// Synchronisation through shared memory.
    vars: SyncVars,
}

/// Watches all accesses to shared and global memory.
#[derive(Debug)]
pub(crate) struct Races {
    rules: WarpRules,
    /// Shared memory in which CUDA's own code works, by rules of its own; what it synchronises counts.
    system: Range<u64>,
    /// Loads that count as strong ones: those whose value is what a compare-and-swap expects, and those of loops that wait.
    strong: HashSet<Place>,
    pedantic: bool,
    ctas: PerCta<Cta>,
    global: Pages,
    /// Synchronisation through global memory.
    vars: SyncVars,
    extents: Extents,
}

fn kind(ordering: Ordering, write: bool) -> Kind {
    match ordering {
        Ordering::Volatile => Kind::volatile(write),
        Ordering::Weak
        | Ordering::Constant
        | Ordering::Relaxed(_)
        | Ordering::Acquire(_)
        | Ordering::Release(_)
        | Ordering::AcqRel(_) => match ordering.scope() {
            None => Kind::weak(write),
            Some(scope) => Kind::strong(write, !is_wide(scope)),
        },
    }
}

/// Whether a scope reaches beyond the CTA. Launches have no clusters, so a cluster is one CTA.
fn is_wide(scope: Scope) -> bool {
    matches!(scope, Scope::Gpu | Scope::Sys)
}

impl Races {
    pub(crate) fn new(kernel: &Kernel, grid: [u32; 3], block: [u32; 3], pedantic: bool) -> Races {
        Races {
            rules: kernel.rules,
            system: kernel.system_shared.start.into()..kernel.system_shared.end.into(),
            strong: expected::loads(kernel).into_iter().chain(spins::loads(kernel)).collect(),
            pedantic,
            ctas: PerCta::new(),
            global: Pages::new(),
            vars: SyncVars::new(),
            extents: Extents { grid, block },
        }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        let cta = view.cta() as u32;
        let lockstep = self.rules == WarpRules::Lockstep;
        let restart = |state: &mut Cta| {
            state.clocks.restart(cta);
            state.shared.restart();
            state.unread.clear();
            state.vars.clear();
        };
        let new = || Cta {
            clocks: Clocks::new(
                cta,
                (0..view.warps()).map(|warp| view.existing(warp)).collect(),
                lockstep,
            ),
            shared: Lines::new(view.shared_bytes()),
            unread: Unread::default(),
            vars: SyncVars::new(),
        };
        self.ctas.begin(view.cta(), restart, new);
    }

    pub(crate) fn end(&mut self, view: &View<'_>, found: &mut Findings) {
        if let Some(cta) = self.ctas.get(view.cta()) {
            cta.unread.end(found);
        }
        self.ctas.end(view.cta());
    }

    #[inline]
    pub(crate) fn inst(&mut self, view: &View<'_>, inst: &Inst, found: &mut Findings) {
        match &inst.op {
            Op::Load { d, space, access, address, ordering } => {
                if matches!(space, Space::Param | Space::Local) {
                    return;
                }
                let kind = match self.strong.contains(&inst.place) {
                    true => Kind::strong(false, false),
                    false => kind(*ordering, false),
                };
                let how =
                    How { kind, place: inst.place, address, values: &[], element: 0, lasts: false };
                let bytes = u64::from(access.bytes()) * d.len() as u64;
                self.touch(view, *space, address, bytes, how, found);
                if let Some(scope) = ordering.scope() {
                    self.synchronise(view, *space, address, bytes, |var, clocks, lane| {
                        let read = if ordering.acquires() { Read::Acquire } else { Read::Relaxed };
                        var.read(clocks, lane, is_wide(scope), read);
                    });
                }
            }
            Op::Store { values, space, access, address, ordering } => {
                if matches!(space, Space::Param | Space::Local) {
                    return;
                }
                let kind = kind(*ordering, true);
                let (place, element) = (inst.place, access.bytes());
                let how = How { kind, place, address, values, element, lasts: false };
                let bytes = u64::from(access.bytes()) * values.len() as u64;
                self.touch(view, *space, address, bytes, how, found);
                if let Some(scope) = ordering.scope() {
                    self.synchronise(view, *space, address, bytes, |var, clocks, lane| {
                        var.write(clocks, lane, is_wide(scope), ordering.releases());
                    });
                }
            }
            Op::Atomic { d, space, access, address, ordering, .. } => {
                let wide = ordering.scope().is_some_and(is_wide);
                let kind = kind(*ordering, true);
                let kind = if d.is_some() { kind } else { kind.blind() };
                let how =
                    How { kind, place: inst.place, address, values: &[], element: 0, lasts: false };
                let bytes = u64::from(access.bytes());
                self.touch(view, *space, address, bytes, how, found);
                self.synchronise(view, *space, address, bytes, |var, clocks, lane| {
                    let read = if ordering.acquires() { Read::Acquire } else { Read::Update };
                    var.read(clocks, lane, wide, read);
                    var.update(clocks, lane, wide, ordering.releases());
                });
            }
            Op::Fence(fence) => {
                let Some(cta) = self.ctas.get(view.cta()) else { return };
                for (warp, lanes) in view.group() {
                    cta.clocks.fence(warp, lanes, is_wide(fence.scope));
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
            | Op::Nanosleep { .. }
            | Op::AsyncCopy(_)
            | Op::Host { .. } => {}
        }
    }

    /// What strong accesses say to each other, lane by lane.
    fn synchronise(
        &mut self,
        view: &View<'_>,
        space: Space,
        address: &Address,
        bytes: u64,
        each: impl Fn(&mut sync::Var, &mut Clocks, Thread),
    ) {
        let Some(cta) = self.ctas.get(view.cta()) else { return };
        cta.clocks.begin();
        for (warp, lanes) in view.group() {
            Touch::each(view, (warp, lanes.0), space, address, bytes, |touch| {
                let vars = match touch.space {
                    Space::Shared => &mut cta.vars,
                    Space::Global => &mut self.vars,
                    Space::Generic | Space::Local | Space::Param => return,
                };
                for (lane, address) in touch.iter() {
                    let thread = Thread::new(view.cta(), warp, lane);
                    each(vars.at(address), &mut cta.clocks, thread);
                }
            });
        }
    }

    fn touch(
        &mut self,
        view: &View<'_>,
        space: Space,
        address: &Address,
        bytes: u64,
        how: How<'_>,
        found: &mut Findings,
    ) {
        let Some(cta) = self.ctas.get(view.cta()) else { return };
        let judge = Judge { extents: self.extents, pedantic: self.pedantic, view, how };
        let system = &self.system;
        for (warp, lanes) in view.group() {
            Touch::each(view, (warp, lanes.0), space, address, bytes, |touch| {
                let lines = match touch.space {
                    Space::Shared if system.start <= touch.low && touch.high <= system.end => {
                        return;
                    }
                    Space::Shared => Where::Shared(&mut cta.shared, &mut cta.unread),
                    Space::Global => Where::Global(&mut self.global),
                    Space::Generic | Space::Local | Space::Param => return,
                };
                judge.touched(touch, lines, &cta.clocks, found);
            });
        }
    }

    /// An access by lanes of a warp that began earlier, and was shown then, lasts until now.
    pub(crate) fn lasts(&mut self, view: &View<'_>, touch: &Touch, place: Place, writes: bool) {
        let Some(cta) = self.ctas.get(view.cta()) else { return };
        let lines = match touch.space {
            Space::Shared => Where::Shared(&mut cta.shared, &mut cta.unread),
            Space::Global => Where::Global(&mut self.global),
            Space::Generic | Space::Local | Space::Param => return,
        };
        let (kind, address) = (Kind::copy(writes), &Address { base: Src::Imm(0), offset: 0 });
        let how = How { kind, place, address, values: &[], element: 0, lasts: true };
        let judge = Judge { extents: self.extents, pedantic: self.pedantic, view, how };
        judge.touched(touch, lines, &cta.clocks, &mut Findings::default());
    }

    pub(crate) fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        if firing.participants.is_empty() {
            return;
        }
        let Some(cta) = self.ctas.get(view.cta()) else { return };
        let orders = |op: &Op| matches!(op, Op::Collective { what: ir::Collective::WarpSync, .. });
        if firing.parts.iter().any(|part| orders(&part.inst.op)) {
            let live = view.live(firing.warp);
            cta.clocks.warp_sync(firing.warp, firing.participants, live);
        } else {
            cta.clocks.tell(firing.warp, firing.participants);
        }
    }

    pub(crate) fn arrive_at_barrier(&mut self, view: &View<'_>, arrival: &BarrierArrival<'_>) {
        let Some(cta) = self.ctas.get(view.cta()) else { return };
        if let Op::Barrier { action: ir::BarrierAction::Arrive, .. } = arrival.inst.op {
            cta.clocks.arrive(arrival.id as usize, arrival.warp, arrival.lanes);
        }
    }

    pub(crate) fn complete_barrier(&mut self, view: &View<'_>, id: u32, parts: &[BarrierPart<'_>]) {
        let Some(cta) = self.ctas.get(view.cta()) else { return };
        let mut waiting = vec![LaneMask::EMPTY; view.warps()];
        for part in parts {
            waiting[part.warp] |= part.lanes;
        }
        let all = (0..view.warps()).all(|warp| waiting[warp] == view.live(warp));
        cta.clocks.barrier(id as usize, &waiting, all);
    }
}
