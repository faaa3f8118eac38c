//! `tf32` and the formats of eight bits and fewer (PTX ISA 9.1, 5.2.3 "Alternate Floating-Point
//! Data Formats" and 9.7.9.21 `cvt`).
//!
//! Packed forms apply these to each element. `.relu` is [`f32::relu`](crate::f32::relu) of the
//! operand; from `f16` and `bf16` convert through `f32`, which is exact.

use super::narrow;
use crate::Round;

/// `tf32`: the range of `f32` with 10 fraction bits, in the upper bits of an `f32`.
pub mod tf32 {
    use super::{Round, narrow};
    use crate::f32::{NAN, SIGN, is_finite, is_infinite, is_nan};

    /// The largest finite number.
    pub const MAX: u32 = 0x7f7f_e000;

    /// The result from the rounded magnitude of `a`.
    #[inline(always)]
    const fn finish(a: u32, rounded: u32) -> u32 {
        let special = if is_nan(a) { NAN } else { a };
        if is_finite(a) { rounded << 13 | (a & SIGN) } else { special }
    }

    /// `cvt.{rn,rz}.tf32.f32`. A NaN becomes canonical.
    #[inline(always)]
    pub fn from_f32(a: u32, round: Round) -> u32 {
        let rounded = if round.is_nearest() {
            narrow::nearest::<10, 127>(a & !SIGN)
        } else {
            let negative = a & SIGN != 0;
            narrow::directed::<10, 127>(a & !SIGN, |dropped| {
                dropped.rounds_outward(negative, round)
            })
        };
        finish(a, rounded)
    }

    /// `cvt.rna.tf32.f32`: to nearest, ties away from zero. A NaN becomes canonical.
    #[inline(always)]
    pub fn from_f32_rna(a: u32) -> u32 {
        finish(a, narrow::directed::<10, 127>(a & !SIGN, narrow::Dropped::rounds_to_nearest_away))
    }

    /// `.satfinite` on a result: an infinity becomes the largest number of its sign.
    #[inline(always)]
    pub const fn satfinite(a: u32) -> u32 {
        if is_infinite(a) { (a & SIGN) | MAX } else { a }
    }
}

/// A format of at most eight bits. `$max` is the encoding of the largest number, `$nan` what a
/// NaN converts to.
macro_rules! tiny {
    (
        $(#[$doc:meta])* $name:ident, $exponent:expr, $fraction:expr, $bias:expr,
        max: $max:expr, nan: $nan:expr, is_special: |$magnitude:ident| $special:expr
    ) => {
        $(#[$doc])*
        pub mod $name {
            use super::{Round, narrow};

            /// The largest number.
            pub const MAX: u8 = $max;
            /// The sign bit.
            pub const SIGN: u8 = 1 << ($exponent + $fraction);

            /// `cvt.rn.satfinite` from `f32`: to nearest even, beyond the largest number the
            /// largest of that sign.
            #[inline(always)]
            pub fn from_f32(a: u32) -> u8 {
                let magnitude = narrow::nearest::<$fraction, $bias>(a & !(1 << 31));
                let number = magnitude.min(MAX as u32) as u8;
                let sign = if a >> 31 == 1 { SIGN } else { 0 };
                if crate::f32::is_nan(a) { $nan } else { number | sign }
            }

            /// `cvt.rn` to `f16`, which is exact. A NaN becomes canonical; unused high bits are
            /// ignored.
            #[inline(always)]
            pub fn to_f16(a: u8) -> u16 {
                let $magnitude = a & (SIGN - 1);
                let sign = if a & SIGN == 0 { 0 } else { 1 << 15 };
                let number = super::super::f16::from_f32(number(a).to_bits(), Round::NearestEven);
                let special: Option<u16> = $special;
                match special {
                    Some(crate::f16::NAN) => crate::f16::NAN,
                    Some(infinity) => infinity | sign,
                    None => number | sign,
                }
            }

            /// To `f32`, as by way of `f16`, which is exact. A NaN becomes canonical; unused high bits are ignored.
            #[inline(always)]
            pub fn to_f32(a: u8) -> u32 {
                let $magnitude = a & (SIGN - 1);
                let sign = if a & SIGN == 0 { 0 } else { 1 << 31 };
                let special: Option<u16> = $special;
                match special {
                    Some(crate::f16::NAN) => crate::f32::NAN,
                    Some(_) => f32::INFINITY.to_bits() | sign,
                    None => number(a).to_bits() | sign,
                }
            }

            /// The magnitude of what is a number: its significand times a power of two. Subnormals have the exponent of
            /// field 1.
            #[inline(always)]
            fn number(a: u8) -> f32 {
                let magnitude = u32::from(a & (SIGN - 1));
                let (field, fraction) = (magnitude >> $fraction, magnitude & ((1 << $fraction) - 1));
                let significand = fraction | u32::from(field != 0) << $fraction;
                let scale = f32::from_bits((field.max(1) + 127 - $bias - $fraction) << 23);
                significand as i32 as f32 * scale
            }
        }
    };
}

tiny!(
    /// `e4m3`: no infinity; the NaN is all ones.
    e4m3, 4, 3, 7, max: 0x7e, nan: 0x7f,
    is_special: |magnitude| if magnitude == 0x7f { Some(crate::f16::NAN) } else { None }
);
tiny!(
    /// `e5m2`: infinities and NaNs as in IEEE 754.
    e5m2, 5, 2, 15, max: 0x7b, nan: 0x7f,
    is_special: |magnitude| match magnitude {
        0x7c => Some(crate::f16::INFINITY),
        0x7d.. => Some(crate::f16::NAN),
        _ => None,
    }
);
tiny!(
    /// `e2m3`: neither infinity nor NaN; a NaN becomes the largest number.
    e2m3, 2, 3, 1, max: 0x1f, nan: 0x1f, is_special: |_magnitude| None
);
tiny!(
    /// `e3m2`: neither infinity nor NaN; a NaN becomes the largest number.
    e3m2, 3, 2, 3, max: 0x1f, nan: 0x1f, is_special: |_magnitude| None
);
tiny!(
    /// `e2m1`: neither infinity nor NaN; a NaN becomes the largest number.
    e2m1, 2, 1, 1, max: 0x7, nan: 0x7, is_special: |_magnitude| None
);

/// `ue8m0`: a power of two from 2^-127 on, its exponent with a bias of 127, or the NaN, which is all ones.
pub mod ue8m0 {
    use crate::f32::{SIGN, is_finite};

    /// The bits of 2^-127, which is a subnormal.
    const LEAST: u32 = 1 << 22;

    /// `cvt.rz` from `f32`, whose sign does not count. What is below the least power becomes that, an infinity the NaN.
    #[inline(always)]
    pub const fn from_f32_rz(a: u32) -> u8 {
        ((a & !SIGN) >> 23) as u8
    }

    /// `cvt.rp` from `f32`, whose sign does not count. What is above the largest power becomes the NaN.
    #[inline(always)]
    pub const fn from_f32_rp(a: u32) -> u8 {
        let magnitude = a & !SIGN;
        let inexact = (magnitude & ((1 << 23) - 1) != 0) & (magnitude > LEAST) & is_finite(a);
        from_f32_rz(a) + inexact as u8
    }

    /// `cvt.rn` to `bf16`, which is exact. The NaN becomes canonical.
    #[inline(always)]
    pub const fn to_bf16(a: u8) -> u16 {
        match a {
            0 => (LEAST >> 16) as u16,
            0xff => crate::bf16::NAN,
            field => (field as u16) << 7,
        }
    }
}
