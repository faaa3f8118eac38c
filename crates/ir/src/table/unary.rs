//! Scalar operations of one operand.
//!
//! A row reads `Name(operand: bits, …) -> bits [how bits of operands reach it] = result`: a [`BitRule`](crate::BitRule); `MOVES`: the result is the operand. Rows under `rounded` take a rounding mode `r`,
//! which becomes the variant's payload. Those under `of_rows` are functions of the rows of a warp. Expressions name functions of crate `numeric`, which must be in
//! scope where the macro is used.

/// Calls `$with!` with the rows.
#[macro_export]
macro_rules! unary_ops {
    ($with:ident) => {
        $with! {
            plain {
                /// The operand itself, 32 bits.
                Mov32(a: u32) -> u32 [Apply; MOVES] = a;
                /// The operand itself, 64 bits.
                Mov64(a: u64) -> u64 [Apply; MOVES] = a;
                /// The low half.
                Low32(a: u64) -> u32 [Apply] = a as u32;
                /// The high half.
                High32(a: u64) -> u32 [Apply] = (a >> 32) as u32;
                /// The low 8 bits, zero-extended.
                ZeroExtend8(a: u32) -> u32 [Apply] = a & 0xff;
                /// The low 16 bits, zero-extended.
                ZeroExtend16(a: u32) -> u32 [Apply] = a & 0xffff;
                /// The low 8 bits, sign-extended.
                SignExtend8(a: u32) -> u32 [Apply] = a as i8 as u32;
                /// The low 16 bits, sign-extended.
                SignExtend16(a: u32) -> u32 [Apply] = a as i16 as u32;
                /// Zero-extension to 64 bits.
                ZeroExtend32(a: u32) -> u64 [Apply] = a as u64;
                /// Sign-extension to 64 bits.
                SignExtend32(a: u32) -> u64 [Apply] = a as i32 as u64;
                /// Bitwise complement.
                Not32(a: u32) -> u32 [Union] = !a;
                /// Two's complement negation.
                NegI32(a: u32) -> u32 [Upward] = a.wrapping_neg();
                /// Absolute value of a signed integer; the most negative value is its own.
                AbsS32(a: u32) -> u32 [All] = (a as i32).wrapping_abs() as u32;
                /// How many bits are set.
                Popc32(a: u32) -> u32 [Count(0x3f)] = a.count_ones();
                /// How many leading bits are clear.
                Clz32(a: u32) -> u32 [Count(0x3f)] = a.leading_zeros();
                /// The bits in opposite order.
                Brev32(a: u32) -> u32 [Apply] = a.reverse_bits();
                /// Position of the most significant non-sign bit, or all ones.
                BfindU32(a: u32) -> u32 [All] = numeric::int::u32::bfind(a);
                /// Position of the most significant non-sign bit, or all ones.
                BfindS32(a: u32) -> u32 [All] = numeric::int::s32::bfind(a);
                /// Bitwise complement.
                Not64(a: u64) -> u64 [Union] = !a;
                /// Two's complement negation.
                NegI64(a: u64) -> u64 [Upward] = a.wrapping_neg();
                /// Absolute value of a signed integer; the most negative value is its own.
                AbsS64(a: u64) -> u64 [All] = (a as i64).wrapping_abs() as u64;
                /// How many bits are set.
                Popc64(a: u64) -> u32 [Count(0x7f)] = a.count_ones();
                /// How many leading bits are clear.
                Clz64(a: u64) -> u32 [Count(0x7f)] = a.leading_zeros();
                /// The bits in opposite order.
                Brev64(a: u64) -> u64 [Apply] = a.reverse_bits();
                /// Position of the most significant non-sign bit, or all ones.
                BfindU64(a: u64) -> u32 [All] = numeric::int::u64::bfind(a);
                /// Position of the most significant non-sign bit, or all ones.
                BfindS64(a: u64) -> u32 [All] = numeric::int::s64::bfind(a);
                /// The operand with its sign flipped.
                NegF32(a: u32) -> u32 [Union] = numeric::f32::neg(a);
                /// The operand with its sign cleared.
                AbsF32(a: u32) -> u32 [Union] = numeric::f32::abs(a);
                /// The operand with its sign flipped.
                NegF64(a: u64) -> u64 [Union] = numeric::f64::neg(a);
                /// The operand with its sign cleared.
                AbsF64(a: u64) -> u64 [Union] = numeric::f64::abs(a);
                /// Subnormal operands become zero of the same sign (`.ftz`).
                FlushF32(a: u32) -> u32 [All] = numeric::f32::flush(a);
                /// Clamped to 0..1, NaN becomes +0 (`.sat`).
                SaturateF32(a: u32) -> u32 [All] = numeric::f32::saturate(a);
                /// Negative values become +0, NaN becomes canonical (`.relu`).
                ReluF32(a: u32) -> u32 [All] = numeric::f32::relu(a);
                /// The operand with its sign flipped.
                NegF16(a: u32) -> u32 [Union] = u32::from(numeric::f16::neg(a as u16));
                /// The operand with its sign flipped, in both halves.
                NegF16x2(a: u32) -> u32 [Union] = numeric::f16x2::neg(a);
                /// The operand with its sign cleared.
                AbsF16(a: u32) -> u32 [Union] = u32::from(numeric::f16::abs(a as u16));
                /// The operand with its sign cleared, in both halves.
                AbsF16x2(a: u32) -> u32 [Union] = numeric::f16x2::abs(a);
                /// Subnormal operands become zero of the same sign.
                FlushF16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::flush(a as u16));
                /// Subnormal operands become zero of the same sign, in both halves.
                FlushF16x2(a: u32) -> u32 [Halves] = numeric::f16x2::flush(a);
                /// Clamped to 0..1, NaN becomes +0.
                SaturateF16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::saturate(a as u16));
                /// Clamped to 0..1, NaN becomes +0, in both halves.
                SaturateF16x2(a: u32) -> u32 [Halves] = numeric::f16x2::saturate(a);
                /// Negative values become +0, NaN becomes canonical.
                ReluF16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::relu(a as u16));
                /// Negative values become +0, NaN becomes canonical, in both halves.
                ReluF16x2(a: u32) -> u32 [Halves] = numeric::f16x2::relu(a);
                /// The operand with its sign flipped.
                NegBf16(a: u32) -> u32 [Union] = u32::from(numeric::bf16::neg(a as u16));
                /// The operand with its sign flipped, in both halves.
                NegBf16x2(a: u32) -> u32 [Union] = numeric::bf16x2::neg(a);
                /// The operand with its sign cleared.
                AbsBf16(a: u32) -> u32 [Union] = u32::from(numeric::bf16::abs(a as u16));
                /// The operand with its sign cleared, in both halves.
                AbsBf16x2(a: u32) -> u32 [Union] = numeric::bf16x2::abs(a);
                /// Subnormal operands become zero of the same sign.
                FlushBf16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::flush(a as u16));
                /// Subnormal operands become zero of the same sign, in both halves.
                FlushBf16x2(a: u32) -> u32 [Halves] = numeric::bf16x2::flush(a);
                /// Clamped to 0..1, NaN becomes +0.
                SaturateBf16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::saturate(a as u16));
                /// Clamped to 0..1, NaN becomes +0, in both halves.
                SaturateBf16x2(a: u32) -> u32 [Halves] = numeric::bf16x2::saturate(a);
                /// Negative values become +0, NaN becomes canonical.
                ReluBf16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::relu(a as u16));
                /// Negative values become +0, NaN becomes canonical, in both halves.
                ReluBf16x2(a: u32) -> u32 [Halves] = numeric::bf16x2::relu(a);
                /// Reciprocal of the square root (`rsqrt.approx`).
                RsqrtF64(a: u64) -> u64 [All] = numeric::f64::rsqrt_approx(a);
                /// Reciprocal in the upper word (`rcp.approx.ftz.f64`).
                RcpApproxFtzF64(a: u64) -> u64 [All] = numeric::f64::rcp_approx_ftz(a);
                /// Reciprocal of the square root in the upper word (`rsqrt.approx.ftz.f64`).
                RsqrtApproxFtzF64(a: u64) -> u64 [All] = numeric::f64::rsqrt_approx_ftz(a);
                /// Conversion, exact.
                F32ToF64(a: u32) -> u64 [All] = numeric::convert::f64::from_f32(a);
                /// Conversion, exact.
                F16ToF64(a: u32) -> u64 [All] = numeric::convert::f64::from_f16(a as u16);
                /// Conversion, exact.
                F16ToF32(a: u32) -> u32 [All] = numeric::convert::f32::from_f16(a as u16);
                /// Conversion, exact.
                Bf16ToF32(a: u32) -> u32 [All] = numeric::convert::f32::from_bf16(a as u16);
                /// Conversion to tf32, ties away from zero.
                F32ToTf32Rna(a: u32) -> u32 [All] = numeric::convert::tf32::from_f32_rna(a);
                /// Conversion to nearest even; too large values become the largest (`.satfinite`).
                F32ToE4m3(a: u32) -> u32 [Count(0xff)] = u32::from(numeric::convert::e4m3::from_f32(a));
                /// Conversion of the low bits, exact.
                E4m3ToF16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::convert::e4m3::to_f16(a as u8));
                /// Conversion to nearest even; too large values become the largest (`.satfinite`).
                F32ToE5m2(a: u32) -> u32 [Count(0xff)] = u32::from(numeric::convert::e5m2::from_f32(a));
                /// Conversion of the low bits, exact.
                E5m2ToF16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::convert::e5m2::to_f16(a as u8));
                /// Conversion to nearest even; too large values become the largest (`.satfinite`).
                F32ToE2m3(a: u32) -> u32 [Count(0xff)] = u32::from(numeric::convert::e2m3::from_f32(a));
                /// Conversion of the low bits, exact.
                E2m3ToF16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::convert::e2m3::to_f16(a as u8));
                /// Conversion to nearest even; too large values become the largest (`.satfinite`).
                F32ToE3m2(a: u32) -> u32 [Count(0xff)] = u32::from(numeric::convert::e3m2::from_f32(a));
                /// Conversion of the low bits, exact.
                E3m2ToF16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::convert::e3m2::to_f16(a as u8));
                /// Conversion to nearest even; too large values become the largest (`.satfinite`).
                F32ToE2m1(a: u32) -> u32 [Count(0xff)] = u32::from(numeric::convert::e2m1::from_f32(a));
                /// Conversion of the low bits, exact.
                E2m1ToF16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::convert::e2m1::to_f16(a as u8));
                /// Conversion of the magnitude to a power of two, towards zero.
                F32ToUe8m0Rz(a: u32) -> u32 [Count(0xff)] = u32::from(numeric::convert::ue8m0::from_f32_rz(a));
                /// Conversion of the magnitude to a power of two, away from zero.
                F32ToUe8m0Rp(a: u32) -> u32 [Count(0xff)] = u32::from(numeric::convert::ue8m0::from_f32_rp(a));
                /// Conversion of the low bits, exact.
                Ue8m0ToBf16(a: u32) -> u32 [Count(0xffff)] = u32::from(numeric::convert::ue8m0::to_bf16(a as u8));
            }
            rounded {
                /// Reciprocal.
                RcpF32(a: u32; r) -> u32 [All] = numeric::f32::rcp(a, r);
                /// Reciprocal.
                RcpF64(a: u64; r) -> u64 [All] = numeric::f64::rcp(a, r);
                /// Square root.
                SqrtF32(a: u32; r) -> u32 [All] = numeric::f32::sqrt(a, r);
                /// Square root.
                SqrtF64(a: u64; r) -> u64 [All] = numeric::f64::sqrt(a, r);
                /// Conversion.
                F64ToF32(a: u64; r) -> u32 [All] = numeric::convert::f32::from_f64(a, r);
                /// Conversion.
                F32ToF16(a: u32; r) -> u32 [Count(0xffff)] = u32::from(numeric::convert::f16::from_f32(a, r));
                /// Conversion.
                F32ToBf16(a: u32; r) -> u32 [Count(0xffff)] = u32::from(numeric::convert::bf16::from_f32(a, r));
                /// Conversion.
                F64ToF16(a: u64; r) -> u32 [Count(0xffff)] = u32::from(numeric::convert::f16::from_f64(a, r));
                /// Conversion.
                F64ToBf16(a: u64; r) -> u32 [Count(0xffff)] = u32::from(numeric::convert::bf16::from_f64(a, r));
                /// Conversion to tf32.
                F32ToTf32(a: u32; r) -> u32 [All] = numeric::convert::tf32::from_f32(a, r);
                /// Conversion of an integer.
                U32ToF32(a: u32; r) -> u32 [All] = numeric::convert::f32::from_u32(a, r);
                /// Conversion of an integer.
                U32ToF64(a: u32; r) -> u64 [All] = numeric::convert::f64::from_u32(a, r);
                /// Conversion of an integer.
                S32ToF32(a: u32; r) -> u32 [All] = numeric::convert::f32::from_s32(a, r);
                /// Conversion of an integer.
                S32ToF64(a: u32; r) -> u64 [All] = numeric::convert::f64::from_s32(a, r);
                /// Conversion of an integer.
                U64ToF32(a: u64; r) -> u32 [All] = numeric::convert::f32::from_u64(a, r);
                /// Conversion of an integer.
                U64ToF64(a: u64; r) -> u64 [All] = numeric::convert::f64::from_u64(a, r);
                /// Conversion of an integer.
                S64ToF32(a: u64; r) -> u32 [All] = numeric::convert::f32::from_s64(a, r);
                /// Conversion of an integer.
                S64ToF64(a: u64; r) -> u64 [All] = numeric::convert::f64::from_s64(a, r);
                /// Conversion of an integer.
                U64ToF16(a: u64; r) -> u32 [Count(0xffff)] = u32::from(numeric::convert::f16::from_u64(a, r));
                /// Conversion of an integer.
                U64ToBf16(a: u64; r) -> u32 [Count(0xffff)] = u32::from(numeric::convert::bf16::from_u64(a, r));
                /// Conversion of an integer.
                S64ToF16(a: u64; r) -> u32 [Count(0xffff)] = u32::from(numeric::convert::f16::from_s64(a, r));
                /// Conversion of an integer.
                S64ToBf16(a: u64; r) -> u32 [Count(0xffff)] = u32::from(numeric::convert::bf16::from_s64(a, r));
                /// Conversion to an integer: rounds to integral, then saturates; NaN as the ISA says.
                F32ToU32(a: u32; r) -> u32 [All] = numeric::convert::u32::from_f32(a, r);
                /// Conversion to an integer: rounds to integral, then saturates; NaN as the ISA says.
                F32ToS32(a: u32; r) -> u32 [All] = numeric::convert::s32::from_f32(a, r);
                /// Conversion to an integer: rounds to integral, then saturates; NaN as the ISA says.
                F32ToU64(a: u32; r) -> u64 [All] = numeric::convert::u64::from_f32(a, r);
                /// Conversion to an integer: rounds to integral, then saturates; NaN as the ISA says.
                F32ToS64(a: u32; r) -> u64 [All] = numeric::convert::s64::from_f32(a, r);
                /// Rounds to an integral value.
                RoundF32(a: u32; r) -> u32 [All] = numeric::convert::f32::integral(a, r);
                /// Conversion to an integer: rounds to integral, then saturates; NaN as the ISA says.
                F64ToU32(a: u64; r) -> u32 [All] = numeric::convert::u32::from_f64(a, r);
                /// Conversion to an integer: rounds to integral, then saturates; NaN as the ISA says.
                F64ToS32(a: u64; r) -> u32 [All] = numeric::convert::s32::from_f64(a, r);
                /// Conversion to an integer: rounds to integral, then saturates; NaN as the ISA says.
                F64ToU64(a: u64; r) -> u64 [All] = numeric::convert::u64::from_f64(a, r);
                /// Conversion to an integer: rounds to integral, then saturates; NaN as the ISA says.
                F64ToS64(a: u64; r) -> u64 [All] = numeric::convert::s64::from_f64(a, r);
                /// Conversion to an integer: rounds to integral, then saturates; NaN as the ISA says.
                F64ToU8(a: u64; r) -> u32 [Count(0xff)] = u32::from(numeric::convert::u8::from_f64(a, r));
                /// Conversion to an integer: rounds to integral, then saturates; NaN as the ISA says.
                F64ToU16(a: u64; r) -> u32 [Count(0xffff)] = u32::from(numeric::convert::u16::from_f64(a, r));
                /// Rounds to an integral value.
                RoundF64(a: u64; r) -> u64 [All] = numeric::convert::f64::integral(a, r);
            }
            of_rows {
                /// Two to the power of the operand (`ex2.approx`).
                Ex2F32(a: u32) -> u32 [All] = numeric::f32::ex2_approx(a);
                /// Logarithm to base 2 (`lg2.approx`).
                Lg2F32(a: u32) -> u32 [All] = numeric::f32::lg2_approx(a);
                /// Sine (`sin.approx`).
                SinF32(a: u32) -> u32 [All] = numeric::f32::sin_approx(a);
                /// Cosine (`cos.approx`).
                CosF32(a: u32) -> u32 [All] = numeric::f32::cos_approx(a);
                /// Hyperbolic tangent (`tanh.approx`).
                TanhF32(a: u32) -> u32 [All] = numeric::f32::tanh_approx(a);
                /// Reciprocal (`rcp.approx`).
                RcpApproxF32(a: u32) -> u32 [All] = numeric::f32::rcp_approx(a);
                /// Square root (`sqrt.approx`).
                SqrtApproxF32(a: u32) -> u32 [All] = numeric::f32::sqrt_approx(a);
                /// Reciprocal of the square root (`rsqrt.approx`).
                RsqrtF32(a: u32) -> u32 [All] = numeric::f32::rsqrt_approx(a);
                /// Two to the power of the operand (`ex2.approx`).
                Ex2F16(a: u32) -> u32 [Count(0xffff)] = numeric::x2::widened(numeric::f16::ex2_approx(numeric::x2::lows(a)));
                /// Two to the power of the operand (`ex2.approx`), in both halves.
                Ex2F16x2(a: u32) -> u32 [Halves] = numeric::f16x2::ex2_approx(a);
                /// Hyperbolic tangent (`tanh.approx`).
                TanhF16(a: u32) -> u32 [Count(0xffff)] = numeric::x2::widened(numeric::f16::tanh_approx(numeric::x2::lows(a)));
                /// Hyperbolic tangent (`tanh.approx`), in both halves.
                TanhF16x2(a: u32) -> u32 [Halves] = numeric::f16x2::tanh_approx(a);
                /// Two to the power of the operand (`ex2.approx`).
                Ex2Bf16(a: u32) -> u32 [Count(0xffff)] = numeric::x2::widened(numeric::bf16::ex2_approx(numeric::x2::lows(a)));
                /// Two to the power of the operand (`ex2.approx`), in both halves.
                Ex2Bf16x2(a: u32) -> u32 [Halves] = numeric::bf16x2::ex2_approx(a);
                /// Hyperbolic tangent (`tanh.approx`).
                TanhBf16(a: u32) -> u32 [Count(0xffff)] = numeric::x2::widened(numeric::bf16::tanh_approx(numeric::x2::lows(a)));
                /// Hyperbolic tangent (`tanh.approx`), in both halves.
                TanhBf16x2(a: u32) -> u32 [Halves] = numeric::bf16x2::tanh_approx(a);
            }
        }
    };
}
