//! Runs warp IR: memory, launch, splits, schedule, engine.
//!
//! [`launch`] takes an [`Executable`] kernel, a grid and a [`Memory`] and runs the kernel to its end or to its first
//! [`Fault`]. CTAs run in parallel on the host's cores; within a CTA, the lanes of a warp that share a
//! program counter form a split, and splits of several warps that stand at the same instruction advance
//! together (module `cta`). Which split goes next is decided by the [`Schedule`] alone.
//!
//! The engine is an interpreter (module `interp`) whose operations run over the 32 lanes of a warp at once,
//! compiled for the vector instructions that the machine has ([`Level`]).
//!
//! [`launch_observed`] runs the same kernel the same way and shows every step to an [`Observer`].
// Invariant 3 of ARCHITECTURE.md: what is forgotten is a compile error.
#![deny(clippy::wildcard_enum_match_arm)]

mod block;
mod cluster_memory;
mod code_cache;
mod cta;
mod engine;
mod enqueued;
mod executable;
mod exit;
mod fault;
mod float_environment;
mod frame;
mod heap_event;
mod interp;
mod launch;
mod local_memory;
pub mod memory;
mod native;
mod observer;
mod observers;
mod plan;
pub mod pool;
mod printed;
mod printed_values;
mod printf;
mod schedule;
mod simd;
mod stats;
mod steps;
mod stepwise;
pub mod texture;
mod threads;

pub use code_cache::{CodeCache, cache_folder};
pub use cta::barriers::BARRIERS;
pub use engine::EngineChoice;
pub use enqueued::{Enqueued, Launched};
pub use executable::Executable;
pub use fault::{AccessKind, Extent, Fault, FaultKind, ThreadId, Verdict, Waiting, WaitingFor};
pub use float_environment::FloatEnvironment;
pub use heap_event::HeapEvent;
pub use interp::{Operands, Results, evaluate};
pub use jit::Level as NativeLevel;
pub use launch::{
    CLOCK_KHZ, DEFAULT_STACK, HEAP_LIMIT, Launch, LaunchError, MAX_LOCAL, MAX_SHARED, MAX_THREADS,
    Outcome, TURN, clusters, cta_index, launch, launch_chosen, launch_observed,
};
pub use memory::Memory;
pub use observer::{
    Arrival, BarrierArrival, BarrierPart, ClusterArrival, Firing, Location, Observer, Part,
    Straight, Unobserved, View,
};
pub use printed::Printed;
pub use schedule::{
    ALL_DIVISIONS, Candidate, Choice, Chooser, Chosen, Dividing, LANE_BITS, Random, Schedule,
    Switch, Switching, parts,
};
pub use simd::Level;
pub use stats::Stats;
