//! Operations on values whose lanes follow from the first: computed once, for that lane.

use super::Lower;
use super::value::{INT, Value, Vectors};
use crate::mir::{Base, Mem, O};
use iced_x86::{Code, ConditionCode};
use ir::analysis::{Affine, Shape};
use ir::{BinaryOp, Class, Op, Operand, Pred, Reg, Special, Src, TernaryOp, UnaryOp};
use regalloc2::VReg;

impl Lower<'_> {
    /// The first lane's result. `None` if the operation cannot be done so.
    pub(super) fn scalar_op(&mut self, op: &Op, place: u32) -> Option<VReg> {
        match op {
            Op::Unary { op, a, .. } => self.scalar_unary(*op, *a, place),
            Op::Binary { op, a, b, .. } => self.scalar_binary(*op, *a, *b, place),
            Op::Ternary { op, a, b, c, .. } => {
                let (wide, product) = match op {
                    TernaryOp::MadLo32 => (false, BinaryOp::MulLo32),
                    TernaryOp::MadLo64 => (true, BinaryOp::MulLo64),
                    TernaryOp::MadWideU32 => (true, BinaryOp::MulWideU32),
                    TernaryOp::MadWideS32 => (true, BinaryOp::MulWideS32),
                    _ => return None,
                };
                let product = self.scalar_binary(product, *a, *b, place)?;
                let class = if wide { Class::W64 } else { Class::W32 };
                let add = if wide { Code::Add_r64_rm64 } else { Code::Add_r32_rm32 };
                let c = self.scalar_src(*c, class);
                Some(self.tied(add, product, O::U(c)))
            }
            Op::Special { what: Special::Ctaid(dim), .. } => {
                let found = self.func.value(INT);
                let at = Mem::new(Base::Context, crate::context::CTA + 4 * dim.index() as i32);
                self.func.x(Code::Mov_r32_rm32, &[O::D(found), O::M(at)]);
                Some(found)
            }
            Op::Select { d, a, b, p: Pred::Const(first) } => {
                Some(self.scalar_src(if *first { *a } else { *b }, self.class(*d)))
            }
            Op::Select { d, a, b, p } if self.pred_is_uniform(*p) => {
                let class = self.class(*d);
                let (a, b) = (self.scalar_src(*a, class), self.scalar_src(*b, class));
                let bits = self.bits(*p);
                let found = self.func.value(INT);
                self.func.x(Code::Test_rm32_r32, &[O::U(bits), O::U(bits)]);
                let code =
                    if class == Class::W64 { Code::Cmovne_r64_rm64 } else { Code::Cmovne_r32_rm32 };
                self.func.x(code, &[O::Tied(found, b), O::U(a)]);
                Some(found)
            }
            _ => None,
        }
    }

    /// The first lane's result in each slice. Says whether the operation can be done so.
    pub(super) fn firsts_op(&mut self, op: &Op, d: Reg, place: u32) -> bool {
        // What is never chosen may vary.
        let unused = match op {
            Op::Select { a, b, p: Pred::Const(first), .. } => Some(if *first { *b } else { *a }),
            _ => None,
        };
        let mut used = Vec::new();
        op.operands(|operand| {
            if let Operand::Use(reg) = operand
                && self.class(reg) != Class::Pred
                && unused != Some(Src::Reg(reg))
            {
                used.push(reg);
            }
        });
        let lanes = self.slice_of(d);
        let operands: Vec<Vectors> =
            used.into_iter().map(|reg| self.firsts_in(reg, lanes)).collect();
        let of_slice =
            |slice: usize| operands.iter().map(|firsts| firsts[slice]).collect::<Vec<_>>();
        let mut made: Vec<VReg> = Vec::new();
        for slice in 0..self.gang.lanes() / lanes {
            // Of the same operands it is the same.
            let known = (0..slice).find(|other| of_slice(*other) == of_slice(slice));
            let found = match known {
                Some(other) => made[other],
                None => {
                    self.slice = Some((lanes, slice));
                    let found = self.scalar_op(op, place);
                    self.slice = None;
                    let Some(found) = found else { return false };
                    found
                }
            };
            made.push(found);
        }
        self.set(d, Value::firsts(made));
        true
    }

    pub(super) fn tied(&mut self, code: Code, a: VReg, b: O) -> VReg {
        let found = self.func.value(INT);
        self.func.x(code, &[O::Tied(found, a), b]);
        found
    }

    fn affine(&self, src: Src) -> Affine {
        match src {
            Src::Imm(value) => Affine::constant(value),
            Src::Reg(reg) => self.affine_of(reg).unwrap_or(Affine::UNIFORM),
        }
    }

    /// How lanes of a register follow from that which is computed, if they do.
    pub(super) fn affine_of(&self, reg: Reg) -> Option<Affine> {
        match self.slice {
            None => self.shape(reg).affine().cloned(),
            Some((lanes, _)) => self.shape(reg).in_slices(self.class(reg), lanes as u32),
        }
    }

    fn scalar_unary(&mut self, op: UnaryOp, a: Src, place: u32) -> Option<VReg> {
        let one = |this: &mut Self, code: Code| {
            let a = this.scalar_src(a, Class::W32);
            let found = this.func.value(INT);
            this.func.x(code, &[O::D(found), O::U(a)]);
            Some(found)
        };
        Some(match op {
            UnaryOp::Mov32 => self.scalar_src(a, Class::W32),
            UnaryOp::Mov64 => self.scalar_src(a, Class::W64),
            UnaryOp::Low32 => {
                // The upper halves of values of 32 bits are zero.
                let (a, found) = (self.scalar_src(a, Class::W64), self.func.value(INT));
                self.func.x(Code::Mov_r32_rm32, &[O::D(found), O::U(a)]);
                found
            }
            UnaryOp::ZeroExtend32 => self.extended(a, false, place),
            UnaryOp::SignExtend32 => self.extended(a, true, place),
            _ if !self.affine(a).is_uniform() => return None,
            UnaryOp::ZeroExtend8 => return one(self, Code::Movzx_r32_rm8),
            UnaryOp::ZeroExtend16 => return one(self, Code::Movzx_r32_rm16),
            UnaryOp::SignExtend8 => return one(self, Code::Movsx_r32_rm8),
            UnaryOp::SignExtend16 => return one(self, Code::Movsx_r32_rm16),
            UnaryOp::Popc32 => return one(self, Code::Popcnt_r32_rm32),
            UnaryOp::Clz32 => return one(self, Code::Lzcnt_r32_rm32),
            UnaryOp::Not32 => {
                let (a, found) = (self.scalar_src(a, Class::W32), self.func.value(INT));
                self.func.x(Code::Not_rm32, &[O::Tied(found, a)]);
                found
            }
            UnaryOp::NegI32 => {
                let (a, found) = (self.scalar_src(a, Class::W32), self.func.value(INT));
                self.func.x(Code::Neg_rm32, &[O::Tied(found, a)]);
                found
            }
            UnaryOp::High32 => {
                let (a, found) = (self.scalar_src(a, Class::W64), self.func.value(INT));
                self.func.x(Code::Shr_rm64_imm8, &[O::Tied(found, a), O::I8(32)]);
                found
            }
            _ => return None,
        })
    }

    /// A value of 32 bits as one of 64. Leaves the code if lanes do not follow from the first one then.
    pub(super) fn extended(&mut self, a: Src, signed: bool, place: u32) -> VReg {
        let affine = self.affine(a);
        let first = self.scalar_src(a, Class::W32);
        let found = self.func.value(INT);
        let widen = if signed { Code::Movsxd_r64_rm32 } else { Code::Mov_r32_rm32 };
        self.func.x(widen, &[O::D(found), O::U(first)]);
        let (low, high) = affine.extremes(32);
        let certain = match signed {
            false => affine.is_exact(32),
            true => {
                affine.is_exact(32)
                    && affine
                        .range
                        .is_some_and(|(_, last)| last as i64 + high <= i64::from(i32::MAX))
            }
        };
        if affine.is_uniform() || certain {
            return found;
        }
        for step in [low, high] {
            if step == 0 {
                continue;
            }
            let at = Mem::new(Base::Value(found), step as i32);
            let [end, back] = [0; 2].map(|_| self.func.value(INT));
            self.func.x(Code::Lea_r64_m, &[O::D(end), O::M(at)]);
            self.func.x(widen, &[O::D(back), O::U(end)]);
            self.guard(ConditionCode::ne, place, |this| {
                this.func.x(Code::Cmp_r64_rm64, &[O::U(back), O::U(end)]);
            });
        }
        found
    }

    fn scalar_binary(&mut self, op: BinaryOp, a: Src, b: Src, place: u32) -> Option<VReg> {
        use BinaryOp as B;
        let uniform = self.affine(a).is_uniform() && self.affine(b).is_uniform();
        let (class, code) = match op {
            B::AddI32 => (Class::W32, Code::Add_r32_rm32),
            B::SubI32 => (Class::W32, Code::Sub_r32_rm32),
            B::MulLo32 => (Class::W32, Code::Imul_r32_rm32),
            B::And32 => (Class::W32, Code::And_r32_rm32),
            B::Or32 if uniform => (Class::W32, Code::Or_r32_rm32),
            B::Xor32 if uniform => (Class::W32, Code::Xor_r32_rm32),
            B::AddI64 => (Class::W64, Code::Add_r64_rm64),
            B::SubI64 => (Class::W64, Code::Sub_r64_rm64),
            B::MulLo64 => (Class::W64, Code::Imul_r64_rm64),
            B::And64 => (Class::W64, Code::And_r64_rm64),
            B::Or64 if uniform => (Class::W64, Code::Or_r64_rm64),
            B::Xor64 if uniform => (Class::W64, Code::Xor_r64_rm64),
            B::MulWideU32 | B::MulWideS32 => {
                let signed = op == B::MulWideS32;
                let (a, b) = if matches!(a, Src::Imm(_)) { (b, a) } else { (a, b) };
                let a = self.extended(a, signed, place);
                if let Src::Imm(factor) = b
                    && let Ok(factor) = i32::try_from(factor as u32)
                {
                    let found = self.func.value(INT);
                    let operands = [O::D(found), O::U(a), O::I32(factor)];
                    self.func.x(Code::Imul_r64_rm64_imm32, &operands);
                    return Some(found);
                }
                let b = self.extended(b, signed, place);
                return Some(self.tied(Code::Imul_r64_rm64, a, O::U(b)));
            }
            B::Shl32 | B::ShrU32 | B::ShrS32 | B::Shl64 | B::ShrU64 | B::ShrS64 => {
                return self.scalar_shift(op, a, b);
            }
            B::MinS32 | B::MaxS32 | B::MinU32 | B::MaxU32 if uniform => {
                let (a, b) = (self.scalar_src(a, Class::W32), self.scalar_src(b, Class::W32));
                let code = match op {
                    B::MinS32 => Code::Cmovg_r32_rm32,
                    B::MaxS32 => Code::Cmovl_r32_rm32,
                    B::MinU32 => Code::Cmova_r32_rm32,
                    _ => Code::Cmovb_r32_rm32,
                };
                self.func.x(Code::Cmp_r32_rm32, &[O::U(a), O::U(b)]);
                return Some(self.tied(code, a, O::U(b)));
            }
            _ => return None,
        };
        let a = self.scalar_src(a, class);
        if let (Src::Imm(value), Some(code)) = (b, with_constant(op)) {
            let value = if class == Class::W32 {
                i64::from(value as u32 as i32)
            } else {
                value.cast_signed()
            };
            if let Ok(value) = i32::try_from(value) {
                return Some(self.tied(code, a, O::I32(value)));
            }
        }
        let b = self.scalar_src(b, class);
        Some(self.tied(code, a, O::U(b)))
    }

    fn scalar_shift(&mut self, op: BinaryOp, a: Src, b: Src) -> Option<VReg> {
        use BinaryOp as B;
        let (wide, code) = match op {
            B::Shl32 => (false, Code::Shl_rm32_imm8),
            B::ShrU32 => (false, Code::Shr_rm32_imm8),
            B::ShrS32 => (false, Code::Sar_rm32_imm8),
            B::Shl64 => (true, Code::Shl_rm64_imm8),
            B::ShrU64 => (true, Code::Shr_rm64_imm8),
            B::ShrS64 => (true, Code::Sar_rm64_imm8),
            _ => return None,
        };
        let bits = if wide { 64 } else { 32 };
        let class = if wide { Class::W64 } else { Class::W32 };
        let by = match b {
            Src::Imm(by) => by & 0xffff_ffff,
            Src::Reg(_) => self.affine(b).value()?,
        };
        if by >= bits {
            // All bits go, except that of the sign.
            return match op {
                B::ShrS32 | B::ShrS64 => None,
                _ => Some(self.number(0, class)),
            };
        }
        let a = self.scalar_src(a, class);
        Some(self.tied(code, a, O::I8(by as u8)))
    }

    pub(super) fn pred_is_uniform(&self, pred: ir::Pred) -> bool {
        pred.reg().is_none_or(|reg| {
            matches!(self.shape(reg), Shape::Affine(_)) || self.shape(reg).is_uniform()
        })
    }
}

/// The same instruction with a constant of 32 bits.
fn with_constant(op: BinaryOp) -> Option<Code> {
    Some(match op {
        BinaryOp::AddI32 => Code::Add_rm32_imm32,
        BinaryOp::SubI32 => Code::Sub_rm32_imm32,
        BinaryOp::And32 => Code::And_rm32_imm32,
        BinaryOp::Or32 => Code::Or_rm32_imm32,
        BinaryOp::Xor32 => Code::Xor_rm32_imm32,
        BinaryOp::AddI64 => Code::Add_rm64_imm32,
        BinaryOp::SubI64 => Code::Sub_rm64_imm32,
        BinaryOp::And64 => Code::And_rm64_imm32,
        BinaryOp::Or64 => Code::Or_rm64_imm32,
        BinaryOp::Xor64 => Code::Xor_rm64_imm32,
        _ => return None,
    })
}
