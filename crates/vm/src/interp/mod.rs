//! The interpreter: IR compiled to a flat list of handlers that run over whole warps.
//!
//! [`Program`] holds one [`Code`] per operation. A handler performs its operation for every warp of the
//! running group ([`Frame`]) and returns where to go on. Registers live in one array of the CTA as rows of
//! 32 lanes; values that are the same in all threads of a CTA have one row for all warps.

mod arm;
mod atomic;
mod collective;
mod compile;
mod control;
mod frame;
mod handlers;
mod host;
mod invariant;
mod memory;
mod predicate;
mod reach;
mod scalar;
mod simplify;
mod slots;
mod special;
mod whole;

pub(crate) use collective::Gathered;
pub use collective::{Operands, Results, evaluate};
pub(crate) use compile::{Origin, Program};
pub(crate) use frame::{Block, CtaMemory, FaultAt, Frame, MAX_WARPS, STOP, Slot, Stop, Threads};
pub(crate) use special::{LaunchValues, SpecialValues, ThreadIndices, Time};
