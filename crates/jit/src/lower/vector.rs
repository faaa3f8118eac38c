//! Operations on all lanes, vector after vector.

use super::Lower;
use super::nans::leaves_nan_bits_open;
use super::value::{FLOAT, Value, Vectors};
use super::values::{doubles, words};
use crate::isa::{Family, U, UNORDERED, V};
use crate::mir::{Mem, O};
use iced_x86::Code;
use ir::numeric::f32;
use ir::{BinaryOp, Class, Float, Op, Pred, Reg, Round, Src, TernaryOp, UnaryOp};
use regalloc2::VReg;

const SIGN: u32 = 1 << 31;

impl Lower<'_> {
    /// Computes a result that varies. Says whether that can be done.
    pub(super) fn vector_op(&mut self, op: &Op, d: Reg) -> bool {
        let class = self.class(d);
        let takes = match op {
            Op::Unary { op, .. } => op.takes(),
            Op::Binary { op, .. } => op.takes(),
            Op::Ternary { op, .. } => op.takes(),
            _ => None,
        };
        // A choice between numbers and bits is one of bits.
        let chooses_numbers = |a: &Src, b: &Src| {
            [a, b].into_iter().all(|src| match src {
                Src::Imm(value) => !f32::from_bits(*value as u32).is_nan(),
                Src::Reg(reg) => self.known(*reg).nan,
            })
        };
        let passes_on = matches!(op, Op::Select { a, b, .. } if chooses_numbers(a, b))
            || matches!(op, Op::Unary { op, .. } if op.is_move() || *op == UnaryOp::FlushF32);
        let mut nan = leaves_nan_bits_open(op);
        let mut sources = Vec::new();
        op.operands(|operand| {
            if let ir::Operand::Use(reg) = operand {
                sources.push(reg);
            }
        });
        for reg in sources {
            if passes_on {
                nan |= self.known(reg).nan;
            } else if takes != Some(Float::F32) {
                self.canonical(reg);
            }
        }
        let demanded = self.demanded.lanes(d);
        let chosen = match op {
            Op::Select { p, .. } => self.shapes.constant_lanes(*p),
            _ => None,
        };
        let masks = match op {
            Op::Select { p, .. } if chosen.is_none() => Some(self.select_masks(*p, class)),
            _ => None,
        };
        let count = self.count(class);
        let mut vectors: Vec<Option<VReg>> = vec![None; count];
        for (nth, vector) in vectors.iter_mut().enumerate() {
            if demanded & self.gang.of_vector(nth, count) == 0 {
                continue;
            }
            let made = match (op, chosen, &masks) {
                (Op::Select { a, b, .. }, Some(lanes), _) => {
                    Some(self.chosen_vector(class, [*a, *b], lanes, demanded, nth))
                }
                (Op::Select { a, b, .. }, None, Some(masks)) => {
                    let b = self.vector(*b, class, nth);
                    let a = self.operand(*a, class, nth);
                    Some(self.blend_of(class, masks[nth], a, b))
                }
                _ => self.component(op, nth),
            };
            let Some(made) = made else { return false };
            *vector = Some(made);
        }
        // Vectors that nobody looks at may be anything.
        let any = match vectors.iter().flatten().next() {
            Some(any) => *any,
            None => self.vector(Src::Imm(0), Class::W32, 0),
        };
        let vectors = vectors.into_iter().map(|vector| vector.unwrap_or(any)).collect();
        self.set(d, Value { nan, ..Value::vectors(vectors) });
        true
    }

    /// The first lane's result of an operation that only vectors can do, on values that are the same in all lanes.
    pub(super) fn vector_op_once(&mut self, op: &Op, d: Reg) -> Option<VReg> {
        let class = self.class(d);
        if matches!(op, Op::Select { .. }) || class != Class::W32 {
            return None;
        }
        let vector = self.component(op, 0)?;
        let vector = if leaves_nan_bits_open(op) { self.canonical_vector(vector) } else { vector };
        let found = self.func.value(super::value::INT);
        let code = match self.family {
            Family::Avx2 => Code::VEX_Vmovd_rm32_xmm,
            Family::Avx512 => Code::EVEX_Vmovd_rm32_xmm,
        };
        self.func.x(code, &[O::D(found), O::U(vector)]);
        Some(found)
    }

    pub(super) fn shift(&mut self, what: U, a: VReg, by: u8) -> VReg {
        self.immediate(what, a, by)
    }

    /// An instruction of a vector and a constant.
    pub(super) fn immediate(&mut self, what: U, a: VReg, constant: u8) -> VReg {
        let found = self.func.value(FLOAT);
        self.func.x(what.code(self.family), &[O::D(found), O::U(a), O::I8(constant)]);
        found
    }

    pub(super) fn unary(&mut self, what: U, a: O) -> VReg {
        let found = self.func.value(FLOAT);
        self.func.x(what.code(self.family), &[O::D(found), a]);
        found
    }

    /// An instruction that only one family has, of a vector.
    pub(super) fn unary_code(&mut self, code: Code, a: VReg) -> VReg {
        self.rounded_code(code, a, Round::NearestEven)
    }

    fn words(&mut self, value: u32) -> O {
        O::M(self.pool(words(value)))
    }

    /// A vector of a result.
    fn component(&mut self, op: &Op, nth: usize) -> Option<VReg> {
        match op {
            Op::Unary { op, a, .. } => self.unary_component(*op, *a, nth),
            Op::Binary { op, a, b, .. } => self.binary_component(*op, *a, *b, nth),
            Op::Ternary { op, a, b, c, .. } => match op {
                TernaryOp::MadLo32 => {
                    let product = self.binary_component(BinaryOp::MulLo32, *a, *b, nth)?;
                    let c = self.operand(*c, Class::W32, nth);
                    Some(self.binary(V::AddD, product, c))
                }
                TernaryOp::MadWideU32 | TernaryOp::MadWideS32 => {
                    let wide = match op {
                        TernaryOp::MadWideU32 => BinaryOp::MulWideU32,
                        _ => BinaryOp::MulWideS32,
                    };
                    let product = self.binary_component(wide, *a, *b, nth)?;
                    let c = self.operand(*c, Class::W64, nth);
                    Some(self.binary(V::AddQ, product, c))
                }
                _ => {
                    let operands = [*a, *b, *c];
                    let found = self.rounded_ternary(*op, operands, nth);
                    let found = found.or_else(|| self.bits_ternary(*op, operands, nth));
                    let found = found.or_else(|| self.number_ternary(*op, operands, nth));
                    found.or_else(|| self.wide_ternary(*op, operands, nth))
                }
            },
            _ => None,
        }
    }

    fn unary_component(&mut self, op: UnaryOp, a: Src, nth: usize) -> Option<VReg> {
        use UnaryOp as N;
        let shifted = |this: &mut Self, back: U, by: u8| {
            let a = this.vector(a, Class::W32, nth);
            let up = this.shift(U::ShlD, a, by);
            this.shift(back, up, by)
        };
        Some(match op {
            N::Mov32 => self.vector(a, Class::W32, nth),
            N::Mov64 => self.vector(a, Class::W64, nth),
            N::Low32 => {
                let low = self.vector(a, Class::W64, 2 * nth);
                let high = self.vector(a, Class::W64, 2 * nth + 1);
                self.low_words(low, high)
            }
            N::ZeroExtend8 | N::ZeroExtend16 => {
                let mask = if op == N::ZeroExtend8 { 0xff } else { 0xffff };
                let (a, mask) = (self.vector(a, Class::W32, nth), self.words(mask));
                self.binary(V::And, a, mask)
            }
            N::SignExtend8 => shifted(self, U::SarD, 24),
            N::SignExtend16 => shifted(self, U::SarD, 16),
            N::ZeroExtend32 => self.widened(a, nth, false),
            N::SignExtend32 => self.widened(a, nth, true),
            N::Not32 | N::Not64 => {
                let class = if op == N::Not32 { Class::W32 } else { Class::W64 };
                let (a, ones) = (self.vector(a, class, nth), self.words(u32::MAX));
                self.binary(V::Xor, a, ones)
            }
            N::NegI32 => {
                let zero = self.vector(Src::Imm(0), Class::W32, nth);
                let a = self.operand(a, Class::W32, nth);
                self.binary(V::SubD, zero, a)
            }
            N::NegF32 => {
                let (a, sign) = (self.vector(a, Class::W32, nth), self.words(SIGN));
                self.binary(V::Xor, a, sign)
            }
            N::AbsF32 => {
                let (a, rest) = (self.vector(a, Class::W32, nth), self.words(!SIGN));
                self.binary(V::And, a, rest)
            }
            _ => {
                let found = self.rounded_unary(op, a, nth);
                let found = found.or_else(|| self.bits_unary(op, a, nth));
                let found = found.or_else(|| self.conversion(op, a, nth));
                let found = found.or_else(|| self.number_unary(op, a, nth));
                let found = found.or_else(|| self.half_unary(op, a, nth));
                let found = found.or_else(|| self.wide_bits_unary(op, a, nth));
                return found.or_else(|| self.wide_unary(op, a, nth));
            }
        })
    }

    /// The low halves of values of 64 bits in two vectors.
    pub(super) fn low_words(&mut self, low: VReg, high: VReg) -> VReg {
        self.even_words([low, high])
    }

    /// A vector of values of 32 bits, each as one of 64.
    pub(super) fn widened(&mut self, a: Src, nth: usize, signed: bool) -> VReg {
        let widen = if signed { U::WidenS } else { U::WidenZero };
        if let Src::Imm(value) = a {
            let value = value as u32;
            let wide = if signed { i64::from(value as i32) as u64 } else { u64::from(value) };
            return self.vector(Src::Imm(wide), Class::W64, nth);
        }
        match self.operand(a, Class::W32, nth / 2) {
            O::M(memory) => {
                let half = (nth % 2 * self.family.bytes() / 2) as i32;
                self.unary(widen, O::M(Mem { disp: memory.disp + half, ..memory }))
            }
            O::U(vector) if nth.is_multiple_of(2) => self.unary(widen, O::U(vector)),
            O::U(vector) => {
                let upper = self.immediate(U::UpperHalf, vector, 1);
                self.unary(widen, O::U(upper))
            }
            other => self.unary(widen, other),
        }
    }

    fn binary_component(&mut self, op: BinaryOp, a: Src, b: Src, nth: usize) -> Option<VReg> {
        use BinaryOp as B;
        let (what, class) = match op {
            B::AddI32 => (V::AddD, Class::W32),
            B::SubI32 => (V::SubD, Class::W32),
            B::MulLo32 => (V::MulD, Class::W32),
            B::And32 => (V::And, Class::W32),
            B::Or32 => (V::Or, Class::W32),
            B::Xor32 => (V::Xor, Class::W32),
            B::MinS32 => (V::MinSD, Class::W32),
            B::MaxS32 => (V::MaxSD, Class::W32),
            B::MinU32 => (V::MinUD, Class::W32),
            B::MaxU32 => (V::MaxUD, Class::W32),
            B::AddI64 => (V::AddQ, Class::W64),
            B::SubI64 => (V::SubQ, Class::W64),
            B::And64 => (V::And, Class::W64),
            B::Or64 => (V::Or, Class::W64),
            B::Xor64 => (V::Xor, Class::W64),
            B::Shl32 => return Some(self.shifted(a, b, nth, U::ShlD, V::ShlVD)),
            B::ShrU32 => return Some(self.shifted(a, b, nth, U::ShrD, V::ShrVD)),
            B::ShrS32 => return Some(self.shifted(a, b, nth, U::SarD, V::SarVD)),
            B::MulWideU32 | B::MulWideS32 => {
                let signed = op == B::MulWideS32;
                let a = self.widened(a, nth, signed);
                let b = self.widened(b, nth, signed);
                let what = if signed { V::MulSQ } else { V::MulUQ };
                return Some(self.binary(what, a, O::U(b)));
            }
            B::MinF32 | B::MaxF32 => return Some(self.extreme(op == B::MinF32, a, b, nth)),
            B::MinNanF32 | B::MaxNanF32 => {
                return Some(self.extreme_or_nan(op == B::MinNanF32, a, b, nth));
            }
            _ => {
                let found = self.rounded_binary(op, (a, b), nth);
                let found = found.or_else(|| self.bits_binary(op, a, b, nth));
                let found = found.or_else(|| self.number_binary(op, a, b, nth));
                let found = found.or_else(|| self.quotient(op, a, b, nth));
                let found = found.or_else(|| self.half_binary(op, a, b, nth));
                let found = found.or_else(|| self.wide_bits_binary(op, (a, b), nth));
                return found.or_else(|| self.wide_binary(op, a, b, nth));
            }
        };
        let commutes = !matches!(op, B::SubI32 | B::SubI64);
        // A constant is best in memory.
        let (a, b) = if commutes && matches!(a, Src::Imm(_)) { (b, a) } else { (a, b) };
        let a = self.vector(a, class, nth);
        let b = self.operand(b, class, nth);
        Some(self.binary(what, a, b))
    }

    fn shifted(&mut self, a: Src, b: Src, nth: usize, by_constant: U, by_lane: V) -> VReg {
        let a = self.vector(a, Class::W32, nth);
        match b {
            Src::Imm(by) => self.shift(by_constant, a, (by & 0xffff_ffff).min(32) as u8),
            Src::Reg(_) => {
                let by = self.operand(b, Class::W32, nth);
                self.binary(by_lane, a, by)
            }
        }
    }

    /// The smaller or larger of numbers, where a NaN loses and -0 is less than +0 (PTX ISA 9.1, `min`).
    fn extreme(&mut self, smaller: bool, a: Src, b: Src, nth: usize) -> VReg {
        let (a, b) = (self.vector(a, Class::W32, nth), self.vector(b, Class::W32, nth));
        let both = self.extremes(smaller, a, b);
        let no_a = self.compare_ps(a, O::U(a), UNORDERED);
        let no_b = self.compare_ps(b, O::U(b), UNORDERED);
        let found = self.blend(no_a, O::U(b), both);
        self.blend(no_b, O::U(a), found)
    }

    /// The same, where a NaN is the result.
    fn extreme_or_nan(&mut self, smaller: bool, a: Src, b: Src, nth: usize) -> VReg {
        let (a, b) = (self.vector(a, Class::W32, nth), self.vector(b, Class::W32, nth));
        let both = self.extremes(smaller, a, b);
        let unordered = self.compare_ps(a, O::U(b), UNORDERED);
        let nan = self.pool(words(f32::NAN));
        self.blend(unordered, O::M(nan), both)
    }

    /// The smaller or larger of numbers, where -0 is less than +0.
    fn extremes(&mut self, smaller: bool, a: VReg, b: VReg) -> VReg {
        let what = if smaller { V::MinPs } else { V::MaxPs };
        // Each takes its second operand of zeros, and where there is a NaN.
        let one = self.binary(what, a, O::U(b));
        let other = self.binary(what, b, O::U(a));
        let zeros = if smaller { V::Or } else { V::And };
        self.binary(zeros, one, O::U(other))
    }

    /// The masks of a choice between values of a class.
    fn select_masks(&mut self, p: Pred, class: Class) -> Vectors {
        match (class, self.masks(p)) {
            (Class::W64, _) => {
                let bits = self.bits(p);
                self.wide_masks(bits)
            }
            (_, Some(masks)) => masks,
            (_, None) => {
                let bits = self.bits(p);
                self.masks_of(bits)
            }
        }
    }

    /// The masks of a bit a lane, for values of 64 bits.
    pub(super) fn wide_masks(&mut self, bits: VReg) -> Vectors {
        let lanes = self.family.bytes() / 8;
        let count = self.count(Class::W64);
        match self.family {
            Family::Avx2 => {
                let all = self.broadcast(bits, Class::W64);
                (0..count)
                    .map(|nth| {
                        let mut bytes = doubles(0);
                        for (lane, chunk) in bytes.chunks_exact_mut(8).enumerate().take(lanes) {
                            chunk.copy_from_slice(&(1u64 << (nth * lanes + lane)).to_le_bytes());
                        }
                        let bit = self.pool(bytes);
                        let own = self.binary(V::And, all, O::M(bit));
                        let found = self.func.value(FLOAT);
                        let code = Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256;
                        self.func.x(code, &[O::D(found), O::U(own), O::M(bit)]);
                        found
                    })
                    .collect()
            }
            Family::Avx512 => (0..count)
                .map(|nth| {
                    let by = (nth * lanes) as u8;
                    let part = self.tied(Code::Shr_rm64_imm8, bits, O::I8(by));
                    let found = self.func.value(regalloc2::RegClass::Vector);
                    self.func.x(Code::VEX_Kmovw_kr_r32, &[O::D(found), O::U(part)]);
                    found
                })
                .collect(),
        }
    }

    /// A vector of the first value in constant lanes, else of the second; only some lanes are demanded.
    fn chosen_vector(
        &mut self,
        class: Class,
        [a, b]: [Src; 2],
        lanes: u64,
        demanded: u64,
        nth: usize,
    ) -> VReg {
        let of_vector = self.gang.of_vector(nth, self.count(class));
        let wanted = of_vector & demanded;
        if lanes & wanted == 0 {
            return self.vector(b, class, nth);
        }
        if lanes & wanted == wanted {
            return self.vector(a, class, nth);
        }
        let own = (lanes & wanted) >> of_vector.trailing_zeros();
        let [a, b] = [a, b].map(|src| self.vector(src, class, nth));
        let words_of_lane = if class == Class::W64 { 2 } else { 1 };
        let words = (0..self.family.lanes()).filter(|word| own >> (word / words_of_lane) & 1 != 0);
        let words = words.fold(0, |all, word| all | 1 << word);
        self.merged(b, a, words)
    }

    /// `a` where the mask is, else `b`, in lanes of a class.
    pub(super) fn blend_of(&mut self, class: Class, mask: VReg, a: O, b: VReg) -> VReg {
        if class == Class::W64 && self.family == Family::Avx512 {
            let found = self.func.value(FLOAT);
            let code = Code::EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64;
            self.func.x(code, &[O::D(found), O::U(b), a, O::Masked(mask)]);
            return found;
        }
        self.blend(mask, a, b)
    }
}
