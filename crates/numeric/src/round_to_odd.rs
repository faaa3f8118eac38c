//! Rounding to odd, after which rounding to a narrower format makes no second error.
//!
//! A value rounded to odd is exact, or else the neighbour of the exact value whose last bit is 1.
//! It lies on the same side of every number, and of every middle of two, that has at least two
//! bits fewer.

use crate::Round;

/// Defines the odd-rounded sum in a type of the host.
macro_rules! sum_to_odd {
    ($(#[$doc:meta])* $name:ident, $float:ident, $bits:ident) => {
        $(#[$doc])*
        #[inline(always)]
        pub(crate) const fn $name(x: $float, y: $float) -> $float {
            let sum = x + y;
            // Knuth's two-sum: `error` is exact. It is a NaN if the sum is not finite.
            let y_part = sum - x;
            let error = (x - (sum - y_part)) + (y - y_part);
            let bits = sum.to_bits();
            let even = bits & 1 == 0;
            let longer = ((error > 0.0) & (sum > 0.0)) | ((error < 0.0) & (sum < 0.0));
            let shorter = ((error > 0.0) & (sum < 0.0)) | ((error < 0.0) & (sum > 0.0));
            let up = (longer & even) as $bits;
            let down = (shorter & even) as $bits;
            $float::from_bits(bits.wrapping_add(up).wrapping_sub(down))
        }
    };
}

sum_to_odd!(
    /// `x + y` rounded to odd. Finite operands must be far from overflow and from subnormals.
    double_sum, f64, u64
);
sum_to_odd!(
    /// `x + y` rounded to odd. Finite operands must be far from overflow and from subnormals.
    single_sum, f32, u32
);

/// As [`double_sum`], with the sign that `round` gives to an exact zero: opposite numbers, zeros
/// included, add up to -0 when rounding down.
#[inline(always)]
pub(crate) const fn double_sum_with_zero(x: f64, y: f64, round: Round) -> f64 {
    let sum = double_sum(x, y);
    let down = matches!(round, Round::Down);
    let negative_zero = (sum == 0.0) & down & (x.is_sign_negative() | y.is_sign_negative());
    if negative_zero { -0.0 } else { sum }
}

/// A double rounded to odd in single precision; an infinity or NaN stays one.
#[inline(always)]
pub(crate) const fn single(x: f64) -> f32 {
    let nearest = x as f32;
    let bits = nearest.to_bits();
    let magnitude = (nearest as f64).abs();
    let even = bits & 1 == 0;
    let up = ((x.abs() > magnitude) & even) as u32;
    let down = ((x.abs() < magnitude) & even) as u32;
    f32::from_bits(bits.wrapping_add(up).wrapping_sub(down))
}
