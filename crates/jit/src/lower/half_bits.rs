//! Operations on the bits of numbers of 16 bits, one or two in a word: as integers, numbers of a sign are in order.

use super::Lower;
use super::values::words;
use crate::isa::{U, V};
use crate::mir::O;
use ir::numeric::{bf16, f16};
use ir::{BinaryOp, Class, Src, UnaryOp};
use regalloc2::VReg;

const SIGN: u16 = 1 << 15;

/// A format of 16 bits, and whether a word has two numbers of it.
#[derive(Clone, Copy)]
struct Format {
    infinity: u16,
    one: u16,
    nan: u16,
    pair: bool,
}

const F16: Format = Format { infinity: f16::INFINITY, one: f16::ONE, nan: f16::NAN, pair: false };
const F16X2: Format = Format { pair: true, ..F16 };
const BF16: Format =
    Format { infinity: bf16::INFINITY, one: bf16::ONE, nan: bf16::NAN, pair: false };
const BF16X2: Format = Format { pair: true, ..BF16 };

/// What becomes of one number.
#[derive(Clone, Copy)]
enum One {
    Neg,
    Abs,
    Flush,
    Saturate,
    Relu,
}

fn of_one(op: UnaryOp) -> Option<(One, Format)> {
    use UnaryOp as N;
    Some(match op {
        N::NegF16 => (One::Neg, F16),
        N::NegF16x2 => (One::Neg, F16X2),
        N::NegBf16 => (One::Neg, BF16),
        N::NegBf16x2 => (One::Neg, BF16X2),
        N::AbsF16 => (One::Abs, F16),
        N::AbsF16x2 => (One::Abs, F16X2),
        N::AbsBf16 => (One::Abs, BF16),
        N::AbsBf16x2 => (One::Abs, BF16X2),
        N::FlushF16 => (One::Flush, F16),
        N::FlushF16x2 => (One::Flush, F16X2),
        N::FlushBf16 => (One::Flush, BF16),
        N::FlushBf16x2 => (One::Flush, BF16X2),
        N::SaturateF16 => (One::Saturate, F16),
        N::SaturateF16x2 => (One::Saturate, F16X2),
        N::SaturateBf16 => (One::Saturate, BF16),
        N::SaturateBf16x2 => (One::Saturate, BF16X2),
        N::ReluF16 => (One::Relu, F16),
        N::ReluF16x2 => (One::Relu, F16X2),
        N::ReluBf16 => (One::Relu, BF16),
        N::ReluBf16x2 => (One::Relu, BF16X2),
        _ => return None,
    })
}

/// The smaller or larger of two numbers.
#[derive(Clone, Copy)]
struct Extreme {
    smaller: bool,
    /// Whether one NaN is enough for the result to be one.
    nan: bool,
}

fn of_two(op: BinaryOp) -> Option<(Extreme, Format)> {
    use BinaryOp as B;
    const MIN: Extreme = Extreme { smaller: true, nan: false };
    const MAX: Extreme = Extreme { smaller: false, nan: false };
    const MIN_NAN: Extreme = Extreme { nan: true, ..MIN };
    const MAX_NAN: Extreme = Extreme { nan: true, ..MAX };
    Some(match op {
        B::MinF16 => (MIN, F16),
        B::MinF16x2 => (MIN, F16X2),
        B::MinBf16 => (MIN, BF16),
        B::MinBf16x2 => (MIN, BF16X2),
        B::MaxF16 => (MAX, F16),
        B::MaxF16x2 => (MAX, F16X2),
        B::MaxBf16 => (MAX, BF16),
        B::MaxBf16x2 => (MAX, BF16X2),
        B::MinNanF16 => (MIN_NAN, F16),
        B::MinNanF16x2 => (MIN_NAN, F16X2),
        B::MinNanBf16 => (MIN_NAN, BF16),
        B::MinNanBf16x2 => (MIN_NAN, BF16X2),
        B::MaxNanF16 => (MAX_NAN, F16),
        B::MaxNanF16x2 => (MAX_NAN, F16X2),
        B::MaxNanBf16 => (MAX_NAN, BF16),
        B::MaxNanBf16x2 => (MAX_NAN, BF16X2),
        _ => return None,
    })
}

