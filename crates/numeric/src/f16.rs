//! Half precision: 5 exponent and 10 fraction bits (PTX ISA 9.1, 9.7.4).

pub(crate) mod encoding;

use crate::Round;
use crate::convert;
use crate::half::{approximate, arithmetic};
use crate::ieee::{comparisons, min_max, min_max_modified, sign_canonical};
use crate::round_to_odd;

use encoding::value;
pub use encoding::*;

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

#[inline(always)]
fn from_single(a: f32) -> u16 {
    convert::f16::from_f32(a.to_bits(), Round::NearestEven)
}

/// A result in single precision, rounded toward zero, but what is too large to an infinity.
#[inline(always)]
fn cut(a: u32) -> u16 {
    const BEYOND: u32 = 0x4780_0000;
    let number = convert::f16::from_f32(a, Round::TowardZero);
    if (BEYOND..=crate::f32::INFINITY).contains(&a) { INFINITY } else { number }
}

/// `fma.rn`: `a * b + c` with one rounding, to nearest even.
///
/// The product is exact in single precision, and the sum is rounded to odd there: with two digits
/// more than this format has, that leaves a second rounding harmless, as for
/// [`f32::fma`](crate::f32::fma).
#[inline(always)]
pub fn fma_rn(a: u16, b: u16, c: u16) -> u16 {
    from_single(round_to_odd::single_sum(value(a) * value(b), value(c)))
}
