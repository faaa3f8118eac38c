use super::{finish, polynomial, split, two_sum};

/// The leading 28 bits of log₂ e, and the rest.
const LOG2_E: (f64, f64) = (1.4426950439810753, -3.0921118795053097e-09);

/// 2 / (2k + 1) from k = 1: the series of ln((1 + s) / (1 - s)) / s - 2 in s², good to 2⁻⁶² for
/// |s| ≤ 0.172.
const SERIES: [f64; 10] = [
    2.0 / 3.0,
    2.0 / 5.0,
    2.0 / 7.0,
    2.0 / 9.0,
    2.0 / 11.0,
    2.0 / 13.0,
    2.0 / 15.0,
    2.0 / 17.0,
    2.0 / 19.0,
    2.0 / 21.0,
];

/// √½, cut so that subtracting its bits from those of 2ᵉm leaves e above the fraction bits for m
/// in [√½, √2).
const ROOT_HALF: u64 = 0x3fe6_a09e_0000_0000;

/// log₂ x for a positive finite single-precision `x`.
#[inline(always)]
pub(crate) const fn log2(x: f32) -> f64 {
    let bits = (x as f64).to_bits();
    let exponent = (bits.wrapping_sub(ROOT_HALF) as i64) >> 52;
    let f = f64::from_bits(bits.wrapping_sub((exponent as u64) << 52)) - 1.0;
    // ln(1 + f) = f - f²/2 + s (f²/2 + series). The first two terms, multiples of 2⁻⁴⁹, are exact.
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let correction = s * (half_square + z * polynomial(z, SERIES));
    let (head, tail) = split(f - half_square);
    let scaled = head * LOG2_E.1 + (tail + correction) * (LOG2_E.0 + LOG2_E.1);
    let (sum, lost) = two_sum(exponent as f64, head * LOG2_E.0);
    finish(sum, lost + scaled)
}
