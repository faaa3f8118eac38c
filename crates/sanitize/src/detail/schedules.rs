//! W008: what depends on the schedule.

use super::{At, Facts};
use crate::code::Code;
use crate::finding::Finding;
use ir::Place;
use serde::Serialize;
use vm::Schedule;

/// A value that one schedule leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueSeen {
    /// The schedule.
    pub schedule: Schedule,
    /// The value, in the type of the buffer.
    pub value: String,
}

/// What the kernel leaves depends on the schedule. The finding's instruction is the last write to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultsDiffer {
    /// The first element that differs.
    pub at: At,
    /// What it is under the launch's own schedule.
    pub first: ValueSeen,
    /// What it is under another.
    pub other: ValueSeen,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

/// Whether the kernel runs to its end depends on the schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EndsDiffer {
    /// The launch's own schedule, and how the run ends under it.
    pub first: (Schedule, Ending),
    /// Another schedule.
    pub other: (Schedule, Ending),
}

/// Whether something is found depends on the schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PresenceDiffers {
    /// What is found under one of them.
    pub finding: Box<Finding>,
    /// The schedule that shows it.
    pub with: Schedule,
    /// A schedule that does not.
    pub without: Schedule,
}

impl Facts for ResultsDiffer {
    fn code(&self) -> Code {
        Code::W008
    }
}

impl Facts for EndsDiffer {
    fn code(&self) -> Code {
        Code::W008
    }
}

impl Facts for PresenceDiffers {
    fn code(&self) -> Code {
        Code::W008
    }

    fn related(&self) -> Vec<Place> {
        self.finding.detail.related()
    }

    fn shown(&self) -> Option<&Finding> {
        Some(&self.finding)
    }
}
