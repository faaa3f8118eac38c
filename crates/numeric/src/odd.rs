//! Sums rounded to odd, from which a narrower format can be rounded to without a second error.

use crate::Round;

/// `x + y` rounded to odd: exact, or else the neighbour of the exact sum whose last bit is 1.
///
/// `x` and `y` must be far from overflow and from the subnormals of the type, or not finite. An
/// exact zero gets the sign that `round` asks for.
#[inline(always)]
pub(crate) const fn sum_to_odd(x: f64, y: f64, round: Round) -> f64 {
    let sum = x + y;
    // Knuth's two-sum: `error` is exact; it is a NaN if the sum is not finite.
    let y_part = sum - x;
    let error = (x - (sum - y_part)) + (y - y_part);
    let bits = sum.to_bits();
    let even = bits & 1 == 0;
    let longer = ((error > 0.0) & (sum > 0.0)) | ((error < 0.0) & (sum < 0.0));
    let shorter = ((error > 0.0) & (sum < 0.0)) | ((error < 0.0) & (sum > 0.0));
    let odd = bits.wrapping_add((longer & even) as u64).wrapping_sub((shorter & even) as u64);
    // Opposite numbers, zeros included, add up to -0 when rounding down.
    let down = matches!(round, Round::Down);
    let negative_zero = (sum == 0.0) & down & (x.is_sign_negative() | y.is_sign_negative());
    f64::from_bits(if negative_zero { 1 << 63 } else { odd })
}
