//! W001, W002, W003, W005, W006.

use super::facts::Facts;
use crate::code::Code;
use lanes::LaneMask;
use schemars::JsonSchema;
use serde::Serialize;

/// Lanes execute a collective whose membermask does not name them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotNamed {
    /// The membermask.
    pub membermask: LaneMask,
    /// The lanes that pass it and are not in it.
    pub lanes: LaneMask,
    /// All lanes that execute the instruction together.
    pub executing: LaneMask,
}

/// Why a lane does not take part in a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Absence {
    /// The warp has fewer lanes.
    NeverExisted,
    /// It has exited.
    Exited,
    /// The membermask does not name it.
    NotNamed(LaneMask),
    /// It executes the instruction with another membermask.
    OtherMembermask,
    /// It does not execute the instruction now.
    Elsewhere,
}

/// A shuffle reads a lane that does not take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceAbsent {
    /// The lane that reads.
    pub lane: u32,
    /// The lane that it reads.
    pub source: u32,
    /// Why that does not take part.
    pub why: Absence,
    /// All lanes whose result is undefined.
    pub lanes: LaneMask,
}

/// Lanes executed one collective with different membermasks, and some are gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MembermasksDiffer {
    /// The lanes for which it fires.
    pub participants: LaneMask,
    /// Those that stand at this instruction.
    pub lanes: LaneMask,
    /// Their membermask.
    pub membermask: LaneMask,
    /// Lanes that it names and that executed the instruction with another one.
    pub others: LaneMask,
    /// The membermask of the lowest of those.
    pub other_membermask: LaneMask,
}

/// A shuffle or vote without `.sync` that not all live lanes execute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WithoutMask {
    /// The lanes that take part.
    pub participants: LaneMask,
    /// The lanes that stand there and whose guard is false.
    pub guarded_off: LaneMask,
    /// The live lanes that are elsewhere.
    pub elsewhere: LaneMask,
    /// For shuffles: the lanes that read lanes that do not take part.
    pub reads: Option<SourcesLost>,
}

/// Lanes that read others which do not take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourcesLost {
    /// Those that read.
    pub lanes: LaneMask,
    /// Those that are read.
    pub sources: LaneMask,
}

/// An `.aligned` instruction that only some lanes of a warp execute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotAligned {
    /// The lanes that execute it.
    pub lanes: LaneMask,
    /// Live lanes that do not.
    pub elsewhere: LaneMask,
    /// Lanes that have exited, where none may.
    pub exited: LaneMask,
    /// Lanes that never existed, where all must.
    pub never_existed: LaneMask,
}

/// A collective below `sm_70` that not all of its membermask execute together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotConverged {
    /// The membermask.
    pub membermask: LaneMask,
    /// The lanes that execute it.
    pub lanes: LaneMask,
    /// The live lanes of the membermask that do not.
    pub absent: LaneMask,
}

impl Facts for NotNamed {
    fn code(&self) -> Code {
        Code::W001
    }
}

impl Facts for SourceAbsent {
    fn code(&self) -> Code {
        Code::W002
    }
}

impl Facts for MembermasksDiffer {
    fn code(&self) -> Code {
        Code::W003
    }
}

impl Facts for WithoutMask {
    fn code(&self) -> Code {
        Code::W005
    }
}

impl Facts for NotAligned {
    fn code(&self) -> Code {
        Code::W006
    }
}

impl Facts for NotConverged {
    fn code(&self) -> Code {
        Code::W006
    }
}
