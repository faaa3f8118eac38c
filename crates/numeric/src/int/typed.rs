//! Arithmetic that depends on signedness, generated for each integer type.

/// Operations every integer type has. `$bits` is the carrier, `$value` the type with the sign.
macro_rules! common {
    ($bits:ident, $value:ident, $wide:ident, $zero_div:expr) => {
        /// `add`: the low bits of `a + b`.
        #[inline(always)]
        pub const fn add(a: $bits, b: $bits) -> $bits {
            a.wrapping_add(b)
        }

        /// `sub`: the low bits of `a - b`.
        #[inline(always)]
        pub const fn sub(a: $bits, b: $bits) -> $bits {
            a.wrapping_sub(b)
        }

        /// `mul.lo`: the low half of the product.
        #[inline(always)]
        pub const fn mul_lo(a: $bits, b: $bits) -> $bits {
            a.wrapping_mul(b)
        }

        /// `mul.hi`: the high half of the full product.
        #[inline(always)]
        pub const fn mul_hi(a: $bits, b: $bits) -> $bits {
            ((a as $value as $wide).wrapping_mul(b as $value as $wide) >> $bits::BITS) as $bits
        }

        /// `mad.lo`: `mul.lo` plus `c`.
        #[inline(always)]
        pub const fn mad_lo(a: $bits, b: $bits, c: $bits) -> $bits {
            mul_lo(a, b).wrapping_add(c)
        }

        /// `mad.hi`: `mul.hi` plus `c`.
        #[inline(always)]
        pub const fn mad_hi(a: $bits, b: $bits, c: $bits) -> $bits {
            mul_hi(a, b).wrapping_add(c)
        }

        /// `sad`: `c + |a - b|`.
        #[inline(always)]
        pub const fn sad(a: $bits, b: $bits, c: $bits) -> $bits {
            ((a as $value).abs_diff(b as $value) as $bits).wrapping_add(c)
        }

        /// `div`: the quotient, truncated toward zero. The ISA leaves division by zero to the
        /// machine; see [`rem`] for what is returned.
        #[inline(always)]
        pub const fn div(a: $bits, b: $bits) -> $bits {
            let divisor = if b == 0 { 1 } else { b };
            let quotient = (a as $value).wrapping_div(divisor as $value) as $bits;
            if b == 0 { $zero_div } else { quotient }
        }

        /// `rem`: the remainder, with the sign of `a`.
        ///
        /// By zero, quotient and remainder have the value that the code NVIDIA's assembler
        /// (13.5) expands the instruction to leaves behind. The smallest integer divided by -1
        /// wraps to itself, with remainder 0.
        #[inline(always)]
        pub const fn rem(a: $bits, b: $bits) -> $bits {
            let divisor = if b == 0 { 1 } else { b };
            let remainder = (a as $value).wrapping_rem(divisor as $value) as $bits;
            if b == 0 { $zero_div } else { remainder }
        }

        /// `min`.
        #[inline(always)]
        pub const fn min(a: $bits, b: $bits) -> $bits {
            if lt(b, a) { b } else { a }
        }

        /// `max`.
        #[inline(always)]
        pub const fn max(a: $bits, b: $bits) -> $bits {
            if lt(a, b) { b } else { a }
        }

        /// `shr`: shifts right by `b` bits, filling with the sign bit of a signed type and with
        /// zeros otherwise. Amounts above the width count as the width.
        #[inline(always)]
        pub const fn shr(a: $bits, b: ::core::primitive::u32) -> $bits {
            const LAST: ::core::primitive::u32 = $bits::BITS - 1;
            // Two steps, because a shift by the whole width is not one machine shift.
            let step = if b > LAST { LAST } else { b };
            let rest = (b > LAST) as ::core::primitive::u32;
            ((a as $value) >> step >> rest) as $bits
        }

        /// Comparison `.eq`.
        #[inline(always)]
        pub const fn eq(a: $bits, b: $bits) -> bool {
            a == b
        }

        /// Comparison `.ne`.
        #[inline(always)]
        pub const fn ne(a: $bits, b: $bits) -> bool {
            a != b
        }

        /// Comparison `.lt` (`.lo` of an unsigned type).
        #[inline(always)]
        pub const fn lt(a: $bits, b: $bits) -> bool {
            (a as $value) < (b as $value)
        }

        /// Comparison `.le` (`.ls` of an unsigned type).
        #[inline(always)]
        pub const fn le(a: $bits, b: $bits) -> bool {
            (a as $value) <= (b as $value)
        }

        /// Comparison `.gt` (`.hi` of an unsigned type).
        #[inline(always)]
        pub const fn gt(a: $bits, b: $bits) -> bool {
            (a as $value) > (b as $value)
        }

        /// Comparison `.ge` (`.hs` of an unsigned type).
        #[inline(always)]
        pub const fn ge(a: $bits, b: $bits) -> bool {
            (a as $value) >= (b as $value)
        }
    };
}

