//! Elementary functions of single-precision numbers, in double precision.
//!
//! Each result is the exact real value with an error of a last place or so. Rounding it to at most
//! 24 bits gives the correctly rounded value unless the exact one lies within that error of the
//! middle of two numbers: every single-precision operand was tried, against formulas of twice the
//! digits, and the few for which it does are listed.
//! Only additions, multiplications and divisions are used, never a library or a fused operation,
//! so results are the same on every machine; without branches, so that loops over lanes become
//! vector code; and sums are cut into short chains, which processors overlap.

mod exp2;
mod log2;
mod tanh;
mod trig;

pub(crate) use exp2::exp2;
pub(crate) use log2::log2;
pub(crate) use tanh::tanh;
pub(crate) use trig::{cos, sin};

/// Adding this to a number below 2⁵¹ rounds it to an integer, which the low bits of the sum hold
/// in two's complement.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// The polynomial with the given coefficients, lowest first.
#[inline(always)]
const fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = 0.0;
    let mut i = N;
    while i > 0 {
        i -= 1;
        sum = sum * x + coefficients[i];
    }
    sum
}

/// `a + b` rounded, and what rounding lost, exactly.
#[inline(always)]
const fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}
