//! A launch: a grid of CTAs over the host's cores.

use crate::cta::{Cta, Limits, Turn};
use crate::fault::{Fault, FaultKind, ThreadId};
use crate::interp::{
    Block, CtaMemory, Frame, LaunchValues, Program, SpecialValues, ThreadIndices, Threads, Time,
};
use crate::memory::Memory;
use crate::observer::{Observer, Silent, Unobserved};
use crate::printed::Printed;
use crate::schedule::{Chooser, Schedule};
use crate::simd::Level;
use crate::stats::Stats;
use ir::{Interrupt, Kernel, Place, WarpRules};
use lanes::WARP;
use std::cell::Cell;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Threads of the largest CTA (CUDA C++ Programming Guide, "Compute Capabilities").
pub const MAX_THREADS: u64 = 1024;
/// Bytes of shared memory of the largest CTA, system use included.
pub const MAX_SHARED: u64 = 228 << 10;
/// Bytes of local memory of a thread.
pub const MAX_LOCAL: u64 = 512 << 10;

/// Turns that every CTA that has begun takes in vain before one more begins.
const ROUNDS: usize = 16;

/// Once a CTA has failed beside others: turns that CTAs before it may take in vain, and how long they may go on.
const VAIN: u32 = 64;
const LONG_AGO: Duration = Duration::from_secs(5);
/// CTAs of a grid from which on not every one that is done is told.
const MANY_CTAS: u64 = 4096;

/// How to launch a kernel.
pub struct Launch<'a> {
    /// The grid's extents in CTAs.
    pub grid: [u32; 3],
    /// The CTA's extents in threads.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The parameter space, laid out as the kernel declares it.
    pub params: &'a [u8],
    /// Where the module's variables stand.
    pub image_base: u64,
    /// Host threads; 0 takes all cores.
    pub threads: usize,
    /// Bytes of the stack that a thread has, if the kernel needs one ([`Kernel::has_stack`]).
    pub stack: u32,
    /// The free choices.
    pub schedule: Schedule,
    /// Whether equal launches do the same, also what they read from clocks: one host thread, on which time is counted. So it
    /// is for every schedule but the fair ones, and for runs that are observed.
    pub deterministic: bool,
    /// Warp instructions after which the kernel is stopped.
    pub max_steps: Option<u64>,
    /// The vector instructions to use.
    pub level: Level,
    /// Asked now and then whether to stop.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
    /// Told now and then how many CTAs are done.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// Why a launch did not begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// An extent is zero or above its limit.
    Extents {
        /// "grid" or "block".
        what: &'static str,
        /// What was asked for.
        extents: [u32; 3],
        /// The limits.
        limits: [u64; 3],
    },
    /// Too many threads in a CTA.
    TooManyThreads {
        /// Threads asked for.
        threads: u64,
        /// The limit: the hardware's, or the kernel's `.maxntid`.
        limit: u64,
    },
    /// The kernel demands another CTA shape (`.reqntid`).
    RequiredShape {
        /// The shape that it demands.
        required: [u32; 3],
    },
    /// Too much memory of a space.
    TooMuchMemory {
        /// "shared" or "local".
        space: &'static str,
        /// Bytes asked for.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The parameter space has another size.
    Params {
        /// Bytes given.
        given: usize,
        /// Bytes wanted.
        wanted: u32,
    },
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Extents { what, extents: [x, y, z], limits: [lx, ly, lz] } => {
                write!(
                    f,
                    "a {what} of {x},{y},{z} is not possible: each extent is 1 to {lx},{ly},{lz}"
                )
            }
            LaunchError::TooManyThreads { threads, limit } => {
                write!(f, "{threads} threads in a CTA are too many: the limit is {limit}")
            }
            LaunchError::RequiredShape { required: [x, y, z] } => {
                write!(f, "the kernel requires a block of {x},{y},{z} (.reqntid)")
            }
            LaunchError::TooMuchMemory { space, bytes, limit } => {
                write!(f, "{bytes} bytes of {space} memory are too many: the limit is {limit}")
            }
            LaunchError::Params { given, wanted } => {
                write!(f, "{given} bytes of parameters were given, the kernel has {wanted}")
            }
        }
    }
}

