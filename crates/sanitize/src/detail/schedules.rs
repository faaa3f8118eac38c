//! W008: results and ends that depend on the schedule.

use super::facts::Facts;
use super::parts::At;
use crate::code::Code;
use schemars::JsonSchema;
use serde::Serialize;
use vm::Schedule;

/// A value that one schedule leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ValueSeen {
    /// The schedule.
    pub schedule: Schedule,
    /// The value, in the type of the buffer.
    pub value: String,
}

/// What the kernel leaves depends on the schedule. The finding's instruction is the last write to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResultsDiffer {
    /// The first element that differs.
    pub at: At,
    /// What it is under the launch's own schedule.
    pub first: ValueSeen,
    /// What it is under another.
    pub other: ValueSeen,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ending {
    /// All threads exit.
    Ends,
    /// It was stopped at its limit of warp instructions.
    Limit(u64),
    /// It was stopped by a fault of this kind.
    Stopped(&'static str),
}

/// How a run ends under one schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EndSeen {
    /// The schedule.
    pub schedule: Schedule,
    /// How the run ends.
    pub ending: Ending,
}

/// Whether the kernel runs to its end depends on the schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EndsDiffer {
    /// How the run ends under the launch's own schedule.
    pub first: EndSeen,
    /// How under another.
    pub other: EndSeen,
}

impl Facts for ResultsDiffer {
    fn code(&self) -> Code {
        Code::W008
    }

    fn addresses(&mut self) -> Vec<&mut u64> {
        vec![&mut self.at.address]
    }
}

impl Facts for EndsDiffer {
    fn code(&self) -> Code {
        Code::W008
    }
}
