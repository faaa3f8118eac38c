//! Why a kernel was stopped.

use crate::memory::BadFree;
use crate::texture::Format;
use ir::Place;
use ir::tensor_map::BadTensor;
use lanes::LaneMask;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct ThreadId {
    /// The CTA's index in the grid.
    pub cta: [u32; 3],
    /// The thread's index in its CTA.
    pub thread: [u32; 3],
    /// The warp's index in its CTA.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.thread;
        let [cx, cy, cz] = self.cta;
        write!(
            f,
            "thread ({x},{y},{z}) of CTA ({cx},{cy},{cz}), warp {}, lane {}",
            self.warp, self.lane
        )
    }
}

/// What an access was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic update.
    Atomic,
}

impl AccessKind {
    /// The word that messages use.
    pub fn word(self) -> &'static str {
        match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic access",
        }
    }
}

/// What lanes wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WaitingFor {
    /// The lanes of a membermask.
    Lanes(LaneMask),
    /// The other threads of a CTA barrier: its number, how many arrived and how many are expected.
    Barrier {
        /// 0 to 15.
        id: u32,
        /// Threads that have arrived.
        arrived: u32,
        /// Threads that must arrive.
        expected: u32,
    },
    /// The other threads of their cluster, at its barrier.
    Cluster {
        /// Threads that have arrived.
        arrived: u32,
        /// Threads that must arrive.
        expected: u32,
    },
    /// No other lanes: they spin in an endless loop, which an observer has detected ([`crate::Observer::look_up`]).
    #[serde(rename = "change")]
    EndlessLoop,
}

/// Lanes of one warp that wait at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct Waiting {
    /// The CTA's index in the grid.
    pub cta: [u32; 3],
    /// The warp's index in its CTA.
    pub warp: u32,
    /// The lanes that the warp began with: all, except in a partial last warp.
    pub existing: LaneMask,
    /// The lanes.
    pub lanes: LaneMask,
    /// Where they wait.
    pub place: Place,
    /// What they wait for.
    pub waiting_for: WaitingFor,
}

/// What an observer says of a run that takes long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The grid never ends; these keep it from that, the first of the CTA that looks up. It is a deadlock.
    Endless(Vec<Waiting>),
    /// All CTAs that have begun go on only if another one does something: it is time to begin one.
    Stuck,
    /// The run may end: enough has been seen.
    Enough,
}