impl std::error::Error for LaunchError {}

/// How a launch ended.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What it did. Of a launch on several host threads that was stopped, what the CTA did that stopped it: how far others
    /// had got is chance.
    pub stats: Stats,
    /// What it printed; CTAs behind the one that stopped the launch do not count.
    pub printed: Printed,
    /// Why it was stopped, if it was. Of several faults, that of the lowest CTA. A step limit that several host threads
    /// reach together has no place.
    pub fault: Option<Fault>,
}

fn check(kernel: &Kernel, launch: &Launch<'_>) -> Result<(), LaunchError> {
    let within = |extents: [u32; 3], limits: [u64; 3]| {
        extents.iter().zip(limits).all(|(extent, limit)| (1..=limit).contains(&u64::from(*extent)))
    };
    let limits = [(1 << 31) - 1, 65535, 65535];
    if !within(launch.grid, limits) {
        return Err(LaunchError::Extents { what: "grid", extents: launch.grid, limits });
    }
    let limits = [1024, 1024, 64];
    if !within(launch.block, limits) {
        return Err(LaunchError::Extents { what: "block", extents: launch.block, limits });
    }
    let product =
        |extents: [u32; 3]| extents.iter().map(|extent| u64::from(*extent)).product::<u64>();
    if let Some(required) = kernel.threads.required.filter(|required| *required != launch.block) {
        return Err(LaunchError::RequiredShape { required });
    }
    let threads = product(launch.block);
    let limit = kernel.threads.maximum.map_or(MAX_THREADS, product).min(MAX_THREADS);
    if threads > limit {
        return Err(LaunchError::TooManyThreads { threads, limit });
    }
    let shared = kernel.shared_bytes_of_variables(launch.dynamic_shared);
    let local = kernel.local_bytes_with(launch.stack);
    for (space, bytes, limit) in [("shared", shared, MAX_SHARED), ("local", local, MAX_LOCAL)] {
        if bytes > limit {
            return Err(LaunchError::TooMuchMemory { space, bytes, limit });
        }
    }
    if launch.params.len() != kernel.param_bytes as usize {
        let (given, wanted) = (launch.params.len(), kernel.param_bytes);
        return Err(LaunchError::Params { given, wanted });
    }
    Ok(())
}

/// Runs a kernel.
///
/// # Errors
/// The launch is not possible for this kernel; nothing ran.
pub fn launch(
    kernel: &Kernel,
    launch: &Launch<'_>,
    memory: &mut Memory,
) -> Result<Outcome, LaunchError> {
    match launch.schedule.chooser() {
        None => run(kernel, launch, memory, &mut Unobserved, None),
        Some(mut chooser) => run(kernel, launch, memory, &mut Silent, Some(&mut *chooser)),
    }
}

/// Runs a kernel on one host thread and shows every step to an observer.
///
/// # Errors
/// The launch is not possible for this kernel; nothing ran.
pub fn launch_observed<O: Observer>(
    kernel: &Kernel,
    launch: &Launch<'_>,
    memory: &mut Memory,
    observer: &mut O,
) -> Result<Outcome, LaunchError> {
    let mut chooser = launch.schedule.chooser();
    let chooser = chooser.as_deref_mut().map(|chooser| chooser as &mut dyn Chooser);
    run(kernel, launch, memory, observer, chooser)
}

/// Runs a kernel step by step as a chooser wants it, whatever schedule the launch names, and shows every step to an
/// observer.
///
/// # Errors
/// The launch is not possible for this kernel; nothing ran.
pub fn launch_chosen<O: Observer>(
    kernel: &Kernel,
    launch: &Launch<'_>,
    memory: &mut Memory,
    observer: &mut O,
    chooser: &mut dyn Chooser,
) -> Result<Outcome, LaunchError> {
    run(kernel, launch, memory, observer, Some(chooser))
}

