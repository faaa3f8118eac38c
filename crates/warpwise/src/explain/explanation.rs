//! What is said of a warp instruction.

use lanes::{Group, LaneMask, Lanes};
use ptx::catalogue::{Removed, Since};

/// What a warp instruction does in each lane of a warp.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The call of CUDA C++ that was given.
    pub call: Option<String>,
    /// The instruction as it was given, or the one that the call stands for.
    pub instruction: String,
    /// The section of the manual, such as "9.7.9.5 shfl".
    pub section: &'static str,
    /// First PTX version and target of the form.
    pub since: Since,
    /// Where the form is gone again.
    pub removed: Option<Removed>,
    /// The lanes that execute it: the given lanes whose guard is true.
    pub executing: LaneMask,
    /// The executing lanes by the membermask that they pass; none where the instruction has no membermask.
    pub groups: Vec<Group>,
    /// The lanes that take part, each with those of its own membermask.
    pub participants: LaneMask,
    /// What lanes read of each other, one row for each part of the result.
    pub reads: Vec<Read>,
    /// What each lane brings to a result that is made of what several lanes bring.
    pub input: Option<Input>,
    /// Whose inputs make whose result; none where each lane's result is what one other lane holds.
    pub combined: Vec<Combined>,
    /// The lanes at which a segment of a shuffle begins.
    pub segments: Option<LaneMask>,
    /// The result.
    pub value: Option<Outcome>,
    /// The second result, a predicate.
    pub predicate: Option<LaneMask>,
    /// Executing lanes whose result the ISA leaves undefined.
    pub undefined: LaneMask,
    /// Whether the user says what some register holds.
    pub is_set: bool,
    /// What registers are taken to hold.
    pub assumed: Vec<String>,
    /// How the result comes about, a sentence a line.
    pub rule: Vec<String>,
    /// What deserves attention.
    pub notes: Vec<String>,
}

/// From which lane each lane takes a part of its result.
#[derive(Clone, Debug)]
pub struct Read {
    /// Which part: a short name.
    pub part: &'static str,
    /// The source lane of every lane.
    pub source: Lanes<u32>,
    /// The executing lanes whose source lane does not take part with them.
    pub lost: LaneMask,
}

/// What each lane brings.
#[derive(Clone, Debug)]
pub enum Input {
    /// A predicate.
    Predicate(LaneMask),
    /// A number in each lane.
    Number {
        /// Its bits.
        values: Box<Lanes<u64>>,
        /// What they mean, and those of the result.
        kind: NumberKind,
    },
}

/// What the bits of a number mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// A number without sign, or bits.
    Unsigned,
    /// 32 bits in two's complement.
    Signed,
    /// A binary32.
    Float,
}

/// Lanes whose inputs make one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combined {
    /// The lanes whose inputs are used.
    pub from: LaneMask,
    /// The lanes that get the result.
    pub to: LaneMask,
}

/// What a register is taken to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The register's name in the instruction.
    pub name: String,
    /// Its value in each lane. A predicate is true where that is not 0.
    pub values: Lanes<u64>,
    /// For a predicate, the lanes in which it is true, if that is not what `values` says.
    pub truth: Option<LaneMask>,
}

/// A result.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A number in each lane.
    Number(Lanes<u32>),
    /// A predicate.
    Predicate(LaneMask),
}
