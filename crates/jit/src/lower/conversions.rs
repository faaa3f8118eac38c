//! Conversions between integers and numbers.

use super::Lower;
use super::numbers::rounding;
use super::values::{doubles, words};
use super::wide::Quads;
use crate::isa::{Family, U, UNORDERED, V};
use crate::mir::O;
use iced_x86::Code;
use ir::{Class, Round, Src, UnaryOp};
use regalloc2::VReg;

/// 2^31 as binary32, and 2^32.
const TWO_31: u32 = 0x4f00_0000;
const TWO_32: u32 = 0x4f80_0000;
/// 2^63 as binary64.
const TWO_63: u64 = 0x43e0_0000_0000_0000;
/// 2^52 as binary64, and 2^84.
const TWO_52: u64 = 0x4330_0000_0000_0000;
const TWO_84: u64 = 0x4530_0000_0000_0000;

impl Lower<'_> {
    /// A vector of a result of one operand.
    pub(super) fn conversion(&mut self, op: UnaryOp, a: Src, nth: usize) -> Option<VReg> {
        use UnaryOp as N;
        if self.family == Family::Avx512
            && let Some(found) = self.wide_conversion(op, a, nth)
        {
            return Some(found);
        }
        Some(match op {
            N::U32ToF32(Round::NearestEven) => self.single_of_unsigned(a, nth),
            N::F32ToS32(round) => self.signed_of_single(a, round, nth),
            N::F32ToU32(round) => self.unsigned_of_single(a, round, nth),
            N::U32ToF64(_) => {
                // 2^52 with the integer as its low bits, less 2^52.
                let wide = self.widened(a, nth, false);
                let power = self.pool(doubles(TWO_52));
                let number = self.binary(V::Or, wide, O::M(power));
                self.binary(V::SubPd, number, O::M(power))
            }
            N::U64ToF64(Round::NearestEven) => self.double_of_quads(a, false, nth),
            N::S64ToF64(Round::NearestEven) => self.double_of_quads(a, true, nth),
            N::F64ToS32(round) | N::F64ToU32(round) => {
                self.word_of_double(a, matches!(op, N::F64ToS32(_)), round, nth)
            }
            _ => return None,
        })
    }

    /// The same of those that are instructions of AVX-512.
    fn wide_conversion(&mut self, op: UnaryOp, a: Src, nth: usize) -> Option<VReg> {
        use UnaryOp as N;
        let singles = |this: &mut Self, code: Code, round: Round| {
            let halves = [2 * nth, 2 * nth + 1].map(|nth| {
                let a = this.vector(a, Class::W64, nth);
                this.rounded_code(code, a, round)
            });
            this.joined(halves)
        };
        let same_width = |this: &mut Self, code: Code, class: Class, round: Round| {
            let a = this.vector(a, class, nth);
            this.rounded_code(code, a, round)
        };
        Some(match op {
            N::U32ToF32(round) => {
                let code = Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er;
                same_width(self, code, Class::W32, round)
            }
            N::U64ToF32(round) => singles(self, Code::EVEX_Vcvtuqq2ps_ymm_k1z_zmmm512b64_er, round),
            N::S64ToF32(round) => singles(self, Code::EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er, round),
            N::U64ToF64(round) => {
                let code = Code::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er;
                same_width(self, code, Class::W64, round)
            }
            N::S64ToF64(round) => {
                let code = Code::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er;
                same_width(self, code, Class::W64, round)
            }
            N::F32ToU64(round) | N::F32ToS64(round) => {
                let number = self.of_half(a, nth, U::CvtPs2Pd);
                self.quads_of_double(number, matches!(op, N::F32ToS64(_)), round)
            }
            N::F64ToU64(round) | N::F64ToS64(round) => {
                let number = self.vector(a, Class::W64, nth);
                self.quads_of_double(number, matches!(op, N::F64ToS64(_)), round)
            }
            _ => return None,
        })
    }

    /// Integers of 64 bits of numbers.
    fn quads_of_double(&mut self, number: VReg, signed: bool, round: Round) -> VReg {
        if signed {
            // What is too large in either direction, or no number, becomes the smallest.
            let code = Code::EVEX_Vcvtpd2qq_zmm_k1z_zmmm512b64_er;
            let found = self.rounded_code(code, number, round);
            let end = self.vector(Src::Imm(TWO_63), Class::W64, 0);
            let large = self.compare_quads(Quads::Float(0x0d), number, end);
            let most = self.pool(doubles(i64::MAX.cast_unsigned()));
            return self.blend_of(Class::W64, large, O::M(most), found);
        }
        // What is too large becomes the largest, and what is no number half of it and one.
        let zero = self.pool(doubles(0));
        let positive = self.binary(V::MaxPd, number, O::M(zero));
        let code = Code::EVEX_Vcvtpd2uqq_zmm_k1z_zmmm512b64_er;
        let found = self.rounded_code(code, positive, round);
        let nan = self.compare_quads(Quads::Float(3), number, number);
        let none = self.pool(doubles(1 << 63));
        self.blend_of(Class::W64, nan, O::M(none), found)
    }

    fn single_of_unsigned(&mut self, a: Src, nth: usize) -> VReg {
        // Halves as the low bits of 2^23 and 2^39; only the last sum is rounded.
        let a = self.vector(a, Class::W32, nth);
        let (mask, low, high) = (
            self.pool(words(0xffff)),
            self.pool(words(0x4b00_0000)),
            self.pool(words(0x5300_0000)),
        );
        let less = self.pool(words((549_755_813_888f32 + 8_388_608f32).to_bits()));
        let low_half = self.binary(V::And, a, O::M(mask));
        let low_half = self.binary(V::Or, low_half, O::M(low));
        let high_half = self.shift(U::ShrD, a, 16);
        let high_half = self.binary(V::Or, high_half, O::M(high));
        let high_half = self.binary(V::SubPs, high_half, O::M(less));
        self.binary(V::AddPs, high_half, O::U(low_half))
    }

    /// An operand rounded to integral values.
    fn integral(&mut self, a: Src, round: Round, nth: usize) -> VReg {
        let a = self.vector(a, Class::W32, nth);
        match round {
            // Conversions do that by themselves.
            Round::TowardZero => a,
            Round::NearestEven | Round::Down | Round::Up => {
                self.immediate(U::RoundPs, a, rounding(round))
            }
        }
    }

    fn signed_of_single(&mut self, a: Src, round: Round, nth: usize) -> VReg {
        let a = self.integral(a, round, nth);
        // What is too large, in either direction, or no number, becomes the smallest number.
        let found = self.unary(U::CvttPs2Dq, O::U(a));
        let limit = self.pool(words(TWO_31));
        let large = self.compare_ps(a, O::M(limit), 0x0d);
        let most = self.pool(words(i32::MAX.cast_unsigned()));
        let found = self.blend(large, O::M(most), found);
        let nan = self.compare_ps(a, O::U(a), UNORDERED);
        let zero = self.pool(words(0));
        self.blend(nan, O::M(zero), found)
    }

    fn unsigned_of_single(&mut self, a: Src, round: Round, nth: usize) -> VReg {
        let a = self.integral(a, round, nth);
        let [zero, half, end] = [0, TWO_31, TWO_32].map(|value| self.pool(words(value)));
        // What is no number becomes the second operand, too.
        let a = self.binary(V::MaxPs, a, O::M(zero));
        // Of those from 2^31 on, what is beyond it, and the highest bit.
        let large = self.compare_ps(a, O::M(half), 0x0d);
        let rest = self.binary(V::SubPs, a, O::M(half));
        let low = self.blend(large, O::U(rest), a);
        let low = self.unary(U::CvttPs2Dq, O::U(low));
        let bit = self.pool(words(1 << 31));
        let high = self.binary(V::Or, low, O::M(bit));
        let found = self.blend(large, O::U(high), low);
        let beyond = self.compare_ps(a, O::M(end), 0x0d);
        let most = self.pool(words(u32::MAX));
        self.blend(beyond, O::M(most), found)
    }

    fn double_of_quads(&mut self, a: Src, signed: bool, nth: usize) -> VReg {
        const SIGN: u64 = 1 << 31;
        // Halves as the low bits of 2^52 and 2^84; only the last sum is rounded. A sign becomes 2^63 more.
        let a = self.vector(a, Class::W64, nth);
        let (two_52, two_84) = (f64::from_bits(TWO_52), f64::from_bits(TWO_84));
        let (power, more) = match signed {
            true => (TWO_84 ^ SIGN, two_52 + (1u64 << 63) as f64),
            false => (TWO_84, two_52),
        };
        let (mask, low, high, less) = (
            self.pool(doubles(u64::from(u32::MAX))),
            self.pool(doubles(TWO_52)),
            self.pool(doubles(power)),
            self.pool(doubles((two_84 + more).to_bits())),
        );
        let low_half = self.binary(V::And, a, O::M(mask));
        let low_half = self.binary(V::Or, low_half, O::M(low));
        let high_half = self.shift(U::ShrQ, a, 32);
        let high_half = self.binary(V::Xor, high_half, O::M(high));
        let high_half = self.binary(V::SubPd, high_half, O::M(less));
        self.binary(V::AddPd, high_half, O::U(low_half))
    }

    fn word_of_double(&mut self, a: Src, signed: bool, round: Round, nth: usize) -> VReg {
        // 1.5 times 2^52: the low bits of a sum with it are an integer of either sign.
        const INTEGERS: u64 = 0x4338_0000_0000_0000;
        let (least, most) = match signed {
            true => (f64::from(i32::MIN), f64::from(i32::MAX)),
            false => (0.0, f64::from(u32::MAX)),
        };
        let [least, most, magic] =
            [least.to_bits(), most.to_bits(), INTEGERS].map(|value| self.pool(doubles(value)));
        // What is no number becomes 2^31.
        let nan = self.pool(doubles(match signed {
            true => f64::from(i32::MIN).to_bits(),
            false => (f64::from(i32::MAX) + 1.0).to_bits(),
        }));
        let [low, high] = [2 * nth, 2 * nth + 1].map(|nth| {
            let a = self.vector(a, Class::W64, nth);
            let whole = self.immediate(U::RoundPd, a, rounding(round));
            let whole = self.binary(V::MaxPd, whole, O::M(least));
            let whole = self.binary(V::MinPd, whole, O::M(most));
            let no_number = self.compare_quads(Quads::Float(3), a, a);
            let whole = self.blend_of(Class::W64, no_number, O::M(nan), whole);
            self.binary(V::AddPd, whole, O::M(magic))
        });
        self.low_words(low, high)
    }
}
