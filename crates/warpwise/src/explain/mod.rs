//! What one warp instruction does, lane by lane, as data.

mod collective;
mod cuda;
mod explanation;
mod module;
mod picture;
mod registers;

pub use explanation::{Combined, Explanation, Input, NumberKind, Outcome, Read, Setting};

use crate::error::Error;
use lanes::LaneMask;

/// Explains one warp instruction, executed by `lanes`, or the one that a call of CUDA C++ stands for, such as
/// `__shfl_up_sync(0xffffffff, a, 1)`. Operands that are constants count as written;
/// registers hold what `settings` or [`Explanation::assumed`] say. The instruction is judged under the newest version and
/// target, and under the last that had forms without `.sync`.
///
/// # Errors
/// The text is no instruction that the catalogue accepts and no call of a warp function, or none in which lanes work together; a setting names no register
/// of it, or has more bits than that; the membermask is a register without a setting.
pub fn explain(text: &str, lanes: LaneMask, settings: &[Setting]) -> Result<Explanation, Error> {
    let Some(call) = cuda::translate(text) else {
        return collective::evaluate(&module::read(text)?, lanes, settings);
    };
    let cuda::Translated { instruction, rules } = call?;
    let mut explanation = collective::evaluate(&module::read(&instruction)?, lanes, settings)?;
    explanation.call = Some(text.trim().trim_end_matches(';').trim_end().to_owned());
    explanation.rule.extend(rules);
    Ok(explanation)
}
