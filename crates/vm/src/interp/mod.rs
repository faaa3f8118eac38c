//! The interpreter: IR compiled to a flat list of handlers that run over whole warps.
//!
//! [`Program`] holds one `Code` per operation. A handler performs its operation for every warp of the
//! running group ([`Frame`]) and returns where to go on. Registers live in one array of the CTA as rows of
//! 32 lanes; values that are the same in all threads of a CTA have one row for all warps.

mod atomic;
mod collective;
mod compile;
mod control;
mod element;
mod frame;
mod handler;
mod handlers;
mod host;
mod invariant;
mod launch_values;
mod matrix;
mod memory;
mod operations;
mod predicate;
mod predicated;
mod reach;
mod scalar;
mod simplify;
mod slot;
mod slots;
mod source;
mod special;
mod stop;
mod strong;
mod threads;

pub(crate) use collective::Gathered;
pub use collective::{Operands, Results, evaluate};
pub(crate) use frame::{Block, CtaMemory, Frame, Program};
pub(crate) use launch_values::{LaunchValues, SpecialValues, ThreadIndices, Time};
pub(crate) use slot::Slot;
pub(crate) use source::Origin;
pub(crate) use stop::{FaultAt, STOP, Stop};
pub(crate) use threads::{MAX_WARPS, Threads};
