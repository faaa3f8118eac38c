//! What handlers see: the program, the registers and active lanes of the running group, and its CTA's memory.

use super::launch_values::SpecialValues;
use super::operations::{
    AtomicOp, BarrierOp, BranchOp, CollectiveOp, HostOp, MemoryOp, PredicatedOp,
};
use super::slot::Slot;
use super::slots;
use super::source::Source;
use super::stop::{FaultAt, STOP, Stop};
use super::threads::{MAX_WARPS, Threads};
use crate::fault::FaultKind;
use crate::heap_event::HeapEvent;
use crate::memory::{Memory, Reader, Region};
use crate::printed::Text;
use crate::stats::Stats;
use ir::{Class, Inst, Place, Special, WarpRules};
use lanes::WARP;

/// A kernel compiled for CTAs of a given number of warps and for a level of vector instructions.
pub(crate) struct Program {
    pub(crate) codes: Vec<Code>,
    /// Prepares the frame for a new group.
    pub(crate) begin_group: Code,
    /// What is the same in every CTA: run once, with all lanes, before the first of a register file.
    pub(crate) invariant: Vec<Code>,
    /// Words of the register file of a CTA.
    pub(crate) register_words: usize,
    /// Rows that the register file holds from the start.
    pub(crate) constants: Vec<Constant>,
    /// Ranges of words that are zero when a CTA starts.
    pub(crate) zeros: Vec<std::ops::Range<usize>>,
    pub(crate) memory: Vec<MemoryOp>,
    pub(crate) atomics: Vec<AtomicOp>,
    pub(crate) collectives: Vec<CollectiveOp>,
    pub(crate) barriers: Vec<BarrierOp>,
    pub(crate) branches: Vec<BranchOp>,
    pub(crate) predicated: Vec<PredicatedOp>,
    pub(crate) specials: Vec<Special>,
    pub(crate) hosts: Vec<HostOp>,
    /// Per region cache that a frame needs, whether its operation writes.
    pub(crate) caches: Vec<bool>,
    /// Per code, where it comes from.
    pub(crate) places: Vec<Place>,
    /// Warp instructions of a whole CTA between two branches, at most.
    pub(crate) longest: u64,
    /// How the lanes of a warp may be scheduled against each other.
    pub(crate) rules: WarpRules,
    /// What an observer is shown; `None` in programs for runs that nobody observes.
    pub(crate) source: Option<Source>,
}

impl Program {
    /// The instruction of the kernel that a code performs; `None` in programs that nobody observes.
    pub(crate) fn inst(&self, at: usize) -> Option<&Inst> {
        self.source.as_ref()?.inst(at)
    }
}

/// A row that holds the same in every lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant {
    /// Its first word.
    pub(super) start: usize,
    pub(super) class: Class,
    pub(super) value: u64,
}

impl Constant {
    /// The words of the register file that it is, and what they hold.
    pub(crate) fn words(self) -> impl Iterator<Item = (usize, u32)> {
        let Constant { start, class, value } = self;
        let (low, high) = (value as u32, (value >> 32) as u32);
        (0..slots::words(class) as usize).map(move |at| {
            let word = match class {
                Class::W32 => low,
                Class::W64 if at.is_multiple_of(2) => low,
                Class::W64 => high,
                Class::Pred => u32::from(value != 0).wrapping_neg(),
            };
            (start + at, word)
        })
    }
}

/// One operation of a program: its handler and its operands. `x` and `y` mean what the handler says,
/// most often an index into a table of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    pub(crate) run: Handler,
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    pub(crate) x: u32,
    pub(crate) y: u32,
}

impl Code {
    /// An operation without operands.
    pub(super) fn alone(run: Handler) -> Code {
        let none = Slot::NONE;
        Code { run, d: none, a: none, b: none, c: none, x: 0, y: 0 }
    }
}

/// Performs a [`Code`] for the frame's group and returns the index of the next one, or [`STOP`].
///
/// # Safety
/// The machine has the level that the handler was selected for; the code belongs to the frame's program.
pub(crate) type Handler = unsafe fn(&mut Frame<'_>, &Code, usize) -> usize;

/// Memory as a pointer and a length, for the spaces that belong to a CTA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) start: *mut u8,
    pub(crate) bytes: u64,
}

/// The state that handlers work on.
pub(crate) struct Frame<'l> {
    pub(crate) program: &'l Program,
    pub(crate) threads: Threads,
    /// Lanes that `activemask` does not find together with the others ([`crate::Schedule::Apart`]).
    pub(crate) apart: u32,
    /// The group's warps are among `first..first + count`.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// Per warp of the group, the lanes that execute; may be 0. Means nothing for other warps.
    pub(crate) exec: [u32; MAX_WARPS],
    /// Per warp, the lanes whose registers may be written: those that execute, and those that never
    /// existed, so that a partial warp writes whole rows.
    pub(crate) write: [u32; MAX_WARPS],
    /// `exec` outside the current guard.
    pub(crate) unguarded: [u32; MAX_WARPS],
    /// `exec` outside the current predicated block.
    pub(crate) outside: [u32; MAX_WARPS],
    /// Sums over the group, for statistics.
    pub(crate) active_warps: u64,
    pub(crate) active_lanes: u64,
    /// Codes from here on are left to the scheduler: another split waits there.
    pub(crate) limit: usize,
    /// What is left of the group's turn.
    pub(crate) fuel: i64,
    /// Where the group stands when it stopped at `limit`.
    pub(crate) at: usize,
    pub(crate) stop: Stop,
    /// Per warp, the lanes that take the branch at which the group diverged.
    pub(crate) taken: [u32; MAX_WARPS],
    pub(crate) stats: Stats,
    pub(crate) cta: CtaMemory,
    pub(crate) regions: Reader<'l>,
    pub(crate) memory_base: u64,
    /// Per memory operation, the region that it accessed last.
    pub(crate) caches: Vec<Region>,
    pub(crate) specials: SpecialValues<'l>,
    /// Threads that have arrived at some barrier and whose barrier is not complete.
    pub(crate) arrivals: u32,
    /// What the CTA printed.
    pub(crate) printed: Text,
    /// Bytes that kernels may have allocated.
    pub(crate) heap_limit: u64,
    /// What threads have allocated and freed since the observer was told last; for observed runs.
    pub(crate) heap_events: Vec<HeapEvent>,
}