fn run<O: Observer>(
    kernel: &Kernel,
    launch: &Launch<'_>,
    memory: &mut Memory,
    observer: &mut O,
    chooser: Option<&mut dyn Chooser>,
) -> Result<Outcome, LaunchError> {
    check(kernel, launch)?;
    memory.expose();
    let threads: u32 = launch.block.iter().product();
    let values = LaunchValues {
        block: launch.block,
        grid: launch.grid,
        dynamic_shared: launch.dynamic_shared,
        total_shared: kernel.shared_bytes + launch.dynamic_shared,
        shared_of_variables: kernel.shared_bytes_of_variables(launch.dynamic_shared),
        memory_base: memory.base(),
        image_base: launch.image_base,
        local_bytes: kernel.local_bytes_with(launch.stack),
        params: launch.params,
    };
    let interrupt = Interrupt::new(launch.interrupted);
    let compiled =
        Program::compile(kernel, &values, threads, launch.level, O::OBSERVES, &interrupt);
    let Some(program) = compiled else {
        let place = kernel.blocks.first().map_or(Place::default(), |block| {
            block.insts.first().map_or(block.place, |inst| inst.place)
        });
        let thread = crate::ThreadId { cta: [0; 3], thread: [0; 3], warp: 0, lane: 0 };
        let fault = Some(Fault { kind: FaultKind::Interrupted, place, thread });
        return Ok(Outcome { fault, ..Outcome::default() });
    };
    let ctas = launch.grid.iter().map(|extent| u64::from(*extent)).product();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = match launch.threads {
        // There is one observer.
        _ if O::OBSERVES || launch.deterministic => 1,
        0 => cores,
        threads => threads.min(4 * cores),
    };
    let workers = (workers as u64).min(ctas);
    let grid = Grid {
        kernel,
        launch,
        values,
        program: &program,
        apart: match (&chooser, kernel.rules) {
            (None, WarpRules::Independent) => launch.schedule.apart(),
            (Some(_), _) | (_, WarpRules::Lockstep) => 0,
        },
        memory,
        tid: ThreadIndices::new(launch.block),
        threads,
        ctas,
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        steps: AtomicU64::new(0),
        is_alone: workers <= 1 || chooser.is_some(),
        stopped: AtomicBool::new(false),
        failed: AtomicU64::new(u64::MAX),
        failed_at: OnceLock::new(),
        outcome: Mutex::new(Outcome::default()),
        time: match launch.deterministic || O::OBSERVES {
            true => Time::Counted(AtomicU64::new(0)),
            false => Time::Host(Instant::now()),
        },
    };
    if let Some(chooser) = chooser {
        grid.work_stepwise(observer, chooser);
    } else if workers <= 1 {
        grid.work(observer);
    } else {
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| grid.work(&mut Unobserved));
            }
        });
        let failed = grid.failed.into_inner();
        let mut outcome =
            grid.outcome.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        outcome.forget_chance(failed);
        return Ok(outcome);
    }
    Ok(grid.outcome.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

impl Outcome {
    /// Leaves out what depends on the pace of the host's threads. `failed` is the CTA that stopped the launch.
    fn forget_chance(&mut self, failed: u64) {
        let Some(fault) = &mut self.fault else { return };
        if let FaultKind::StepLimit { .. } = fault.kind {
            let nobody = ThreadId { cta: [0; 3], thread: [0; 3], warp: 0, lane: 0 };
            (fault.place, fault.thread) = (Place::default(), nobody);
            self.stats = Stats::default();
        }
        if failed != u64::MAX {
            self.printed.forget_behind(failed);
        }
    }
}

/// What the workers of a launch share.
pub(crate) struct Grid<'l> {
    kernel: &'l Kernel,
    pub(crate) launch: &'l Launch<'l>,
    values: LaunchValues<'l>,
    program: &'l Program,
    /// See [`Schedule::apart`].
    apart: u32,
    memory: &'l Memory,
    tid: ThreadIndices,
    pub(crate) threads: u32,
    pub(crate) ctas: u64,
    /// The next CTA that nobody has begun.
    next: AtomicU64,
    done: AtomicU64,
    pub(crate) steps: AtomicU64,
    /// Whether one worker runs all CTAs.
    is_alone: bool,
    /// Every CTA is to stop at once.
    stopped: AtomicBool,
    /// The lowest CTA that has failed beside others: those behind it stop, and those before it may fail, too.
    failed: AtomicU64,
    /// When the first one failed.
    failed_at: OnceLock<Instant>,
    outcome: Mutex<Outcome>,
    time: Time,
}

