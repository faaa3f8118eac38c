//! What handlers see: the registers and active lanes of the running group, and its CTA's memory.

use super::Program;
use super::special::SpecialValues;
use crate::Level;
use crate::fault::FaultKind;
use crate::memory::{Memory, Region, Regions};
use crate::printed::Text;
use crate::stats::Stats;
use ir::Place;
use lanes::WARP;

/// Warps of the largest CTA.
pub(crate) const MAX_WARPS: usize = 32;

/// Where a register lives: `offset + warp * stride`, counted in 32-bit words. A stride of 0 means that all
/// warps share one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) offset: u32,
    pub(crate) stride: u32,
}

impl Slot {
    /// No register: a result that nobody wants.
    pub(crate) const NONE: Slot = Slot { offset: u32::MAX, stride: 0 };

    pub(crate) fn is_none(self) -> bool {
        self.offset == u32::MAX
    }

    #[inline(always)]
    pub(crate) fn is_uniform(self) -> bool {
        self.stride == 0
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

/// Returned by handlers that end the group's turn; [`Frame::stop`] says why.
pub(crate) const STOP: usize = usize::MAX;

/// What a handler does, written once and compiled for each level. `LEVEL` is the [`Level`] as a number.
pub(crate) trait Body {
    /// # Safety
    /// The code belongs to the frame's program, whose slots lie inside the frame's registers.
    unsafe fn run<const LEVEL: usize>(frame: &mut Frame<'_>, code: &Code, at: usize) -> usize;
}

/// The handler of a body for a level.
pub(crate) fn select<B: Body>(level: Level) -> Handler {
    match level {
        Level::Portable => portable::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::<B>,
        #[cfg(not(target_arch = "x86_64"))]
        Level::Avx2 | Level::Avx512 => portable::<B>,
    }
}

unsafe fn portable<B: Body>(frame: &mut Frame<'_>, code: &Code, at: usize) -> usize {
    // SAFETY: as for the caller.
    unsafe { B::run::<{ Level::Portable as usize }>(frame, code, at) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<B: Body>(frame: &mut Frame<'_>, code: &Code, at: usize) -> usize {
    // SAFETY: as for the caller.
    unsafe { B::run::<{ Level::Avx2 as usize }>(frame, code, at) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt"
)]
unsafe fn avx512<B: Body>(frame: &mut Frame<'_>, code: &Code, at: usize) -> usize {
    // SAFETY: as for the caller.
    unsafe { B::run::<{ Level::Avx512 as usize }>(frame, code, at) }
}

/// Prepares the frame for a group whose lanes are in [`Frame::exec`].
pub(super) struct BeginGroup;

impl Body for BeginGroup {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(frame: &mut Frame<'_>, _code: &Code, at: usize) -> usize {
        let (mut active_warps, mut active_lanes) = (0, 0);
        for warp in frame.first..frame.first + frame.count {
            let lanes = frame.exec[warp];
            frame.set_exec(warp, lanes);
            frame.unguarded[warp] = lanes;
            active_warps += u64::from(lanes != 0);
            active_lanes += u64::from(lanes.count_ones());
        }
        (frame.active_warps, frame.active_lanes) = (active_warps, active_lanes);
        at
    }
}

/// Why a group's turn ended.
#[derive(Clone, Debug, Default)]
pub(crate) enum Stop {
    /// The group stands before this code, where others wait or which others have not reached.
    #[default]
    Limit,
    /// The group stands before this code and has used up its turn.
    Yield(usize),
    /// The group stands before this code, whose branch its lanes take in different directions:
    /// per warp, the lanes that go to the target.
    Diverge {
        /// The branch.
        at: usize,
    },
    /// The group's lanes exit.
    Exit,
    /// The group stands at this collective, where some lanes have to wait.
    Collective(usize),
    /// The group stands at this barrier.
    Barrier(usize),
    /// The kernel must stop.
    Fault(Box<FaultAt>),
}

/// A fault before its thread is known by coordinates.
#[derive(Clone, Debug)]
pub(crate) struct FaultAt {
    pub(crate) kind: FaultKind,
    pub(crate) place: Place,
    pub(crate) warp: usize,
    pub(crate) lane: u32,
}

/// The threads of a CTA.
#[derive(Clone, Debug)]
pub(crate) struct Threads {
    /// Warps of the CTA.
    pub(crate) warps: usize,
    /// Per warp, the lanes that were ever there: all, except in the last warp.
    pub(crate) existing: [u32; MAX_WARPS],
    /// Per warp, the lanes that have not exited.
    pub(crate) live: [u32; MAX_WARPS],
}

impl Threads {
    /// `count` threads, all live.
    pub(crate) fn new(count: u32) -> Self {
        let mut existing = [0; MAX_WARPS];
        let warps = (count as usize).div_ceil(WARP).min(MAX_WARPS);
        for (warp, lanes) in existing.iter_mut().enumerate().take(warps) {
            let left = count as usize - warp * WARP;
            *lanes = if left >= WARP { u32::MAX } else { (1 << left) - 1 };
        }
        Threads { warps, existing, live: existing }
    }

    /// Threads that have not exited.
    pub(crate) fn live_count(&self) -> u32 {
        self.live.iter().map(|lanes| lanes.count_ones()).sum()
    }
}

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
    /// `exec` outside the current arm.
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
    pub(crate) regions: &'l Regions,
    /// Those of them that may only be read.
    pub(crate) constants: &'l Regions,
    pub(crate) memory_base: u64,
    /// Per memory operation, the region that it accessed last.
    pub(crate) caches: Vec<Region>,
    pub(crate) specials: SpecialValues<'l>,
    /// Threads that have arrived at some barrier and whose barrier is not complete.
    pub(crate) arrivals: u32,
    /// What the CTA printed.
    pub(crate) printed: Text,
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
            regions: memory.regions(),
            constants: memory.constants(),
            memory_base: memory.base(),
            caches: vec![Region::EMPTY; program.caches.len()],
            specials,
            arrivals: 0,
            printed: Text::default(),
        }
    }
}

impl Frame<'_> {
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
        self.exec[warps.clone()].copy_from_slice(&lanes[warps]);
        let program = self.program;
        // SAFETY: the handler was selected for this machine; it does not look at the code.
        unsafe { (program.begin_group.run)(self, &program.begin_group, 0) };
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
