//! The events of a run: every instruction, synchronisation and exit, before it takes effect and, on request, after it.
//!
//! An [`Observer`] is a type parameter of the run. A run that nobody observes has [`Unobserved`], and its
//! engine contains no trace of the calls below. An observed run keeps every register of the kernel in a row of
//! its own, so that [`View`] can show all of them.

use crate::cluster_memory::ClusterMemory;
use crate::fault::{ThreadId, Verdict, Waiting};
use crate::frame::Frame;
use crate::heap_event::HeapEvent;
use crate::memory::{Region, lead};
use crate::plan::Slot;
use crate::schedule::Candidate;
use crate::steps;
use ir::{Address, Class, ClusterHalf, Inst, Length, Place, Pred, Reg, Space, Src, Terminator};
use lanes::{LaneMask, Lanes, WARP};
use std::ops::{ControlFlow, Range};

/// Watches a run. Every method is told of something that is about to happen, while registers and memory
/// are still as before, but for those that begin with `after`; by default it does nothing.
///
/// Several observers are one as a tuple, a reference or an [`Option`]; each event is shown to them in order.
///
/// The CTAs of an observed run share one observer and run on one host thread. They may take turns: events tell
/// their CTA.
pub trait Observer {
    /// Whether there is anyone to tell. `false` removes the calls from the engine.
    const OBSERVES: bool = true;

    /// Whether to tell of effects, too: [`Observer::after_inst`] and the other events that begin with `after`. `false` removes
    /// those calls from the engine.
    const EFFECTS: bool = false;

    /// A CTA begins: its registers, shared and local memory hold nothing.
    fn begin(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// All threads of a CTA have exited.
    fn end(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// A split takes a step, under schedules that choose step by step. What follows, up to the next step, is done by
    /// it.
    fn step(&mut self, split: &Candidate) {
        let _ = split;
    }

    /// A CTA has run for long, and looks who waits at its collectives and barriers. An observer that has something to say
    /// of that breaks.
    fn look_up(&mut self, view: &View<'_>, waiting: &[Waiting]) -> ControlFlow<Verdict> {
        let _ = (view, waiting);
        ControlFlow::Continue(())
    }

    /// The group reads the guard predicate of an instruction.
    fn guard(&mut self, view: &View<'_>, guard: Pred, place: Place) {
        let _ = (view, guard, place);
    }

    /// The group executes an instruction that does not wait: everything except collectives and barriers.
    /// Not told when the guard leaves no lane.
    fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        let _ = (view, inst);
    }

    /// The group is about to execute instructions of a block, one after the other, of which none has a guard, accesses memory or has
    /// to wait. Returns whether to be told of each of them, as one is by default. Who says no may be told nevertheless, because
    /// somebody else wants it. Nobody is asked where somebody wants to be told of effects.
    fn straight(&mut self, view: &View<'_>, straight: &Straight<'_>) -> bool {
        let _ = (view, straight);
        true
    }

    /// The group leaves a block.
    fn leave(&mut self, view: &View<'_>, terminator: &Terminator, place: Place) {
        let _ = (view, terminator, place);
    }

    /// Lanes arrive at a collective.
    fn arrive(&mut self, view: &View<'_>, arrival: &Arrival<'_>) {
        let _ = (view, arrival);
    }

    /// A collective fires: its participants exchange values and go on.
    fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        let _ = (view, firing);
    }

    /// Lanes arrive at a CTA barrier.
    fn arrive_at_barrier(&mut self, view: &View<'_>, arrival: &BarrierArrival<'_>) {
        let _ = (view, arrival);
    }

