use super::TO_INTEGER;

/// (2ʳ - 1) / r for |r| ≤ ½ to 2⁻⁵⁶: Chebyshev interpolation.
const SERIES: [f64; 11] = [
    std::f64::consts::LN_2,
    0.24022650695910097,
    0.0555041086648216,
    0.009618129107606888,
    0.0013333558146416936,
    0.0001540353044173605,
    1.525273382983612e-05,
    1.321544258792169e-06,
    1.0178062445845774e-07,
    7.072585949269223e-09,
    4.4549605981865186e-10,
];

/// The two operands whose power is closest to a double that is the middle of two single-precision numbers. Both powers are
/// above it.
const TIES: [u32; 2] = [0x3b42_9d37, 0xbcf3_a937];

/// 2ˣ for a number `x`. Beyond ±200 the result is that of ±200, which overflows or
/// vanishes in single precision just the same.
#[inline(always)]
pub(crate) const fn exp2(x: f32) -> f64 {
    let above = (x.to_bits() == TIES[0]) | (x.to_bits() == TIES[1]);
    let x = (x as f64).clamp(-200.0, 200.0);
    let shifted = x + TO_INTEGER;
    let n = shifted - TO_INTEGER;
    let r = x - n;
    let (r2, s) = (r * r, SERIES);
    let r4 = r2 * r2;
    let low = (s[0] + s[1] * r) + (s[2] + s[3] * r) * r2;
    let middle = (s[4] + s[5] * r) + (s[6] + s[7] * r) * r2;
    let high = (s[8] + s[9] * r) + s[10] * r2;
    let power = 1.0 + r * (low + (middle + high * r4) * r4);
    let bits = power.to_bits().wrapping_add(above as u64);
    f64::from_bits(bits.wrapping_add(shifted.to_bits() << 52))
}
