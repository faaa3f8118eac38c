//! Vector operations on the bits of 32-bit values, and what takes several instructions of them.

use super::Lower;
use super::value::FLOAT;
use super::values::words;
use crate::isa::{U, V};
use crate::mir::O;
use ir::{BinaryOp, Class, Round, Src, TernaryOp, UnaryOp};
use regalloc2::VReg;

const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;

/// 16 bytes over and over.
fn sixteens(bytes: [u8; 16]) -> [u8; 64] {
    let mut all = [0; 64];
    all.chunks_exact_mut(16).for_each(|chunk| chunk.copy_from_slice(&bytes));
    all
}

/// A number in all lanes of 32 bits of a shift.
fn amount(src: Src) -> Option<u32> {
    match src {
        Src::Imm(value) => Some(value as u32),
        Src::Reg(_) => None,
    }
}

impl Lower<'_> {
    /// A vector of a result of one operand.
    pub(super) fn bits_unary(&mut self, op: UnaryOp, a: Src, nth: usize) -> Option<VReg> {
        use UnaryOp as N;
        Some(match op {
            N::AbsS32 => {
                let a = self.operand(a, Class::W32, nth);
                self.unary(U::AbsD, a)
            }
            N::Popc32 => {
                let a = self.vector(a, Class::W32, nth);
                // Per half a byte, how many of its bits are set; then the sum of a word's bytes.
                let table = sixteens([0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]);
                let (table, low) = (self.pool(table), self.pool([0x0f; 64]));
                let upper = self.shift(U::ShrD, a, 4);
                let [low, high] = [a, upper].map(|value| {
                    let half = self.binary(V::And, value, O::M(low));
                    let table = self.unary(U::Load, O::M(table));
                    self.binary(V::ShufB, table, O::U(half))
                });
                let bytes = self.binary(V::AddB, low, O::U(high));
                let ones = self.pool([1; 64]);
                let sum = self.binary(V::MulD, bytes, O::M(ones));
                self.shift(U::ShrD, sum, 24)
            }
            N::FlushF32 => {
                let a = self.vector(a, Class::W32, nth);
                self.flushed(a)
            }
            N::SaturateF32 => {
                // The second operand is the result where the first is no number, or both are zero.
                let a = self.vector(a, Class::W32, nth);
                let (zero, one) = (self.pool(words(0)), self.pool(words(ONE)));
                let positive = self.binary(V::MaxPs, a, O::M(zero));
                self.binary(V::MinPs, positive, O::M(one))
            }
            N::U32ToF32(Round::NearestEven) => {
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
            N::F32ToS32(Round::TowardZero) => {
                let a = self.vector(a, Class::W32, nth);
                // What is too large, in either direction, or no number, becomes the smallest number.
                let found = self.unary(U::CvttPs2Dq, O::U(a));
                let limit = self.pool(words(2_147_483_648f32.to_bits()));
                let large = self.compare_ps(a, O::M(limit), 0x0d);
                let most = self.pool(words(i32::MAX.cast_unsigned()));
                let found = self.blend(large, O::M(most), found);
                let nan = self.compare_ps(a, O::U(a), 3);
                let zero = self.pool(words(0));
                self.blend(nan, O::M(zero), found)
            }
            _ => return None,
        })
    }

    /// Subnormal numbers made zero of the same sign.
    pub(super) fn flushed(&mut self, a: VReg) -> VReg {
        let (exponent, zero, rest) =
            (self.pool(words(INFINITY)), self.pool(words(0)), self.pool(words(1 << 31)));
        let exponent = self.binary(V::And, a, O::M(exponent));
        // As a number, an exponent is zero or not.
        let small = self.compare_ps(exponent, O::M(zero), 0);
        let sign = self.binary(V::And, a, O::M(rest));
        self.blend(small, O::U(sign), a)
    }

    /// The same of two operands.
    pub(super) fn bits_binary(&mut self, op: BinaryOp, a: Src, b: Src, nth: usize) -> Option<VReg> {
        use BinaryOp as B;
        let flushing = match op {
            B::AddFtzF32 => Some(V::AddPs),
            B::SubFtzF32 => Some(V::SubPs),
            B::MulFtzF32 => Some(V::MulPs),
            _ => None,
        };
        let [a, b] = match (flushing, op) {
            (Some(_), _) | (_, B::MulHiU32 | B::MulHiS32 | B::Pack32) => {
                [a, b].map(|src| self.vector(src, Class::W32, nth))
            }
            _ => return None,
        };
        if let Some(what) = flushing {
            let [a, b] = [a, b].map(|value| self.flushed(value));
            let found = self.binary(what, a, O::U(b));
            return Some(self.flushed(found));
        }
        if op == B::Pack32 {
            let low = self.pool(words(0xffff));
            let low = self.binary(V::And, a, O::M(low));
            let high = self.shift(U::ShlD, b, 16);
            return Some(self.binary(V::Or, low, O::U(high)));
        }
        let what = if op == B::MulHiS32 { V::MulSQ } else { V::MulUQ };
        let even = self.binary(what, a, O::U(b));
        let [a, b] = [a, b].map(|value| self.shift(U::ShrQ, value, 32));
        let odd = self.binary(what, a, O::U(b));
        let even = self.shift(U::ShrQ, even, 32);
        // Odd lanes have their upper words in place.
        Some(self.merged(even, odd, 0xaaaa_aaaa))
    }

    /// The same of three.
    pub(super) fn bits_ternary(
        &mut self,
        op: TernaryOp,
        [a, b, c]: [Src; 3],
        nth: usize,
    ) -> Option<VReg> {
        use TernaryOp as T;
        match op {
            T::BitSelect32 => Some(self.bits_selected([a, b, c], Class::W32, nth)),
            T::BfeU32 | T::BfeS32 => {
                let (at, length) = (amount(b)? & 0xff, amount(c)? & 0xff);
                let end = at + length;
                // Beyond the end there are signs, or zeros.
                let end = if op == T::BfeU32 && end > 32 { 32 } else { end };
                if length == 0 || end > 32 || at > 31 {
                    return None;
                }
                let a = self.vector(a, Class::W32, nth);
                let up = self.shift(U::ShlD, a, (32 - end) as u8);
                let back = if op == T::BfeU32 { U::ShrD } else { U::SarD };
                Some(self.shift(back, up, (32 - (end - at)) as u8))
            }
            T::ShfLWrap | T::ShfRWrap => {
                let by = (amount(c)? & 31) as u8;
                let (low, high) =
                    (self.vector(a, Class::W32, nth), self.vector(b, Class::W32, nth));
                let left = op == T::ShfLWrap;
                if by == 0 {
                    return Some(if left { high } else { low });
                }
                let (up, down) = if left { (by, 32 - by) } else { (32 - by, by) };
                let high = self.shift(U::ShlD, high, up);
                let low = self.shift(U::ShrD, low, down);
                Some(self.binary(V::Or, high, O::U(low)))
            }
            T::Prmt => {
                let selector = amount(c)?;
                let nibble = |byte: usize| selector >> (4 * byte) & 15;
                if (0..4).any(|byte| nibble(byte) > 7) {
                    return None;
                }
                // Bytes of the other operand are zero.
                let from = |first: u32| {
                    let mut bytes = [0x80; 16];
                    for (at, byte) in bytes.iter_mut().enumerate() {
                        let wanted = nibble(at % 4);
                        if (first..first + 4).contains(&wanted) {
                            *byte = (at / 4 * 4) as u8 + (wanted - first) as u8;
                        }
                    }
                    sixteens(bytes)
                };
                let (one, other) = (self.pool(from(0)), self.pool(from(4)));
                let (a, b) = (self.vector(a, Class::W32, nth), self.vector(b, Class::W32, nth));
                let a = self.binary(V::ShufB, a, O::M(one));
                let b = self.binary(V::ShufB, b, O::M(other));
                Some(self.binary(V::Or, a, O::U(b)))
            }
            T::FmaFtzF32 => {
                let [a, b, c] = [a, b, c].map(|src| {
                    let value = self.vector(src, Class::W32, nth);
                    self.flushed(value)
                });
                let found = self.func.value(FLOAT);
                self.func.x(U::FmaPs.code(self.level), &[O::Tied(found, c), O::U(a), O::U(b)]);
                Some(self.flushed(found))
            }
            _ => None,
        }
    }

    /// The bits of `c` where those of `a` are set, else those of `b`.
    pub(super) fn bits_selected(&mut self, [a, b, c]: [Src; 3], class: Class, nth: usize) -> VReg {
        let mask = self.vector(a, class, nth);
        let c = self.operand(c, class, nth);
        let b = self.operand(b, class, nth);
        let inside = self.binary(V::And, mask, c);
        let outside = self.binary(V::AndNot, mask, b);
        self.binary(V::Or, inside, O::U(outside))
    }
}
