//! Half precision: 5 exponent and 10 fraction bits (PTX ISA 9.1, 9.7.4).

use crate::Round;
use crate::convert;
use crate::half::{approximate, arithmetic};
use crate::ieee::{comparisons, encoding, min_max, min_max_modified, sign_canonical};
use crate::odd;

/// The NaN that arithmetic returns.
pub const NAN: u16 = 0x7fff;
/// Positive infinity.
pub const INFINITY: u16 = 0x7c00;
/// One.
pub const ONE: u16 = 0x3c00;

encoding!(u16);
sign_canonical!(u16);
comparisons!(u16, value);
min_max!(u16, i16, canonical_nan);
min_max_modified!(u16);
arithmetic!();
approximate!();

#[inline(always)]
const fn canonical_nan(_: u16) -> u16 {
    NAN
}

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

#[inline(always)]
fn from_single(a: f32) -> u16 {
    convert::f16::from_f32(a.to_bits(), Round::NearestEven)
}

#[inline(always)]
fn from_double(a: f64) -> u16 {
    convert::f16::from_f64(a.to_bits(), Round::NearestEven)
}

/// `fma.rn`: `a * b + c` with one rounding, to nearest even.
///
/// The product is exact in single precision, and the sum is rounded to odd there: with two digits
/// more than this format has, that leaves a second rounding harmless, as for
/// [`f32::fma`](crate::f32::fma).
#[inline(always)]
pub fn fma_rn(a: u16, b: u16, c: u16) -> u16 {
    from_single(odd::single_sum(value(a) * value(b), value(c)))
}
