use super::TO_INTEGER;

/// The binary digits of 2/π.
const TWO_OVER_PI: [u64; 5] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
];

/// π/2, and what is left of it.
const HALF_PI: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17);

/// (sin(πq/2) / q - π/2) / q² in q², for |q| ≤ ½ to 2⁻⁵³: Chebyshev interpolation.
const SINE: [f64; 6] = [
    -0.6459640975062462,
    0.07969262624614423,
    -0.004681754134254207,
    0.00016044116661409423,
    -3.5987029509735105e-06,
    5.642225369163528e-08,
];

/// (cos(πq/2) - 1) / q² in q², for |q| ≤ ½ to 2⁻⁶⁰: Chebyshev interpolation.
const COSINE: [f64; 7] = [
    -1.2337005501361697,
    0.2536695079010478,
    -0.020863480763340773,
    0.0009192602745468447,
    -2.5202039028029178e-05,
    4.710678405505227e-07,
    -6.329396344967424e-09,
];

/// 2/π in three pieces for each exponent field of single precision, without leading digits that only contribute full turns
/// (Payne and Hanek, "Radian reduction for trigonometric functions", 1983). Products of a number and the first two are exact,
/// and so is the sum of their fractions.
static PIECES: [[f64; 256]; 3] = pieces();

/// How many digits the first two pieces have.
const DIGITS: [u32; 2] = [29, 26];

const fn pieces() -> [[f64; 256]; 3] {
    let mut pieces = [[0.0; 256]; 3];
    let mut field = 0;
    while field < 256 {
        // A number is an integer of 24 bits times two to this power.
        let exponent = if field == 0 { 1 } else { field as i32 } - 150;
        // The first digit is the one that contributes half a turn at least: digit d is worth 2⁻ᵈ.
        let first = if exponent > 2 { exponent as u32 - 1 } else { 1 };
        let second = first + DIGITS[0];
        pieces[0][field] = piece(first, DIGITS[0]);
        pieces[1][field] = piece(second, DIGITS[1]);
        pieces[2][field] = piece(second + DIGITS[1], 64);
        field += 1;
    }
    pieces
}

/// What so many digits of 2/π from this one on are worth.
const fn piece(first: u32, count: u32) -> f64 {
    let word = (first - 1) as usize / 64;
    let offset = (first - 1) % 64;
    let pair = (TWO_OVER_PI[word] as u128) << 64 | TWO_OVER_PI[word + 1] as u128;
    let digits = (pair << offset >> (128 - count)) as u64;
    digits as f64 * power_of_two(1 - (first + count) as i32)
}

/// 2 to a power in the normal range.
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The bits of magnitudes whose sine, or cosine, is closest to a double that is the middle of two single-precision numbers, and
/// in truth below that in magnitude, or above.
struct Ties {
    below: u32,
    above: u32,
}

const SINE_TIES: Ties = Ties { below: 0x4619_9998, above: u32::MAX };
const COSINE_TIES: Ties = Ties { below: 0x5f18_b878, above: 0x6115_cb11 };

/// The sine of the magnitude of a finite angle and so many right angles.
#[inline(always)]
const fn sine(x: f32, right_angles: u64, ties: Ties) -> f64 {
    let bits = x.to_bits() & 0x7fff_ffff;
    let field = (bits >> 23) as usize;
    let x = f32::from_bits(bits) as f64;
    // In right angles: the nearest integer, twice, and what is left.
    let first = x * PIECES[0][field];
    let whole = first + TO_INTEGER;
    let second = (first - (whole - TO_INTEGER)) + x * PIECES[1][field];
    let carry = second + TO_INTEGER;
    let q = (second - (carry - TO_INTEGER)) + x * PIECES[2][field];
    let quadrant = whole.to_bits().wrapping_add(carry.to_bits()).wrapping_add(right_angles);

    let z = q * q;
    let (z2, s, c) = (z * z, SINE, COSINE);
    let z4 = z2 * z2;
    let series = (s[0] + s[1] * z) + (s[2] + s[3] * z) * z2 + (s[4] + s[5] * z) * z4;
    let near_zero = q * HALF_PI.0 + q * (HALF_PI.1 + z * series);
    let high = (c[4] + c[5] * z) + c[6] * z2;
    let near_one = 1.0 + z * ((c[0] + c[1] * z) + (c[2] + c[3] * z) * z2 + high * z4);
    let magnitude = if quadrant & 1 == 0 { near_zero } else { near_one };
    let (above, below) = ((bits == ties.above) as u64, (bits == ties.below) as u64);
    let sided = magnitude.to_bits().wrapping_add(above).wrapping_sub(below);
    f64::from_bits(sided ^ (quadrant & 2) << 62)
}

/// sin x for a finite single-precision `x`.
#[inline(always)]
pub(crate) const fn sin(x: f32) -> f64 {
    let magnitude = sine(x, 0, SINE_TIES);
    f64::from_bits(magnitude.to_bits() ^ ((x.to_bits() >> 31) as u64) << 63)
}

/// cos x for a finite single-precision `x`.
#[inline(always)]
pub(crate) const fn cos(x: f32) -> f64 {
    sine(x, 1, COSINE_TIES)
}