    /// A CTA barrier is complete: those who wait there go on.
    fn complete_barrier(&mut self, view: &View<'_>, id: u32, waiting: &[BarrierPart<'_>]) {
        let _ = (view, id, waiting);
    }

    /// Lanes come to a half of the barrier of their cluster.
    fn come_to_cluster(&mut self, view: &View<'_>, arrival: &ClusterArrival<'_>) {
        let _ = (view, arrival);
    }

    /// The barrier of a cluster, of which these are the CTAs, is complete.
    fn complete_cluster(&mut self, ctas: &[View<'_>]) {
        let _ = ctas;
    }

    /// Lanes go on behind the barrier of their cluster: as soon as it is complete, or when they come to wait.
    fn pass_cluster(&mut self, view: &View<'_>, parts: &[BarrierPart<'_>]) {
        let _ = (view, parts);
    }

    /// A thread has called `malloc` or `free`: told when its instruction has been executed, or has faulted for a later lane.
    fn heap(&mut self, view: &View<'_>, event: &HeapEvent) {
        let _ = (view, event);
    }

    /// The group has executed an instruction of which [`Observer::inst`] told, and no lane of it faulted.
    fn after_inst(&mut self, view: &View<'_>, inst: &Inst) {
        let _ = (view, inst);
    }

    /// A collective has given its lanes what they exchanged.
    fn after_fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        let _ = (view, firing);
    }

    /// Those who waited at a CTA barrier go on, with the results of its reduction if it has one.
    fn after_barrier(&mut self, view: &View<'_>, id: u32, waiting: &[BarrierPart<'_>]) {
        let _ = (view, id, waiting);
    }
}

/// Tells an observer that lanes arrive at a collective and that it fires, for each warp of the group. All its lanes name the same
/// lanes, and nobody waits.
pub(crate) fn each_meeting<O: Observer>(
    observer: &mut O,
    view: &View<'_>,
    inst: &Inst,
    membermask: impl Fn(usize) -> LaneMask,
) {
    for (warp, lanes) in view.group() {
        let members = membermask(warp);
        let membermask = Some(members);
        observer.arrive(view, &Arrival { warp, lanes, executing: lanes, membermask, inst });
        let (participants, guarded_off) = (lanes & members, LaneMask::EMPTY);
        let parts = &[Part { lanes, inst }];
        observer.fire(view, &Firing { warp, participants, executing: lanes, guarded_off, parts });
    }
}

/// Instructions of a block that follow each other: what computes, lane by lane, from registers to registers, and collectives in which
/// whole warps take part, so that nobody waits.
#[derive(Clone, Copy, Debug)]
pub struct Straight<'a> {
    /// The instructions.
    pub insts: &'a [Inst],
    /// Which of the kernel's they are: the same number means the same instructions.
    pub number: usize,
    /// How many of them are collectives. The lanes of the group are whole warps if there are any, and all of them are named.
    pub meetings: u64,
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    const OBSERVES: bool = false;
}

/// Watches without taking note, for runs that must go step by step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Silent;

impl Observer for Silent {}

/// Lanes of one warp that arrive at a collective with the same membermask.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The warp's index in its CTA.
    pub warp: usize,
    /// The lanes that arrive with this membermask.
    pub lanes: LaneMask,
    /// All lanes that execute the instruction together, whatever membermask they name.
    pub executing: LaneMask,
    /// The membermask; `None` for forms without one.
    pub membermask: Option<LaneMask>,
    /// The collective.
    pub inst: &'a Inst,
}

/// A collective that fires.
#[derive(Clone, Copy, Debug)]
pub struct Firing<'a> {
    /// The warp's index in its CTA.
    pub warp: usize,
    /// The lanes that take part: those of the membermask that have arrived.
    pub participants: LaneMask,
    /// All lanes that go on: the participants, lanes that pass their membermask and are not named by it, and, where nobody
    /// waits, lanes that execute the instruction with another membermask at the same time.
    pub executing: LaneMask,
    /// The lanes that stand at the instruction with them and whose guard is false; none where lanes wait for each other.
    pub guarded_off: LaneMask,
    /// The lanes that pass the membermask, by the instruction at which they stand. All are of one kind.
    pub parts: &'a [Part<'a>],
}

/// Lanes that stand at one instruction and pass the same membermask.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The lanes.
    pub lanes: LaneMask,
    /// The collective.
    pub inst: &'a Inst,
}

