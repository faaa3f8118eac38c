//! What one warp instruction does, lane by lane, as data.

mod collective;
mod explanation;
mod module;
mod registers;

use crate::error::Error;
use lanes::LaneMask;

pub use explanation::{Explanation, Outcome, Read, Setting};

/// Explains one warp instruction, executed by `lanes`. Operands that are constants count as written;
/// registers hold what `settings` or [`Explanation::assumed`] say. The instruction is judged under the newest version and
/// target, and under the last that had forms without `.sync`.
///
/// # Errors
/// The text is no instruction that the catalogue accepts, or none in which lanes work together; a setting names no register
/// of it, or has more bits than that; the membermask is a register without a setting.
pub fn explain(text: &str, lanes: LaneMask, settings: &[Setting]) -> Result<Explanation, Error> {
    let found = module::read(text)?;
    collective::evaluate(&found, lanes, settings)
}
