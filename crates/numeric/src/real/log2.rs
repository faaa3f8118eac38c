/// 2 log₂ e.
const FIRST: f64 = 2.8853900817779268;

/// (log₂((1 + s) / (1 - s)) / s - 2 log₂ e) / s² in s², for |s| ≤ 0.172 to 2⁻⁵¹: Chebyshev interpolation.
const SERIES: [f64; 7] = [
    0.961796693925976,
    0.5770780163541267,
    0.4121985839020938,
    0.3205987373623553,
    0.26232368741438405,
    0.2211884020024386,
    0.2108903788890639,
];

/// √½, cut so that subtracting its bits from those of 2ᵉm leaves e above the fraction bits for m
/// in [√½, √2).
const ROOT_HALF: u64 = 0x3fe6_a09e_0000_0000;

/// log₂ x for a positive finite single-precision `x`.
#[inline(always)]
pub(crate) const fn log2(x: f32) -> f64 {
    let bits = (x as f64).to_bits();
    let above = bits.wrapping_sub(ROOT_HALF);
    let exponent = (above >> 32) as i32 >> 20;
    let f = f64::from_bits(bits.wrapping_sub(above & 0xfff0_0000_0000_0000)) - 1.0;
    let s = f / (2.0 + f);
    let (z, c) = (s * s, SERIES);
    let z2 = z * z;
    let high = (c[4] + c[5] * z) + c[6] * z2;
    let series = ((c[0] + c[1] * z) + (c[2] + c[3] * z) * z2) + high * (z2 * z2);
    exponent as f64 + s * (FIRST + z * series)
}
