//! The approximate reciprocal and reciprocal square root.

use super::encoding::{INFINITY, SIGN, flush, is_nan, unary, value};
use super::exact::{Magnitude, encode};
use crate::Round;

/// The NaN of the `.approx.ftz.f64` forms.
const APPROX_NAN: u64 = 0x7fff_ffff_0000_0000;

/// The operand in the 1.11.20 format: the upper word, a subnormal flushed.
#[inline(always)]
const fn upper_word(a: u64) -> u64 {
    flush(a & !0xffff_ffff)
}

/// A result in the 1.11.20 format: rounded to nearest even, a subnormal flushed.
#[inline(always)]
const fn to_upper_word(result: f64) -> u64 {
    let bits = result.to_bits();
    let even = bits >> 32 & 1;
    let rounded = flush(bits.wrapping_add(0x7fff_ffff + even) & !0xffff_ffff);
    if result.is_nan() { APPROX_NAN } else { rounded }
}

/// `rcp.approx.ftz.f64`: `1 / a` from the upper word of `a`, in an upper word (PTX ISA 9.1,
/// 9.7.3.14). The ISA gives no error bound; the value is rounded to nearest even.
#[inline(always)]
pub const fn rcp_approx_ftz(a: u64) -> u64 {
    to_upper_word(1.0 / value(upper_word(a)))
}

/// `rsqrt.approx.ftz.f64`: 1 over the square root from the upper word of `a`, in an upper word
/// (PTX ISA 9.1, 9.7.3.17). The ISA gives no error bound; the value is rounded to nearest even.
#[inline(always)]
pub fn rsqrt_approx_ftz(a: u64) -> u64 {
    to_upper_word(1.0 / value(upper_word(a)).sqrt())
}

/// `rsqrt.approx.f64`: 1 over the square root (PTX ISA 9.1, 9.7.3.16). The ISA gives no error
/// bound; the value is rounded to nearest even.
pub fn rsqrt_approx(a: u64) -> u64 {
    let near = 1.0 / value(a).sqrt();
    if a & !SIGN == 0 {
        return (a & SIGN) | INFINITY;
    }
    if a >= INFINITY || is_nan(a) {
        return unary(a, near);
    }
    // a = x * 2^(2h) with 53 or 54 bits of x, and the result is q * 2^(-h - 82) for the real
    // number q = 2^82 / sqrt(x), which has 56 bits.
    let Magnitude { significand, exponent } = Magnitude::of(a).with_top_at(52);
    let odd = exponent & 1;
    let x = significand << odd;
    let half = (exponent - odd) / 2;
    let mut q = (near * value(((half + 82 + 1023) as u64) << 52)) as u128;
    // 2^164 - q²x vanishes near the root, so it is known from its value modulo 2^128.
    let rest = |q: u128| 0u128.wrapping_sub((q * q).wrapping_mul(x)) as i128;
    while rest(q) < 0 {
        q -= 1;
    }
    while rest(q + 1) >= 0 {
        q += 1;
    }
    let root = Magnitude { significand: q, exponent: -half - 82 };
    encode(false, root, rest(q) != 0, Round::NearestEven)
}