impl Lower<'_> {
    /// A vector of a result of one operand.
    pub(super) fn half_unary(&mut self, op: UnaryOp, a: Src, nth: usize) -> Option<VReg> {
        let (what, format) = of_one(op)?;
        let a = self.vector(a, Class::W32, nth);
        let (sign, rest) = (self.twice(SIGN), self.twice(!SIGN));
        let found = match what {
            One::Neg => {
                let number = self.binary(V::Xor, a, sign);
                self.unless_nan(format, a, number)
            }
            One::Abs => {
                let number = self.binary(V::And, a, rest);
                self.unless_nan(format, a, number)
            }
            One::Flush => {
                let exponent = self.twice(format.infinity);
                let exponent = self.binary(V::And, a, exponent);
                let one = self.twice(1);
                let below = self.binary(V::SubW, exponent, one);
                let small = self.shift(U::SarW, below, 15);
                // Nothing but the sign is left of them.
                let kept = self.binary(V::And, small, rest);
                self.binary(V::AndNot, kept, O::U(a))
            }
            One::Saturate => {
                let number = self.unless_negative(a);
                let nan = self.nan_halves(format, number);
                let number = self.binary(V::AndNot, nan, O::U(number));
                let one = self.twice(format.one);
                self.binary(V::MinSW, number, one)
            }
            One::Relu => {
                let number = self.unless_negative(a);
                self.unless_nan(format, a, number)
            }
        };
        Some(self.whole(format, found))
    }

    /// The same of two.
    pub(super) fn half_binary(&mut self, op: BinaryOp, a: Src, b: Src, nth: usize) -> Option<VReg> {
        let (Extreme { smaller, nan }, format) = of_two(op)?;
        let operands = [a, b].map(|src| self.vector(src, Class::W32, nth));
        let ranks = operands.map(|number| self.ranked(number));
        let what = if smaller { V::MinSW } else { V::MaxSW };
        let rank = self.binary(what, ranks[0], O::U(ranks[1]));
        // What brings numbers into order brings them back.
        let number = self.ranked(rank);
        let nans = operands.map(|number| self.nan_halves(format, number));
        let no_number = self.twice(format.nan);
        let found = if nan {
            let any = self.binary(V::Or, nans[0], O::U(nans[1]));
            self.chosen_bits(any, no_number, O::U(number))
        } else {
            let found = self.chosen_bits(nans[0], O::U(operands[1]), O::U(number));
            let found = self.chosen_bits(nans[1], O::U(operands[0]), O::U(found));
            let both = self.binary(V::And, nans[0], O::U(nans[1]));
            self.chosen_bits(both, no_number, O::U(found))
        };
        Some(self.whole(format, found))
    }

    /// A constant in all halves of words.
    fn twice(&mut self, half: u16) -> O {
        let word = u32::from(half);
        O::M(self.pool(words(word << 16 | word)))
    }

    /// Of a format of which a word has one number, the upper half is zero.
    fn whole(&mut self, format: Format, found: VReg) -> VReg {
        if format.pair { found } else { self.low_halves(found) }
    }

    /// All bits of the halves that are no numbers.
    fn nan_halves(&mut self, format: Format, a: VReg) -> VReg {
        let (rest, infinity) = (self.twice(!SIGN), self.twice(format.infinity));
        let magnitude = self.binary(V::And, a, rest);
        let infinity = self.unary(U::Load, infinity);
        let distance = self.binary(V::SubW, infinity, O::U(magnitude));
        self.shift(U::SarW, distance, 15)
    }

    /// What was made of numbers, but the canonical NaN of what is no number.
    fn unless_nan(&mut self, format: Format, a: VReg, number: VReg) -> VReg {
        let nan = self.nan_halves(format, a);
        let no_number = self.twice(format.nan);
        self.chosen_bits(nan, no_number, O::U(number))
    }

    fn unless_negative(&mut self, a: VReg) -> VReg {
        let negative = self.shift(U::SarW, a, 15);
        self.binary(V::AndNot, negative, O::U(a))
    }

    /// Numbers as signed integers in their order, and back.
    fn ranked(&mut self, a: VReg) -> VReg {
        let negative = self.shift(U::SarW, a, 15);
        let rest = self.shift(U::ShrW, negative, 1);
        self.binary(V::Xor, a, O::U(rest))
    }
}