/// Lanes of one warp that arrive at a CTA barrier with the same number and thread count.
#[derive(Clone, Copy, Debug)]
pub struct BarrierArrival<'a> {
    /// The warp's index in its CTA.
    pub warp: usize,
    /// The lanes.
    pub lanes: LaneMask,
    /// All lanes that execute the instruction together.
    pub executing: LaneMask,
    /// The barrier's number, 0 to 15.
    pub id: u32,
    /// Threads expected; `None` is all live threads of the CTA.
    pub threads: Option<u32>,
    /// The barrier instruction.
    pub inst: &'a Inst,
}

/// Lanes of one warp that come to a half of the barrier of their cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterArrival<'a> {
    /// The warp's index in its CTA.
    pub warp: usize,
    /// The lanes.
    pub lanes: LaneMask,
    /// What they do there.
    pub half: ClusterHalf,
    /// The instruction.
    pub inst: &'a Inst,
}

/// Lanes of one warp that wait at a barrier.
#[derive(Clone, Copy, Debug)]
pub struct BarrierPart<'a> {
    /// The warp's index in its CTA.
    pub warp: usize,
    /// The lanes.
    pub lanes: LaneMask,
    /// The barrier instruction.
    pub inst: &'a Inst,
}

/// An address with its space found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Never [`Space::Generic`].
    pub space: Space,
    /// The offset in the space, or the device address for [`Space::Global`].
    pub address: u64,
    /// For [`Space::Shared`] the number of the CTA whose memory it is, which another one of its cluster can reach; else of the
    /// CTA that accesses it.
    pub cta: u64,
}

/// A CTA as an observer sees it: threads, and registers as they stand.
#[derive(Clone, Copy)]
pub struct View<'a> {
    frame: &'a Frame<'a>,
}

impl<'a> View<'a> {
    pub(crate) fn new(frame: &'a Frame<'a>) -> Self {
        View { frame }
    }

    /// The CTA's number in the grid: CTAs are numbered cluster after cluster, and in a cluster by their rank; in each, x varies
    /// fastest ([`cta_index`](crate::cta_index)).
    #[inline]
    pub fn cta(&self) -> u64 {
        self.frame.specials.cta_number
    }

    /// Warp instructions that the CTA has issued so far.
    pub fn issued(&self) -> u64 {
        self.frame.stats.warp_instructions
    }

    /// Warps of the CTA.
    #[inline]
    pub fn warps(&self) -> usize {
        self.frame.threads.warps
    }

    /// The lanes that a warp began with: all, except in a partial last warp.
    #[inline]
    pub fn existing(&self, warp: usize) -> LaneMask {
        LaneMask(self.frame.threads.existing[warp])
    }

    /// The lanes of a warp that have not exited.
    #[inline]
    pub fn live(&self, warp: usize) -> LaneMask {
        LaneMask(self.frame.threads.live[warp])
    }

    /// A thread by its coordinates.
    pub fn thread(&self, warp: usize, lane: u32) -> ThreadId {
        let specials = &self.frame.specials;
        let thread = self.frame.plan.tid.of(warp, lane as usize % WARP);
        ThreadId { cta: specials.cta, thread, warp: warp as u32, lane }
    }

