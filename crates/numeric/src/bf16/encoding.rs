//! The encoding of the upper half of single precision.

use crate::ieee::encoding;

/// The NaN that arithmetic returns.
pub const NAN: u16 = 0x7fff;
/// Positive infinity.
pub const INFINITY: u16 = 0x7f80;
/// One.
pub const ONE: u16 = 0x3f80;

encoding!(u16);

/// The value in single precision, which is exact.
#[inline(always)]
pub(crate) const fn value(a: u16) -> f32 {
    f32::from_bits((a as u32) << 16)
}