impl Grid<'_> {
    /// Runs CTAs until none is left. A CTA that yields waits in a queue while later ones run.
    fn work<O: Observer>(&self, observer: &mut O) {
        let current = Cell::new(0);
        let stop = || {
            self.stopped.load(Ordering::Relaxed)
                || self.gives_up(current.get())
                || (self.launch.interrupted)()
        };
        let limits = Limits { max_steps: self.launch.max_steps, steps: &self.steps, stop: &stop };
        let mut stats = Stats::default();
        let mut spare: Vec<Box<Resident<'_>>> = Vec::new();
        let mut waiting: VecDeque<Box<Resident<'_>>> = VecDeque::new();
        // Turns that ended without finishing a CTA since the last one that was begun or finished.
        let mut stuck = 0;
        // Those that ended so after another CTA had failed.
        let mut in_vain = 0;
        while !self.stopped.load(Ordering::Relaxed) {
            // One more CTA is begun when all that have begun had many turns and none got done.
            let begin = waiting.is_empty() || stuck >= ROUNDS * waiting.len();
            let new = begin.then(|| self.next.fetch_add(1, Ordering::Relaxed));
            let last = self.ctas.min(self.failed.load(Ordering::Relaxed));
            let mut resident = match new.filter(|number| *number < last) {
                Some(number) => {
                    if (self.launch.interrupted)() {
                        self.fault_outside(number);
                        break;
                    }
                    stuck = 0;
                    let mut resident = spare.pop().unwrap_or_else(|| Resident::new(self));
                    resident.start(self, number, observer);
                    resident
                }
                None => match waiting.pop_front() {
                    Some(resident) => resident,
                    None => break,
                },
            };
            let number = resident.number();
            current.set(number);
            if in_vain > VAIN || self.gives_up(number) {
                self.take_printed(&mut resident);
                continue;
            }
            let turn = resident.cta.run(&limits, observer);
            stuck = match turn {
                Turn::Yielded => stuck.saturating_add(1),
                Turn::Stuck => usize::MAX,
                Turn::Done | Turn::Fault(_) => 0,
            };
            match turn {
                Turn::Yielded | Turn::Stuck => {
                    // Perhaps it waits for the CTA that has failed.
                    in_vain += u32::from(self.failed.load(Ordering::Relaxed) != u64::MAX);
                    waiting.push_back(resident);
                }
                Turn::Done => {
                    self.take_printed(&mut resident);
                    stats.add(&resident.cta.frame.stats);
                    stats.ctas += 1;
                    stats.threads += u64::from(self.threads);
                    spare.push(resident);
                    let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
                    // Of few CTAs each may take long.
                    if done.is_multiple_of(64) || self.ctas < MANY_CTAS {
                        (self.launch.progress)(done);
                    }
                }
                Turn::Fault(fault) => {
                    self.take_printed(&mut resident);
                    if self.is_alone {
                        stats.add(&resident.cta.frame.stats);
                        self.report(*fault);
                    } else {
                        self.fail(number, *fault, &resident.cta.frame.stats);
                    }
                }
            }
        }
        waiting.iter_mut().for_each(|resident| self.take_printed(resident));
        self.add_stats(&stats);
    }

    /// Whether a CTA need not go on, because one before it has failed, or because one has failed long ago.
    fn gives_up(&self, number: u64) -> bool {
        let failed = self.failed.load(Ordering::Relaxed);
        failed != u64::MAX
            && (number > failed || self.failed_at.get().is_some_and(|at| at.elapsed() > LONG_AGO))
    }

    /// A CTA has failed beside others. Those before it go on for a while: which fault is told must not depend on the pace of the
    /// host's threads.
    fn fail(&self, number: u64, fault: Fault, stats: &Stats) {
        if fault.kind == FaultKind::Interrupted && self.gives_up(number) {
            return;
        }
        if fault.is_limit() {
            return self.report(fault);
        }
        let _ = self.failed_at.set(Instant::now());
        self.failed.fetch_min(number, Ordering::Relaxed);
        let Ok(mut outcome) = self.outcome.lock() else { return };
        if outcome.fault.as_ref().is_none_or(|known| rank(&fault) < rank(known)) {
            outcome.fault = Some(fault);
            outcome.stats = *stats;
        }
    }

    /// Takes what a CTA has printed.
    pub(crate) fn take_printed(&self, resident: &mut Resident<'_>) {
        let frame = &mut resident.cta.frame;
        if !frame.printed.is_empty()
            && let Ok(mut outcome) = self.outcome.lock()
        {
            outcome.printed.take(frame.specials.cta_number, &mut frame.printed);
        }
    }

    pub(crate) fn add_stats(&self, stats: &Stats) {
        let beside_others = self.failed.load(Ordering::Relaxed) != u64::MAX;
        if let Ok(mut outcome) = self.outcome.lock()
            && !beside_others
        {
            outcome.stats.add(stats);
        }
    }

    pub(crate) fn report(&self, fault: Fault) {
        self.stopped.store(true, Ordering::Relaxed);
        let Ok(mut outcome) = self.outcome.lock() else { return };
        if outcome.fault.as_ref().is_none_or(|known| rank(&fault) < rank(known)) {
            outcome.fault = Some(fault);
        }
    }

    fn fault_outside(&self, number: u64) {
        let thread = crate::ThreadId { cta: self.cta(number), thread: [0; 3], warp: 0, lane: 0 };
        let place = self.program.places.first().copied().unwrap_or_default();
        self.report(Fault { kind: FaultKind::Interrupted, place, thread });
    }

    /// The index of a CTA by its number; x varies fastest.
    fn cta(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.launch.grid.map(u64::from);
        [number % x, number / x % y, number / x / y].map(|index| index as u32)
    }
}

