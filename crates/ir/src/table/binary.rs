//! Scalar operations of two operands.
//!
//! A row reads `Name(operand: bits, …) -> bits [how bits of operands reach it] = result`: a [`BitRule`](crate::BitRule); `ANY_ORDER`: values that it
//! puts together one after the other give the same in any order. Rows under `rounded` take a rounding mode `r`,
//! which becomes the variant's payload. Those under `of_rows` are functions of the rows of a warp. Expressions name functions of crate `numeric`, which must be in
//! scope where the macro is used.

/// Calls `$with!` with the rows.
#[macro_export]
macro_rules! binary_ops {
    ($with:ident) => {
        $with! {
            plain {
                /// Sum, rounded to nearest; subnormal operands and results become zero (`.ftz`).
                AddFtzF32(a: u32, b: u32) -> u32 [All] = numeric::f32::flush(numeric::f32::add_rn(numeric::f32::flush(a), numeric::f32::flush(b)));
                /// Sum, low bits.
                AddI32(a: u32, b: u32) -> u32 [Upward; ANY_ORDER] = a.wrapping_add(b);
                /// Difference, low bits.
                SubI32(a: u32, b: u32) -> u32 [Upward] = a.wrapping_sub(b);
                /// Product, low half.
                MulLo32(a: u32, b: u32) -> u32 [Product { sign: 0 }] = a.wrapping_mul(b);
                /// Product, high half.
                MulHiU32(a: u32, b: u32) -> u32 [High] = numeric::int::u32::mul_hi(a, b);
                /// Quotient, with the hardware's result for a zero divisor.
                DivU32(a: u32, b: u32) -> u32 [All] = numeric::int::u32::div(a, b);
                /// Remainder, with the hardware's result for a zero divisor.
                RemU32(a: u32, b: u32) -> u32 [All] = numeric::int::u32::rem(a, b);
                /// The smaller.
                MinU32(a: u32, b: u32) -> u32 [All; ANY_ORDER] = a.min(b);
                /// The larger.
                MaxU32(a: u32, b: u32) -> u32 [All; ANY_ORDER] = a.max(b);
                /// Shift right; amounts above 32 count as 32.
                ShrU32(a: u32, b: u32) -> u32 [Apply] = numeric::int::u32::shr(a, b);
                /// Product, high half.
                MulHiS32(a: u32, b: u32) -> u32 [High] = numeric::int::s32::mul_hi(a, b);
                /// Quotient, with the hardware's result for a zero divisor.
                DivS32(a: u32, b: u32) -> u32 [All] = numeric::int::s32::div(a, b);
                /// Remainder, with the hardware's result for a zero divisor.
                RemS32(a: u32, b: u32) -> u32 [All] = numeric::int::s32::rem(a, b);
                /// The smaller.
                MinS32(a: u32, b: u32) -> u32 [All; ANY_ORDER] = (a as i32).min(b as i32) as u32;
                /// The larger.
                MaxS32(a: u32, b: u32) -> u32 [All; ANY_ORDER] = (a as i32).max(b as i32) as u32;
                /// Shift right; amounts above 32 count as 32.
                ShrS32(a: u32, b: u32) -> u32 [Apply] = numeric::int::s32::shr(a, b);
                /// Shift left; amounts above 32 count as 32.
                Shl32(a: u32, b: u32) -> u32 [Apply] = numeric::int::b32::shl(a, b);
                /// Bitwise.
                And32(a: u32, b: u32) -> u32 [And; ANY_ORDER] = a & b;
                /// Bitwise.
                Or32(a: u32, b: u32) -> u32 [Or; ANY_ORDER] = a | b;
                /// Bitwise.
                Xor32(a: u32, b: u32) -> u32 [Union; ANY_ORDER] = a ^ b;
                /// `a + 1`, or 0 if `a >= b` (`atom.inc`).
                IncWrap32(a: u32, b: u32) -> u32 [All] = if a >= b { 0 } else { a.wrapping_add(1) };
                /// `a - 1`, or `b` if `a` is 0 or above `b` (`atom.dec`).
                DecWrap32(a: u32, b: u32) -> u32 [All] = if a == 0 || a > b { b } else { a.wrapping_sub(1) };
                /// Sum, low bits.
                AddI64(a: u64, b: u64) -> u64 [Upward; ANY_ORDER] = a.wrapping_add(b);
                /// Difference, low bits.
                SubI64(a: u64, b: u64) -> u64 [Upward] = a.wrapping_sub(b);
                /// Product, low half.
                MulLo64(a: u64, b: u64) -> u64 [Product { sign: 0 }] = a.wrapping_mul(b);
                /// Product, high half.
                MulHiU64(a: u64, b: u64) -> u64 [High] = numeric::int::u64::mul_hi(a, b);
                /// Quotient, with the hardware's result for a zero divisor.
                DivU64(a: u64, b: u64) -> u64 [All] = numeric::int::u64::div(a, b);
                /// Remainder, with the hardware's result for a zero divisor.
                RemU64(a: u64, b: u64) -> u64 [All] = numeric::int::u64::rem(a, b);
                /// The smaller.
                MinU64(a: u64, b: u64) -> u64 [All; ANY_ORDER] = a.min(b);
                /// The larger.
                MaxU64(a: u64, b: u64) -> u64 [All; ANY_ORDER] = a.max(b);
                /// Shift right; amounts above 64 count as 64.
                ShrU64(a: u64, b: u32) -> u64 [Apply] = numeric::int::u64::shr(a, b);
                /// Product, high half.
                MulHiS64(a: u64, b: u64) -> u64 [High] = numeric::int::s64::mul_hi(a, b);
                /// Quotient, with the hardware's result for a zero divisor.
                DivS64(a: u64, b: u64) -> u64 [All] = numeric::int::s64::div(a, b);
                /// Remainder, with the hardware's result for a zero divisor.
                RemS64(a: u64, b: u64) -> u64 [All] = numeric::int::s64::rem(a, b);
                /// The smaller.
                MinS64(a: u64, b: u64) -> u64 [All; ANY_ORDER] = (a as i64).min(b as i64) as u64;
                /// The larger.
                MaxS64(a: u64, b: u64) -> u64 [All; ANY_ORDER] = (a as i64).max(b as i64) as u64;
                /// Shift right; amounts above 64 count as 64.
                ShrS64(a: u64, b: u32) -> u64 [Apply] = numeric::int::s64::shr(a, b);
                /// Shift left; amounts above 64 count as 64.
                Shl64(a: u64, b: u32) -> u64 [Apply] = numeric::int::b64::shl(a, b);
                /// Bitwise.
                And64(a: u64, b: u64) -> u64 [And; ANY_ORDER] = a & b;
                /// Bitwise.
                Or64(a: u64, b: u64) -> u64 [Or; ANY_ORDER] = a | b;
                /// Bitwise.
                Xor64(a: u64, b: u64) -> u64 [Union; ANY_ORDER] = a ^ b;
                /// `a + 1`, or 0 if `a >= b` (`atom.inc`).
                IncWrap64(a: u64, b: u64) -> u64 [All] = if a >= b { 0 } else { a.wrapping_add(1) };
                /// `a - 1`, or `b` if `a` is 0 or above `b` (`atom.dec`).
                DecWrap64(a: u64, b: u64) -> u64 [All] = if a == 0 || a > b { b } else { a.wrapping_sub(1) };
                /// The state of a barrier object after a step (`mbarrier`).
                MbarrierStep(a: u64, b: u64) -> u64 [All] = $crate::mbarrier::step(a, b);
                /// Product of 32 bits, 64 bits wide.
                MulWideU32(a: u32, b: u32) -> u64 [Product { sign: 0 }] = numeric::int::u32::mul_wide(a, b);
                /// Product of 32 bits, 64 bits wide.
                MulWideS32(a: u32, b: u32) -> u64 [Product { sign: 1 << 31 }] = numeric::int::s32::mul_wide(a, b);
                /// Sum, clamped to the range of s32 (`.sat`).
                AddSatS32(a: u32, b: u32) -> u32 [All] = (a as i32).saturating_add(b as i32) as u32;
                /// Difference, clamped to the range of s32 (`.sat`).
                SubSatS32(a: u32, b: u32) -> u32 [All] = (a as i32).saturating_sub(b as i32) as u32;
                /// `a` is the low half, `b` the high one.
                Pack64(a: u32, b: u32) -> u64 [Apply] = u64::from(a) | u64::from(b) << 32;
                /// `a` is the low half, `b` the high one, of a 32-bit value.
                Pack32(a: u32, b: u32) -> u32 [Apply] = a & 0xffff | b << 16;
                /// A mask of `b` bits from position `a` (`bmsk.clamp`).
                BmskClamp(a: u32, b: u32) -> u32 [All] = numeric::int::b32::bmsk_clamp(a, b);
                /// A mask of `b` bits from position `a` (`bmsk.wrap`).
                BmskWrap(a: u32, b: u32) -> u32 [All] = numeric::int::b32::bmsk_wrap(a, b);
                /// The bits that `bfi` replaces: `b & 255` bits from position `a & 255`.
                BfiMask32(a: u32, b: u32) -> u32 [All] = numeric::int::b32::bfi(u32::MAX, 0, a, b);
                /// The bits that `bfi` replaces: `b & 255` bits from position `a & 255`.
                BfiMask64(a: u32, b: u32) -> u64 [All] = numeric::int::b64::bfi(u64::MAX, 0, a, b);
                /// The magnitude of `b` with the sign of `a` (`copysign d, a, b`).
                CopysignF32(a: u32, b: u32) -> u32 [Copysign(0x8000_0000)] = numeric::f32::copysign(a, b);
                /// The smaller; a NaN loses.
                MinF32(a: u32, b: u32) -> u32 [All] = numeric::f32::min(a, b);
                /// The larger; a NaN loses.
                MaxF32(a: u32, b: u32) -> u32 [All] = numeric::f32::max(a, b);
                /// The magnitude of `b` with the sign of `a` (`copysign d, a, b`).
                CopysignF64(a: u64, b: u64) -> u64 [Copysign(1 << 63)] = numeric::f64::copysign(a, b);
                /// The smaller; a NaN loses.
                MinF64(a: u64, b: u64) -> u64 [All] = numeric::f64::min(a, b);
                /// The larger; a NaN loses.
                MaxF64(a: u64, b: u64) -> u64 [All] = numeric::f64::max(a, b);
                /// The smaller; a NaN wins.
                MinNanF32(a: u32, b: u32) -> u32 [All] = numeric::f32::min_nan(a, b);
                /// The larger; a NaN wins.
                MaxNanF32(a: u32, b: u32) -> u32 [All] = numeric::f32::max_nan(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MinXorsignAbsF32(a: u32, b: u32) -> u32 [All] = numeric::f32::min_xorsign_abs(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MaxXorsignAbsF32(a: u32, b: u32) -> u32 [All] = numeric::f32::max_xorsign_abs(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MinNanXorsignAbsF32(a: u32, b: u32) -> u32 [All] = numeric::f32::min_nan_xorsign_abs(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MaxNanXorsignAbsF32(a: u32, b: u32) -> u32 [All] = numeric::f32::max_nan_xorsign_abs(a, b);
                /// Difference to nearest even, subnormal operands and results flushed (`.ftz`).
                SubFtzF32(a: u32, b: u32) -> u32 [All] = numeric::f32::flush(numeric::f32::sub_rn(numeric::f32::flush(a), numeric::f32::flush(b)));
                /// Product to nearest even, subnormal operands and results flushed (`.ftz`).
                MulFtzF32(a: u32, b: u32) -> u32 [All] = numeric::f32::flush(numeric::f32::mul_rn(numeric::f32::flush(a), numeric::f32::flush(b)));
                /// Sum.
                AddF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::add_rn(a as u16, b as u16));
                /// Sum, in both halves.
                AddF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::add_rn(a, b);
                /// Difference.
                SubF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::sub_rn(a as u16, b as u16));
                /// Difference, in both halves.
                SubF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::sub_rn(a, b);
                /// Product.
                MulF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::mul_rn(a as u16, b as u16));
                /// Product, in both halves.
                MulF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::mul_rn(a, b);
                /// The smaller; a NaN loses.
                MinF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::min(a as u16, b as u16));
                /// The smaller; a NaN loses, in both halves.
                MinF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::min(a, b);
                /// The larger; a NaN loses.
                MaxF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::max(a as u16, b as u16));
                /// The larger; a NaN loses, in both halves.
                MaxF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::max(a, b);
                /// The smaller; a NaN wins.
                MinNanF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::min_nan(a as u16, b as u16));
                /// The smaller; a NaN wins, in both halves.
                MinNanF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::min_nan(a, b);
                /// The larger; a NaN wins.
                MaxNanF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::max_nan(a as u16, b as u16));
                /// The larger; a NaN wins, in both halves.
                MaxNanF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::max_nan(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MinXorsignAbsF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::min_xorsign_abs(a as u16, b as u16));
                /// The same of magnitudes, with the exclusive or of the signs, in both halves.
                MinXorsignAbsF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::min_xorsign_abs(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MaxXorsignAbsF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::max_xorsign_abs(a as u16, b as u16));
                /// The same of magnitudes, with the exclusive or of the signs, in both halves.
                MaxXorsignAbsF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::max_xorsign_abs(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MinNanXorsignAbsF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::min_nan_xorsign_abs(a as u16, b as u16));
                /// The same of magnitudes, with the exclusive or of the signs, in both halves.
                MinNanXorsignAbsF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::min_nan_xorsign_abs(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MaxNanXorsignAbsF16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::max_nan_xorsign_abs(a as u16, b as u16));
                /// The same of magnitudes, with the exclusive or of the signs, in both halves.
                MaxNanXorsignAbsF16x2(a: u32, b: u32) -> u32 [Halves] = numeric::f16x2::max_nan_xorsign_abs(a, b);
                /// Sum.
                AddBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::add_rn(a as u16, b as u16));
                /// Sum, in both halves.
                AddBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::add_rn(a, b);
                /// Difference.
                SubBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::sub_rn(a as u16, b as u16));
                /// Difference, in both halves.
                SubBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::sub_rn(a, b);
                /// Product.
                MulBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::mul_rn(a as u16, b as u16));
                /// Product, in both halves.
                MulBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::mul_rn(a, b);
                /// The smaller; a NaN loses.
                MinBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::min(a as u16, b as u16));
                /// The smaller; a NaN loses, in both halves.
                MinBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::min(a, b);
                /// The larger; a NaN loses.
                MaxBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::max(a as u16, b as u16));
                /// The larger; a NaN loses, in both halves.
                MaxBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::max(a, b);
                /// The smaller; a NaN wins.
                MinNanBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::min_nan(a as u16, b as u16));
                /// The smaller; a NaN wins, in both halves.
                MinNanBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::min_nan(a, b);
                /// The larger; a NaN wins.
                MaxNanBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::max_nan(a as u16, b as u16));
                /// The larger; a NaN wins, in both halves.
                MaxNanBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::max_nan(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MinXorsignAbsBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::min_xorsign_abs(a as u16, b as u16));
                /// The same of magnitudes, with the exclusive or of the signs, in both halves.
                MinXorsignAbsBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::min_xorsign_abs(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MaxXorsignAbsBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::max_xorsign_abs(a as u16, b as u16));
                /// The same of magnitudes, with the exclusive or of the signs, in both halves.
                MaxXorsignAbsBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::max_xorsign_abs(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MinNanXorsignAbsBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::min_nan_xorsign_abs(a as u16, b as u16));
                /// The same of magnitudes, with the exclusive or of the signs, in both halves.
                MinNanXorsignAbsBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::min_nan_xorsign_abs(a, b);
                /// The same of magnitudes, with the exclusive or of the signs.
                MaxNanXorsignAbsBf16(a: u32, b: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::max_nan_xorsign_abs(a as u16, b as u16));
                /// The same of magnitudes, with the exclusive or of the signs, in both halves.
                MaxNanXorsignAbsBf16x2(a: u32, b: u32) -> u32 [Halves] = numeric::bf16x2::max_nan_xorsign_abs(a, b);
            }
            rounded {
                /// Sum.
                AddF32(a: u32, b: u32; r) -> u32 [All] = numeric::f32::add(a, b, r);
                /// Difference.
                SubF32(a: u32, b: u32; r) -> u32 [All] = numeric::f32::sub(a, b, r);
                /// Product.
                MulF32(a: u32, b: u32; r) -> u32 [All] = numeric::f32::mul(a, b, r);
                /// Quotient.
                DivF32(a: u32, b: u32; r) -> u32 [All] = numeric::f32::div(a, b, r);
                /// Sum.
                AddF64(a: u64, b: u64; r) -> u64 [All] = numeric::f64::add(a, b, r);
                /// Difference.
                SubF64(a: u64, b: u64; r) -> u64 [All] = numeric::f64::sub(a, b, r);
                /// Product.
                MulF64(a: u64, b: u64; r) -> u64 [All] = numeric::f64::mul(a, b, r);
                /// Quotient.
                DivF64(a: u64, b: u64; r) -> u64 [All] = numeric::f64::div(a, b, r);
            }
            of_rows {
                /// Quotient (`div.approx`): huge divisors give zero.
                DivApproxF32(a: u32, b: u32) -> u32 [All] = numeric::f32::div_approx(a, b);
                /// Quotient (`div.full`).
                DivFullF32(a: u32, b: u32) -> u32 [All] = numeric::f32::div_full(a, b);
            }
        }
    };
}
