//! The upper half of single precision: 8 exponent and 7 fraction bits (PTX ISA 9.1, 9.7.4).

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
    convert::bf16::from_f32(a.to_bits(), Round::NearestEven)
}

#[inline(always)]
fn from_double(a: f64) -> u16 {
    convert::bf16::rounded(a, Round::NearestEven)
}

/// A result in single precision, rounded toward zero.
#[inline(always)]
const fn cut(a: u32) -> u16 {
    if crate::f32::is_nan(a) { NAN } else { (a >> 16) as u16 }
}

/// `fma.rn`: `a * b + c` with one rounding, to nearest even.
///
/// The product is exact in double precision and the sum is rounded to odd there, as for
/// [`f32::fma`](crate::f32::fma).
#[inline(always)]
pub fn fma_rn(a: u16, b: u16, c: u16) -> u16 {
    let product = value(a) as f64 * value(b) as f64;
    from_double(round_to_odd::double_sum(product, value(c) as f64))
}