/// Which of several faults is told: one of the kernel's own, and of those that of the lowest CTA.
fn rank(fault: &Fault) -> (bool, bool, [u32; 3]) {
    let [x, y, z] = fault.thread.cta;
    (fault.kind == FaultKind::Interrupted, fault.is_limit(), [z, y, x])
}

/// A CTA with what it needs on the host: registers, shared and local memory. Used again for later CTAs.
pub(crate) struct Resident<'l> {
    pub(crate) cta: Cta<'l>,
    shared: Vec<Line>,
    local: LocalMemory,
    _registers: Vec<Line>,
    _params: Vec<Line>,
}

/// A cache line: gives blocks their alignment.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "gives the line its size")] [u32; 16]);

const ZERO_LINE: Line = Line([0; 16]);

fn lines(bytes: usize) -> Vec<Line> {
    vec![ZERO_LINE; bytes.div_ceil(size_of::<Line>())]
}

/// The local memory of a CTA's threads, one behind the other. The host gives it pages where threads use it: stacks are mostly
/// empty.
struct LocalMemory {
    words: Vec<u64>,
    /// Words before the first that is aligned like a line.
    skipped: usize,
    /// Whether it is as it was made, and zero.
    is_new: bool,
}

impl LocalMemory {
    fn new(bytes: usize) -> LocalMemory {
        let words = vec![0u64; (bytes + size_of::<Line>()).div_ceil(size_of::<u64>())];
        let skipped = words.as_ptr().align_offset(align_of::<Line>()).min(words.len());
        LocalMemory { words, skipped, is_new: true }
    }

