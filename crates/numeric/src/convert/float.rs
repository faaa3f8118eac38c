//! Floating-point destinations.

use super::integer::{integral_double, integral_single};
use super::narrow;
use crate::Round;
use crate::round_to_odd;

/// Bits of the fraction of binary32, and of binary64.
const SINGLE_FRACTION: u32 = 23;
const DOUBLE_FRACTION: u32 = 52;

/// A NaN of binary64 in a format whose infinity is this, and whose fraction has so many bits: quiet, with its sign and the top of its
/// payload.
#[inline(always)]
const fn narrowed_nan(a: u64, infinity: u32, fraction: u32) -> u32 {
    // The exponent begins behind the fraction, and the sign behind the exponent.
    let sign = infinity + (1 << fraction);
    let payload = (a >> (DOUBLE_FRACTION - fraction)) as u32 & ((1 << fraction) - 1);
    let number = infinity | 1 << (fraction - 1) | payload;
    if a >> 63 == 1 { sign | number } else { number }
}

/// A 64-bit magnitude in double precision, rounded to odd at no less than 42 bits. Rounding that
/// to single precision or less gives what rounding the integer gives.
#[inline(always)]
const fn odd_double(magnitude: u64) -> f64 {
    let sticky = (magnitude & 0x7ff != 0) as u64;
    let short = magnitude < 1 << 53;
    let kept = if short { magnitude } else { magnitude >> 11 | sticky };
    let scale = if short { 1.0 } else { 2048.0 };
    // Both factors and the product are exact. The signed conversion is the cheaper one.
    kept as i64 as f64 * scale
}

/// Conversions from integers through an exact or odd-rounded double.
macro_rules! from_integers {
    ($bits:ident, $round_double:path) => {
        from_integers!(@small $bits, $round_double:
            from_u8, u8, u8; from_s8, u8, i8;
            from_u16, u16, u16; from_s16, u16, i16;
            from_u32, u32, u32; from_s32, u32, i32;
        );

        /// `cvt.{rn,rz,rm,rp}` from `u64`.
        #[inline(always)]
        pub fn from_u64(a: u64, round: Round) -> $bits {
            $round_double(super::odd_double(a).to_bits(), round)
        }

        /// `cvt.{rn,rz,rm,rp}` from `s64`.
        #[inline(always)]
        pub fn from_s64(a: u64, round: Round) -> $bits {
            let magnitude = super::odd_double((a as i64).unsigned_abs());
            let value = if (a as i64) < 0 { -magnitude } else { magnitude };
            $round_double(value.to_bits(), round)
        }
    };
    (@small $bits:ident, $round_double:path: $($name:ident, $src:ident, $value:ident;)*) => {
        $(
            /// `cvt.{rn,rz,rm,rp}` from the integer type in the name.
            #[inline(always)]
            pub fn $name(a: $src, round: Round) -> $bits {
                $round_double((a as $value as f64).to_bits(), round)
            }
        )*
    };
}

