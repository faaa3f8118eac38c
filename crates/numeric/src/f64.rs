//! Double precision (PTX ISA 9.1, 9.7.3).
//!
//! NaN payloads are kept: the first NaN operand, made quiet, is the result.

use crate::Round;
use crate::ieee::{comparisons, min_max};

mod approx;
mod encoding;
mod exact;

pub use approx::{rcp_approx_ftz, rsqrt_approx, rsqrt_approx_ftz};
pub(crate) use encoding::quiet;
pub use encoding::*;
use encoding::{binary, ternary, unary, value};

comparisons!(u64, value);
min_max!(u64, i64, quiet);

/// `neg`. A NaN passes unchanged (PTX ISA 9.1, 9.7.3.10).
#[inline(always)]
pub const fn neg(a: u64) -> u64 {
    if is_nan(a) { a } else { a ^ SIGN }
}

/// `abs`. A NaN passes unchanged (PTX ISA 9.1, 9.7.3.9).
#[inline(always)]
pub const fn abs(a: u64) -> u64 {
    if is_nan(a) { a } else { a & !SIGN }
}

/// `add.rn`: `a + b`, rounded to nearest even.
#[inline(always)]
pub const fn add_rn(a: u64, b: u64) -> u64 {
    binary(a, b, value(a) + value(b))
}

/// `add.{rn,rz,rm,rp}`: `a + b`.
#[inline(always)]
pub fn add(a: u64, b: u64, round: Round) -> u64 {
    if round.is_nearest() { add_rn(a, b) } else { exact::add(a, b, round) }
}

/// `sub.rn`: `a - b`, rounded to nearest even.
#[inline(always)]
pub const fn sub_rn(a: u64, b: u64) -> u64 {
    binary(a, b, value(a) - value(b))
}

/// `sub.{rn,rz,rm,rp}`: `a - b`.
#[inline(always)]
pub fn sub(a: u64, b: u64, round: Round) -> u64 {
    if round.is_nearest() { sub_rn(a, b) } else { exact::sub(a, b, round) }
}

/// `mul.rn`: `a * b`, rounded to nearest even.
#[inline(always)]
pub const fn mul_rn(a: u64, b: u64) -> u64 {
    binary(a, b, value(a) * value(b))
}

/// `mul.{rn,rz,rm,rp}`: `a * b`.
#[inline(always)]
pub fn mul(a: u64, b: u64, round: Round) -> u64 {
    if round.is_nearest() { mul_rn(a, b) } else { exact::mul(a, b, round) }
}

/// `fma.rn`: `a * b + c` with one rounding, to nearest even.
///
/// One machine instruction where the caller enables the `fma` target feature, a library call
/// elsewhere.
#[inline(always)]
pub fn fma_rn(a: u64, b: u64, c: u64) -> u64 {
    ternary(a, b, c, value(a).mul_add(value(b), value(c)))
}

/// `fma.{rn,rz,rm,rp}`: `a * b + c` with one rounding.
#[inline(always)]
pub fn fma(a: u64, b: u64, c: u64, round: Round) -> u64 {
    if round.is_nearest() { fma_rn(a, b, c) } else { exact::fma(a, b, c, round) }
}

/// `div.rn`: `a / b`, rounded to nearest even.
#[inline(always)]
pub const fn div_rn(a: u64, b: u64) -> u64 {
    binary(a, b, value(a) / value(b))
}

/// `div.{rn,rz,rm,rp}`: `a / b`.
#[inline(always)]
pub fn div(a: u64, b: u64, round: Round) -> u64 {
    if round.is_nearest() { div_rn(a, b) } else { exact::div(a, b, round) }
}

/// `rcp.rn`: `1 / a`, rounded to nearest even.
#[inline(always)]
pub const fn rcp_rn(a: u64) -> u64 {
    unary(a, 1.0 / value(a))
}

/// `rcp.{rn,rz,rm,rp}`: `1 / a`.
#[inline(always)]
pub fn rcp(a: u64, round: Round) -> u64 {
    if round.is_nearest() { rcp_rn(a) } else { exact::div(ONE, a, round) }
}

/// `sqrt.rn`: the square root, rounded to nearest even.
#[inline(always)]
pub fn sqrt_rn(a: u64) -> u64 {
    unary(a, value(a).sqrt())
}

/// `sqrt.{rn,rz,rm,rp}`: the square root.
#[inline(always)]
pub fn sqrt(a: u64, round: Round) -> u64 {
    if round.is_nearest() { sqrt_rn(a) } else { exact::sqrt(a, round) }
}
