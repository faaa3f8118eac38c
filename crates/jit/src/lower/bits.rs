//! Vector operations on the bits of 32-bit values, and what takes several instructions of them.

use super::Lower;
use super::values::words;
use crate::isa::{Family, U, UNORDERED, V};
use crate::mir::O;
use iced_x86::Code;
use ir::numeric::f32;
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
                self.set_bits(a)
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
            N::Clz32 => {
                let a = self.vector(a, Class::W32, nth);
                self.leading_zeros(a)
            }
            N::BfindU32 | N::BfindS32 => {
                let mut a = self.vector(a, Class::W32, nth);
                if op == N::BfindS32 {
                    // The bits of a negative number, inverted.
                    let sign = self.shift(U::SarD, a, 31);
                    a = self.binary(V::Xor, a, O::U(sign));
                }
                let zeros = self.leading_zeros(a);
                let last = self.pool(words(31));
                let last = self.unary(U::Load, O::M(last));
                self.binary(V::SubD, last, O::U(zeros))
            }
            N::Brev32 => {
                let a = self.vector(a, Class::W32, nth);
                self.reversed_bits(a, 4)
            }
            N::ReluF32 => {
                // The second operand is the result where either is no number; a zero loses its sign, as that does.
                let (zero, rest) =
                    (self.vector(Src::Imm(0), Class::W32, nth), self.pool(words(!(1 << 31))));
                let a = self.operand(a, Class::W32, nth);
                let positive = self.binary(V::MaxPs, zero, a);
                self.binary(V::And, positive, O::M(rest))
            }
            N::F32ToTf32Rna | N::F32ToTf32(_) => {
                let a = self.vector(a, Class::W32, nth);
                self.tf32_of(op, a)?
            }
            _ => return None,
        })
    }

    /// Values of so many bytes with their bits in the opposite order.
    pub(super) fn reversed_bits(&mut self, a: VReg, bytes: u8) -> VReg {
        // The bytes the other way round, then the halves of each, and the bits of each half.
        let mut order = [0; 16];
        order.iter_mut().zip(0u8..).for_each(|(byte, nth)| *byte = nth ^ (bytes - 1));
        let order = self.pool(sixteens(order));
        let a = self.binary(V::ShufB, a, O::M(order));
        let reversed = |half: u8| half.reverse_bits() >> 4;
        let table: [u8; 16] = std::array::from_fn(|half| reversed(half as u8));
        let low_table = self.pool(sixteens(table.map(|half| half << 4)));
        let high_table = self.pool(sixteens(table));
        let kept = self.pool([0x0f; 64]);
        let upper = self.shift(U::ShrD, a, 4);
        let [low, high] = [(a, low_table), (upper, high_table)].map(|(value, table)| {
            let half = self.binary(V::And, value, O::M(kept));
            let table = self.unary(U::Load, O::M(table));
            self.binary(V::ShufB, table, O::U(half))
        });
        self.binary(V::Or, low, O::U(high))
    }

    /// Numbers rounded to 11 bits: to nearest, where ties go away from zero or to even, or toward zero.
    fn tf32_of(&mut self, op: UnaryOp, a: VReg) -> Option<VReg> {
        const LOST: u32 = (1 << 13) - 1;
        let more = match op {
            UnaryOp::F32ToTf32Rna => {
                let half = self.pool(words(LOST / 2 + 1));
                self.binary(V::AddD, a, O::M(half))
            }
            UnaryOp::F32ToTf32(Round::NearestEven) => {
                let (one, less) = (self.pool(words(1)), self.pool(words(LOST / 2)));
                let kept = self.shift(U::ShrD, a, 13);
                let odd = self.binary(V::And, kept, O::M(one));
                let more = self.binary(V::AddD, a, O::M(less));
                self.binary(V::AddD, more, O::U(odd))
            }
            UnaryOp::F32ToTf32(Round::TowardZero) => a,
            _ => return None,
        };
        let (kept, nan) = (self.pool(words(!LOST)), self.pool(words(f32::NAN)));
        let rounded = self.binary(V::And, more, O::M(kept));
        let is_nan = self.compare_ps(a, O::U(a), UNORDERED);
        Some(self.blend(is_nan, O::M(nan), rounded))
    }

    /// How many bits of each word are set.
    pub(super) fn set_bits(&mut self, a: VReg) -> VReg {
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

    /// How many zeros stand before the highest bit of each word.
    fn leading_zeros(&mut self, a: VReg) -> VReg {
        if self.family == Family::Avx512 {
            return self.unary_code(Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32, a);
        }
        let zeros = self.bits_above(a, U::ShrD, 32);
        self.set_bits(zeros)
    }

    /// The bits above the highest one of values of so many bits, which an instruction shifts.
    pub(super) fn bits_above(&mut self, mut a: VReg, shift: U, bits: u8) -> VReg {
        // All bits below the highest are set, too: what is left are the zeros.
        for by in (0..bits.ilog2()).map(|power| 1 << power) {
            let moved = self.shift(shift, a, by);
            a = self.binary(V::Or, a, O::U(moved));
        }
        let ones = self.pool(words(u32::MAX));
        self.binary(V::Xor, a, O::M(ones))
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
            (Some(_), _) | (_, B::MulHiU32 | B::MulHiS32 | B::Pack32 | B::BfiMask32) => {
                [a, b].map(|src| self.vector(src, Class::W32, nth))
            }
            _ => return None,
        };
        if let Some(what) = flushing {
            let [a, b] = [a, b].map(|value| self.flushed(value));
            let found = self.binary(what, a, O::U(b));
            return Some(self.flushed(found));
        }
        if op == B::BfiMask32 {
            return Some(self.field_mask(a, b));
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
                let (Some(at), Some(length)) = (amount(b), amount(c)) else {
                    return (op == T::BfeU32).then(|| self.field([a, b, c], nth));
                };
                let (at, length) = (at & 0xff, length & 0xff);
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
            T::ShfLWrap | T::ShfRWrap | T::ShfLClamp | T::ShfRClamp => {
                let (low, high) =
                    (self.vector(a, Class::W32, nth), self.vector(b, Class::W32, nth));
                let left = matches!(op, T::ShfLWrap | T::ShfLClamp);
                let wraps = matches!(op, T::ShfLWrap | T::ShfRWrap);
                let Some(by) = amount(c) else {
                    return Some(self.funnel([low, high], c, left, wraps, nth));
                };
                let by = if wraps { by & 31 } else { by.min(32) } as u8;
                if by == 0 || by == 32 {
                    return Some(if left == (by == 0) { high } else { low });
                }
                let (up, down) = if left { (by, 32 - by) } else { (32 - by, by) };
                let high = self.shift(U::ShlD, high, up);
                let low = self.shift(U::ShrD, low, down);
                Some(self.binary(V::Or, high, O::U(low)))
            }
            T::Dp4aUU => Some(self.dot([a, b, c], [false, false], nth)),
            T::Dp4aUS => Some(self.dot([a, b, c], [false, true], nth)),
            T::Dp4aSU => Some(self.dot([a, b, c], [true, false], nth)),
            T::Dp4aSS => Some(self.dot([a, b, c], [true, true], nth)),
            T::Prmt => {
                let nibble = |byte: usize| amount(c).map_or(15, |it| it >> (4 * byte) & 15);
                if (0..4).any(|byte| nibble(byte) > 7) {
                    return Some(self.picked_bytes([a, b, c], nth));
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
                let found = self.fma(a, O::U(b), c, Round::NearestEven);
                Some(self.flushed(found))
            }
            _ => None,
        }
    }

    /// The upper half of a pair of words shifted to the left, or the lower half of one shifted to the right, by as much as each lane says.
    fn funnel(
        &mut self,
        [low, high]: [VReg; 2],
        by: Src,
        left: bool,
        wraps: bool,
        nth: usize,
    ) -> VReg {
        let by = self.vector(by, Class::W32, nth);
        let limit = self.pool(words(if wraps { 31 } else { 32 }));
        let by = self.binary(if wraps { V::And } else { V::MinUD }, by, O::M(limit));
        let width = self.pool(words(32));
        let width = self.unary(U::Load, O::M(width));
        let rest = self.binary(V::SubD, width, O::U(by));
        // By 32 and more, nothing is left.
        let (up, down) = if left { (by, rest) } else { (rest, by) };
        let high = self.binary(V::ShlVD, high, O::U(up));
        let low = self.binary(V::ShrVD, low, O::U(down));
        self.binary(V::Or, high, O::U(low))
    }

    /// The sum of the products of bytes, of which either operand's may be signed, and of a word (`dp4a`).
    fn dot(&mut self, [a, b, c]: [Src; 3], signed: [bool; 2], nth: usize) -> VReg {
        // Even and odd bytes as words of 16 bits.
        let [a, b] = [(a, signed[0]), (b, signed[1])].map(|(src, signed)| {
            let whole = self.vector(src, Class::W32, nth);
            if signed {
                let up = self.shift(U::ShlW, whole, 8);
                return [up, whole].map(|value| self.shift(U::SarW, value, 8));
            }
            let kept = self.pool(words(0x00ff_00ff));
            [self.binary(V::And, whole, O::M(kept)), self.shift(U::ShrW, whole, 8)]
        });
        let [even, odd] = [0, 1].map(|half| self.binary(V::MaddW, a[half], O::U(b[half])));
        let sum = self.binary(V::AddD, even, O::U(odd));
        let c = self.operand(c, Class::W32, nth);
        self.binary(V::AddD, sum, c)
    }

    /// Bytes of a pair of words, or what their signs are, as each lane says (`prmt.b32`).
    fn picked_bytes(&mut self, [a, b, selector]: [Src; 3], nth: usize) -> VReg {
        let [a, b, selector] = [a, b, selector].map(|src| self.vector(src, Class::W32, nth));
        // Each of the four picks in a byte of its own.
        let four = self.pool(words(0xffff));
        let mut picks = self.binary(V::And, selector, O::M(four));
        for (by, kept) in [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f)] {
            let up = self.shift(U::ShlD, picks, by);
            let both = self.binary(V::Or, picks, O::U(up));
            let kept = self.pool(words(kept));
            picks = self.binary(V::And, both, O::M(kept));
        }
        let [place, other, top, ones] =
            [0x0303_0303, 0x0404_0404, 0x8080_8080, 0x0101_0101].map(|it| self.pool(words(it)));
        let first = std::array::from_fn(|byte| byte as u8 & !3);
        let first = self.pool(sixteens(first));
        let place = self.binary(V::And, picks, O::M(place));
        let place = self.binary(V::Or, place, O::M(first));
        // The highest bit of a place makes a byte zero.
        let other = self.binary(V::And, picks, O::M(other));
        let not_a = self.shift(U::ShlD, other, 5);
        let not_b = self.binary(V::Xor, not_a, O::M(top));
        let [a, b] = [(a, not_a), (b, not_b)].map(|(word, not)| {
            let place = self.binary(V::Or, place, O::U(not));
            self.binary(V::ShufB, word, O::U(place))
        });
        let picked = self.binary(V::Or, a, O::U(b));
        // All bits of bytes whose highest bit was set in the bytes, and in the picks.
        let zero = self.vector(Src::Imm(0), Class::W32, nth);
        let [signs, wanted] = [(picked, 7), (picks, 3)].map(|(bytes, by)| {
            let bit = self.shift(U::ShrD, bytes, by);
            let bit = self.binary(V::And, bit, O::M(ones));
            self.binary(V::SubB, zero, O::U(bit))
        });
        self.chosen_bits(wanted, O::U(signs), O::U(picked))
    }

    /// A bit field, at a place and with a length that each lane says (`bfe.u32`).
    fn field(&mut self, operands: [Src; 3], nth: usize) -> VReg {
        let [a, at, length] = operands.map(|src| self.vector(src, Class::W32, nth));
        let (at, mask) = (self.low_byte(at), self.low_ones(length));
        let moved = self.binary(V::ShrVD, a, O::U(at));
        self.binary(V::And, moved, O::U(mask))
    }

    /// The bits of such a field.
    fn field_mask(&mut self, at: VReg, length: VReg) -> VReg {
        let (at, mask) = (self.low_byte(at), self.low_ones(length));
        self.binary(V::ShlVD, mask, O::U(at))
    }

    /// As many ones as the lowest byte says, from the lowest bit on.
    fn low_ones(&mut self, length: VReg) -> VReg {
        let length = self.low_byte(length);
        let one = self.pool(words(1));
        let one = self.unary(U::Load, O::M(one));
        let end = self.binary(V::ShlVD, one, O::U(length));
        self.binary(V::SubD, end, O::U(one))
    }

    fn low_byte(&mut self, a: VReg) -> VReg {
        let kept = self.pool(words(0xff));
        self.binary(V::And, a, O::M(kept))
    }

    /// The bits of `c` where those of `a` are set, else those of `b`.
    pub(super) fn bits_selected(&mut self, [a, b, c]: [Src; 3], class: Class, nth: usize) -> VReg {
        let mask = self.vector(a, class, nth);
        let c = self.operand(c, class, nth);
        let b = self.operand(b, class, nth);
        self.chosen_bits(mask, c, b)
    }

    /// The bits of one value where those of a mask are set, else those of another.
    pub(super) fn chosen_bits(&mut self, mask: VReg, a: O, b: O) -> VReg {
        let inside = self.binary(V::And, mask, a);
        let outside = self.binary(V::AndNot, mask, b);
        self.binary(V::Or, inside, O::U(outside))
    }
}
