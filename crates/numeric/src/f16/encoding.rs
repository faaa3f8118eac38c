//! The encoding of half precision.

use crate::ieee::encoding;

/// The NaN that arithmetic returns.
pub const NAN: u16 = 0x7fff;
/// Positive infinity.
pub const INFINITY: u16 = 0x7c00;
/// One.
pub const ONE: u16 = 0x3c00;

encoding!(u16);

/// The value in single precision, which is exact.
#[inline(always)]
pub(crate) const fn value(a: u16) -> f32 {
    let magnitude = (a & !SIGN) as u32;
    // 112 is the difference of the exponent biases.
    let normal = (magnitude << 13) + (112 << 23);
    let special = magnitude << 13 | 0x7f80_0000;
    let subnormal = (magnitude as i32 as f32 * f32::from_bits(0x3380_0000)).to_bits();
    let finite = if magnitude < 0x400 { subnormal } else { normal };
    let bits = if is_finite(a) { finite } else { special };
    f32::from_bits(bits | ((a & SIGN) as u32) << 16)
}
