//! Vector operations on values of 64 bits, integers and binary64, and between these and 32 bits.

use super::Lower;
use super::lane_bits::Sets;
use super::numbers::rounding;
use super::value::{INT, Value, mask_class};
use super::values::doubles;
use crate::isa::{Family, U, V};
use crate::mir::O;
use iced_x86::Code;
use ir::{BinaryOp, Class, Reg, Src, TernaryOp, UnaryOp};
use regalloc2::{RegClass, VReg};

pub(super) const SIGN: u64 = 1 << 63;
/// The bit that makes a NaN quiet.
const QUIET: u64 = 1 << 51;

/// How values of 64 bits compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quads {
    Equal,
    /// Signed.
    Greater,
    /// The constant of `vcmppd`.
    Float(u8),
}

impl Lower<'_> {
    /// A vector of a result of one operand, which it takes or gives as 64 bits.
    pub(super) fn wide_unary(&mut self, op: UnaryOp, a: Src, nth: usize) -> Option<VReg> {
        use UnaryOp as N;
        Some(match op {
            N::High32 => {
                let [low, high] = [2 * nth, 2 * nth + 1].map(|nth| {
                    let whole = self.vector(a, Class::W64, nth);
                    self.shift(U::ShrQ, whole, 32)
                });
                self.low_words(low, high)
            }
            N::NegI64 => {
                let zero = self.vector(Src::Imm(0), Class::W64, nth);
                let a = self.operand(a, Class::W64, nth);
                self.binary(V::SubQ, zero, a)
            }
            N::AbsS64 => {
                let zero = self.vector(Src::Imm(0), Class::W64, nth);
                let a = self.vector(a, Class::W64, nth);
                let negated = self.binary(V::SubQ, zero, O::U(a));
                let negative = self.compare_quads(Quads::Greater, zero, a);
                self.blend_of(Class::W64, negative, O::U(negated), a)
            }
            N::NegF64 | N::AbsF64 => {
                let (what, bits) = if op == N::NegF64 { (V::Xor, SIGN) } else { (V::And, !SIGN) };
                let a = self.vector(a, Class::W64, nth);
                let bits = self.pool(doubles(bits));
                let changed = self.binary(what, a, O::M(bits));
                // A NaN stays as it is.
                let nan = self.compare_quads(Quads::Float(3), a, a);
                self.blend_of(Class::W64, nan, O::U(a), changed)
            }
            N::RoundF64(round) => {
                let a = self.vector(a, Class::W64, nth);
                self.immediate(U::RoundPd, a, rounding(round))
            }
            N::S32ToF64(_) => self.of_half(a, nth, U::CvtDq2Pd),
            N::F32ToF64 => {
                // The bits of a NaN show.
                self.canonical_src(a);
                self.of_half(a, nth, U::CvtPs2Pd)
            }
            N::F16ToF64 => {
                // A NaN keeps its sign and its payload on the way.
                let single = self.number_unary(N::F16ToF32, a, nth / 2)?;
                self.of_half_vector(single, nth, U::CvtPs2Pd)
            }
            _ => return None,
        })
    }

    /// A vector of 64 bits a lane made of half a vector of 32.
    pub(super) fn of_half(&mut self, a: Src, nth: usize, what: U) -> VReg {
        let whole = self.vector(a, Class::W32, nth / 2);
        self.of_half_vector(whole, nth, what)
    }

    fn of_half_vector(&mut self, whole: VReg, nth: usize, what: U) -> VReg {
        if nth.is_multiple_of(2) {
            return self.unary(what, O::U(whole));
        }
        let upper = self.immediate(U::UpperHalf, whole, 1);
        self.unary(what, O::U(upper))
    }

    /// The same of two operands.
    pub(super) fn wide_binary(&mut self, op: BinaryOp, a: Src, b: Src, nth: usize) -> Option<VReg> {
        use BinaryOp as B;
        Some(match op {
            B::MinF64 | B::MaxF64 => self.extreme_double(op == B::MinF64, a, b, nth),
            B::MulLo64 => {
                let (a, b) = (self.vector(a, Class::W64, nth), self.vector(b, Class::W64, nth));
                let (a_high, b_high) = (self.shift(U::ShrQ, a, 32), self.shift(U::ShrQ, b, 32));
                let low = self.binary(V::MulUQ, a, O::U(b));
                let one = self.binary(V::MulUQ, a_high, O::U(b));
                let other = self.binary(V::MulUQ, a, O::U(b_high));
                let middle = self.binary(V::AddQ, one, O::U(other));
                let high = self.shift(U::ShlQ, middle, 32);
                self.binary(V::AddQ, low, O::U(high))
            }
            B::MulHiU64 => {
                let (a, b) = (self.vector(a, Class::W64, nth), self.vector(b, Class::W64, nth));
                self.upper_product(a, b)
            }
            B::MulHiS64 => {
                let (a, b) = (self.vector(a, Class::W64, nth), self.vector(b, Class::W64, nth));
                let product = self.upper_product(a, b);
                // A negative factor counts 2^64 too many of the other.
                let zero = self.vector(Src::Imm(0), Class::W64, nth);
                [(a, b), (b, a)].into_iter().fold(product, |product, (sign, other)| {
                    let less = self.binary(V::SubQ, product, O::U(other));
                    let negative = self.compare_quads(Quads::Greater, zero, sign);
                    self.blend_of(Class::W64, negative, O::U(less), product)
                })
            }
            B::MinS64 | B::MaxS64 | B::MinU64 | B::MaxU64 => {
                let (a, b) = (self.vector(a, Class::W64, nth), self.vector(b, Class::W64, nth));
                let signed = matches!(op, B::MinS64 | B::MaxS64);
                let greater = self.greater(a, b, signed);
                let (greatest, least) =
                    if matches!(op, B::MaxS64 | B::MaxU64) { (a, b) } else { (b, a) };
                self.blend_of(Class::W64, greater, O::U(greatest), least)
            }
            B::ShrS64 => {
                let Src::Imm(by) = b else { return Some(self.shifted_signed(a, b, nth)) };
                let by = (by & 0xffff_ffff).min(63) as u8;
                let a = self.vector(a, Class::W64, nth);
                // Where the sign has gone to, extended from there.
                let sign = self.pool(doubles(SIGN >> by));
                let shifted = self.shift(U::ShrQ, a, by);
                let flipped = self.binary(V::Xor, shifted, O::M(sign));
                self.binary(V::SubQ, flipped, O::M(sign))
            }
            B::Shl64 | B::ShrU64 => {
                let (constant, each) =
                    if op == B::Shl64 { (U::ShlQ, V::ShlVQ) } else { (U::ShrQ, V::ShrVQ) };
                let a = self.vector(a, Class::W64, nth);
                match b {
                    Src::Imm(by) => self.shift(constant, a, (by & 0xffff_ffff).min(64) as u8),
                    Src::Reg(_) => {
                        let by = self.widened(b, nth, false);
                        self.binary(each, a, O::U(by))
                    }
                }
            }
            B::Pack64 => {
                let (low, high) = (self.widened(a, nth, false), self.widened(b, nth, false));
                let high = self.shift(U::ShlQ, high, 32);
                self.binary(V::Or, low, O::U(high))
            }
            _ => return None,
        })
    }

    /// The upper halves of products without sign.
    fn upper_product(&mut self, a: VReg, b: VReg) -> VReg {
        let (a_high, b_high) = (self.shift(U::ShrQ, a, 32), self.shift(U::ShrQ, b, 32));
        let low = self.binary(V::MulUQ, a, O::U(b));
        let one = self.binary(V::MulUQ, a_high, O::U(b));
        let other = self.binary(V::MulUQ, a, O::U(b_high));
        let high = self.binary(V::MulUQ, a_high, O::U(b_high));
        // No sum has more than 64 bits.
        let carry = self.shift(U::ShrQ, low, 32);
        let one = self.binary(V::AddQ, one, O::U(carry));
        let words = self.pool(doubles(0xffff_ffff));
        let part = self.binary(V::And, one, O::M(words));
        let other = self.binary(V::AddQ, other, O::U(part));
        let [one, other] = [one, other].map(|sum| self.shift(U::ShrQ, sum, 32));
        let high = self.binary(V::AddQ, high, O::U(one));
        self.binary(V::AddQ, high, O::U(other))
    }

    /// A shift to the right that keeps the sign, by a register: beyond 63 all bits are the sign's.
    fn shifted_signed(&mut self, a: Src, b: Src, nth: usize) -> VReg {
        let a = self.vector(a, Class::W64, nth);
        let by = self.widened(b, nth, false);
        // Where the sign has gone to, extended from there.
        let sign = self.pool(doubles(SIGN));
        let sign = self.unary(U::Load, O::M(sign));
        let [shifted, sign] = [a, sign].map(|value| self.binary(V::ShrVQ, value, O::U(by)));
        let flipped = self.binary(V::Xor, shifted, O::U(sign));
        let within = self.binary(V::SubQ, flipped, O::U(sign));
        let zero = self.vector(Src::Imm(0), Class::W64, nth);
        let negative = self.compare_quads(Quads::Greater, zero, a);
        let ones = self.vector(Src::Imm(u64::MAX), Class::W64, nth);
        let all = self.blend_of(Class::W64, negative, O::U(ones), zero);
        let bits = self.vector(Src::Imm(64), Class::W64, nth);
        let is_within = self.compare_quads(Quads::Greater, bits, by);
        self.blend_of(Class::W64, is_within, O::U(within), all)
    }

    /// The smaller or larger of numbers of binary64: see `extreme`. Of two NaNs the result is the second, made quiet.
    fn extreme_double(&mut self, smaller: bool, a: Src, b: Src, nth: usize) -> VReg {
        let (a, b) = (self.vector(a, Class::W64, nth), self.vector(b, Class::W64, nth));
        let what = if smaller { V::MinPd } else { V::MaxPd };
        let one = self.binary(what, a, O::U(b));
        let other = self.binary(what, b, O::U(a));
        let zeros = if smaller { V::Or } else { V::And };
        let both = self.binary(zeros, one, O::U(other));
        let [no_a, no_b] = [a, b].map(|value| self.compare_quads(Quads::Float(3), value, value));
        let quiet = self.quiet(b);
        let b = self.blend_of(Class::W64, no_b, O::U(quiet), b);
        let found = self.blend_of(Class::W64, no_b, O::U(a), both);
        self.blend_of(Class::W64, no_a, O::U(b), found)
    }

    /// The same of three.
    pub(super) fn wide_ternary(
        &mut self,
        op: TernaryOp,
        [a, b, c]: [Src; 3],
        nth: usize,
    ) -> Option<VReg> {
        match op {
            TernaryOp::MadLo64 => {
                let product = self.wide_binary(BinaryOp::MulLo64, a, b, nth)?;
                let c = self.operand(c, Class::W64, nth);
                Some(self.binary(V::AddQ, product, c))
            }
            TernaryOp::BitSelect64 => Some(self.bits_selected([a, b, c], Class::W64, nth)),
            _ => None,
        }
    }

    /// NaNs of binary64 made quiet.
    pub(super) fn quiet(&mut self, a: VReg) -> VReg {
        let quiet = self.pool(doubles(QUIET));
        self.binary(V::Or, a, O::M(quiet))
    }

    /// The lanes in which a value of 64 bits is greater than another.
    fn greater(&mut self, a: VReg, b: VReg, signed: bool) -> VReg {
        if signed {
            return self.compare_quads(Quads::Greater, a, b);
        }
        let sign = self.pool(doubles(SIGN));
        let [a, b] = [a, b].map(|value| self.binary(V::Xor, value, O::M(sign)));
        self.compare_quads(Quads::Greater, a, b)
    }

    /// The lanes of vectors of 64 bits a lane in which values compare so.
    pub(super) fn compare_quads(&mut self, how: Quads, a: VReg, b: VReg) -> VReg {
        let (code, constant) = match (self.family, how) {
            (Family::Avx2, Quads::Equal) => (Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256, None),
            (Family::Avx2, Quads::Greater) => (Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256, None),
            (Family::Avx2, Quads::Float(how)) => (Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8, Some(how)),
            (Family::Avx512, Quads::Equal) => (Code::EVEX_Vpcmpeqq_kr_k1_zmm_zmmm512b64, None),
            (Family::Avx512, Quads::Greater) => (Code::EVEX_Vpcmpgtq_kr_k1_zmm_zmmm512b64, None),
            (Family::Avx512, Quads::Float(how)) => {
                (Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae, Some(how))
            }
        };
        let found = self.func.value(mask_class(self.family));
        let mut operands = vec![O::D(found), O::U(a), O::U(b)];
        operands.extend(constant.map(O::I8));
        self.func.x(code, &operands);
        found
    }

    /// A comparison of values of 64 bits that vary; integers are unsigned or signed, and the answer may be the opposite one.
    pub(super) fn compare_wide(
        &mut self,
        d: Reg,
        (how, swapped, unsigned, negated): (Quads, bool, bool, bool),
        a: Src,
        b: Src,
    ) {
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let mut bits: Option<VReg> = None;
        let lanes = self.family.bytes() / 8;
        for nth in 0..self.count(Class::W64) {
            let (a, b) = (self.vector(a, Class::W64, nth), self.vector(b, Class::W64, nth));
            let mask = match how {
                Quads::Greater => self.greater(a, b, !unsigned),
                Quads::Equal | Quads::Float(_) => self.compare_quads(how, a, b),
            };
            let mut part = self.func.value(INT);
            let code = match self.family {
                Family::Avx2 => Code::VEX_Vmovmskpd_r32_ymm,
                Family::Avx512 => Code::VEX_Kmovb_r32_kr,
            };
            debug_assert_eq!(mask.class() == RegClass::Vector, self.family == Family::Avx512);
            self.func.x(code, &[O::D(part), O::U(mask)]);
            if nth > 0 {
                let by = O::I8((nth * lanes) as u8);
                part = self.tied(Code::Shl_rm64_imm8, part, by);
            }
            bits = Some(match bits {
                None => part,
                Some(bits) => self.lanes_of(Sets::Or, bits, part),
            });
        }
        let Some(mut bits) = bits else { return };
        if negated {
            bits = self.lanes_not(bits);
        }
        self.set(d, Value::scalar(bits));
    }
}
