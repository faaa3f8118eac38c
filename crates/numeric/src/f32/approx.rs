//! The approximate functions.
//!
//! The ISA bounds their errors. Each is what NVIDIA's assembler makes of it for a GPU: a call of
//! the [special function unit](crate::sfu), which knows no subnormal numbers, and what scales its
//! operands and results for their sake; a row of ordinary operands needs none of that. Add `.ftz` with [`flush`](super::flush) on operands and
//! result.
//!
//! They take rows, of L lanes each.

use super::{SIGN, add_rn, mul_rn, value};
use crate::sfu;

/// 2 to a power.
const fn power(exponent: i32) -> u32 {
    ((127 + exponent) as u32) << 23
}

/// Whether a magnitude is below the normal range.
#[inline(always)]
const fn is_tiny(a: u32) -> bool {
    a & !SIGN < power(-126)
}

/// Whether a number has a reciprocal below the normal range, or is an infinity.
#[inline(always)]
const fn is_huge(a: u32) -> bool {
    value(a & !SIGN) > value(power(126))
}

/// `f` of each lane of rows. A macro, so that it has the instructions of its caller.
macro_rules! lanes {
    (|$($lane:ident),+| $value:expr) => {{
        let mut all = [0; L];
        for (lane, all) in all.iter_mut().enumerate() {
            $(let $lane = $lane[lane];)+
            *all = $value;
        }
        all
    }};
}

/// `a` times a power of two, where that is to be.
#[inline(always)]
const fn times(a: u32, exponent: i32, condition: bool) -> u32 {
    let product = mul_rn(a, power(exponent));
    if condition { product } else { a }
}

/// `ex2.approx`: 2 to the power `a` (PTX ISA 9.1, 9.7.3.21).
#[inline(always)]
pub fn ex2_approx<const L: usize>(a: [u32; L]) -> [u32; L] {
    if let Some(all) = sfu::ordinary_ex2(&a) {
        return all;
    }
    let power = sfu::ex2(&lanes!(|a| times(a, -1, value(a) < -126.0)));
    lanes!(|a, power| if value(a) < -126.0 { mul_rn(power, power) } else { power })
}

/// `lg2.approx`: the logarithm to base 2 (PTX ISA 9.1, 9.7.3.20). Zero of either sign gives
/// negative infinity, another negative number a NaN.
#[inline(always)]
pub fn lg2_approx<const L: usize>(a: [u32; L]) -> [u32; L] {
    if let Some(all) = sfu::ordinary_lg2(&a) {
        return all;
    }
    const MINUS_24: u32 = SIGN | 0x41c0_0000;
    let logarithm = sfu::lg2(&lanes!(|a| times(a, 24, is_tiny(a))));
    lanes!(|a, logarithm| if is_tiny(a) { add_rn(logarithm, MINUS_24) } else { logarithm })
}

/// `sin.approx`: the sine of `a` radians (PTX ISA 9.1, 9.7.3.18); a NaN for infinities.
#[inline(always)]
pub fn sin_approx<const L: usize>(a: [u32; L]) -> [u32; L] {
    sfu::sin(&lanes!(|a| sfu::turns(a)))
}

/// `cos.approx`: the cosine of `a` radians (PTX ISA 9.1, 9.7.3.19); a NaN for infinities.
#[inline(always)]
pub fn cos_approx<const L: usize>(a: [u32; L]) -> [u32; L] {
    sfu::cos(&lanes!(|a| sfu::turns(a)))
}

/// `tanh.approx`: the hyperbolic tangent (PTX ISA 9.1, 9.7.3.22).
#[inline(always)]
pub fn tanh_approx<const L: usize>(a: [u32; L]) -> [u32; L] {
    sfu::tanh(&a)
}

/// `rsqrt.approx`: 1 over the square root (PTX ISA 9.1, 9.7.3.16). A zero gives an infinity of
/// its sign.
#[inline(always)]
pub fn rsqrt_approx<const L: usize>(a: [u32; L]) -> [u32; L] {
    if let Some(all) = sfu::ordinary_rsqrt(&a) {
        return all;
    }
    let inverse = sfu::rsqrt(&lanes!(|a| times(a, 24, is_tiny(a))));
    lanes!(|a, inverse| times(inverse, 12, is_tiny(a)))
}

/// `sqrt.approx`: the square root (PTX ISA 9.1, 9.7.3.15).
#[inline(always)]
pub fn sqrt_approx<const L: usize>(a: [u32; L]) -> [u32; L] {
    if let Some(all) = sfu::ordinary_sqrt(&a) {
        return all;
    }
    let root = sfu::sqrt(&lanes!(|a| times(a, 24, is_tiny(a))));
    lanes!(|a, root| times(root, -12, is_tiny(a)))
}

/// `rcp.approx`: `1 / a` (PTX ISA 9.1, 9.7.3.13).
#[inline(always)]
pub fn rcp_approx<const L: usize>(a: [u32; L]) -> [u32; L] {
    if let Some(all) = sfu::ordinary_rcp(&a) {
        return all;
    }
    let inverse = sfu::rcp(&lanes!(|a| scaled_for_rcp(a, a)));
    lanes!(|a, inverse| scaled_for_rcp(inverse, a))
}

/// `b` times what brings `a` and its reciprocal into the normal range.
#[inline(always)]
const fn scaled_for_rcp(b: u32, a: u32) -> u32 {
    times(times(b, 24, is_tiny(a)), -2, is_huge(a))
}

/// `div.approx`: `a / b` (PTX ISA 9.1, 9.7.3.8). For 2¹²⁶ < |b| < 2¹²⁸ the reciprocal is flushed
/// to zero: the result is a zero, or a NaN if `a` is infinite.
#[inline(always)]
pub fn div_approx<const L: usize>(a: [u32; L], b: [u32; L]) -> [u32; L] {
    if let Some(inverse) = sfu::ordinary_rcp(&b) {
        return lanes!(|a, inverse| mul_rn(inverse, a));
    }
    let inverse = sfu::rcp(&lanes!(|b| times(b, 24, is_tiny(b))));
    lanes!(|a, b, inverse| mul_rn(inverse, times(a, 24, is_tiny(b))))
}

/// `div.full`: `a / b` (PTX ISA 9.1, 9.7.3.8).
#[inline(always)]
pub fn div_full<const L: usize>(a: [u32; L], b: [u32; L]) -> [u32; L] {
    if let Some(inverse) = sfu::ordinary_rcp(&b) {
        return lanes!(|a, inverse| mul_rn(inverse, a));
    }
    let inverse = sfu::rcp(&lanes!(|b| scaled_for_rcp(b, b)));
    lanes!(|a, b, inverse| mul_rn(inverse, scaled_for_rcp(a, b)))
}
