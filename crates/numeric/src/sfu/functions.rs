//! The functions: where in a curve an operand lies, and what becomes of the sum there.

use super::interpolator::{
    Curve, Function, PLACE, PLACE_BITS, Parts, Sum, curve, cut, ordinary_row, power, row,
};
use super::rows;
use crate::f32::{INFINITY, NAN, ONE, SIGN, is_nan};

/// The bits of the fraction of a number.
const FRACTION: u32 = 0x007f_ffff;
/// 1 / (2 π), by which angles in radians are multiplied.
const TURN: f32 = f32::from_bits(0x3e22_f983);

static RCP: Curve<128> = curve(&rows::RCP);
static RSQRT: Curve<128> = curve(&rows::RSQRT);
static SQRT: Curve<128> = curve(&rows::SQRT);
static EX2: Curve<64> = curve(&rows::EX2);
static LG2: Curve<64> = curve(&rows::LG2);
static SIN: Curve<64> = curve(&rows::SIN);

/// For each function, that of any row. Of those whose exceptional operands are scaled before, that of a row of ordinary operands, too:
/// then nothing has to be scaled.
macro_rules! functions {
    (scaled { $($(#[$doc:meta])* $name:ident, $ordinary:ident: $function:ty, $segments:literal;)* }
     alone { $($(#[$only_doc:meta])* $only:ident: $only_function:ty, $only_segments:literal;)* }) => {
        $(
            $(#[$doc])*
            #[inline(always)]
            pub fn $name<const L: usize>(a: &[u32; L]) -> [u32; L] {
                row::<$function, $segments, L>(a)
            }

            #[doc = concat!(
                "The same as [`", stringify!($name), "`], in less time, of operands that are no exceptions; `None` if any is."
            )]
            #[inline(always)]
            pub fn $ordinary<const L: usize>(a: &[u32; L]) -> Option<[u32; L]> {
                ordinary_row::<$function, $segments, L>(a)
            }
        )*
        $(
            $(#[$only_doc])*
            #[inline(always)]
            pub fn $only<const L: usize>(a: &[u32; L]) -> [u32; L] {
                match ordinary_row::<$only_function, $only_segments, L>(a) {
                    Some(all) => all,
                    None => row::<$only_function, $only_segments, L>(a),
                }
            }
        )*
    };
}

functions! {
    scaled {
        /// `MUFU.RCP`: 1 / a.
        rcp, ordinary_rcp: Rcp, 128;
        /// `MUFU.RSQ`: 1 / √a.
        rsqrt, ordinary_rsqrt: Rsqrt, 128;
        /// `MUFU.SQRT`: √a.
        sqrt, ordinary_sqrt: Sqrt, 128;
        /// `MUFU.EX2`: 2 to the power a.
        ex2, ordinary_ex2: Ex2, 64;
        /// `MUFU.LG2`: the logarithm of a to base 2. Of zeros it is negative infinity, of what is less
        /// a NaN.
        lg2, ordinary_lg2: Lg2, 64;
    }
    alone {
        /// `MUFU.SIN`: the sine of an angle in [turns].
        sin: Wave<0>, 64;
        /// `MUFU.COS`: the cosine of an angle in [turns].
        cos: Wave<1>, 64;
        /// `MUFU.TANH`: the hyperbolic tangent. Below 2⁻⁸ it is the operand, a subnormal number,
        /// too.
        tanh: Tanh, 256;
    }
}

/// A number between 1/4 and 2 times a power of two: an infinity or a zero beyond the range.
#[inline(always)]
const fn scaled(number: u32, exponent: i32) -> u32 {
    let field = (number >> 23) as i32 + exponent;
    let inside = scaled_inside(number, exponent);
    let bounded = if field >= 255 { INFINITY } else { inside };
    if field <= 0 { 0 } else { bounded }
}

/// The exponent of a number, as its field has it: 127 for 1.
#[inline(always)]
const fn field(a: u32) -> i32 {
    ((a >> 23) & 0xff) as i32
}

/// `a`, but `b` where the condition holds.
#[inline(always)]
const fn unless(a: u32, condition: bool, b: u32) -> u32 {
    if condition { b } else { a }
}

/// A number between 1/4 and 2 times a power of two, where that is in range.
#[inline(always)]
const fn scaled_inside(number: u32, exponent: i32) -> u32 {
    number.wrapping_add((exponent as u32) << 23)
}

/// Whether a number is positive, and neither subnormal nor infinite.
#[inline(always)]
const fn is_positive_normal(a: u32) -> bool {
    a.wrapping_sub(FRACTION + 1) < INFINITY - (FRACTION + 1)
}

/// A magnitude in units of 2⁻ⁿ, without what is less than one, of which there are less than 2³¹.
#[inline(always)]
const fn small_fixed(a: u32, n: i32) -> u32 {
    let right = (157 - n - field(a)) as u32;
    let right = if right > 31 { 31 } else { right };
    ((a << 7 | 1 << 30) & !SIGN) >> right
}

/// A magnitude in units of 2⁻ⁿ, without what is less than one. Bits from 32 on are lost.
#[inline(always)]
const fn fixed(a: u32, n: i32) -> u32 {
    let shift = field(a) - 150 + n;
    let left = if shift > 31 { 31 } else { shift };
    let left = if left < 0 { 0 } else { left };
    let right = if shift < -31 { 31 } else { -shift };
    let right = if right < 0 { 0 } else { right };
    ((a & FRACTION | (FRACTION + 1)) << left) >> right
}

pub(super) struct Rcp;

impl Function<128> for Rcp {
    const SUM: Sum = Sum { unit: -40, shifts: [14, 1], signs: [-1, 1], bias: 4046 };
    const CURVE: &'static Curve<128> = &RCP;

    /// The result is not subnormal either.
    #[inline(always)]
    fn is_ordinary(a: u32) -> bool {
        (a & !SIGN).wrapping_sub(FRACTION + 1) < 252 << 23
    }

    #[inline(always)]
    fn position(a: u32) -> u32 {
        a << 1
    }

    #[inline(always)]
    fn result(a: u32, sum: Parts) -> u32 {
        scaled_inside(sum.leading(Self::SUM.unit, -1), 127 - field(a)) | a & SIGN
    }

    #[inline(always)]
    fn result_of_any(a: u32, sum: Parts) -> u32 {
        let number = scaled(sum.leading(Self::SUM.unit, -1), 127 - field(a));
        let number = unless(number, field(a) == 255, 0);
        let number = unless(number, field(a) == 0, INFINITY);
        unless(number | a & SIGN, is_nan(a), NAN)
    }
}

pub(super) struct Rsqrt;

impl Rsqrt {
    /// The result for the exponent 0 or 1. Powers of four have exact results.
    #[inline(always)]
    const fn number(a: u32, sum: Parts) -> u32 {
        let is_power = a & (2 * FRACTION + 1) == FRACTION + 1;
        unless(sum.leading(<Self as Function<128>>::SUM.unit, -1), is_power, ONE)
    }
}

impl Function<128> for Rsqrt {
    const SUM: Sum = Sum { unit: -40, shifts: [14, 2], signs: [-1, 1], bias: -1 };
    const CURVE: &'static Curve<128> = &RSQRT;

    #[inline(always)]
    fn is_ordinary(a: u32) -> bool {
        is_positive_normal(a)
    }

    #[inline(always)]
    fn position(a: u32) -> u32 {
        root_position(a)
    }

    #[inline(always)]
    fn result(a: u32, sum: Parts) -> u32 {
        scaled_inside(Self::number(a, sum), -half_exponent(a))
    }

    #[inline(always)]
    fn result_of_any(a: u32, sum: Parts) -> u32 {
        special_roots(a, scaled(Self::number(a, sum), -half_exponent(a)), [INFINITY, 0])
    }
}

pub(super) struct Sqrt;

impl Function<128> for Sqrt {
    const SUM: Sum = Sum { unit: -40, shifts: [15, 1], signs: [1, -1], bias: -1 };
    const CURVE: &'static Curve<128> = &SQRT;

    /// Distances are often 0.
    #[inline(always)]
    fn is_ordinary(a: u32) -> bool {
        is_positive_normal(a) | (a == 0)
    }

    #[inline(always)]
    fn position(a: u32) -> u32 {
        root_position(a)
    }

    #[inline(always)]
    fn result(a: u32, sum: Parts) -> u32 {
        let number = scaled_inside(sum.leading(Self::SUM.unit, 0), half_exponent(a));
        unless(number, a == 0, 0)
    }

    #[inline(always)]
    fn result_of_any(a: u32, sum: Parts) -> u32 {
        special_roots(a, scaled(sum.leading(Self::SUM.unit, 0), half_exponent(a)), [0, INFINITY])
    }
}

/// A position in [`RSQRT`] and [`SQRT`]: the segment is that of the fraction, behind the others where the exponent is odd, whose field
/// ends in 0.
#[inline(always)]
const fn root_position(a: u32) -> u32 {
    a ^ (FRACTION + 1)
}

/// Half the exponent, rounded down.
#[inline(always)]
const fn half_exponent(a: u32) -> i32 {
    (field(a) - 127) >> 1
}

/// The result, but of zeros and of infinity those given, and of what is less or no number a NaN.
#[inline(always)]
const fn special_roots(a: u32, number: u32, [of_zero, of_infinity]: [u32; 2]) -> u32 {
    let number = unless(number, a >= INFINITY, NAN);
    let number = unless(number, a == INFINITY, of_infinity);
    unless(number, field(a) == 0, of_zero | a & SIGN)
}

pub(super) struct Ex2;

/// Powers of smaller magnitude are far from the ends of the range.
const LARGE_POWER: u32 = 125.0_f32.to_bits();

impl Function<64> for Ex2 {
    const SUM: Sum = Sum { unit: -38, shifts: [13, 0], signs: [1, 1], bias: 6114 };
    const CURVE: &'static Curve<64> = &EX2;

    /// Neither the result nor its square root is subnormal, or the result is the zero that masks are
    /// made of.
    #[inline(always)]
    fn is_ordinary(a: u32) -> bool {
        (a & !SIGN < LARGE_POWER) | (a == SIGN | INFINITY)
    }

    // The negative of a number with a fraction is its complement, one unit too small.
    #[inline(always)]
    fn position(a: u32) -> u32 {
        small_fixed(a, 23) ^ (a.cast_signed() >> 31) as u32
    }

    #[inline(always)]
    fn result(a: u32, sum: Parts) -> u32 {
        let position = Self::position(a);
        let negative = (a.cast_signed() >> 31) as u32;
        let is_whole = (position ^ negative) & FRACTION == 0;
        let number = sum.leading(Self::SUM.unit, 0).wrapping_add(position & !FRACTION);
        let number = unless(number, is_whole, ONE.wrapping_add(position).wrapping_sub(negative));
        unless(number, a & !SIGN >= LARGE_POWER, 0)
    }

    #[inline(always)]
    fn position_of_any(a: u32) -> u32 {
        if a & SIGN == 0 { fixed(a, 23) } else { !fixed(a, 23) }
    }

    #[inline(always)]
    fn result_of_any(a: u32, sum: Parts) -> u32 {
        let magnitude = fixed(a, 23);
        let is_whole = magnitude & FRACTION == 0;
        let whole = (magnitude >> 23) as i32;
        let below = if is_whole { -whole } else { -whole - 1 };
        let exponent = if a & SIGN == 0 { whole } else { below };
        let number = scaled(unless(sum.leading(Self::SUM.unit, 0), is_whole, ONE), exponent);
        let beyond = if a & SIGN == 0 { INFINITY } else { 0 };
        // Magnitudes from 256 on.
        unless(unless(number, field(a) >= 135, beyond), is_nan(a), NAN)
    }
}

struct Lg2;

impl Function<64> for Lg2 {
    const SUM: Sum = Sum { unit: -38, shifts: [12, 1], signs: [1, -1], bias: 837 };
    const CURVE: &'static Curve<64> = &LG2;

    #[inline(always)]
    fn is_ordinary(a: u32) -> bool {
        is_positive_normal(a)
    }

    #[inline(always)]
    fn position(a: u32) -> u32 {
        a
    }

    #[inline(always)]
    fn result(a: u32, sum: Parts) -> u32 {
        /// Adding it leaves 36 bits after the point, rounded to nearest.
        const CUT: f64 = 65_536.0;
        // A sum has two bits more: less 1.5 units of those, nearest is down.
        let fraction = (sum.exact(Self::SUM.unit) - 1.5 * power(-38) + CUT) - CUT;
        let logarithm = fraction + f64::from(field(a) - 127);
        // The magnitude of a negative one is its complement, one unit too small.
        let complement = if logarithm < 0.0 { power(-36) } else { 0.0 };
        unless(cut(logarithm + complement), a == ONE, 0)
    }

    #[inline(always)]
    fn result_of_any(a: u32, sum: Parts) -> u32 {
        let number = unless(Self::result(a, sum), a >= INFINITY, NAN);
        let number = unless(number, a == INFINITY, INFINITY);
        unless(number, field(a) == 0, SIGN | INFINITY)
    }
}

/// An angle in radians in turns, rounded toward zero, as `MUFU.SIN` and `MUFU.COS` take it.
#[inline(always)]
pub const fn turns(radians: u32) -> u32 {
    // What is too small for a cut at 24 bits is below what counts.
    cut(f32::from_bits(radians) as f64 * TURN as f64)
}

/// A sine from so many quarters of a turn on.
struct Wave<const QUARTERS: u32>;

impl<const QUARTERS: u32> Wave<QUARTERS> {
    /// An angle that begins so many quarters later, in units of 2⁻²⁵ turns.
    #[inline(always)]
    const fn later(angle: u32) -> u32 {
        angle.wrapping_add(QUARTERS * (FRACTION + 1))
    }

    /// Where in a quarter that rises the sine of an angle is the same.
    #[inline(always)]
    const fn rising(angle: u32) -> u32 {
        (if angle & (FRACTION + 1) == 0 { angle } else { !angle }) & FRACTION
    }

    /// The sine of an angle.
    #[inline(always)]
    const fn sine(turns: u32, angle: u32, sum: Parts) -> u32 {
        let is_top = angle & (2 * FRACTION + 1) == FRACTION + 1;
        let unit = <Self as Function<64>>::SUM.unit;
        let number = unless(cut(sum.exact(unit)), is_top, ONE);
        // The sine is an odd function, the cosine an even one.
        let sign = (angle << 7) ^ if QUARTERS == 0 { turns } else { 0 };
        number | sign & SIGN
    }
}

impl<const QUARTERS: u32> Function<64> for Wave<QUARTERS> {
    const SUM: Sum = Sum { unit: -37, shifts: [11, 0], signs: [1, -1], bias: 0 };
    const CURVE: &'static Curve<64> = &SIN;

    /// Less than 64 turns.
    #[inline(always)]
    fn is_ordinary(turns: u32) -> bool {
        field(turns) < 127 + 6
    }

    #[inline(always)]
    fn position(turns: u32) -> u32 {
        Self::rising(Self::later(small_fixed(turns, 25)))
    }

    #[inline(always)]
    fn result(turns: u32, sum: Parts) -> u32 {
        Self::sine(turns, Self::later(small_fixed(turns, 25)), sum)
    }

    #[inline(always)]
    fn position_of_any(turns: u32) -> u32 {
        Self::rising(Self::later(fixed(turns, 25)))
    }

    #[inline(always)]
    fn result_of_any(turns: u32, sum: Parts) -> u32 {
        let sine = Self::sine(turns, Self::later(fixed(turns, 25)), sum);
        unless(sine, field(turns) == 255, NAN)
    }
}

struct Tanh;

/// How many bits of the fraction choose a segment of [`rows::TANH`], of the binades from 2⁻⁸ on.
pub(super) const TANH_BITS: [u32; 11] = [0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3];

/// The same segments, 16 a binade.
static TANH: Curve<256> = {
    let dense: Curve<64> = curve(&rows::TANH);
    let mut all = [0; 256];
    let (mut binade, mut first) = (0, 0);
    while binade < TANH_BITS.len() {
        let mut i = 0;
        while i < 16 {
            all[16 * binade + i] = dense[first + (i >> (4 - TANH_BITS[binade]))];
            i += 1;
        }
        first += 1 << TANH_BITS[binade];
        binade += 1;
    }
    all
};

impl Tanh {
    /// The entry of [`TANH_BITS`], without a look-up.
    #[inline(always)]
    const fn bits(a: u32) -> u32 {
        let binade = field(a) - 119;
        (binade > 2) as u32 + (binade > 4) as u32 + (binade > 7) as u32 + (binade == 9) as u32
    }
}

impl Function<256> for Tanh {
    const SUM: Sum = Sum { unit: -39, shifts: [15, 1], signs: [1, -1], bias: 0 };
    const CURVE: &'static Curve<256> = &TANH;

    /// A number.
    #[inline(always)]
    fn is_ordinary(a: u32) -> bool {
        !is_nan(a)
    }

    #[inline(always)]
    fn position(a: u32) -> u32 {
        let segment = (a >> 19).wrapping_sub(16 * 119);
        segment << PLACE_BITS | (a >> (6 - Self::bits(a))) & PLACE
    }

    #[inline(always)]
    fn result(a: u32, sum: Parts) -> u32 {
        // From 1/4 to 2 all coefficients are multiples of 4.
        let unit = if (field(a) >= 125) & (field(a) < 128) { 4.0 } else { 1.0 };
        let number = unless(cut(unit * sum.exact(Self::SUM.unit)), field(a) < 119, a & !SIGN);
        unless(number, field(a) >= 130, ONE) | a & SIGN
    }

    #[inline(always)]
    fn result_of_any(a: u32, sum: Parts) -> u32 {
        unless(Self::result(a, sum), is_nan(a), NAN)
    }
}
