//! Integer destinations.

use crate::Round;

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

/// A conversion from an integer type: `$from` cuts or extends, `$from_sat` clamps.
macro_rules! from_integer {
    ($bits:ident, $value:ident: $($from:ident, $from_sat:ident, $src:ident, $src_value:ident;)*) => {
        $(
            /// Keeps the low bits, or extends by the sign of the source type.
            #[inline(always)]
            pub const fn $from(a: $src) -> $bits {
                a as $src_value as $bits
            }

            /// `.sat`: clamps to the range of the destination.
            #[inline(always)]
            pub const fn $from_sat(a: $src) -> $bits {
                let wide = a as $src_value as i128;
                let low = $value::MIN as i128;
                let high = $value::MAX as i128;
                let floor = if wide < low { low } else { wide };
                (if floor > high { high } else { floor }) as $bits
            }
        )*
    };
}

/// A destination module. `$nan` is the result for a NaN that is not double precision.
macro_rules! destination {
    ($(#[$doc:meta])* $name:ident, $bits:ident, $value:ident, $nan:expr) => {
        $(#[$doc])*
        pub mod $name {
            use super::{Round, integral_double, integral_single};
            use ::core::primitive::{f32, f64, u8, u16, u32, u64};

            /// `cvt.{rni,rzi,rmi,rpi}` from `f32`. Out-of-range values clamp; the result for a
            /// NaN depends on the types as the manual says.
            #[inline(always)]
            pub fn from_f32(a: u32, round: Round) -> $bits {
                let a = f32::from_bits(a);
                let integer = integral_single(a, round) as $value as $bits;
                if a.is_nan() { $nan } else { integer }
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
                from_f32(crate::f16::value(a).to_bits(), round)
            }

            /// `cvt.{rni,rzi,rmi,rpi}` from `bf16`, as [`from_f32`].
            #[inline(always)]
            pub fn from_bf16(a: u16, round: Round) -> $bits {
                from_f32(crate::bf16::value(a).to_bits(), round)
            }

            from_integer!($bits, $value:
                from_u8, from_u8_sat, u8, u8;
                from_s8, from_s8_sat, u8, i8;
                from_u16, from_u16_sat, u16, u16;
                from_s16, from_s16_sat, u16, i16;
                from_u32, from_u32_sat, u32, u32;
                from_s32, from_s32_sat, u32, i32;
                from_u64, from_u64_sat, u64, u64;
                from_s64, from_s64_sat, u64, i64;
            );
        }
    };
}

destination!(
    /// To `u8`.
    u8, u8, u8, 0
);
destination!(
    /// To `s8`.
    s8, u8, i8, 0
);
destination!(
    /// To `u16`.
    u16, u16, u16, 0
);
destination!(
    /// To `s16`.
    s16, u16, i16, 0
);
destination!(
    /// To `u32`.
    u32, u32, u32, 0
);
destination!(
    /// To `s32`.
    s32, u32, i32, 0
);
destination!(
    /// To `u64`.
    u64, u64, u64, 1 << 63
);
destination!(
    /// To `s64`.
    s64, u64, i64, 1 << 63
);