/// The memory that belongs to a CTA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CtaMemory {
    /// Where the registers begin: as many words as the program asks for.
    pub(crate) regs: *mut u32,
    pub(crate) shared: Block,
    /// Local memory, thread after thread.
    pub(crate) local: Block,
    /// Accessible bytes of local memory of a thread, and from one thread's to the next's.
    pub(crate) local_bytes: u64,
    pub(crate) local_stride: u64,
    pub(crate) params: Block,
}

impl<'l> Frame<'l> {
    /// A frame without a group.
    pub(crate) fn new(
        program: &'l Program,
        threads: Threads,
        cta: CtaMemory,
        memory: &'l Memory,
        specials: SpecialValues<'l>,
    ) -> Self {
        Frame {
            program,
            threads,
            apart: 0,
            first: 0,
            count: 0,
            exec: [0; MAX_WARPS],
            write: [0; MAX_WARPS],
            unguarded: [0; MAX_WARPS],
            outside: [0; MAX_WARPS],
            active_warps: 0,
            active_lanes: 0,
            limit: 0,
            fuel: 0,
            at: 0,
            stop: Stop::default(),
            taken: [0; MAX_WARPS],
            stats: Stats::default(),
            cta,
            regions: Reader::new(memory),
            memory_base: memory.base(),
            caches: vec![Region::EMPTY; program.caches.len()],
            specials,
            arrivals: 0,
            printed: Text::default(),
            heap_limit: 0,
            heap_events: Vec::new(),
        }
    }
}

impl Frame<'_> {
    /// Counts the instructions of the block that a terminator's code ends: `y` of them.
    #[inline(always)]
    pub(super) fn count(&mut self, code: &Code) {
        self.stats.warp_instructions += u64::from(code.y) * self.active_warps;
        self.stats.thread_instructions += u64::from(code.y) * self.active_lanes;
    }

    /// A row of 32 values of a register.
    ///
    /// # Safety
    /// The slot lies inside the registers and holds values of type `T`.
    #[inline(always)]
    pub(crate) unsafe fn row<T>(&self, slot: Slot, warp: usize) -> *mut [T; WARP] {
        // SAFETY: the caller's slot lies inside the registers.
        unsafe { self.cta.regs.add(slot.offset as usize + warp * slot.stride as usize).cast() }
    }

    /// A predicate register: one bit per lane.
    ///
    /// # Safety
    /// The slot lies inside the registers.
    #[inline(always)]
    pub(crate) unsafe fn pred(&self, slot: Slot, warp: usize) -> *mut u32 {
        // SAFETY: the caller's slot lies inside the registers.
        unsafe { self.cta.regs.add(slot.offset as usize + warp * slot.stride as usize) }
    }

    /// The warps that an operation with result `d` runs over: those of the group, or one for all when the
    /// result is the same for all.
    #[inline(always)]
    pub(crate) fn warps(&self, d: Slot) -> std::ops::Range<usize> {
        if d.is_uniform() { 0..1 } else { self.first..self.first + self.count }
    }

    /// The lanes of a warp whose result `d` is kept; 0 for warps outside the group.
    #[inline(always)]
    pub(crate) fn keep(&self, d: Slot, warp: usize) -> u32 {
        if d.is_uniform() { u32::MAX } else { self.write[warp % MAX_WARPS] }
    }

    /// Makes splits the group: the warps among which they are, and the lanes of each.
    pub(crate) fn set_group(&mut self, warps: std::ops::Range<usize>, lanes: &[u32; MAX_WARPS]) {
        (self.first, self.count) = (warps.start, warps.len());
        if self.regions.lost_any() {
            self.forget_regions();
        }
        self.exec[warps.clone()].copy_from_slice(&lanes[warps]);
        let program = self.program;
        // SAFETY: the handler was selected for this machine; it does not look at the code.
        unsafe { (program.begin_group.run)(self, &program.begin_group, 0) };
    }

    /// Looks regions up anew: one that was accessed may have been freed.
    pub(crate) fn forget_regions(&mut self) {
        self.caches.fill(Region::EMPTY);
    }

    /// Makes the given lanes execute.
    #[inline(always)]
    pub(crate) fn set_exec(&mut self, warp: usize, lanes: u32) {
        self.exec[warp] = lanes;
        self.write[warp] = if lanes == 0 { 0 } else { lanes | !self.threads.existing[warp] };
    }

    /// Ends the group's turn with a fault of one lane.
    #[cold]
    pub(crate) fn fault(&mut self, kind: FaultKind, place: Place, warp: usize, lane: u32) -> usize {
        self.stop = Stop::Fault(Box::new(FaultAt { kind, place, warp, lane }));
        STOP
    }

    /// Goes on at a code, unless the scheduler must decide.
    #[inline(always)]
    pub(crate) fn go(&mut self, to: usize) -> usize {
        if to >= self.limit {
            self.at = to;
            self.stop = Stop::Limit;
            return STOP;
        }
        self.fuel -= 1;
        if self.fuel < 0 {
            self.stop = Stop::Yield(to);
            return STOP;
        }
        to
    }
}