/// Operations of signed types only.
macro_rules! signed {
    ($bits:ident, $value:ident) => {
        /// `abs`: the smallest integer is its own absolute value.
        #[inline(always)]
        pub const fn abs(a: $bits) -> $bits {
            (a as $value).wrapping_abs() as $bits
        }

        /// `min.relu`: the smaller, or 0 if that is negative.
        #[inline(always)]
        pub const fn min_relu(a: $bits, b: $bits) -> $bits {
            max(min(a, b), 0)
        }

        /// `max.relu`: the larger, or 0 if that is negative.
        #[inline(always)]
        pub const fn max_relu(a: $bits, b: $bits) -> $bits {
            max(max(a, b), 0)
        }

        /// `neg`: two's complement negation.
        #[inline(always)]
        pub const fn neg(a: $bits) -> $bits {
            a.wrapping_neg()
        }
    };
}

/// Products twice as wide as the operands, of the 16- and 32-bit types.
macro_rules! wide {
    ($bits:ident, $value:ident, $wide:ident, $wide_bits:ident) => {
        /// `mul.wide`: the full product, twice as wide as the operands.
        #[inline(always)]
        pub const fn mul_wide(a: $bits, b: $bits) -> $wide_bits {
            (a as $value as $wide).wrapping_mul(b as $value as $wide) as $wide_bits
        }

        /// `mad.wide`: the full product plus `c`, which is as wide as the product.
        #[inline(always)]
        pub const fn mad_wide(a: $bits, b: $bits, c: $wide_bits) -> $wide_bits {
            mul_wide(a, b).wrapping_add(c)
        }
    };
}

/// Carry chains of the 32- and 64-bit types (PTX ISA 9.1, 9.7.2). Flags are `CC.CF`.
macro_rules! carry {
    ($bits:ident) => {
        /// `add.cc` with `carry` false, `addc.cc` with the incoming flag: sum and carry out.
        #[inline(always)]
        pub const fn add_carry(a: $bits, b: $bits, carry: bool) -> ($bits, bool) {
            let (sum, c0) = a.overflowing_add(b);
            let (sum, c1) = sum.overflowing_add(carry as $bits);
            (sum, c0 | c1)
        }

        /// `sub.cc` with `borrow` false, `subc.cc` with the incoming flag: difference and borrow
        /// out.
        #[inline(always)]
        pub const fn sub_borrow(a: $bits, b: $bits, borrow: bool) -> ($bits, bool) {
            let (difference, b0) = a.overflowing_sub(b);
            let (difference, b1) = difference.overflowing_sub(borrow as $bits);
            (difference, b0 | b1)
        }

        /// `mad.lo.cc` with `carry` false, `madc.lo.cc` with the incoming flag. The carry is that
        /// of the addition.
        #[inline(always)]
        pub const fn mad_lo_carry(a: $bits, b: $bits, c: $bits, carry: bool) -> ($bits, bool) {
            add_carry(mul_lo(a, b), c, carry)
        }

        /// `mad.hi.cc` with `carry` false, `madc.hi.cc` with the incoming flag. The carry is that
        /// of the addition.
        #[inline(always)]
        pub const fn mad_hi_carry(a: $bits, b: $bits, c: $bits, carry: bool) -> ($bits, bool) {
            add_carry(mul_hi(a, b), c, carry)
        }
    };
}

