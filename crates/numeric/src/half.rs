//! What `f16` and `bf16` arithmetic share.
//!
//! Each macro expands in the module of a format, which defines the constants of [`crate::ieee`],
//! `value` (the exact single-precision value), `from_single` (rounding to nearest even) and `cut`
//! (rounding toward zero).

/// Addition, subtraction and multiplication (PTX ISA 9.1, 9.7.4).
macro_rules! arithmetic {
    () => {
        /// `add.rn`: `a + b`, rounded to nearest even.
        ///
        /// Single precision has at least twice the digits of this format plus two, so rounding
        /// the sum there first changes nothing (Figueroa, "When is double rounding innocuous?",
        /// 1995), and a sum below its normal range is exact.
        #[inline(always)]
        pub fn add_rn(a: u16, b: u16) -> u16 {
            from_single(value(a) + value(b))
        }

        /// `sub.rn`: `a - b`, rounded to nearest even. See [`add_rn`].
        #[inline(always)]
        pub fn sub_rn(a: u16, b: u16) -> u16 {
            from_single(value(a) - value(b))
        }

        /// `mul.rn`: `a * b`, rounded to nearest even.
        ///
        /// Single precision holds the product, of at most 22 bits, unless it is a product of
        /// `bf16` with bits below 2⁻¹⁴⁹. Having at most 16 bits, that is less than 2⁻¹³⁴, half of
        /// the smallest subnormal: it is zero, also after a first rounding up to this very tie.
        #[inline(always)]
        pub fn mul_rn(a: u16, b: u16) -> u16 {
            from_single(value(a) * value(b))
        }
    };
}

/// The approximate functions (PTX ISA 9.1, 9.7.4.9 and 9.7.4.10): what the special function unit
/// gives in single precision, cut off.
macro_rules! approximate {
    () => {
        /// `ex2.approx`: 2 to the power of each lane of a row.
        #[inline(always)]
        pub fn ex2_approx<const L: usize>(a: [u16; L]) -> [u16; L] {
            let wide = widened(a);
            cut_off(match crate::sfu::ordinary_ex2(&wide) {
                Some(all) => all,
                None => crate::sfu::ex2(&wide),
            })
        }

        /// `tanh.approx`: the hyperbolic tangent of each lane of a row.
        #[inline(always)]
        pub fn tanh_approx<const L: usize>(a: [u16; L]) -> [u16; L] {
            cut_off(crate::sfu::tanh(&widened(a)))
        }

        #[inline(always)]
        fn widened<const L: usize>(a: [u16; L]) -> [u32; L] {
            let mut all = [0; L];
            for lane in 0..L {
                all[lane] = value(a[lane]).to_bits();
            }
            all
        }

        #[inline(always)]
        fn cut_off<const L: usize>(a: [u32; L]) -> [u16; L] {
            let mut all = [0; L];
            for lane in 0..L {
                all[lane] = cut(a[lane]);
            }
            all
        }

        /// `.satfinite` on the result of a conversion: an infinity becomes the largest number of
        /// its sign (PTX ISA 9.1, 9.7.9.21).
        #[inline(always)]
        pub const fn satfinite(a: u16) -> u16 {
            if is_infinite(a) { (a & SIGN) | MAX } else { a }
        }
    };
}

pub(crate) use {approximate, arithmetic};
