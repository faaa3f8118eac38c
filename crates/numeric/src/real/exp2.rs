use super::{TO_INTEGER, finish, polynomial, two_sum};

/// The leading 28 bits of ln 2, and the rest.
const LN_2: (f64, f64) = (0.6931471787393093, 1.8206359985041462e-09);

/// (ln 2)ᵏ / k! from k = 2: the Taylor series of 2ʳ, good to 2⁻⁶² for |r| ≤ ½.
const SERIES: [f64; 13] = [
    0.24022650695910072,
    0.05550410866482158,
    0.009618129107628477,
    0.0013333558146428443,
    0.0001540353039338161,
    1.5252733804059841e-05,
    1.321548679014431e-06,
    1.01780860092397e-07,
    7.054911620801123e-09,
    4.4455382718708116e-10,
    2.5678435993488206e-11,
    1.3691488853904128e-12,
    6.778726354822545e-14,
];

/// 2ˣ for a number `x`. Beyond ±200 the result is that of ±200, which overflows or
/// vanishes in single precision just the same.
#[inline(always)]
pub(crate) const fn exp2(x: f32) -> f64 {
    let x = (x as f64).clamp(-200.0, 200.0);
    let shifted = x + TO_INTEGER;
    let n = shifted - TO_INTEGER;
    // At most 24 bits, like x, so the product with the head of ln 2 is exact.
    let r = x - n;
    let tail = r * LN_2.1 + r * r * polynomial(r, SERIES);
    let (head, lost) = two_sum(1.0, r * LN_2.0);
    let power = finish(head, lost + tail);
    f64::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 52))
}
