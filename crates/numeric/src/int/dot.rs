//! Sums of products of packed narrow integers (PTX ISA 9.1, 9.7.1.23 `dp4a`, 9.7.1.24 `dp2a`).
//!
//! Names end in the types of `a` and `b`. The sum wraps at 32 bits.

/// Byte `i` of `word`, extended by `$narrow`.
macro_rules! lane {
    ($word:expr, $i:expr, $narrow:ty) => {
        ($word >> ($i * <$narrow>::BITS)) as $narrow as i32
    };
}

macro_rules! dp4a {
    ($(#[$doc:meta])* $name:ident, $a:ty, $b:ty) => {
        $(#[$doc])*
        #[inline(always)]
        pub const fn $name(a: u32, b: u32, c: u32) -> u32 {
            let sum = lane!(a, 0, $a) * lane!(b, 0, $b)
                + lane!(a, 1, $a) * lane!(b, 1, $b)
                + lane!(a, 2, $a) * lane!(b, 2, $b)
                + lane!(a, 3, $a) * lane!(b, 3, $b);
            c.wrapping_add(sum as u32)
        }
    };
}

/// The `lo` and `hi` forms: bytes 0 and 1, or 2 and 3, of `b`.
macro_rules! dp2a {
    ($(#[$doc:meta])* $lo:ident, $hi:ident, $a:ty, $b:ty) => {
        $(#[$doc])*
        #[inline(always)]
        pub const fn $lo(a: u32, b: u32, c: u32) -> u32 {
            let sum = lane!(a, 0, $a) * lane!(b, 0, $b) + lane!(a, 1, $a) * lane!(b, 1, $b);
            c.wrapping_add(sum as u32)
        }

        $(#[$doc])*
        #[inline(always)]
        pub const fn $hi(a: u32, b: u32, c: u32) -> u32 {
            $lo(a, b >> 16, c)
        }
    };
}

dp4a!(
    /// `dp4a.u32.u32`: `c` plus the products of four bytes of `a` with four of `b`.
    dp4a_u32_u32, u8, u8
);
dp4a!(
    /// `dp4a.u32.s32`: `c` plus the products of four bytes of `a` with four of `b`.
    dp4a_u32_s32, u8, i8
);
dp4a!(
    /// `dp4a.s32.u32`: `c` plus the products of four bytes of `a` with four of `b`.
    dp4a_s32_u32, i8, u8
);
dp4a!(
    /// `dp4a.s32.s32`: `c` plus the products of four bytes of `a` with four of `b`.
    dp4a_s32_s32, i8, i8
);
dp2a!(
    /// `dp2a` of types `u32`, `u32`: `c` plus the products of the halves of `a` with two bytes
    /// of `b`.
    dp2a_lo_u32_u32, dp2a_hi_u32_u32, u16, u8
);
dp2a!(
    /// `dp2a` of types `u32`, `s32`: `c` plus the products of the halves of `a` with two bytes
    /// of `b`.
    dp2a_lo_u32_s32, dp2a_hi_u32_s32, u16, i8
);
dp2a!(
    /// `dp2a` of types `s32`, `u32`: `c` plus the products of the halves of `a` with two bytes
    /// of `b`.
    dp2a_lo_s32_u32, dp2a_hi_s32_u32, i16, u8
);
dp2a!(
    /// `dp2a` of types `s32`, `s32`: `c` plus the products of the halves of `a` with two bytes
    /// of `b`.
    dp2a_lo_s32_s32, dp2a_hi_s32_s32, i16, i8
);
