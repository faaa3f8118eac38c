//! Scalar operations of three operands.
//!
//! A row reads `Name(operand: bits, …) -> bits [how bits of operands reach it] = result`: a [`BitRule`](crate::BitRule). Rows under `rounded` take a rounding mode `r`,
//! which becomes the variant's payload. Expressions name functions of crate `numeric`, which must be in
//! scope where the macro is used.

/// Calls `$with!` with the rows.
#[macro_export]
macro_rules! ternary_ops {
    ($with:ident) => {
        $with! {
            plain {
                /// `a * b + c`, low bits.
                MadLo32(a: u32, b: u32, c: u32) -> u32 [Product { sign: 0 }] = a.wrapping_mul(b).wrapping_add(c);
                /// `a * b + c`, low bits.
                MadLo64(a: u64, b: u64, c: u64) -> u64 [Product { sign: 0 }] = a.wrapping_mul(b).wrapping_add(c);
                /// `a * b + c` with a 64-bit product.
                MadWideU32(a: u32, b: u32, c: u64) -> u64 [Product { sign: 0 }] = numeric::int::u32::mul_wide(a, b).wrapping_add(c);
                /// `a * b + c` with a 64-bit product.
                MadWideS32(a: u32, b: u32, c: u64) -> u64 [Product { sign: 1 << 31 }] = numeric::int::s32::mul_wide(a, b).wrapping_add(c);
                /// Bit by bit, `c` where `a` is set, else `b`.
                BitSelect32(a: u32, b: u32, c: u32) -> u32 [BitSelect] = b & !a | c & a;
                /// Bit by bit, `c` where `a` is set, else `b`.
                BitSelect64(a: u64, b: u64, c: u64) -> u64 [BitSelect] = b & !a | c & a;
                /// Bit field of `a` from position `b`, `c` bits long (`bfe`).
                BfeU32(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::u32::bfe(a, b, c);
                /// Bit field of `a` from position `b`, `c` bits long (`bfe`).
                BfeU64(a: u64, b: u32, c: u32) -> u64 [Apply] = numeric::int::u64::bfe(a, b, c);
                /// Bit field of `a` from position `b`, `c` bits long (`bfe`).
                BfeS32(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::s32::bfe(a, b, c);
                /// Bit field of `a` from position `b`, `c` bits long (`bfe`).
                BfeS64(a: u64, b: u32, c: u32) -> u64 [Apply] = numeric::int::s64::bfe(a, b, c);
                /// The high half of the pair `b:a` shifted left by `c` (`shf.l.clamp`).
                ShfLClamp(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::shf_l_clamp(a, b, c);
                /// The high half of the pair `b:a` shifted left by `c` (`shf.l.wrap`).
                ShfLWrap(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::shf_l_wrap(a, b, c);
                /// The low half of the pair `b:a` shifted right by `c` (`shf.r.clamp`).
                ShfRClamp(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::shf_r_clamp(a, b, c);
                /// The low half of the pair `b:a` shifted right by `c` (`shf.r.wrap`).
                ShfRWrap(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::shf_r_wrap(a, b, c);
                /// Picks four bytes of the pair `b:a` by the selector `c`.
                Prmt(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::prmt(a, b, c);
                /// Picks four bytes of the pair `b:a` by the selector `c` (`prmt.f4e`).
                PrmtF4e(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::prmt_f4e(a, b, c);
                /// Picks four bytes of the pair `b:a` by the selector `c` (`prmt.b4e`).
                PrmtB4e(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::prmt_b4e(a, b, c);
                /// Picks four bytes of the pair `b:a` by the selector `c` (`prmt.rc8`).
                PrmtRc8(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::prmt_rc8(a, b, c);
                /// Picks four bytes of the pair `b:a` by the selector `c` (`prmt.ecl`).
                PrmtEcl(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::prmt_ecl(a, b, c);
                /// Picks four bytes of the pair `b:a` by the selector `c` (`prmt.ecr`).
                PrmtEcr(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::prmt_ecr(a, b, c);
                /// Picks four bytes of the pair `b:a` by the selector `c` (`prmt.rc16`).
                PrmtRc16(a: u32, b: u32, c: u32) -> u32 [Apply] = numeric::int::b32::prmt_rc16(a, b, c);
                /// Sum of the four products of bytes, plus `c`.
                Dp4aUU(a: u32, b: u32, c: u32) -> u32 [DOT4] = numeric::int::dot::dp4a_u32_u32(a, b, c);
                /// Sum of the two products of halves with the low bytes, plus `c`.
                Dp2aLoUU(a: u32, b: u32, c: u32) -> u32 [DOT2_LOW] = numeric::int::dot::dp2a_lo_u32_u32(a, b, c);
                /// Sum of the two products of halves with the high bytes, plus `c`.
                Dp2aHiUU(a: u32, b: u32, c: u32) -> u32 [DOT2_HIGH] = numeric::int::dot::dp2a_hi_u32_u32(a, b, c);
                /// Sum of the four products of bytes, plus `c`.
                Dp4aUS(a: u32, b: u32, c: u32) -> u32 [DOT4] = numeric::int::dot::dp4a_u32_s32(a, b, c);
                /// Sum of the two products of halves with the low bytes, plus `c`.
                Dp2aLoUS(a: u32, b: u32, c: u32) -> u32 [DOT2_LOW] = numeric::int::dot::dp2a_lo_u32_s32(a, b, c);
                /// Sum of the two products of halves with the high bytes, plus `c`.
                Dp2aHiUS(a: u32, b: u32, c: u32) -> u32 [DOT2_HIGH] = numeric::int::dot::dp2a_hi_u32_s32(a, b, c);
                /// Sum of the four products of bytes, plus `c`.
                Dp4aSU(a: u32, b: u32, c: u32) -> u32 [DOT4] = numeric::int::dot::dp4a_s32_u32(a, b, c);
                /// Sum of the two products of halves with the low bytes, plus `c`.
                Dp2aLoSU(a: u32, b: u32, c: u32) -> u32 [DOT2_LOW] = numeric::int::dot::dp2a_lo_s32_u32(a, b, c);
                /// Sum of the two products of halves with the high bytes, plus `c`.
                Dp2aHiSU(a: u32, b: u32, c: u32) -> u32 [DOT2_HIGH] = numeric::int::dot::dp2a_hi_s32_u32(a, b, c);
                /// Sum of the four products of bytes, plus `c`.
                Dp4aSS(a: u32, b: u32, c: u32) -> u32 [DOT4] = numeric::int::dot::dp4a_s32_s32(a, b, c);
                /// Sum of the two products of halves with the low bytes, plus `c`.
                Dp2aLoSS(a: u32, b: u32, c: u32) -> u32 [DOT2_LOW] = numeric::int::dot::dp2a_lo_s32_s32(a, b, c);
                /// Sum of the two products of halves with the high bytes, plus `c`.
                Dp2aHiSS(a: u32, b: u32, c: u32) -> u32 [DOT2_HIGH] = numeric::int::dot::dp2a_hi_s32_s32(a, b, c);
                /// `a * b + c` to nearest even, subnormal operands and results flushed (`.ftz`).
                FmaFtzF32(a: u32, b: u32, c: u32) -> u32 [All] = numeric::f32::flush(numeric::f32::fma_rn(numeric::f32::flush(a), numeric::f32::flush(b), numeric::f32::flush(c)));
                /// `a * b + c`, rounded once.
                FmaF16(a: u32, b: u32, c: u32) -> u32 [Count(0xffff)] = u32::from(numeric::f16::fma_rn(a as u16, b as u16, c as u16));
                /// `a * b + c`, rounded once, in both halves.
                FmaF16x2(a: u32, b: u32, c: u32) -> u32 [Halves] = numeric::f16x2::fma_rn(a, b, c);
                /// `a * b + c`, rounded once.
                FmaBf16(a: u32, b: u32, c: u32) -> u32 [Count(0xffff)] = u32::from(numeric::bf16::fma_rn(a as u16, b as u16, c as u16));
                /// `a * b + c`, rounded once, in both halves.
                FmaBf16x2(a: u32, b: u32, c: u32) -> u32 [Halves] = numeric::bf16x2::fma_rn(a, b, c);
            }
            rounded {
                /// `a * b + c`, rounded once.
                FmaF32(a: u32, b: u32, c: u32; r) -> u32 [All] = numeric::f32::fma(a, b, c, r);
                /// `a * b + c`, rounded once.
                FmaF64(a: u64, b: u64, c: u64; r) -> u64 [All] = numeric::f64::fma(a, b, c, r);
            }
        }
    };
}