/// `bfe` and `bfind` of the 32- and 64-bit types.
macro_rules! field {
    ($bits:ident, $value:ident, $signed:ident) => {
        /// `bfe`: the `len` bits of `a` from bit `pos` up, zero- or sign-extended by type
        /// (PTX ISA 9.1, 9.7.1.19). `pos` and `len` count modulo 256. A field that reaches past
        /// the top is filled with the sign (zero for unsigned types); an empty one is 0.
        #[inline(always)]
        pub const fn bfe(
            a: $bits,
            pos: ::core::primitive::u32,
            len: ::core::primitive::u32,
        ) -> $bits {
            const WIDTH: ::core::primitive::u32 = $bits::BITS;
            let len = len & 0xff;
            let field = shr(a, pos & 0xff);
            // Move the field to the top and back: the way back extends it.
            let unused = if len >= WIDTH { 0 } else { WIDTH - len };
            let extended = (((field << (unused % WIDTH)) as $value) >> (unused % WIDTH)) as $bits;
            if len == 0 { 0 } else { extended }
        }

        /// `bfind`: the number of the highest bit that differs from the sign (from 0 for
        /// unsigned types), or `0xffff_ffff` (PTX ISA 9.1, 9.7.1.16).
        #[inline(always)]
        pub const fn bfind(a: $bits) -> ::core::primitive::u32 {
            // Wraps to 0xffff_ffff when every bit is a leading zero.
            ($bits::BITS - 1).wrapping_sub(magnitude(a).leading_zeros())
        }

        /// `bfind.shiftamt`: the left shift that brings the found bit to the top, or
        /// `0xffff_ffff`.
        #[inline(always)]
        pub const fn bfind_shiftamt(a: $bits) -> ::core::primitive::u32 {
            let zeros = magnitude(a).leading_zeros();
            if zeros == $bits::BITS { ::core::primitive::u32::MAX } else { zeros }
        }

        /// `a` with the bits of a negative value inverted.
        #[inline(always)]
        const fn magnitude(a: $bits) -> $bits {
            let negative = (a as $value) < (0 as $value);
            if negative { !a } else { a }
        }
    };
}