    fn start(&mut self) -> *mut u8 {
        self.words[self.skipped..].as_mut_ptr().cast()
    }

    /// Clears all of it, or the first bytes of each thread's, of which every one has `stride`.
    fn clear(&mut self, stride: usize, first: Option<usize>) {
        if std::mem::take(&mut self.is_new) {
            return;
        }
        let words = &mut self.words[self.skipped..];
        match first {
            None => words.fill(0),
            Some(bytes) => {
                let (stride, bytes) = (stride / size_of::<u64>(), bytes.div_ceil(size_of::<u64>()));
                for thread in words.chunks_exact_mut(stride.max(1)) {
                    thread[..bytes.min(stride)].fill(0);
                }
            }
        }
    }
}

impl<'l> Resident<'l> {
    pub(crate) fn new(grid: &'l Grid<'_>) -> Box<Self> {
        let shared_bytes = grid.values.total_shared as usize;
        let local_stride = (grid.values.local_bytes as usize).next_multiple_of(16);
        let threads = (grid.threads as usize).next_multiple_of(WARP);
        let mut registers = lines(grid.program.register_words * size_of::<u32>());
        let mut shared = lines(shared_bytes);
        let mut local = LocalMemory::new(local_stride * threads);
        let mut params = lines(grid.launch.params.len());

        let regs = registers.as_mut_ptr().cast::<u32>();
        for (at, value) in grid.program.constants.iter().flat_map(|constant| constant.words()) {
            // SAFETY: constants lie inside the register file.
            unsafe { *regs.add(at) = value };
        }
        let from = grid.launch.params.as_ptr();
        // SAFETY: the block was made for as many bytes.
        unsafe {
            let to = params.as_mut_ptr().cast::<u8>();
            to.copy_from_nonoverlapping(from, grid.launch.params.len());
        }
        let block = |lines: &mut Vec<Line>, bytes: usize| Block {
            start: lines.as_mut_ptr().cast(),
            bytes: bytes as u64,
        };
        let memory = CtaMemory {
            regs,
            shared: block(&mut shared, shared_bytes),
            local: Block { start: local.start(), bytes: (local_stride * threads) as u64 },
            local_bytes: grid.values.local_bytes,
            local_stride: local_stride as u64,
            params: block(&mut params, grid.launch.params.len()),
        };
        let specials = SpecialValues {
            launch: grid.values,
            tid: &grid.tid,
            cta: [0; 3],
            cta_number: 0,
            time: &grid.time,
            counted: 0,
            clock_reads: 0,
        };
        let threads = Threads::new(grid.threads);
        let mut frame = Frame::new(grid.program, threads, memory, grid.memory, specials);
        frame.apart = grid.apart;
        let mut cta = Cta::new(frame);
        cta.compute_invariant();
        Box::new(Resident { cta, shared, local, _registers: registers, _params: params })
    }

    /// The number of the CTA that runs.
    fn number(&self) -> u64 {
        self.cta.frame.specials.cta_number
    }

    /// Begins a CTA: its memory is zero, and so are the registers that may be read before they are written.
    pub(crate) fn start<O: Observer>(&mut self, grid: &Grid<'_>, number: u64, observer: &mut O) {
        let frame = &mut self.cta.frame;
        for range in &grid.program.zeros {
            // SAFETY: the ranges lie inside the register file.
            unsafe { frame.cta.regs.add(range.start).write_bytes(0, range.len()) };
        }
        self.shared.fill(ZERO_LINE);
        // A frame on the stack is cleared when it begins.
        let (stride, stack) = (frame.cta.local_stride as usize, grid.kernel.has_stack);
        self.local.clear(stride, stack.then_some(grid.kernel.local_bytes as usize));
        frame.specials.cta = grid.cta(number);
        frame.specials.cta_number = number;
        frame.specials.clock_reads = 0;
        self.cta.start(observer);
    }
}

const _: () = assert!(MAX_SHARED <= ir::WINDOW / 2 && MAX_LOCAL <= ir::WINDOW / 2);
