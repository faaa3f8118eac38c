//! Any rounding mode, in integer arithmetic.

use super::encoding::{INFINITY, MAX, SIGN, binary, is_finite, ternary, unary, value};
use crate::Round;

/// The exponent of the last bit of a subnormal number.
const MIN_EXPONENT: i32 = -1074;
/// The fraction bits of the encoding.
const FRACTION: u32 = 52;

/// The magnitude of a finite number: `significand * 2^exponent`.
#[derive(Clone, Copy)]
pub(super) struct Magnitude {
    pub(super) significand: u128,
    pub(super) exponent: i32,
}

impl Magnitude {
    /// The magnitude of finite `bits`.
    pub(super) const fn of(bits: u64) -> Self {
        let fraction = (bits & ((1 << FRACTION) - 1)) as u128;
        let field = (bits >> FRACTION) as i32 & 0x7ff;
        if field == 0 {
            Self { significand: fraction, exponent: MIN_EXPONENT }
        } else {
            let significand = fraction | 1 << FRACTION;
            Self { significand, exponent: field - 1 + MIN_EXPONENT }
        }
    }

    /// The same value with the top bit of a nonzero significand at bit `top`.
    pub(super) const fn with_top_at(self, top: u32) -> Self {
        let shift = self.significand.leading_zeros() as i32 - (127 - top as i32);
        let significand =
            if shift >= 0 { self.significand << shift } else { self.significand >> -shift };
        Self { significand, exponent: self.exponent - shift }
    }
}

/// Rounds the number of sign `negative` whose magnitude is `magnitude`, or more by less than one
/// unit of its significand if `inexact`. A significand that is inexact has at least 56 bits.
pub(super) const fn encode(
    negative: bool,
    magnitude: Magnitude,
    inexact: bool,
    round: Round,
) -> u64 {
    let Magnitude { significand, exponent } = magnitude;
    let sign = if negative { SIGN } else { 0 };
    if significand == 0 {
        return sign;
    }
    let top = 127 - significand.leading_zeros() as i32;
    // The exponent of the last bit that the result keeps.
    let wanted = exponent + top - FRACTION as i32;
    let last = if wanted < MIN_EXPONENT { MIN_EXPONENT } else { wanted };
    let shift = last - exponent;
    let (kept, above_half, half, rest) = if shift <= 0 {
        (significand << -shift, false, false, inexact)
    } else if shift < 128 {
        let dropped = significand & ((1 << shift) - 1);
        let middle = 1 << (shift - 1);
        let above = dropped > middle || (dropped == middle && inexact);
        let tie = dropped == middle;
        (significand >> shift, above, tie, dropped != 0 || inexact)
    } else {
        (0, false, false, true)
    };
    let up = match round {
        Round::NearestEven => above_half || (half && kept & 1 == 1),
        Round::TowardZero | Round::Down | Round::Up => rest && round.is_outward(negative),
    };
    let field = (last - MIN_EXPONENT) as u64;
    if field > 0x7fe {
        return sign | overflow(negative, round);
    }
    // The implicit bit of `kept`, and a carry out of it, add to the exponent field.
    let bits = (field << FRACTION) + kept as u64 + up as u64;
    sign | if bits >= INFINITY { overflow(negative, round) } else { bits }
}

/// The magnitude of a result beyond the largest number.
const fn overflow(negative: bool, round: Round) -> u64 {
    if round.is_inward(negative) { MAX } else { INFINITY }
}

/// The sign of the exact sum 0 of terms of the given signs.
const fn zero_sum(negative_x: bool, negative_y: bool, round: Round) -> u64 {
    let negative = match round {
        Round::NearestEven | Round::TowardZero | Round::Up => negative_x && negative_y,
        Round::Down => negative_x || negative_y,
    };
    if negative { SIGN } else { 0 }
}

