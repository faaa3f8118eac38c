//! Quotients and remainders of integers of 32 bits, by way of binary64.

use super::Lower;
use super::numbers::rounding;
use super::values::{doubles, words};
use crate::isa::{U, V};
use crate::mir::O;
use ir::{BinaryOp, Class, Round, Src};
use regalloc2::VReg;

/// 2^52: the bits of a smaller integer, set in these, make its sum with it.
const INTEGERS: u64 = 0x4330_0000_0000_0000;

impl Lower<'_> {
    /// A vector of the quotients, or remainders, of integers of 32 bits. By zero, either has all bits set.
    pub(super) fn quotient(&mut self, op: BinaryOp, a: Src, b: Src, nth: usize) -> Option<VReg> {
        use BinaryOp as B;
        let (signed, remainder) = match op {
            B::DivU32 => (false, false),
            B::DivS32 => (true, false),
            B::RemU32 => (false, true),
            B::RemS32 => (true, true),
            _ => return None,
        };
        let [a, b] = [a, b].map(|src| self.vector(src, Class::W32, nth));
        let magnitudes = [a, b].map(|value| match signed {
            true => self.unary(U::AbsD, O::U(value)),
            false => value,
        });
        let [low, high] = [false, true].map(|upper| {
            // binary64 holds the operands. A quotient that is no integer is further from one than rounding takes it.
            let [a, b] = magnitudes.map(|value| self.doubles_of_words(value, upper));
            let quotient = self.binary(V::DivPd, a, O::U(b));
            let whole = self.immediate(U::RoundPd, quotient, rounding(Round::TowardZero));
            // Below 2^52, an integer is the low bits of its sum with that.
            let magic = self.pool(doubles(INTEGERS));
            self.binary(V::AddPd, whole, O::M(magic))
        });
        let mut found = self.low_words(low, high);
        if signed {
            let signs = self.binary(V::Xor, a, O::U(b));
            let negative = self.shift(U::SarD, signs, 31);
            let flipped = self.binary(V::Xor, found, O::U(negative));
            found = self.binary(V::SubD, flipped, O::U(negative));
        }
        if remainder {
            let product = self.binary(V::MulD, found, O::U(b));
            found = self.binary(V::SubD, a, O::U(product));
        }
        let (zero, all) = (self.pool(words(0)), self.pool(words(u32::MAX)));
        let by_zero = self.equal_words(b, O::M(zero));
        Some(self.blend(by_zero, O::M(all), found))
    }

    /// Unsigned integers of half a vector.
    fn doubles_of_words(&mut self, words: VReg, upper: bool) -> VReg {
        let half = if upper { self.immediate(U::UpperHalf, words, 1) } else { words };
        let wide = self.unary(U::WidenZero, O::U(half));
        let magic = self.pool(doubles(INTEGERS));
        let sum = self.binary(V::Or, wide, O::M(magic));
        self.binary(V::SubPd, sum, O::M(magic))
    }
}
