//! The encoding of double precision, and the NaN that an operation returns.

use crate::ieee::encoding;

/// The NaN that an invalid operation on numbers gives.
pub const NAN: u64 = 0xfff8_0000_0000_0000;
/// Positive infinity.
pub const INFINITY: u64 = 0x7ff0_0000_0000_0000;
/// One.
pub const ONE: u64 = 0x3ff0_0000_0000_0000;
/// The bit that makes a NaN quiet.
const QUIET: u64 = 1 << 51;

encoding!(u64);

/// The number that the bits stand for.
#[inline(always)]
pub(super) const fn value(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// A NaN made quiet.
#[inline(always)]
pub(crate) const fn quiet(nan: u64) -> u64 {
    nan | QUIET
}

/// The NaN rule for one operand.
#[inline(always)]
pub(super) const fn unary(a: u64, result: f64) -> u64 {
    let valid = if result.is_nan() { NAN } else { result.to_bits() };
    if is_nan(a) { quiet(a) } else { valid }
}

/// The NaN rule for two operands.
#[inline(always)]
pub(super) const fn binary(a: u64, b: u64, result: f64) -> u64 {
    let valid = unary(b, result);
    if is_nan(a) { quiet(a) } else { valid }
}

/// The NaN rule for three operands.
#[inline(always)]
pub(super) const fn ternary(a: u64, b: u64, c: u64, result: f64) -> u64 {
    let valid = binary(b, c, result);
    if is_nan(a) { quiet(a) } else { valid }
}