/// Accessible memory, by addresses as the access counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Extent {
    /// The space in which it is.
    pub space: ir::Space,
    /// The first address.
    pub start: u64,
    /// One past the last address.
    pub end: u64,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An access outside every allocation of its space.
    OutOfBounds {
        /// Load, store or atomic.
        access: AccessKind,
        /// The space as the instruction names it.
        space: ir::Space,
        /// The first byte.
        address: u64,
        /// How many bytes.
        bytes: u32,
        /// The space that the address leads to, if the instruction names none.
        of: ir::Space,
        /// The rank of the CTA of the cluster to whose shared memory the address leads, if it names one. The cluster may not have
        /// it; then nothing is nearest.
        peer: Option<u32>,
        /// The allocation that ends nearest below, or begins nearest above, the address; all of a space that is the CTA's
        /// or the thread's.
        nearest: Option<Extent>,
        /// What the address was in before it was freed, while that is known ([`crate::memory::Quarantine`]); or the shared
        /// memory of another CTA of the cluster, which has exited.
        freed: Option<Extent>,
    },
    /// An access that writes a constant variable, or a parameter of the kernel.
    Constant {
        /// Store or atomic.
        access: AccessKind,
        /// The space as the instruction names it.
        space: ir::Space,
        /// The space that the address leads to, if the instruction names none.
        of: ir::Space,
        /// The first byte.
        address: u64,
        /// How many bytes.
        bytes: u32,
    },
    /// An access whose address is not a multiple of its size.
    Misaligned {
        /// Load, store or atomic.
        access: AccessKind,
        /// The space as the instruction names it.
        space: ir::Space,
        /// The first byte.
        address: u64,
        /// How many bytes: also the alignment wanted.
        bytes: u32,
    },
    /// The kernel executed `trap`.
    Trap,
    /// An `assert` of the kernel failed.
    Assertion {
        /// The text of the condition.
        condition: String,
        /// The file, as the compiler names it.
        file: String,
        /// The line in the file.
        line: u32,
        /// The function.
        function: String,
    },
    /// A call through a register that holds no function's address.
    NoFunction {
        /// What it holds.
        address: u64,
    },
    /// A `free` of what no `malloc` of a kernel returned, or of what was freed before.
    BadFree {
        /// The address.
        address: u64,
        /// What is wrong with it.
        why: BadFree,
    },
    /// A reduction in a surface by its format, whose texels are no integers of the width that is accessed.
    BadSurface {
        /// What its texels are.
        format: Format,
        /// How many bytes are accessed.
        bytes: u8,
    },
    /// An instruction on a tensor that cannot work on it.
    BadTensor {
        /// What is wrong.
        why: BadTensor,
    },
    /// A call, or `alloca`, for which the stack has no room.
    StackOverflow {
        /// The number of the function that is called, as the front end counts; `None` for `alloca`.
        function: Option<u32>,
        /// Bytes that it needs.
        bytes: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// A barrier number above 15, or a thread count that no CTA reaches.
    BadBarrier {
        /// The barrier's number.
        id: u32,
        /// The thread count, if one was given.
        threads: Option<u32>,
    },
    /// Threads arrive at the barrier of their cluster once more, and have not waited there in between.
    ArrivedTwice {
        /// The lanes of the thread's warp that do so.
        lanes: LaneMask,
    },
    /// No lane can get anywhere, and nothing that they wait for can happen.
    Deadlock {
        /// Every waiting group of lanes: where it waits, and for what.
        waiting: Vec<Waiting>,
    },
    /// The step limit was reached.
    StepLimit {
        /// The limit, in warp instructions.
        limit: u64,
    },
    /// The run was interrupted from outside.
    Interrupted,
    /// An observer has seen enough ([`Verdict::Enough`]).
    GivenUp,
}

impl FaultKind {
    /// What it is, in a few words.
    pub fn word(&self) -> &'static str {
        match self {
            FaultKind::OutOfBounds { .. } => "out of bounds",
            FaultKind::Misaligned { .. } => "misaligned access",
            FaultKind::Constant { .. } => "write of constant memory",
            FaultKind::Trap => "stopped by itself",
            FaultKind::Assertion { .. } => "assertion failed",
            FaultKind::NoFunction { .. } => "bad call",
            FaultKind::BadFree { .. } => "bad free",
            FaultKind::BadSurface { .. } => "bad surface",
            FaultKind::BadTensor { .. } => "bad tensor",
            FaultKind::StackOverflow { .. } => "stack overflow",
            FaultKind::BadBarrier { .. } => "bad barrier",
            FaultKind::ArrivedTwice { .. } => "arrival without a wait",
            FaultKind::Deadlock { .. } => "deadlock",
            FaultKind::StepLimit { .. } => "step limit",
            FaultKind::Interrupted => "interrupted",
            FaultKind::GivenUp => "given up",
        }
    }
}

/// A fault: the kernel was stopped here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The instruction.
    pub place: Place,
    /// The first thread that it went wrong for.
    pub thread: ThreadId,
}

impl Fault {
    /// Whether the run was stopped for no fault of its own: at its limit of steps, by the user, or by its observer.
    pub fn is_limit(&self) -> bool {
        match self.kind {
            FaultKind::StepLimit { .. } | FaultKind::Interrupted | FaultKind::GivenUp => true,
            FaultKind::OutOfBounds { .. }
            | FaultKind::Misaligned { .. }
            | FaultKind::Constant { .. }
            | FaultKind::BadBarrier { .. }
            | FaultKind::ArrivedTwice { .. }
            | FaultKind::Deadlock { .. }
            | FaultKind::Assertion { .. }
            | FaultKind::NoFunction { .. }
            | FaultKind::BadFree { .. }
            | FaultKind::BadSurface { .. }
            | FaultKind::BadTensor { .. }
            | FaultKind::StackOverflow { .. }
            | FaultKind::Trap => false,
        }
    }
}
