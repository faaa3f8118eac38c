//! Vector operations on binary32 that take several instructions, and on the formats of 16 bits by way of it.

use super::Lower;
use super::value::FLOAT;
use super::values::words;
use crate::Level;
use crate::isa::{Family, U, UNORDERED, V};
use crate::mir::O;
use crate::x86;
use iced_x86::Code;
use ir::numeric::{bf16, f16};
use ir::{BinaryOp, Class, Round, Src, TernaryOp, UnaryOp};
use regalloc2::VReg;

const NEAREST: Round = Round::NearestEven;

/// The constant of `vroundps` that rounds so, and says nothing of what is lost.
pub(super) fn rounding(round: Round) -> u8 {
    8 | x86::rounding(round)
}

/// What is computed of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Add,
    Sub,
    Mul,
}

impl Step {
    /// The instruction that does so with numbers of binary32.
    fn of_singles(self) -> V {
        match self {
            Step::Add => V::AddPs,
            Step::Sub => V::SubPs,
            Step::Mul => V::MulPs,
        }
    }

    /// With numbers of binary16 (AVX512-FP16).
    fn of_halves(self) -> Code {
        match self {
            Step::Add => Code::EVEX_Vaddph_zmm_k1z_zmm_zmmm512b16_er,
            Step::Sub => Code::EVEX_Vsubph_zmm_k1z_zmm_zmmm512b16_er,
            Step::Mul => Code::EVEX_Vmulph_zmm_k1z_zmm_zmmm512b16_er,
        }
    }
}

/// A format of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    F16,
    Bf16,
}

