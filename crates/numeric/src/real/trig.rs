use super::{finish, polynomial, split, two_sum};

/// The leading 29 bits of π/2, and the rest.
const HALF_PI: (f64, f64) = (1.570796325802803, 9.920935796805404e-10);

/// The binary digits of 2/π, after 64 bits of integer part.
const TWO_OVER_PI: [u64; 6] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
];

/// (-1)ᵏ / (2k + 1)! from k = 1: the series of (sin r - r) / r³ in r², good to 2⁻⁶² for
/// |r| ≤ π/4.
const SINE: [f64; 9] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
    -1.0 / 121_645_100_408_832_000.0,
];

/// (-1)ᵏ / (2k)! from k = 2: the series of (cos r - 1 + r²/2) / r⁴ in r², as [`SINE`].
const COSINE: [f64; 8] = [
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
    -1.0 / 6_402_373_705_728_000.0,
];

/// An angle: `quadrant` right angles and `head + tail` radians, at most π/4 either way.
struct Angle {
    quadrant: u32,
    head: f64,
    tail: f64,
}

impl Angle {
    /// The magnitude of a finite angle, reduced (Payne and Hanek, "Radian reduction for
    /// trigonometric functions", 1983).
    #[inline(always)]
    const fn of(x: f32) -> Self {
        let bits = x.to_bits() & 0x7fff_ffff;
        if bits < 0x3f00_0000 {
            // Below ½ there is nothing to reduce.
            return Self { quadrant: 0, head: f32::from_bits(bits) as f64, tail: 0.0 };
        }
        // x = significand * 2^exponent, with an exponent between -24 and 104.
        let significand = (bits & 0x7f_ffff | 0x80_0000) as u128;
        let exponent = (bits >> 23) as i32 - 150;
        // The 128 bits of 2/π whose first is worth 2 after scaling by 2^exponent; more
        // significant ones contribute full turns. The product is in quarter turns, modulo 4, with
        // 126 fraction bits.
        let start = (exponent + 62) as u32;
        let word = (start / 64) as usize & 3;
        let upper = (TWO_OVER_PI[word] as u128) << 64 | TWO_OVER_PI[word + 1] as u128;
        let offset = start % 64;
        // Shifting in two steps keeps the amount below 64 for an offset of 0.
        let lower = (TWO_OVER_PI[word + 2] >> 1 >> (63 - offset)) as u128;
        let turns = significand.wrapping_mul(upper << offset | lower);
        let quadrant = (turns.wrapping_add(1 << 125) >> 126) as u32;
        let fraction = turns.wrapping_sub((quadrant as u128) << 126) as i128;
        // The closest that a number comes to a multiple of π/2 leaves some 30 leading zeros, so
        // 106 bits below the point are enough, in two pieces that doubles hold exactly.
        let high = (fraction >> 73) as i64 as f64 * power_of_two(-53);
        let low = ((fraction >> 20) as u64 & ((1 << 53) - 1)) as f64 * power_of_two(-106);
        let (quarter, rest) = two_sum(high, low);
        let (lead, follow) = split(quarter);
        let tail = lead * HALF_PI.1 + (follow + rest) * (HALF_PI.0 + HALF_PI.1);
        let (head, tail) = two_sum(lead * HALF_PI.0, tail);
        Self { quadrant, head, tail }
    }

    /// The sine or, `shifted` by a right angle, the cosine.
    #[inline(always)]
    const fn sine(&self, shifted: bool) -> f64 {
        let quadrant = self.quadrant + shifted as u32;
        let (head, tail) = if quadrant & 1 == 0 { self.near_zero() } else { self.near_one() };
        let value = finish(head, tail);
        if quadrant & 2 == 0 { value } else { -value }
    }

    /// sin(head + tail) as a sum.
    #[inline(always)]
    const fn near_zero(&self) -> (f64, f64) {
        let z = self.head * self.head;
        let cubic = self.head * z * polynomial(z, SINE);
        (self.head, cubic + self.tail * (1.0 - 0.5 * z))
    }

    /// cos(head + tail) as a sum.
    #[inline(always)]
    const fn near_one(&self) -> (f64, f64) {
        let z = self.head * self.head;
        let (lead, follow) = split(self.head);
        // r²/2 in an exact piece and a small one.
        let half_square = 0.5 * lead * lead;
        let rest = 0.5 * (self.head + lead) * follow + self.head * self.tail;
        let (head, lost) = two_sum(1.0, -half_square);
        (head, lost - rest + z * z * polynomial(z, COSINE))
    }
}

/// 2 to a power in the normal range.
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// sin x for a finite single-precision `x`.
#[inline]
pub(crate) const fn sin(x: f32) -> f64 {
    let magnitude = Angle::of(x).sine(false);
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// cos x for a finite single-precision `x`.
#[inline]
pub(crate) const fn cos(x: f32) -> f64 {
    Angle::of(x).sine(true)
}