/// A half-precision destination.
macro_rules! half {
    ($(#[$doc:meta])* $name:ident, $fraction:expr, $bias:expr, $other:item) => {
        $(#[$doc])*
        pub mod $name {
            use super::{Round, integral_single, narrow, round_to_odd};
            use crate::$name::encoding::{INFINITY, MAX, NAN, value};
            use crate::f64::is_nan;
            use ::core::primitive::{f64, u8, u16, u32, u64};

            /// The result from its sign and its magnitude without an upper bound.
            #[inline(always)]
            fn bounded(negative: bool, magnitude: u32, round: Round) -> u16 {
                let beyond = if round.is_inward(negative) { MAX } else { INFINITY };
                let bits = if magnitude > MAX as u32 { beyond } else { magnitude as u16 };
                bits | (negative as u16) << 15
            }

            /// `cvt.{rn,rz,rm,rp}` from `f32`. A NaN becomes canonical.
            #[inline(always)]
            pub fn from_f32(a: u32, round: Round) -> u16 {
                let negative = a >> 31 == 1;
                let magnitude = a & !(1 << 31);
                let rounded = if round.is_nearest() {
                    narrow::nearest::<$fraction, $bias>(magnitude)
                } else {
                    narrow::directed::<$fraction, $bias>(magnitude, |dropped| {
                        dropped.rounds_outward(negative, round)
                    })
                };
                let number = bounded(negative, rounded, round);
                let infinity = INFINITY | (negative as u16) << 15;
                let special = if crate::f32::is_nan(a) { NAN } else { infinity };
                if crate::f32::is_finite(a) { number } else { special }
            }

            /// Double precision rounded to this format. A NaN becomes canonical.
            #[inline(always)]
            pub(crate) fn rounded(a: f64, round: Round) -> u16 {
                from_f32(round_to_odd::single(a).to_bits(), round)
            }

            /// `cvt.{rn,rz,rm,rp}` from `f64`. A NaN is made quiet, and keeps its sign and the top of its payload, as on an H100.
            #[inline(always)]
            pub fn from_f64(a: u64, round: Round) -> u16 {
                let number = rounded(f64::from_bits(a), round);
                let nan = super::narrowed_nan(a, INFINITY as u32, $fraction) as u16;
                if is_nan(a) { nan } else { number }
            }

            /// `cvt.{rni,rzi,rmi,rpi}` in this format: to an integral value. A NaN becomes
            /// canonical.
            #[inline(always)]
            pub fn integral(a: u16, round: Round) -> u16 {
                from_f32(integral_single(value(a), round).to_bits(), Round::NearestEven)
            }

            from_integers!(u16, from_f64);

            $other
        }
    };
}

half!(
    /// To `f16`.
    f16, 10, 15,
    /// `cvt.{rn,rz,rm,rp}.f16.bf16`. A NaN becomes canonical.
    #[inline(always)]
    pub fn from_bf16(a: u16, round: Round) -> u16 {
        from_f32(crate::bf16::encoding::value(a).to_bits(), round)
    }
);
half!(
    /// To `bf16`.
    bf16, 7, 127,
    /// `cvt.{rn,rz,rm,rp}.bf16.f16`. A NaN becomes canonical.
    #[inline(always)]
    pub fn from_f16(a: u16, round: Round) -> u16 {
        from_f32(crate::f16::encoding::value(a).to_bits(), round)
    }
);

/// To `f32`.
pub mod f32 {
    use super::{Round, SINGLE_FRACTION, integral_single};
    use crate::f32::{INFINITY, NAN, from_double, is_nan};
    use ::core::primitive::{f32, f64, u8, u16, u32, u64};

    /// `cvt.f32.f16`, which is exact. A NaN becomes canonical.
    #[inline(always)]
    pub const fn from_f16(a: u16) -> u32 {
        let bits = crate::f16::encoding::value(a).to_bits();
        if crate::f16::encoding::is_nan(a) { NAN } else { bits }
    }

    /// `cvt.f32.bf16`, which is exact.
    ///
    /// The ISA leaves the result for a NaN unspecified. The payload is kept, because NVIDIA's
    /// assembler (13.5) makes the instruction a shift for every target.
    #[inline(always)]
    pub const fn from_bf16(a: u16) -> u32 {
        (a as u32) << 16
    }

    /// `cvt.{rn,rz,rm,rp}.f32.f64`. A NaN is made quiet, and keeps its sign and the top of its payload, as on an H100.
    #[inline(always)]
    pub const fn from_f64(a: u64, round: Round) -> u32 {
        let nan = super::narrowed_nan(a, INFINITY, SINGLE_FRACTION);
        if crate::f64::is_nan(a) { nan } else { from_double(f64::from_bits(a), round) }
    }

    /// `cvt.{rni,rzi,rmi,rpi}.f32.f32`: to an integral value. A NaN becomes canonical.
    #[inline(always)]
    pub fn integral(a: u32, round: Round) -> u32 {
        let integer = integral_single(f32::from_bits(a), round).to_bits();
        if is_nan(a) { NAN } else { integer }
    }

    from_integers!(u32, from_f64);
}

/// To `f64`.
pub mod f64 {
    use super::{DOUBLE_FRACTION, Round, SINGLE_FRACTION, integral_double};
    use crate::f64::{INFINITY, add, quiet};
    use ::core::primitive::{f32, f64, u8, u16, u32, u64};

    /// A number exactly, a NaN made quiet with its sign and the top of its payload.
    #[inline(always)]
    const fn widen(a: u32) -> u64 {
        let number = (f32::from_bits(a) as f64).to_bits();
        let sign = ((a >> 31) as u64) << 63;
        let payload =
            ((a & ((1 << SINGLE_FRACTION) - 1)) as u64) << (DOUBLE_FRACTION - SINGLE_FRACTION);
        let nan = quiet(sign | INFINITY | payload);
        if crate::f32::is_nan(a) { nan } else { number }
    }

    /// `cvt.f64.f32`, which is exact. A NaN keeps its payload.
    #[inline(always)]
    pub const fn from_f32(a: u32) -> u64 {
        widen(a)
    }

    /// `cvt.f64.f16`, which is exact. A NaN keeps its payload.
    #[inline(always)]
    pub const fn from_f16(a: u16) -> u64 {
        widen(crate::f16::encoding::value(a).to_bits())
    }

    /// `cvt.f64.bf16`, which is exact. A NaN keeps its payload.
    #[inline(always)]
    pub const fn from_bf16(a: u16) -> u64 {
        widen((a as u32) << 16)
    }

    /// `cvt.{rni,rzi,rmi,rpi}.f64.f64`: to an integral value. A NaN is made quiet.
    #[inline(always)]
    pub fn integral(a: u64, round: Round) -> u64 {
        let integer = integral_double(f64::from_bits(a), round).to_bits();
        if crate::f64::is_nan(a) { quiet(a) } else { integer }
    }

    /// `cvt.{rn,rz,rm,rp}.f64.u64`.
    #[inline(always)]
    pub fn from_u64(a: u64, round: Round) -> u64 {
        match round {
            Round::NearestEven => (a as f64).to_bits(),
            Round::TowardZero | Round::Down | Round::Up => {
                directed(a >> 32, a & 0xffff_ffff, 1.0, round)
            }
        }
    }

    /// `cvt.{rn,rz,rm,rp}.f64.s64`.
    #[inline(always)]
    pub fn from_s64(a: u64, round: Round) -> u64 {
        let magnitude = (a as i64).unsigned_abs();
        match round {
            Round::NearestEven => (a as i64 as f64).to_bits(),
            Round::TowardZero | Round::Down | Round::Up => {
                let sign = if (a as i64) < 0 { -1.0 } else { 1.0 };
                directed(magnitude >> 32, magnitude & 0xffff_ffff, sign, round)
            }
        }
    }

    from_integers!(@small u64, exact:
        from_u8, u8, u8; from_s8, u8, i8;
        from_u16, u16, u16; from_s16, u16, i16;
        from_u32, u32, u32; from_s32, u32, i32;
    );

    /// Double precision holds integers of up to 32 bits exactly.
    #[inline(always)]
    const fn exact(bits: u64, _: Round) -> u64 {
        bits
    }

    /// The rounded sum of two words of an integer, each exact in double precision.
    fn directed(high: u64, low: u64, sign: f64, round: Round) -> u64 {
        let high = high as f64 * 4_294_967_296.0 * sign;
        let low = low as f64 * sign;
        add(high.to_bits(), low.to_bits(), round)
    }
}
