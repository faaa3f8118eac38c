//! What one warp instruction does, lane by lane, as data.

mod collective;
mod module;

use crate::error::Error;
use lanes::{LaneMask, Lanes};
use ptx::catalogue::{Removed, Since};

/// What a warp instruction does in each lane of a warp.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The instruction as it was given.
    pub instruction: String,
    /// The section of the manual, such as "9.7.9.5 shfl".
    pub section: &'static str,
    /// First PTX version and target of the form.
    pub since: Since,
    /// Where the form is gone again.
    pub removed: Option<Removed>,
    /// The lanes that execute it: the given lanes whose guard is true.
    pub executing: LaneMask,
    /// The membermask; `None` where the instruction has none.
    pub members: Option<LaneMask>,
    /// The lanes that take part.
    pub participants: LaneMask,
    /// What lanes read of each other, one row for each part of the result.
    pub reads: Vec<Read>,
    /// The lanes at which a segment of a shuffle begins.
    pub segments: Option<LaneMask>,
    /// The result.
    pub value: Option<Outcome>,
    /// The second result, a predicate.
    pub predicate: Option<LaneMask>,
    /// Executing lanes whose result the ISA leaves undefined.
    pub undefined: LaneMask,
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
}

/// A result.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A number in each lane.
    Number(Lanes<u32>),
    /// A predicate.
    Predicate(LaneMask),
}

/// Explains one warp instruction, executed by `lanes`. Operands that are constants count as written;
/// registers hold what [`Explanation::assumed`] says. The instruction is judged under the newest version and
/// target, and under the last that had forms without `.sync`.
///
/// # Errors
/// The text is no instruction that the catalogue accepts, or none in which lanes work together.
pub fn explain(text: &str, lanes: LaneMask) -> Result<Explanation, Error> {
    let found = module::read(text)?;
    collective::evaluate(&found, lanes)
}
