//! B001, except deadlocks.

use super::facts::Facts;
use crate::code::Code;
use ir::{BarrierReduction, Place};
use lanes::LaneMask;
use schemars::JsonSchema;
use serde::Serialize;

/// How threads missed a barrier of all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Missed {
    /// They wrote memory that the barrier should have ordered, and exited.
    Wrote,
    /// They went on behind it, and exited.
    WentAround,
    /// They exited before it, which is allowed.
    Exited,
}

/// Threads that exited or went around miss a barrier of all threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BarrierMissed {
    /// How many threads of the CTA.
    pub threads: u32,
    /// The first warp that has such.
    pub warp: u32,
    /// Its lanes.
    pub lanes: LaneMask,
    /// What they did.
    pub how: Missed,
    /// Where the lowest of them exited.
    pub exit: Place,
}

/// A thread count that is no number of warps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BarrierCount {
    /// The count.
    pub threads: u32,
}

/// What a thread wants of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BarrierUse {
    /// The instruction.
    pub place: Place,
    /// How many threads it expects.
    pub threads: u32,
    /// What is made of the threads' predicates.
    pub reduction: Option<BarrierReduction>,
}

/// One barrier used in two ways at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BarrierReused {
    /// The barrier.
    pub id: u32,
    /// What this thread wants of it.
    pub here: BarrierUse,
    /// What another one wanted before.
    pub before: BarrierUse,
}

/// More arrivals at a barrier object than its phase expects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TooManyArrivals {
    /// How many arrive.
    pub arrivals: u32,
    /// How many the phase still waits for.
    pub pending: u32,
}

/// A barrier that the CTA does not have, or cannot complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoSuchBarrier {
    /// The barrier.
    pub id: u32,
    /// The threads that it expects, if the instruction says so.
    pub threads: Option<u32>,
}

impl Facts for BarrierMissed {
    fn code(&self) -> Code {
        Code::B001
    }

    fn related(&self) -> Vec<Place> {
        vec![self.exit]
    }
}

impl Facts for BarrierCount {
    fn code(&self) -> Code {
        Code::B001
    }
}

impl Facts for BarrierReused {
    fn code(&self) -> Code {
        Code::B001
    }

    fn related(&self) -> Vec<Place> {
        vec![self.before.place]
    }
}

impl Facts for TooManyArrivals {
    fn code(&self) -> Code {
        Code::B001
    }
}

impl Facts for NoSuchBarrier {
    fn code(&self) -> Code {
        Code::B001
    }
}
