//! What the IEEE 754 formats share, written on their encodings.
//!
//! Each macro expands in the module of a type, which defines the constants `SIGN`, `INFINITY`,
//! `NAN` and `ONE` in the carrier type.

/// Classes, sign operations and the modifiers `.ftz`, `.sat`, `.relu`.
macro_rules! encoding {
    ($bits:ident) => {
        /// The largest finite magnitude.
        pub const MAX: $bits = INFINITY - 1;
        /// The sign bit.
        pub const SIGN: $bits = 1 << ($bits::BITS - 1);

        /// `testp.notanumber`.
        #[inline(always)]
        pub const fn is_nan(a: $bits) -> bool {
            a & !SIGN > INFINITY
        }

        /// `testp.number`: not a NaN.
        #[inline(always)]
        pub const fn is_number(a: $bits) -> bool {
            !is_nan(a)
        }

        /// `testp.infinite`.
        #[inline(always)]
        pub const fn is_infinite(a: $bits) -> bool {
            a & !SIGN == INFINITY
        }

        /// `testp.finite`: neither infinite nor a NaN.
        #[inline(always)]
        pub const fn is_finite(a: $bits) -> bool {
            a & !SIGN < INFINITY
        }

        /// `testp.subnormal`: not zero, and smaller than the smallest normal number.
        #[inline(always)]
        pub const fn is_subnormal(a: $bits) -> bool {
            (a & INFINITY == 0) & (a & !SIGN != 0)
        }

        /// `testp.normal`: finite and not subnormal; zeros count as normal (PTX ISA 9.1,
        /// 9.7.3.1).
        #[inline(always)]
        pub const fn is_normal(a: $bits) -> bool {
            is_finite(a) & !is_subnormal(a)
        }

        /// `.ftz`: a subnormal becomes a zero of its sign; anything else is unchanged.
        #[inline(always)]
        pub const fn flush(a: $bits) -> $bits {
            if a & INFINITY == 0 { a & SIGN } else { a }
        }

        /// `.sat`: clamps to [0, 1]; NaN and -0 become +0.
        #[inline(always)]
        pub const fn saturate(a: $bits) -> $bits {
            // As integers, non-negative numbers are in order, below every other encoding.
            let number = if a > INFINITY { 0 } else { a };
            if number > ONE { ONE } else { number }
        }

        /// `.relu`: negative numbers and -0 become +0, a NaN becomes canonical.
        #[inline(always)]
        pub const fn relu(a: $bits) -> $bits {
            let clamped = if a & SIGN == 0 { a } else { 0 };
            if is_nan(a) { NAN } else { clamped }
        }

        /// `copysign`: the magnitude of `b` with the sign of `a`, also for NaN (PTX ISA 9.1,
        /// 9.7.3.2).
        #[inline(always)]
        pub const fn copysign(a: $bits, b: $bits) -> $bits {
            (a & SIGN) | (b & !SIGN)
        }
    };
}

/// `neg` and `abs` of the formats that do not keep NaN payloads.
macro_rules! sign_canonical {
    ($bits:ident) => {
        /// `neg`.
        ///
        /// The ISA leaves the result for a NaN unspecified (PTX ISA 9.1, 9.7.3.10 and 9.7.4.5).
        /// It is the canonical NaN here, because NVIDIA's assembler (13.5) makes the instruction
        /// an addition for every target.
        #[inline(always)]
        pub const fn neg(a: $bits) -> $bits {
            if is_nan(a) { NAN } else { a ^ SIGN }
        }

        /// `abs`. A NaN gives the canonical NaN, for the reason given at [`neg`].
        #[inline(always)]
        pub const fn abs(a: $bits) -> $bits {
            if is_nan(a) { NAN } else { a & !SIGN }
        }
    };
}

