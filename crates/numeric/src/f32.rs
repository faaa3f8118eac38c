//! Single precision (PTX ISA 9.1, 9.7.3).
//!
//! The directed modes work in double precision, which holds the product of two single-precision
//! numbers exactly; see [`fma`] and [`div`]. They are branch-free like the nearest mode, so where
//! the mode is known, or the same for all lanes, loops over either vectorise.

use crate::Round;
use crate::ieee::{comparisons, encoding, min_max, min_max_modified, sign_canonical};
use crate::round_to_odd;

mod approx;

pub use approx::{
    cos_approx, div_approx, div_full, ex2_approx, lg2_approx, rcp_approx, rsqrt_approx, sin_approx,
    sqrt_approx, tanh_approx,
};

/// The NaN that arithmetic returns.
pub const NAN: u32 = 0x7fff_ffff;
/// Positive infinity.
pub const INFINITY: u32 = 0x7f80_0000;
/// One.
pub const ONE: u32 = 0x3f80_0000;

encoding!(u32);
sign_canonical!(u32);
comparisons!(u32, value);
min_max!(u32, i32, canonical_nan);
min_max_modified!(u32);

#[inline(always)]
const fn value(bits: u32) -> f32 {
    f32::from_bits(bits)
}

#[inline(always)]
const fn double(bits: u32) -> f64 {
    value(bits) as f64
}

#[inline(always)]
const fn canonical_nan(_: u32) -> u32 {
    NAN
}

/// The bits of a result, with [`NAN`] for every NaN.
#[inline(always)]
const fn canonical(result: f32) -> u32 {
    if result.is_nan() { NAN } else { result.to_bits() }
}

/// Rounds a double to single precision.
#[inline(always)]
pub(crate) const fn from_double(exact: f64, round: Round) -> u32 {
    let nearest = exact as f32;
    let negative = exact.is_sign_negative();
    let magnitude = (nearest as f64).abs();
    // Where the mode differs from nearest, the result is the neighbouring encoding.
    let back = (magnitude > exact.abs()) & round.is_inward(negative);
    let on = (magnitude < exact.abs()) & round.is_outward(negative);
    let bits = nearest.to_bits().wrapping_add(on as u32).wrapping_sub(back as u32);
    if exact.is_nan() { NAN } else { bits }
}

/// `add.rn`: `a + b`, rounded to nearest even.
#[inline(always)]
pub const fn add_rn(a: u32, b: u32) -> u32 {
    canonical(value(a) + value(b))
}

/// `add.{rn,rz,rm,rp}`: `a + b`.
#[inline(always)]
pub const fn add(a: u32, b: u32, round: Round) -> u32 {
    let directed =
        from_double(round_to_odd::double_sum_with_zero(double(a), double(b), round), round);
    if round.is_nearest() { add_rn(a, b) } else { directed }
}

/// `sub.rn`: `a - b`, rounded to nearest even.
#[inline(always)]
pub const fn sub_rn(a: u32, b: u32) -> u32 {
    canonical(value(a) - value(b))
}

/// `sub.{rn,rz,rm,rp}`: `a - b`.
#[inline(always)]
pub const fn sub(a: u32, b: u32, round: Round) -> u32 {
    add(a, b ^ SIGN, round)
}

/// `mul.rn`: `a * b`, rounded to nearest even.
#[inline(always)]
pub const fn mul_rn(a: u32, b: u32) -> u32 {
    canonical(value(a) * value(b))
}

/// `mul.{rn,rz,rm,rp}`: `a * b`.
#[inline(always)]
pub const fn mul(a: u32, b: u32, round: Round) -> u32 {
    let directed = from_double(double(a) * double(b), round);
    if round.is_nearest() { mul_rn(a, b) } else { directed }
}

/// `fma.rn`: `a * b + c` with one rounding, to nearest even.
///
/// One machine instruction where the caller enables the `fma` target feature, a library call
/// elsewhere; [`fma_rn_portable`] gives the same without either.
#[inline(always)]
pub fn fma_rn(a: u32, b: u32, c: u32) -> u32 {
    canonical(value(a).mul_add(value(b), value(c)))
}

/// `fma.rn` from double-precision additions and multiplications only, for hosts without a fused
/// multiply-add. See [`fma`].
#[inline(always)]
pub const fn fma_rn_portable(a: u32, b: u32, c: u32) -> u32 {
    fma_directed(a, b, c, Round::NearestEven)
}

/// `fma.{rn,rz,rm,rp}`: `a * b + c` with one rounding.
///
/// The product is exact in double precision. Its sum with `c` is rounded to odd at 53 bits, after
/// which rounding to 24 bits gives what it would give for the exact sum (Boldo and Melquiond,
/// "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd",
/// 2008).
#[inline(always)]
pub fn fma(a: u32, b: u32, c: u32, round: Round) -> u32 {
    if round.is_nearest() { fma_rn(a, b, c) } else { fma_directed(a, b, c, round) }
}

#[inline(always)]
const fn fma_directed(a: u32, b: u32, c: u32, round: Round) -> u32 {
    from_double(round_to_odd::double_sum_with_zero(double(a) * double(b), double(c), round), round)
}

/// `div.rn`: `a / b`, rounded to nearest even.
#[inline(always)]
pub const fn div_rn(a: u32, b: u32) -> u32 {
    canonical(value(a) / value(b))
}

/// `div.{rn,rz,rm,rp}`: `a / b`.
///
/// A quotient of 24-bit integers that is not itself a single-precision number or the middle of
/// two differs from each of those by more than 2⁻⁵⁰ of its size, so rounding it to double
/// precision first (2⁻⁵³) moves it across none.
#[inline(always)]
pub const fn div(a: u32, b: u32, round: Round) -> u32 {
    let directed = from_double(double(a) / double(b), round);
    if round.is_nearest() { div_rn(a, b) } else { directed }
}

/// `rcp.rn`: `1 / a`, rounded to nearest even.
#[inline(always)]
pub const fn rcp_rn(a: u32) -> u32 {
    div_rn(ONE, a)
}

/// `rcp.{rn,rz,rm,rp}`: `1 / a`.
#[inline(always)]
pub const fn rcp(a: u32, round: Round) -> u32 {
    div(ONE, a, round)
}

/// `sqrt.rn`: the square root, rounded to nearest even.
#[inline(always)]
pub fn sqrt_rn(a: u32) -> u32 {
    canonical(value(a).sqrt())
}

/// `sqrt.{rn,rz,rm,rp}`: the square root. Double precision suffices for the reason given at
/// [`div`].
#[inline(always)]
pub fn sqrt(a: u32, round: Round) -> u32 {
    let directed = from_double(double(a).sqrt(), round);
    if round.is_nearest() { sqrt_rn(a) } else { directed }
}