/// `mul24`, `mad24` and `szext` of the 32-bit types.
macro_rules! only32 {
    ($value:ident, $wide:ident) => {
        /// The low 24 bits, extended by type.
        #[inline(always)]
        const fn low24(a: ::core::primitive::u32) -> $wide {
            (((a << 8) as $value) >> 8) as $wide
        }

        /// `mul24.lo`: bits 31:0 of the product of the low 24 bits (PTX ISA 9.1, 9.7.1.5).
        #[inline(always)]
        pub const fn mul24_lo(
            a: ::core::primitive::u32,
            b: ::core::primitive::u32,
        ) -> ::core::primitive::u32 {
            (low24(a) * low24(b)) as ::core::primitive::u32
        }

        /// `mul24.hi`: bits 47:16 of the product of the low 24 bits.
        #[inline(always)]
        pub const fn mul24_hi(
            a: ::core::primitive::u32,
            b: ::core::primitive::u32,
        ) -> ::core::primitive::u32 {
            ((low24(a) * low24(b)) >> 16) as ::core::primitive::u32
        }

        /// `mad24.lo`: `mul24.lo` plus `c` (PTX ISA 9.1, 9.7.1.6).
        #[inline(always)]
        pub const fn mad24_lo(
            a: ::core::primitive::u32,
            b: ::core::primitive::u32,
            c: ::core::primitive::u32,
        ) -> ::core::primitive::u32 {
            mul24_lo(a, b).wrapping_add(c)
        }

        /// `mad24.hi`: `mul24.hi` plus `c`.
        #[inline(always)]
        pub const fn mad24_hi(
            a: ::core::primitive::u32,
            b: ::core::primitive::u32,
            c: ::core::primitive::u32,
        ) -> ::core::primitive::u32 {
            mul24_hi(a, b).wrapping_add(c)
        }

        /// `szext.clamp`: the low `n` bits extended by type; 0 for `n` = 0, `a` for `n` ≥ 32
        /// (PTX ISA 9.1, 9.7.1.21).
        #[inline(always)]
        pub const fn szext_clamp(
            a: ::core::primitive::u32,
            n: ::core::primitive::u32,
        ) -> ::core::primitive::u32 {
            bfe(a, 0, if n > 32 { 32 } else { n })
        }

        /// `szext.wrap`: the low `n % 32` bits extended by type; 0 when that is none.
        #[inline(always)]
        pub const fn szext_wrap(
            a: ::core::primitive::u32,
            n: ::core::primitive::u32,
        ) -> ::core::primitive::u32 {
            bfe(a, 0, n & 31)
        }
    };
}

/// `u16` arithmetic.
pub mod u16 {
    use ::core::primitive::{u16, u32};
    common!(u16, u16, u32, u16::MAX);
    wide!(u16, u16, u32, u32);
}

/// `s16` arithmetic.
pub mod s16 {
    use ::core::primitive::{u16, u32};
    common!(u16, i16, i32, u16::MAX);
    signed!(u16, i16);
    wide!(u16, i16, i32, u32);
}

/// `u32` arithmetic.
pub mod u32 {
    use ::core::primitive::{u32, u64};
    common!(u32, u32, u64, u32::MAX);
    wide!(u32, u32, u64, u64);
    carry!(u32);
    field!(u32, u32, i32);
    only32!(u32, u64);
}

/// `s32` arithmetic.
pub mod s32 {
    use ::core::primitive::{u32, u64};
    common!(u32, i32, i64, u32::MAX);
    signed!(u32, i32);
    wide!(u32, i32, i64, u64);
    carry!(u32);
    field!(u32, i32, i32);
    only32!(i32, i64);

    /// `add.sat.s32`: the sum, clamped to the range of the type.
    #[inline(always)]
    pub const fn add_sat(a: u32, b: u32) -> u32 {
        (a as i32).saturating_add(b as i32) as u32
    }

    /// `sub.sat.s32`: the difference, clamped to the range of the type.
    #[inline(always)]
    pub const fn sub_sat(a: u32, b: u32) -> u32 {
        (a as i32).saturating_sub(b as i32) as u32
    }

    /// `mad.hi.sat.s32`: `mul.hi` plus `c`, clamped to the range of the type.
    #[inline(always)]
    pub const fn mad_hi_sat(a: u32, b: u32, c: u32) -> u32 {
        add_sat(mul_hi(a, b), c)
    }

    /// `mad24.hi.sat.s32`: `mul24.hi` plus `c`, clamped to the range of the type.
    #[inline(always)]
    pub const fn mad24_hi_sat(a: u32, b: u32, c: u32) -> u32 {
        add_sat(mul24_hi(a, b), c)
    }
}

/// `u64` arithmetic.
pub mod u64 {
    use ::core::primitive::{u64, u128};
    common!(u64, u64, u128, u64::MAX);
    carry!(u64);
    field!(u64, u64, i64);
}

/// `s64` arithmetic.
pub mod s64 {
    use ::core::primitive::u64;
    common!(u64, i64, i128, u64::MAX);
    signed!(u64, i64);
    carry!(u64);
    field!(u64, i64, i64);
}
