//! Vector operations on the bits of values of 64 bits.

use super::Lower;
use super::values::{doubles, words};
use super::wide::{Quads, SIGN};
use crate::isa::{Family, U, V};
use crate::mir::O;
use iced_x86::Code;
use ir::{BinaryOp, Class, Src, UnaryOp};
use regalloc2::VReg;

impl Lower<'_> {
    /// A vector of a result of one operand.
    pub(super) fn wide_bits_unary(&mut self, op: UnaryOp, a: Src, nth: usize) -> Option<VReg> {
        use UnaryOp as N;
        if op == N::Brev64 {
            let a = self.vector(a, Class::W64, nth);
            return Some(self.reversed_bits(a, 8));
        }
        let of_word = match op {
            N::Popc64 => Self::set_bits_of_quads,
            N::Clz64 => Self::leading_zeros_of_quads,
            N::BfindU64 => |this: &mut Self, a| {
                let zeros = this.leading_zeros_of_quads(a);
                this.bit_behind(zeros)
            },
            N::BfindS64 => |this: &mut Self, a| {
                // The bits of a negative number, inverted.
                let zero = this.vector(Src::Imm(0), Class::W64, 0);
                let negative = this.compare_quads(Quads::Greater, zero, a);
                let ones = this.pool(words(u32::MAX));
                let inverted = this.binary(V::Xor, a, O::M(ones));
                let a = this.blend_of(Class::W64, negative, O::U(inverted), a);
                let zeros = this.leading_zeros_of_quads(a);
                this.bit_behind(zeros)
            },
            _ => return None,
        };
        let [low, high] = [2 * nth, 2 * nth + 1].map(|nth| {
            let a = self.vector(a, Class::W64, nth);
            of_word(self, a)
        });
        Some(self.low_words(low, high))
    }

    /// The same of two.
    pub(super) fn wide_bits_binary(
        &mut self,
        op: BinaryOp,
        (a, b): (Src, Src),
        nth: usize,
    ) -> Option<VReg> {
        let (class, sign) = match op {
            BinaryOp::CopysignF32 => (Class::W32, words(1 << 31)),
            BinaryOp::CopysignF64 => (Class::W64, doubles(SIGN)),
            _ => return None,
        };
        if class == Class::W32 {
            // The bits of a NaN show.
            [a, b].into_iter().for_each(|src| self.canonical_src(src));
        }
        let [a, b] = [a, b].map(|src| self.vector(src, class, nth));
        let sign = self.pool(sign);
        let sign = self.unary(U::Load, O::M(sign));
        Some(self.chosen_bits(sign, O::U(a), O::U(b)))
    }

    /// How many bits are set: in the lower half of each.
    fn set_bits_of_quads(&mut self, a: VReg) -> VReg {
        let halves = self.set_bits(a);
        let upper = self.shift(U::ShrQ, halves, 32);
        self.binary(V::AddD, halves, O::U(upper))
    }

    /// How many zeros stand before the highest bit: in the lower half of each.
    fn leading_zeros_of_quads(&mut self, a: VReg) -> VReg {
        if self.family == Family::Avx512 {
            return self.unary_code(Code::EVEX_Vplzcntq_zmm_k1z_zmmm512b64, a);
        }
        let zeros = self.bits_above(a, U::ShrQ, 64);
        self.set_bits_of_quads(zeros)
    }

    /// The number of a bit that has so many before it.
    fn bit_behind(&mut self, before: VReg) -> VReg {
        let last = self.pool(words(63));
        let last = self.unary(U::Load, O::M(last));
        self.binary(V::SubD, last, O::U(before))
    }
}
