use super::{TO_INTEGER, polynomial, two_sum};

const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// The leading 40 bits of ln 2, and the rest.
const LN_2: (f64, f64) = (0.6931471805601177, -1.7239444525614835e-13);

/// 1 / k! from k = 2: the series of (eʳ - 1 - r) / r², good to 2⁻⁶² for |r| ≤ 0.35.
const SERIES: [f64; 14] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
    1.0 / 87_178_291_200.0,
    1.0 / 1_307_674_368_000.0,
];

/// tanh x for a number `x`: (e²ˣ - 1) / (e²ˣ + 1).
#[inline(always)]
pub(crate) const fn tanh(x: f32) -> f64 {
    // Beyond 10 the result rounds to 1 in any case.
    let t = 2.0 * (x as f64).abs().min(10.0);
    let shifted = t * LOG2_E + TO_INTEGER;
    let n = shifted - TO_INTEGER;
    let power = f64::from_bits((1.0f64).to_bits().wrapping_add(shifted.to_bits() << 52));
    // The first product and difference are exact.
    let r = t - n * LN_2.0;
    let rest = -n * LN_2.1;
    // e^(r + rest) - 1 - r, where the square of `rest` is out of reach.
    let series = r * r * polynomial(r, SERIES);
    let curved = series + rest * (1.0 + r + series);
    let (head, lost) = two_sum(power - 1.0, power * r);
    let numerator = head + (lost + power * curved);
    (numerator / (numerator + 2.0)).copysign(x as f64)
}
