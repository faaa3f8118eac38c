//! Runs warp IR: memory, launch, splits, schedule, engine.
//!
//! [`launch`] takes a kernel, a grid and a [`Memory`] and runs the kernel to its end or to its first
//! [`Fault`]. CTAs run in parallel on the host's cores; within a CTA, the lanes of a warp that share a
//! program counter form a split, and splits of several warps that stand at the same instruction advance
//! together (module `cta`). Which split goes next is decided by the [`Schedule`] alone.
//!
//! The engine is an interpreter (module `interp`) whose operations run over the 32 lanes of a warp at once,
//! compiled for the vector instructions that the machine has ([`Level`]).

mod cta;
mod fault;
mod interp;
mod launch;
pub mod memory;
mod schedule;
mod simd;
mod stats;

pub use fault::{AccessKind, Fault, FaultKind, ThreadId, Waiting, WaitingFor};
pub use launch::{Launch, LaunchError, MAX_LOCAL, MAX_SHARED, MAX_THREADS, Outcome, launch};
pub use memory::Memory;
pub use schedule::Schedule;
pub use simd::Level;
pub use stats::Stats;
