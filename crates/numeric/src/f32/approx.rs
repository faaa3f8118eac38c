//! The approximate functions.
//!
//! The ISA bounds their errors; hardware differs between generations. Here each returns the exact
//! value rounded to nearest even, which is within every bound, with the special values of the
//! manual's tables. Add `.ftz` with [`flush`](super::flush) on operands and result.

use super::{INFINITY, NAN, SIGN, canonical, div_rn, from_double, is_nan, mul_rn, sqrt_rn, value};
use crate::Round;
use crate::real;

/// Rounds a real value to nearest even.
#[inline(always)]
const fn nearest(exact: f64) -> u32 {
    from_double(exact, Round::NearestEven)
}

/// `ex2.approx`: 2 to the power `a` (PTX ISA 9.1, 9.7.3.21).
#[inline(always)]
pub const fn ex2_approx(a: u32) -> u32 {
    let power = nearest(real::exp2(value(a)));
    if is_nan(a) { NAN } else { power }
}

/// `lg2.approx`: the logarithm to base 2 (PTX ISA 9.1, 9.7.3.20). Zero of either sign gives
/// negative infinity, another negative number a NaN.
#[inline(always)]
pub const fn lg2_approx(a: u32) -> u32 {
    let logarithm = nearest(real::log2(value(a)));
    // Zero, or positive infinity and NaNs, or anything negative.
    let special = match a {
        0 | SIGN => SIGN | INFINITY,
        INFINITY => INFINITY,
        _ => NAN,
    };
    if a == 0 || a >= INFINITY { special } else { logarithm }
}

/// `sin.approx`: the sine of `a` radians (PTX ISA 9.1, 9.7.3.18); a NaN for infinities.
#[inline(always)]
pub const fn sin_approx(a: u32) -> u32 {
    let result = nearest(real::sin(value(a)));
    if super::is_finite(a) { result } else { NAN }
}

/// `cos.approx`: the cosine of `a` radians (PTX ISA 9.1, 9.7.3.19); a NaN for infinities.
#[inline(always)]
pub const fn cos_approx(a: u32) -> u32 {
    let result = nearest(real::cos(value(a)));
    if super::is_finite(a) { result } else { NAN }
}

/// `tanh.approx`: the hyperbolic tangent (PTX ISA 9.1, 9.7.3.22).
#[inline(always)]
pub const fn tanh_approx(a: u32) -> u32 {
    let tangent = nearest(real::tanh(value(a)));
    if is_nan(a) { NAN } else { tangent }
}

/// `rsqrt.approx`: 1 over the square root (PTX ISA 9.1, 9.7.3.16). A zero gives an infinity of
/// its sign.
///
/// The two roundings in double precision are harmless for every operand; only the exponent's
/// parity and the fraction matter, and all of those were checked.
#[inline(always)]
pub fn rsqrt_approx(a: u32) -> u32 {
    canonical((1.0 / (value(a) as f64).sqrt()) as f32)
}

/// `rcp.approx`: `1 / a` (PTX ISA 9.1, 9.7.3.13).
#[inline(always)]
pub const fn rcp_approx(a: u32) -> u32 {
    super::rcp_rn(a)
}

/// `sqrt.approx`: the square root (PTX ISA 9.1, 9.7.3.15).
#[inline(always)]
pub fn sqrt_approx(a: u32) -> u32 {
    sqrt_rn(a)
}

/// `div.approx`: `a / b` (PTX ISA 9.1, 9.7.3.8). For 2¹²⁶ < |b| < 2¹²⁸ the manual demands what a
/// reciprocal flushed to zero gives: a zero, or a NaN if `a` is infinite.
#[inline(always)]
pub const fn div_approx(a: u32, b: u32) -> u32 {
    const LARGE: u32 = 0x7e80_0000;
    let magnitude = b & !SIGN;
    let flushed = mul_rn(a, b & SIGN);
    let quotient = div_rn(a, b);
    if (magnitude > LARGE) & (magnitude < INFINITY) { flushed } else { quotient }
}

/// `div.full`: `a / b` (PTX ISA 9.1, 9.7.3.8).
#[inline(always)]
pub const fn div_full(a: u32, b: u32) -> u32 {
    div_rn(a, b)
}
