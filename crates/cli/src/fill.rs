//! What the elements of a buffer hold at first.

use crate::literal;
use warpwise::{ElementType, Scalar};

/// What a buffer holds at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// The same everywhere.
    Value(Scalar),
    /// 0, 1, 2, …: integers modulo their range, floats rounded.
    Iota,
    /// Pseudo-random values of this seed.
    Random(u64),
}

/// What elements of a type hold: a value, `iota` or `rand:SEED`.
pub(crate) fn fill(ty: ElementType, value: &str) -> Result<Fill, String> {
    Ok(match (value, value.strip_prefix("rand:")) {
        ("iota", _) => Fill::Iota,
        (_, Some(seed)) => {
            Fill::Random(seed.parse().map_err(|_| format!("`{seed}` is not a seed"))?)
        }
        (value, None) => Fill::Value(literal::parse(ty, value)?),
    })
}