    /// The warps of the running group, each with the lanes that execute. Means nothing when collectives fire
    /// and barriers complete: those events name their lanes.
    #[inline]
    pub fn group(&self) -> impl Iterator<Item = (usize, LaneMask)> + use<'a> {
        let frame = self.frame;
        let lanes = |warp: usize| (warp, LaneMask(frame.exec[warp]));
        let some = |(_, lanes): &(usize, LaneMask)| *lanes != LaneMask::EMPTY;
        (frame.first..frame.first + frame.count).map(lanes).filter(some)
    }

    /// The same by index: the first warp of a range in which they are, and the lanes of each warp in it, which may be none.
    #[inline]
    pub fn lanes(&self) -> (usize, &'a [u32]) {
        let Frame { first, count, exec, .. } = self.frame;
        (*first, exec.get(*first..first + count).unwrap_or_default())
    }

    /// Whether all threads that the CTA began with are in the running group.
    #[inline]
    pub fn is_whole_cta(&self) -> bool {
        let Frame { first, count, exec, threads, .. } = self.frame;
        let all = *first == 0 && *count == threads.warps;
        all && exec[..*count] == threads.existing[..*count]
    }

    /// The lanes of a warp of the running group that stand at a guarded instruction and whose guard is false.
    pub(crate) fn guarded_off(&self, warp: usize) -> LaneMask {
        LaneMask(self.frame.unguarded[warp] & !self.frame.exec[warp])
    }

    /// A 32-bit operand in every lane of a warp.
    #[inline]
    pub fn w32(&self, src: Src, warp: usize) -> Lanes<u32> {
        match src {
            Src::Imm(value) => [value as u32; WARP],
            Src::Reg(reg) => match self.slot(reg, Class::W32) {
                // SAFETY: the slot lies inside the registers and has rows of 32-bit values.
                Some(slot) => unsafe { *self.frame.row(slot, warp) },
                None => [0; WARP],
            },
        }
    }

    /// A 32-bit operand in one lane, below 32, of a warp.
    #[inline]
    pub fn word(&self, src: Src, (warp, lane): (usize, u32)) -> u32 {
        match src {
            Src::Imm(value) => value as u32,
            Src::Reg(reg) => self.slot(reg, Class::W32).map_or(0, |slot| {
                // SAFETY: the slot lies inside the registers and has rows of 32-bit values.
                unsafe { (*self.frame.row::<u32>(slot, warp))[lane as usize % WARP] }
            }),
        }
    }

    /// A 64-bit operand in one lane, below 32, of a warp.
    #[inline]
    pub fn long(&self, src: Src, (warp, lane): (usize, u32)) -> u64 {
        match src {
            Src::Imm(value) => value,
            Src::Reg(reg) => self.slot(reg, Class::W64).map_or(0, |slot| {
                // SAFETY: the slot lies inside the registers and has rows of 64-bit values.
                unsafe { (*self.frame.row::<u64>(slot, warp))[lane as usize % WARP] }
            }),
        }
    }

    /// A 64-bit operand in every lane of a warp.
    #[inline]
    pub fn w64(&self, src: Src, warp: usize) -> Lanes<u64> {
        match src {
            Src::Imm(value) => [value; WARP],
            Src::Reg(reg) => match self.slot(reg, Class::W64) {
                // SAFETY: the slot lies inside the registers and has rows of 64-bit values.
                Some(slot) => unsafe { *self.frame.row(slot, warp) },
                None => [0; WARP],
            },
        }
    }

    /// The lanes of a warp in which a predicate is true.
    #[inline]
    pub fn pred(&self, pred: Pred, warp: usize) -> LaneMask {
        let value = |reg| match self.slot(reg, Class::Pred) {
            // SAFETY: the slot lies inside the registers.
            Some(slot) => unsafe { *self.frame.pred(slot, warp) },
            None => 0,
        };
        LaneMask(match pred {
            Pred::Is(reg) => value(reg),
            Pred::Not(reg) => !value(reg),
            Pred::Const(true) => u32::MAX,
            Pred::Const(false) => 0,
        })
    }

    /// The address in every lane of a warp.
    pub fn address(&self, address: &Address, warp: usize) -> Lanes<u64> {
        let offset = address.offset.cast_unsigned();
        let has_32_bits =
            matches!(address.base, Src::Reg(reg) if self.class(reg) == Some(Class::W32));
        if has_32_bits {
            let base = self.w32(address.base, warp);
            return base.map(|base| u64::from(base.wrapping_add(offset as u32)));
        }
        self.w64(address.base, warp).map(|base| base.wrapping_add(offset))
    }

    /// The address in one lane, below 32, of a warp.
    #[inline]
    pub fn address_in(&self, address: &Address, thread: (usize, u32)) -> u64 {
        let offset = address.offset.cast_unsigned();
        match address.base {
            Src::Reg(reg) if self.class(reg) == Some(Class::W32) => {
                u64::from(self.word(address.base, thread).wrapping_add(offset as u32))
            }
            base @ (Src::Reg(_) | Src::Imm(_)) => self.long(base, thread).wrapping_add(offset),
        }
    }

    /// The address in the first lane of a warp, if each lane's lies so many bytes behind that of the lane before it, and none wraps
    /// around.
    #[inline]
    pub fn adjacent(&self, address: &Address, warp: usize, bytes: u64) -> Option<u64> {
        let Src::Reg(reg) = address.base else { return None };
        let class = self.class(reg)?;
        let slot = self.slot(reg, class)?;
        let span = bytes.checked_mul(WARP as u64)?;
        let (first, adjacent, end) = match class {
            Class::W32 => {
                // SAFETY: the slot lies inside the registers and has rows of 32-bit values.
                let row: &Lanes<u32> = unsafe { &*self.frame.row(slot, warp) };
                let first = row[0].wrapping_add(address.offset as u32);
                (u64::from(first), steps::words(row, bytes as u32), 1 << 32)
            }
            Class::W64 => {
                // SAFETY: the slot lies inside the registers and has rows of 64-bit values.
                let row: &Lanes<u64> = unsafe { &*self.frame.row(slot, warp) };
                let first = row[0].wrapping_add(address.offset.cast_unsigned());
                (first, steps::longs(row, bytes), u64::MAX)
            }
            Class::Pred => return None,
        };
        (adjacent && first.checked_add(span)? <= end).then_some(first)
    }

    /// Where an address of a space leads.
    #[inline]
    pub fn locate(&self, space: Space, address: u64) -> Location {
        let (space, address) = match space {
            Space::Global | Space::Shared | Space::Local | Space::Param => (space, address),
            Space::Generic => lead(address),
        };
        match self.frame.cluster.lead(address).filter(|_| space == Space::Shared) {
            Some((rank, address)) => {
                Location { space, address, cta: self.cluster_ctas().start + rank as u64 }
            }
            None => Location { space, address, cta: self.cta() },
        }
    }

    /// The numbers of the CTAs of the CTA's cluster, by rank.
    #[inline]
    pub fn cluster_ctas(&self) -> Range<u64> {
        let size = u64::from(self.frame.plan.shape.ctas());
        let first = self.cta() - self.cta() % size;
        first..first + size
    }

    /// Whether the cluster has other CTAs, too.
    #[inline]
    pub fn has_peers(&self) -> bool {
        self.frame.plan.shape.ctas() > 1
    }

    /// The cluster's extents in CTAs.
    pub fn cluster(&self) -> [u32; 3] {
        self.frame.plan.shape.cluster
    }

    /// The address by which the CTA reaches a location in its space: an offset in its own shared memory, and an address that
    /// tells the rank in that of another CTA of its cluster.
    pub fn address_of(&self, at: Location) -> u64 {
        match self.rank(at.cta).filter(|_| at.space == Space::Shared && at.cta != self.cta()) {
            Some(rank) => ClusterMemory::start(rank) + at.address,
            None => at.address,
        }
    }

    /// Whether a CTA of the cluster, by its number, has exited, and its shared memory with it.
    pub fn has_exited(&self, cta: u64) -> bool {
        self.rank(cta).is_some_and(|rank| self.frame.cluster.has_exited(rank))
    }

    /// The rank of a CTA of the cluster, by its number.
    fn rank(&self, cta: u64) -> Option<usize> {
        let all = self.cluster_ctas();
        all.contains(&cta).then(|| (cta - all.start) as usize)
    }

    /// Up to 8 bytes of memory as they stand, lowest byte first; local memory is that of a lane of a warp. `None` for other
    /// spaces than global, shared and local, and for bytes that are not in memory.
    #[inline]
    pub fn peek(&self, at: Location, thread: (usize, u32), bytes: u32) -> Option<u64> {
        let mut word = [0; 8];
        let found = self.peek_all(at, thread, &mut word[..bytes.min(8) as usize]);
        found.then(|| u64::from_le_bytes(word))
    }

    /// Bytes of memory as they stand, from an address on; see [`View::peek`]. Whether all of them are in memory: else nothing is read.
    #[inline]
    pub fn peek_all(&self, at: Location, thread: (usize, u32), to: &mut [u8]) -> bool {
        if at.space == Space::Local {
            return self.peek_local(at.address, thread, to);
        }
        let Some(from) = self.host(at, to.len() as u64) else { return false };
        // SAFETY: the bytes lie inside shared memory of the cluster or an allocation, and the run that writes them waits for its observer.
        unsafe { from.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
        true
    }

    /// The same of a thread's local memory.
    fn peek_local(&self, address: u64, (warp, lane): (usize, u32), to: &mut [u8]) -> bool {
        let (local, layout) = (self.frame.cta.local, self.frame.cta.local_layout);
        if !self.holds_local(address, warp, to.len() as u64) {
            return false;
        }
        for piece in layout.pieces(address, to.len() as u64) {
            let from = local
                .start
                .wrapping_add(layout.place(warp * WARP + lane as usize, piece.start) as usize);
            let own = &mut to[(piece.start - address) as usize..(piece.end - address) as usize];
            // SAFETY: the piece lies inside local memory, and the run that writes it waits for its observer.
            unsafe { from.cast_const().copy_to_nonoverlapping(own.as_mut_ptr(), own.len()) };
        }
        true
    }

    /// Whether the threads of a warp have so many bytes of local memory from an address on.
    fn holds_local(&self, address: u64, warp: usize, bytes: u64) -> bool {
        let local = Region { start: 0, end: self.local_bytes() };
        warp < self.warps() && local.holds(address, bytes)
    }

    /// Whether so many bytes are in memory, in one piece; see [`View::peek`].
    pub fn holds(&self, at: Location, thread: (usize, u32), bytes: u64) -> bool {
        match at.space {
            Space::Local => self.holds_local(at.address, thread.0, bytes),
            Space::Global | Space::Shared | Space::Param | Space::Generic => {
                self.host(at, bytes).is_some()
            }
        }
    }

    /// Where bytes of global or shared memory are on the host.
    #[inline]
    fn host(&self, at: Location, bytes: u64) -> Option<*const u8> {
        let Location { space, address, cta } = at;
        let held = |start: u64, end: u64| Region { start, end }.holds(address, bytes);
        match space {
            Space::Shared if cta != self.cta() => {
                let host = self.frame.cluster.host(self.rank(cta)?, address, bytes)?;
                Some(host.cast_const())
            }
            Space::Shared => {
                let shared = self.frame.cta.shared;
                held(0, shared.bytes)
                    .then(|| shared.start.wrapping_add(address as usize).cast_const())
            }
            Space::Global => {
                let region = self.frame.regions.look(address)?;
                held(region.start, region.end)
                    .then_some(std::ptr::with_exposed_provenance::<u8>(address as usize))
            }
            Space::Local | Space::Generic | Space::Param => None,
        }
    }

    /// How many bytes each lane of a warp accesses.
    pub fn length(&self, length: Length, warp: usize) -> Lanes<u64> {
        match length {
            Length::Whole(bytes) => [bytes; WARP],
            Length::Counted { bytes, limit, .. } => {
                let (bytes, limit) = (self.w32(bytes, warp), self.w32(limit, warp));
                std::array::from_fn(|lane| bytes[lane].min(limit[lane]).into())
            }
        }
    }

    /// Bytes of the CTA's shared memory.
    #[inline]
    pub fn shared_bytes(&self) -> u64 {
        self.frame.cta.shared.bytes
    }

    /// Bytes of local memory of a thread.
    #[inline]
    pub fn local_bytes(&self) -> u64 {
        self.frame.cta.local_layout.bytes
    }

    #[inline]
    fn class(&self, reg: Reg) -> Option<Class> {
        self.frame.plan.rows.class(reg)
    }

    #[inline]
    fn slot(&self, reg: Reg, class: Class) -> Option<Slot> {
        let slot = self.frame.plan.rows.reg(reg);
        (self.class(reg) == Some(class) && !slot.is_none()).then_some(slot)
    }
}