impl Lower<'_> {
    /// A vector of a result of one operand.
    pub(super) fn number_unary(&mut self, op: UnaryOp, a: Src, nth: usize) -> Option<VReg> {
        use UnaryOp as N;
        Some(match op {
            N::RoundF32(round) => {
                let a = self.vector(a, Class::W32, nth);
                self.immediate(U::RoundPs, a, rounding(round))
            }
            N::F16ToF32 => {
                let a = self.vector(a, Class::W32, nth);
                match self.family {
                    Family::Avx2 => {
                        let [low, high] = self.numbers_of_pairs(a);
                        self.low_words(low, high)
                    }
                    Family::Avx512 => {
                        let halves = self.unary_code(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, a);
                        self.unary(U::CvtPh2Ps, O::U(halves))
                    }
                }
            }
            N::Bf16ToF32 => {
                let a = self.vector(a, Class::W32, nth);
                self.shift(U::ShlD, a, 16)
            }
            N::F32ToF16(round) => {
                let a = self.vector(a, Class::W32, nth);
                let number = self.canonical_vector(a);
                let halves = self.immediate(U::CvtPs2Ph, number, x86::rounding(round));
                self.unary(U::WidenHalves, O::U(halves))
            }
            N::F32ToBf16(NEAREST) => {
                let a = self.vector(a, Class::W32, nth);
                self.bf16_of(a)
            }
            _ => return None,
        })
    }

    /// The same of two.
    pub(super) fn number_binary(
        &mut self,
        op: BinaryOp,
        a: Src,
        b: Src,
        nth: usize,
    ) -> Option<VReg> {
        use BinaryOp as B;
        let (what, half, pair) = match op {
            B::AddF16 => (Step::Add, Half::F16, false),
            B::SubF16 => (Step::Sub, Half::F16, false),
            B::MulF16 => (Step::Mul, Half::F16, false),
            B::AddF16x2 => (Step::Add, Half::F16, true),
            B::SubF16x2 => (Step::Sub, Half::F16, true),
            B::MulF16x2 => (Step::Mul, Half::F16, true),
            B::AddBf16 => (Step::Add, Half::Bf16, false),
            B::SubBf16 => (Step::Sub, Half::Bf16, false),
            B::MulBf16 => (Step::Mul, Half::Bf16, false),
            B::AddBf16x2 => (Step::Add, Half::Bf16, true),
            B::SubBf16x2 => (Step::Sub, Half::Bf16, true),
            B::MulBf16x2 => (Step::Mul, Half::Bf16, true),
            _ => return None,
        };
        let [a, b] = [a, b].map(|src| self.vector(src, Class::W32, nth));
        let single = what.of_singles();
        // Rounding twice changes nothing: see `numeric::f16::add_rn`.
        let found = match half {
            Half::F16 if self.computes_halves() => {
                let found = self.func.value(FLOAT);
                self.func.x(what.of_halves(), &[O::D(found), O::U(a), O::U(b)]);
                self.canonical_halves(found)
            }
            Half::F16 => {
                let [[a, more_a], [b, more_b]] = [a, b].map(|pairs| self.numbers_of_pairs(pairs));
                let numbers = [(a, b), (more_a, more_b)];
                let results = numbers.map(|(a, b)| self.binary(single, a, O::U(b)));
                self.pairs_of_numbers(results)
            }
            Half::Bf16 => {
                let low = [a, b].map(|pairs| self.shift(U::ShlD, pairs, 16));
                let low = self.binary(single, low[0], O::U(low[1]));
                let low = self.bf16_of(low);
                if !pair {
                    return Some(low);
                }
                let upper = self.pool(words(0xffff_0000));
                let high = [a, b].map(|pairs| self.binary(V::And, pairs, O::M(upper)));
                let high = self.binary(single, high[0], O::U(high[1]));
                let high = self.bf16_of(high);
                let high = self.shift(U::ShlD, high, 16);
                self.binary(V::Or, low, O::U(high))
            }
        };
        Some(if pair { found } else { self.low_halves(found) })
    }

    /// The same of three.
    pub(super) fn number_ternary(
        &mut self,
        op: TernaryOp,
        operands: [Src; 3],
        nth: usize,
    ) -> Option<VReg> {
        let pair = match op {
            TernaryOp::FmaBf16 | TernaryOp::FmaBf16x2 => {
                let step = self.bf16_step(op, operands, nth);
                return Some(step.unwrap_or_else(|| self.bf16_fma(op, operands, nth)));
            }
            TernaryOp::FmaF16 => false,
            TernaryOp::FmaF16x2 => true,
            _ => return None,
        };
        let pairs = operands.map(|src| self.vector(src, Class::W32, nth));
        let found = if self.computes_halves() {
            let [a, b, c] = pairs;
            let found = self.func.value(FLOAT);
            let code = Code::EVEX_Vfmadd231ph_zmm_k1z_zmm_zmmm512b16_er;
            self.func.x(code, &[O::Tied(found, c), O::U(a), O::U(b)]);
            self.canonical_halves(found)
        } else {
            let [a, b, c] = pairs.map(|pairs| self.numbers_of_pairs(pairs));
            let results = [0, 1].map(|half| self.fma_to_odd([a[half], b[half], c[half]]));
            self.pairs_of_numbers(results)
        };
        Some(if pair { found } else { self.low_halves(found) })
    }

    /// Whether the processor computes with binary16 itself.
    fn computes_halves(&self) -> bool {
        self.input.level == Level::Avx512Fp16
    }

    /// Numbers of binary16, two in a lane, with canonical NaNs (AVX512-FP16).
    fn canonical_halves(&mut self, a: VReg) -> VReg {
        let compare = Code::EVEX_Vcmpph_kr_k1_zmm_zmmm512b16_imm8_sae;
        let nans = self.mask_of(compare, a, O::U(a), Some(UNORDERED));
        let nan = self.pool(words(u32::from(f16::NAN) * 0x1_0001));
        let found = self.func.value(FLOAT);
        let blend = Code::EVEX_Vpblendmw_zmm_k1z_zmm_zmmm512;
        self.func.x(blend, &[O::D(found), O::U(a), O::M(nan), O::Masked(nans)]);
        found
    }

    /// A multiplication and addition of `bf16` that is one or the other: compilers write both so (`__hadd2`, `__hmul2`).
    fn bf16_step(&mut self, op: TernaryOp, [a, b, c]: [Src; 3], nth: usize) -> Option<VReg> {
        const ONE: u64 = 0x3f80;
        const MINUS_ZERO: u64 = 0x8000;
        let pair = op == TernaryOp::FmaBf16x2;
        let is = |src: Src, number: u64| match src {
            Src::Imm(value) if pair => value as u32 == (number << 16 | number) as u32,
            Src::Imm(value) => value as u16 == number as u16,
            Src::Reg(_) => false,
        };
        let (add, multiply) = match pair {
            true => (BinaryOp::AddBf16x2, BinaryOp::MulBf16x2),
            false => (BinaryOp::AddBf16, BinaryOp::MulBf16),
        };
        match [a, b] {
            // A product is what it is with -0 added, +0 too.
            _ if is(c, MINUS_ZERO) => self.number_binary(multiply, a, b, nth),
            [a, one] | [one, a] if is(one, ONE) => self.number_binary(add, a, c, nth),
            _ => None,
        }
    }

    /// A multiplication and addition of `bf16`, of what that is in `binary32` rounded to odd: of the numbers next to an inexact result
    /// on both sides, one is odd.
    fn bf16_fma(&mut self, op: TernaryOp, operands: [Src; 3], nth: usize) -> VReg {
        let fma = |this: &mut Self, [a, b, c]: [VReg; 3], round| this.fma(a, O::U(b), c, round);
        let pairs = operands.map(|src| self.vector(src, Class::W32, nth));
        let low = pairs.map(|pair| self.shift(U::ShlD, pair, 16));
        if op == TernaryOp::FmaBf16 {
            let [down, up] = [Round::Down, Round::Up].map(|round| fma(self, low, round));
            let odd = self.odd_one(down, up);
            return self.bf16_of(odd);
        }
        let upper = self.pool(words(0xffff_0000));
        let high = pairs.map(|pair| self.binary(V::And, pair, O::M(upper)));
        let [down, up] =
            [Round::Down, Round::Up].map(|round| [low, high].map(|half| fma(self, half, round)));
        let [low, high] = [0, 1].map(|half| {
            let odd = self.odd_one(down[half], up[half]);
            self.bf16_of(odd)
        });
        let high = self.shift(U::ShlD, high, 16);
        self.binary(V::Or, low, O::U(high))
    }

    /// A multiplication and addition of binary16 in binary32, rounded to odd: the product is exact. See `numeric::f16::fma_rn`.
    fn fma_to_odd(&mut self, [a, b, c]: [VReg; 3]) -> VReg {
        match self.family {
            // Telling the processor how to round takes longer than to find what was lost.
            Family::Avx2 => {
                let product = self.binary(V::MulPs, a, O::U(b));
                self.sum_to_odd(product, c)
            }
            // Of the numbers next to an inexact result on both sides, one is odd.
            Family::Avx512 => {
                let [down, up] =
                    [Round::Down, Round::Up].map(|round| self.fma(a, O::U(b), c, round));
                let last = self.pool(words(1));
                let test = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
                let odd = self.mask_of(test, down, O::M(last), None);
                self.blend(odd, O::U(down), up)
            }
        }
    }

    /// The one of two values whose last bit is set, or the second.
    fn odd_one(&mut self, a: VReg, b: VReg) -> VReg {
        let last = self.shift(U::ShlD, a, 31);
        let odd = self.shift(U::SarD, last, 31);
        self.chosen_bits(odd, O::U(a), O::U(b))
    }

    /// A sum rounded to odd: see `numeric::round_to_odd`.
    fn sum_to_odd(&mut self, x: VReg, y: VReg) -> VReg {
        let sum = self.binary(V::AddPs, x, O::U(y));
        let y_part = self.binary(V::SubPs, sum, O::U(x));
        let x_part = self.binary(V::SubPs, sum, O::U(y_part));
        let x_error = self.binary(V::SubPs, x, O::U(x_part));
        let y_error = self.binary(V::SubPs, y, O::U(y_part));
        let error = self.binary(V::AddPs, x_error, O::U(y_error));
        // One away from zero where the signs agree, else one towards it.
        let (zero, one) = (self.pool(words(0)), self.pool(words(1)));
        let signs = self.binary(V::Xor, error, O::U(sum));
        let step = self.shift(U::SarD, signs, 31);
        let step = self.binary(V::Or, step, O::M(one));
        // Not where there is no error, where there is no number, and where the last bit is 1.
        let moves = self.compare_ps(error, O::M(zero), 0x0c);
        let none = self.vector(Src::Imm(0), Class::W32, 0);
        let step = self.blend(moves, O::U(step), none);
        let odd = self.binary(V::And, sum, O::M(one));
        let even = self.binary(V::SubD, odd, O::M(one));
        let step = self.binary(V::And, step, O::U(even));
        self.binary(V::AddD, sum, O::U(step))
    }

    /// The numbers in both halves of the lanes of half a vector, and of those of the other half.
    fn numbers_of_pairs(&mut self, pairs: VReg) -> [VReg; 2] {
        let upper = self.immediate(U::UpperHalf, pairs, 1);
        [pairs, upper].map(|half| self.unary(U::CvtPh2Ps, O::U(half)))
    }

    /// What [`Self::numbers_of_pairs`] takes apart, rounded to nearest even, with canonical NaNs.
    fn pairs_of_numbers(&mut self, numbers: [VReg; 2]) -> VReg {
        let halves = numbers.map(|numbers| {
            let canonical = self.canonical_vector(numbers);
            self.immediate(U::CvtPs2Ph, canonical, 0)
        });
        self.joined(halves)
    }

    /// A vector of two halves.
    pub(super) fn joined(&mut self, [low, high]: [VReg; 2]) -> VReg {
        self.with_upper_half(low, O::U(high))
    }

    pub(super) fn low_halves(&mut self, a: VReg) -> VReg {
        let low = self.pool(words(0xffff));
        self.binary(V::And, a, O::M(low))
    }

    /// Numbers rounded to nearest even in `bf16`, with canonical NaNs.
    fn bf16_of(&mut self, a: VReg) -> VReg {
        let (one, less) = (self.pool(words(1)), self.pool(words(0x7fff)));
        let nan = self.pool(words(bf16::NAN.into()));
        let kept = self.shift(U::ShrD, a, 16);
        let odd = self.binary(V::And, kept, O::M(one));
        let more = self.binary(V::AddD, a, O::M(less));
        let rounded = self.binary(V::AddD, more, O::U(odd));
        let rounded = self.shift(U::ShrD, rounded, 16);
        let is_nan = self.compare_ps(a, O::U(a), UNORDERED);
        self.blend(is_nan, O::M(nan), rounded)
    }
}
