//! M008, and B001 at the barrier of a cluster.

use super::facts::Facts;
use super::parts::At;
use crate::code::Code;
use lanes::LaneMask;
use schemars::JsonSchema;
use serde::Serialize;
use vm::AccessKind;

/// Why another CTA of the cluster may not be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Absent {
    /// Nothing says that it has begun.
    MayNotHaveBegun,
    /// Nothing keeps it from exiting before the access.
    MayHaveExited,
    /// It has exited.
    HasExited,
}

/// An access to the shared memory of another CTA of the cluster, which may not be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotThere {
    /// Load, store or atomic.
    pub access: AccessKind,
    /// What it touches.
    pub at: At,
    /// The rank of the other CTA.
    pub rank: u32,
    /// Why it may not be there.
    pub why: Absent,
}

/// Threads arrive at the barrier of their cluster once more, and have not waited there in between.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArrivedTwice {
    /// The lanes that do so.
    pub lanes: LaneMask,
}

impl Facts for NotThere {
    fn code(&self) -> Code {
        Code::M008
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.at.address]
    }
}

impl Facts for ArrivedTwice {
    fn code(&self) -> Code {
        Code::B001
    }
}