/// The comparison operators of `set` and `setp` (PTX ISA 9.1, 9.7.5). `$value` turns bits into a
/// number of the host.
macro_rules! comparisons {
    ($bits:ident, $value:ident) => {
        /// Comparison `.eq`: equal, neither a NaN.
        #[inline(always)]
        pub const fn eq(a: $bits, b: $bits) -> bool {
            $value(a) == $value(b)
        }

        /// Comparison `.ne`: different, neither a NaN.
        #[inline(always)]
        pub const fn ne(a: $bits, b: $bits) -> bool {
            ($value(a) < $value(b)) | ($value(a) > $value(b))
        }

        /// Comparison `.lt`: less, neither a NaN.
        #[inline(always)]
        pub const fn lt(a: $bits, b: $bits) -> bool {
            $value(a) < $value(b)
        }

        /// Comparison `.le`: less or equal, neither a NaN.
        #[inline(always)]
        pub const fn le(a: $bits, b: $bits) -> bool {
            $value(a) <= $value(b)
        }

        /// Comparison `.gt`: greater, neither a NaN.
        #[inline(always)]
        pub const fn gt(a: $bits, b: $bits) -> bool {
            $value(a) > $value(b)
        }

        /// Comparison `.ge`: greater or equal, neither a NaN.
        #[inline(always)]
        pub const fn ge(a: $bits, b: $bits) -> bool {
            $value(a) >= $value(b)
        }

        /// Comparison `.equ`: equal, or a NaN among them.
        #[inline(always)]
        pub const fn equ(a: $bits, b: $bits) -> bool {
            !ne(a, b)
        }

        /// Comparison `.neu`: different, or a NaN among them.
        #[inline(always)]
        pub const fn neu(a: $bits, b: $bits) -> bool {
            !eq(a, b)
        }

        /// Comparison `.ltu`: less, or a NaN among them.
        #[inline(always)]
        pub const fn ltu(a: $bits, b: $bits) -> bool {
            !ge(a, b)
        }

        /// Comparison `.leu`: less or equal, or a NaN among them.
        #[inline(always)]
        pub const fn leu(a: $bits, b: $bits) -> bool {
            !gt(a, b)
        }

        /// Comparison `.gtu`: greater, or a NaN among them.
        #[inline(always)]
        pub const fn gtu(a: $bits, b: $bits) -> bool {
            !le(a, b)
        }

        /// Comparison `.geu`: greater or equal, or a NaN among them.
        #[inline(always)]
        pub const fn geu(a: $bits, b: $bits) -> bool {
            !lt(a, b)
        }

        /// Comparison `.num`: both are numbers.
        #[inline(always)]
        pub const fn num(a: $bits, b: $bits) -> bool {
            !nan(a, b)
        }

        /// Comparison `.nan`: at least one is a NaN.
        #[inline(always)]
        pub const fn nan(a: $bits, b: $bits) -> bool {
            is_nan(a) | is_nan(b)
        }
    };
}

/// `min` and `max` without modifiers (PTX ISA 9.1, 9.7.3.11 and 9.7.3.12). `$both` gives the
/// result for two NaNs from the second.
macro_rules! min_max {
    ($bits:ident, $signed:ident, $both:expr) => {
        /// A number's place in the order -0 < +0: signed integers in the order of the values.
        #[inline(always)]
        const fn rank(a: $bits) -> $signed {
            let magnitude = (a & !SIGN) as $signed;
            if a & SIGN == 0 { magnitude } else { !magnitude }
        }

        /// `number`, or what the NaN rule of plain `min` and `max` gives instead.
        #[inline(always)]
        const fn skip_nan(a: $bits, b: $bits, number: $bits) -> $bits {
            let both = $both(b);
            let known_b = if is_nan(a) { b } else { number };
            let other = if is_nan(a) { both } else { a };
            if is_nan(b) { other } else { known_b }
        }

        /// `min`: the smaller; -0 is below +0. A NaN loses against a number.
        #[inline(always)]
        pub const fn min(a: $bits, b: $bits) -> $bits {
            skip_nan(a, b, if rank(b) < rank(a) { b } else { a })
        }

        /// `max`: the larger; +0 is above -0. A NaN loses against a number.
        #[inline(always)]
        pub const fn max(a: $bits, b: $bits) -> $bits {
            skip_nan(a, b, if rank(a) < rank(b) { b } else { a })
        }
    };
}

/// `min` and `max` with `.NaN` and `.xorsign.abs`.
macro_rules! min_max_modified {
    ($bits:ident) => {
        /// `min.NaN`: as [`min`], but any NaN gives the canonical NaN.
        #[inline(always)]
        pub const fn min_nan(a: $bits, b: $bits) -> $bits {
            if nan(a, b) { NAN } else { min(a, b) }
        }

        /// `max.NaN`: as [`max`], but any NaN gives the canonical NaN.
        #[inline(always)]
        pub const fn max_nan(a: $bits, b: $bits) -> $bits {
            if nan(a, b) { NAN } else { max(a, b) }
        }

        /// The magnitude `m`, unless a NaN, with the product of the signs of `a` and `b`.
        #[inline(always)]
        const fn xorsign(a: $bits, b: $bits, m: $bits) -> $bits {
            if is_nan(m) { m } else { m | ((a ^ b) & SIGN) }
        }

        /// `min.xorsign.abs`: the smaller magnitude, negative if exactly one operand is.
        #[inline(always)]
        pub const fn min_xorsign_abs(a: $bits, b: $bits) -> $bits {
            xorsign(a, b, min(a & !SIGN, b & !SIGN))
        }

        /// `max.xorsign.abs`: the larger magnitude, negative if exactly one operand is.
        #[inline(always)]
        pub const fn max_xorsign_abs(a: $bits, b: $bits) -> $bits {
            xorsign(a, b, max(a & !SIGN, b & !SIGN))
        }

        /// `min.NaN.xorsign.abs`: as [`min_xorsign_abs`], but any NaN gives the canonical NaN.
        #[inline(always)]
        pub const fn min_nan_xorsign_abs(a: $bits, b: $bits) -> $bits {
            if nan(a, b) { NAN } else { min_xorsign_abs(a, b) }
        }

        /// `max.NaN.xorsign.abs`: as [`max_xorsign_abs`], but any NaN gives the canonical NaN.
        #[inline(always)]
        pub const fn max_nan_xorsign_abs(a: $bits, b: $bits) -> $bits {
            if nan(a, b) { NAN } else { max_xorsign_abs(a, b) }
        }
    };
}

pub(crate) use {comparisons, encoding, min_max, min_max_modified, sign_canonical};
