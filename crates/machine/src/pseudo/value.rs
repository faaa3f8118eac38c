//! What expressions of pseudo-code give.

use ir::{Pred, Reg};

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The same number in every lane and every run.
    Constant(i64),
    /// A number of 64 bits a lane.
    Number(Reg),
    /// A truth value a lane.
    Truth(Pred),
}
