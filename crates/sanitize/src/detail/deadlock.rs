//! W003, W004, W007, B001: no lane can make progress.

use super::facts::Facts;
use crate::code::Code;
use ir::{CollectiveKind, MatrixWork, Place};
use lanes::{MinMax, ReduxOp, ShflMode, VoteMode};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use vm::Waiting;

/// What lanes wait at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
#[non_exhaustive]
pub enum Meeting {
    /// A warp collective.
    Collective(CollectiveKind),
    /// A CTA barrier.
    Barrier,
    /// The barrier of a cluster.
    ClusterBarrier,
    /// No meeting: a loop.
    Loop,
}

impl Meeting {
    /// A stable word for it, as JSON documents carry it.
    pub fn word(self) -> &'static str {
        match self {
            Meeting::Barrier => "cta-barrier",
            Meeting::ClusterBarrier => "cluster-barrier",
            Meeting::Loop => "loop",
            Meeting::Collective(kind) => match kind {
                CollectiveKind::Shfl(ShflMode::Up) => "shuffle-up",
                CollectiveKind::Shfl(ShflMode::Down) => "shuffle-down",
                CollectiveKind::Shfl(ShflMode::Bfly) => "shuffle-butterfly",
                CollectiveKind::Shfl(ShflMode::Idx) => "shuffle-indexed",
                CollectiveKind::Vote(VoteMode::All) => "all-vote",
                CollectiveKind::Vote(VoteMode::Any) => "any-vote",
                CollectiveKind::Vote(VoteMode::Uni) => "uni-vote",
                CollectiveKind::Ballot => "ballot",
                CollectiveKind::MatchAny { .. } => "any-match",
                CollectiveKind::MatchAll { .. } => "all-match",
                CollectiveKind::Redux(ReduxOp::Add) => "sum",
                CollectiveKind::Redux(ReduxOp::MinU32 | ReduxOp::MinS32) => "minimum",
                CollectiveKind::Redux(ReduxOp::MaxU32 | ReduxOp::MaxS32) => "maximum",
                CollectiveKind::Redux(ReduxOp::And) => "bitwise-and",
                CollectiveKind::Redux(ReduxOp::Or) => "bitwise-or",
                CollectiveKind::Redux(ReduxOp::Xor) => "bitwise-xor",
                CollectiveKind::ReduxF32(mode) => match mode.op {
                    MinMax::Min => "minimum",
                    MinMax::Max => "maximum",
                },
                CollectiveKind::Elect => "election",
                CollectiveKind::MovMatrix => "matrix-transpose",
                CollectiveKind::WarpSync => "warp-barrier",
                CollectiveKind::Matrix(form) => match form.work {
                    MatrixWork::Load => "matrix-load",
                    MatrixWork::Store => "matrix-store",
                    MatrixWork::Multiply => "matrix-multiplication",
                },
            },
        }
    }
}

impl Serialize for Meeting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// Lanes that wait, and at what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Blocked {
    /// Every waiting group of lanes: where it waits, and for which lanes.
    pub waiting: Waiting,
    /// What they wait at.
    pub at: Meeting,
}

/// Why lanes that wait never go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Why {
    /// W003: they gave another membermask than the lanes that they wait for.
    OtherMembermask,
    /// W004: they wait at different collectives for each other.
    ForEachOther,
    /// W007: the lanes that they wait for wait at another collective.
    AtCollective,
    /// W007: the lanes that they wait for wait at a CTA barrier.
    AtBarrier,
    /// B001: too few threads come to a barrier of their CTA or cluster.
    TooFewThreads,
    /// W007: lanes spin in an endless loop: nothing changes from one iteration to the next.
    Loop,
    /// W007: lanes spin in a loop until memory changes, and others of the program that could write it have not done so for long.
    Silence,
    /// W007: no lane is left that could be waited for.
    Nobody,
}

/// Nobody can go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Deadlock {
    /// Why.
    pub why: Why,
    /// The lanes that the finding is about.
    pub first: Option<Blocked>,
    /// The lanes that they wait for, or the others.
    pub other: Option<Blocked>,
    /// Every waiting group of lanes: where it waits, and for which lanes.
    pub waiting: Vec<Waiting>,
}

impl Facts for Deadlock {
    fn code(&self) -> Code {
        match self.why {
            Why::OtherMembermask => Code::W003,
            Why::ForEachOther => Code::W004,
            Why::AtCollective | Why::AtBarrier | Why::Loop | Why::Silence | Why::Nobody => {
                Code::W007
            }
            Why::TooFewThreads => Code::B001,
        }
    }

    fn related(&self) -> Vec<Place> {
        let place = |blocked: &Blocked| blocked.waiting.place;
        let other = self.other.as_ref().map(place);
        other.filter(|other| self.first.as_ref().map(place) != Some(*other)).into_iter().collect()
    }

    fn waiting(&self) -> &[Waiting] {
        &self.waiting
    }
}
