//! Integer destinations.

use crate::Round;
use crate::int::b32::{shl, shr};

/// Rounds a single-precision number to an integer.
#[inline(always)]
pub(super) fn integral_single(a: f32, round: Round) -> f32 {
    match round {
        Round::NearestEven => a.round_ties_even(),
        Round::TowardZero => a.trunc(),
        Round::Down => a.floor(),
        Round::Up => a.ceil(),
    }
}

/// Rounds a double-precision number to an integer.
#[inline(always)]
pub(super) fn integral_double(a: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven => a.round_ties_even(),
        Round::TowardZero => a.trunc(),
        Round::Down => a.floor(),
        Round::Up => a.ceil(),
    }
}

/// The magnitude of an integral number below 2³². Written with shifts, because compilers do not
/// vectorise the cast.
#[inline(always)]
const fn magnitude(integer: f32) -> u32 {
    let bits = integer.to_bits() & !(1 << 31);
    let significand = bits & 0x7f_ffff | 0x80_0000;
    let exponent = (bits >> 23) as i32 - 150;
    // Zero has the exponent -150, which shifts everything out.
    let large = shl(significand, exponent as u32);
    let small = shr(significand, exponent.wrapping_neg() as u32);
    if exponent < 0 { small } else { large }
}

/// An integral number as `u32`, clamped.
#[inline(always)]
const fn single_to_u32(integer: f32) -> u32 {
    let below = if integer < 4_294_967_296.0 { magnitude(integer) } else { u32::MAX };
    if integer < 0.0 { 0 } else { below }
}

/// An integral number as `i32`, clamped.
#[inline(always)]
const fn single_to_i32(integer: f32) -> i32 {
    let magnitude = magnitude(integer) as i32;
    let signed = if integer < 0.0 { magnitude.wrapping_neg() } else { magnitude };
    let floor = if integer >= -2_147_483_648.0 { signed } else { i32::MIN };
    if integer < 2_147_483_648.0 { floor } else { i32::MAX }
}

/// Conversions from integer types: `$from` cuts or extends, `$from_sat` clamps. Unsigned sources
/// come first.
macro_rules! from_integer {
    (
        $bits:ident, $value:ident:
        $($from_u:ident, $from_u_sat:ident, $from_s:ident, $from_s_sat:ident,
            $src:ident, $src_signed:ident;)*
    ) => {
        $(
            /// Keeps the low bits, or extends with zeros.
            #[inline(always)]
            pub const fn $from_u(a: $src) -> $bits {
                a as $bits
            }

            /// `.sat`: clamps to the range of the destination.
            #[inline(always)]
            pub const fn $from_u_sat(a: $src) -> $bits {
                let high = $value::MAX as u64;
                (if a as u64 > high { high } else { a as u64 }) as $bits
            }

            /// Keeps the low bits, or extends with the sign.
            #[inline(always)]
            pub const fn $from_s(a: $src) -> $bits {
                a as $src_signed as $bits
            }

            /// `.sat`: clamps to the range of the destination.
            #[inline(always)]
            pub const fn $from_s_sat(a: $src) -> $bits {
                let wide = a as $src_signed as i64;
                let low = $value::MIN as i64;
                let floor = if wide < low { low } else { wide };
                let above = floor > 0 && floor as u64 > $value::MAX as u64;
                if above { $value::MAX as $bits } else { floor as $bits }
            }
        )*
    };
}

/// A destination module. `$clamp` converts an integral `f32`; `$nan` is the result for a NaN that
/// is not double precision.
macro_rules! destination {
    (
        $(#[$doc:meta])*
        $name:ident, $bits:ident, $value:ident, |$integer:ident| $clamp:expr, nan: $nan:expr
    ) => {
        $(#[$doc])*
        pub mod $name {
            use super::{Round, integral_double, integral_single};
            use ::core::primitive::{f32, f64, u8, u16, u32, u64};

            /// `cvt.{rni,rzi,rmi,rpi}` from `f32`. Out-of-range values clamp; the result for a
            /// NaN depends on the types as the manual says.
            #[inline(always)]
            pub fn from_f32(a: u32, round: Round) -> $bits {
                let $integer = integral_single(f32::from_bits(a), round);
                let clamped = $clamp as $bits;
                if crate::f32::is_nan(a) { $nan } else { clamped }
            }

            /// `cvt.{rni,rzi,rmi,rpi}` from `f64`. Out-of-range values clamp; a NaN gives the
            /// highest bit alone.
            #[inline(always)]
            pub fn from_f64(a: u64, round: Round) -> $bits {
                let a = f64::from_bits(a);
                let integer = integral_double(a, round) as $value as $bits;
                if a.is_nan() { 1 << ($bits::BITS - 1) } else { integer }
            }

            /// `cvt.{rni,rzi,rmi,rpi}` from `f16`, as [`from_f32`].
            #[inline(always)]
            pub fn from_f16(a: u16, round: Round) -> $bits {
                from_f32(crate::f16::encoding::value(a).to_bits(), round)
            }

            /// `cvt.{rni,rzi,rmi,rpi}` from `bf16`, as [`from_f32`].
            #[inline(always)]
            pub fn from_bf16(a: u16, round: Round) -> $bits {
                from_f32(crate::bf16::encoding::value(a).to_bits(), round)
            }

            from_integer!($bits, $value:
                from_u8, from_u8_sat, from_s8, from_s8_sat, u8, i8;
                from_u16, from_u16_sat, from_s16, from_s16_sat, u16, i16;
                from_u32, from_u32_sat, from_s32, from_s32_sat, u32, i32;
                from_u64, from_u64_sat, from_s64, from_s64_sat, u64, i64;
            );
        }
    };
}

destination!(
    /// To `u8`.
    u8, u8, u8, |x| super::single_to_i32(x).clamp(0, 0xff), nan: 0
);
destination!(
    /// To `s8`.
    s8, u8, i8, |x| super::single_to_i32(x).clamp(-0x80, 0x7f), nan: 0
);
destination!(
    /// To `u16`.
    u16, u16, u16, |x| super::single_to_i32(x).clamp(0, 0xffff), nan: 0
);
destination!(
    /// To `s16`.
    s16, u16, i16, |x| super::single_to_i32(x).clamp(-0x8000, 0x7fff), nan: 0
);
destination!(
    /// To `u32`.
    u32, u32, u32, |x| super::single_to_u32(x), nan: 0
);
destination!(
    /// To `s32`.
    s32, u32, i32, |x| super::single_to_i32(x), nan: 0
);
destination!(
    /// To `u64`.
    u64, u64, u64, |x| x as u64, nan: 1 << 63
);
destination!(
    /// To `s64`.
    s64, u64, i64, |x| x as i64, nan: 1 << 63
);