/// The rounded sum of two finite numbers; significands have at most 106 bits.
fn sum(
    (negative_x, x): (bool, Magnitude),
    (negative_y, y): (bool, Magnitude),
    round: Round,
) -> u64 {
    if x.significand == 0 && y.significand == 0 {
        return zero_sum(negative_x, negative_y, round);
    }
    if x.significand == 0 {
        return encode(negative_y, y, false, round);
    }
    if y.significand == 0 {
        return encode(negative_x, x, false, round);
    }
    // Room for a carry above, and for more than a result's bits below.
    let (x, y) = (x.with_top_at(124), y.with_top_at(124));
    let (negative, big, negative_small, small) = if x.exponent >= y.exponent {
        (negative_x, x, negative_y, y)
    } else {
        (negative_y, y, negative_x, x)
    };
    let distance = big.exponent.abs_diff(small.exponent);
    let aligned = small.significand.checked_shr(distance).unwrap_or(0);
    let inexact = aligned.checked_shl(distance).unwrap_or(0) != small.significand;
    let exponent = big.exponent;
    if negative == negative_small {
        let significand = big.significand + aligned;
        return encode(negative, Magnitude { significand, exponent }, inexact, round);
    }
    if big.significand == aligned && !inexact {
        return zero_sum(negative_x, negative_y, round);
    }
    if big.significand < aligned {
        let significand = aligned - big.significand;
        return encode(negative_small, Magnitude { significand, exponent }, inexact, round);
    }
    // What alignment dropped is still to be subtracted: one unit less, and some more.
    let significand = big.significand - aligned - inexact as u128;
    encode(negative, Magnitude { significand, exponent }, inexact, round)
}

/// The exact product of two finite numbers.
const fn product(a: u64, b: u64) -> (bool, Magnitude) {
    let (x, y) = (Magnitude::of(a), Magnitude::of(b));
    let significand = x.significand * y.significand;
    ((a ^ b) & SIGN != 0, Magnitude { significand, exponent: x.exponent + y.exponent })
}

/// `a + b`.
pub(super) fn add(a: u64, b: u64, round: Round) -> u64 {
    if is_finite(a) && is_finite(b) {
        let term = |bits: u64| (bits & SIGN != 0, Magnitude::of(bits));
        sum(term(a), term(b), round)
    } else {
        binary(a, b, value(a) + value(b))
    }
}

/// `a - b`.
pub(super) fn sub(a: u64, b: u64, round: Round) -> u64 {
    if is_finite(a) && is_finite(b) {
        add(a, b ^ SIGN, round)
    } else {
        binary(a, b, value(a) - value(b))
    }
}

/// `a * b`.
pub(super) fn mul(a: u64, b: u64, round: Round) -> u64 {
    if is_finite(a) && is_finite(b) {
        let (negative, magnitude) = product(a, b);
        encode(negative, magnitude, false, round)
    } else {
        binary(a, b, value(a) * value(b))
    }
}

/// `a * b + c`, rounded once.
pub(super) fn fma(a: u64, b: u64, c: u64, round: Round) -> u64 {
    if is_finite(a) && is_finite(b) && is_finite(c) {
        sum(product(a, b), (c & SIGN != 0, Magnitude::of(c)), round)
    } else if is_finite(a) && is_finite(b) {
        // Only the addend is not finite; a product that overflows must not meet it.
        ternary(a, b, c, value(c))
    } else {
        ternary(a, b, c, value(a) * value(b) + value(c))
    }
}

/// `a / b`.
pub(super) fn div(a: u64, b: u64, round: Round) -> u64 {
    let zero = |bits: u64| bits & !SIGN == 0;
    if !is_finite(a) || !is_finite(b) || zero(a) || zero(b) {
        return binary(a, b, value(a) / value(b));
    }
    let x = Magnitude::of(a).with_top_at(FRACTION + 64);
    let y = Magnitude::of(b).with_top_at(FRACTION);
    let significand = x.significand / y.significand;
    let inexact = !x.significand.is_multiple_of(y.significand);
    let exponent = x.exponent - y.exponent;
    encode((a ^ b) & SIGN != 0, Magnitude { significand, exponent }, inexact, round)
}

/// The square root of `a`.
pub(super) fn sqrt(a: u64, round: Round) -> u64 {
    if a == 0 || a >= INFINITY {
        // Zero, infinity, NaN, and what is negative: nothing to round.
        return unary(a, value(a).sqrt());
    }
    let x = Magnitude::of(a).with_top_at(125);
    // An even exponent halves.
    let odd = x.exponent & 1;
    let radicand = x.significand << odd;
    let significand = radicand.isqrt();
    let inexact = significand * significand != radicand;
    encode(false, Magnitude { significand, exponent: (x.exponent - odd) / 2 }, inexact, round)
}
