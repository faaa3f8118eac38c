//! Arithmetic whose result is rounded as its operation says: one instruction each.

use super::Lower;
use super::value::FLOAT;
use super::wide::Quads;
use crate::isa::{U, V};
use crate::mir::O;
use iced_x86::Code;
use ir::{BinaryOp, Class, Round, Src, TernaryOp, UnaryOp};
use regalloc2::VReg;

/// The instruction of an operation of two numbers, what it takes and gives, whether its operands may change places, and how
/// it rounds.
fn instruction(op: BinaryOp) -> Option<(V, Class, bool, Round)> {
    use BinaryOp as B;
    Some(match op {
        B::AddF32(round) => (V::AddPs, Class::W32, true, round),
        B::SubF32(round) => (V::SubPs, Class::W32, false, round),
        B::MulF32(round) => (V::MulPs, Class::W32, true, round),
        B::DivF32(round) => (V::DivPs, Class::W32, false, round),
        // The processor returns the first NaN, as PTX does here.
        B::AddF64(round) => (V::AddPd, Class::W64, false, round),
        B::SubF64(round) => (V::SubPd, Class::W64, false, round),
        B::MulF64(round) => (V::MulPd, Class::W64, false, round),
        B::DivF64(round) => (V::DivPd, Class::W64, false, round),
        _ => return None,
    })
}

impl Lower<'_> {
    /// A vector of a result of one operand.
    pub(super) fn rounded_unary(&mut self, op: UnaryOp, a: Src, nth: usize) -> Option<VReg> {
        use UnaryOp as N;
        let of_one = |this: &mut Self, what: U, class: Class, round: Round| {
            let a = this.last_operand(a, class, nth, round);
            let found = this.func.value(FLOAT);
            this.func.x(what.code(this.family), &[O::D(found), a, O::Rounded(round)]);
            found
        };
        let inverse = |this: &mut Self, what: V, class: Class, one: u64, round: Round| {
            this.rounded(what, (Src::Imm(one), a), class, nth, round)
        };
        Some(match op {
            N::SqrtF32(round) => of_one(self, U::SqrtPs, Class::W32, round),
            N::SqrtF64(round) => of_one(self, U::SqrtPd, Class::W64, round),
            N::S32ToF32(round) => of_one(self, U::CvtDq2Ps, Class::W32, round),
            N::RcpF32(round) => inverse(self, V::DivPs, Class::W32, 1f32.to_bits().into(), round),
            N::RcpF64(round) => inverse(self, V::DivPd, Class::W64, 1f64.to_bits(), round),
            N::F64ToF32(round) => {
                let halves = [2 * nth, 2 * nth + 1].map(|nth| {
                    let a = self.last_operand(a, Class::W64, nth, round);
                    let found = self.func.value(FLOAT);
                    let code = U::CvtPd2Ps.code(self.family);
                    self.func.x(code, &[O::D(found), a, O::Rounded(round)]);
                    found
                });
                self.joined(halves)
            }
            _ => return None,
        })
    }

    /// The same of two.
    pub(super) fn rounded_binary(
        &mut self,
        op: BinaryOp,
        (a, b): (Src, Src),
        nth: usize,
    ) -> Option<VReg> {
        let (what, class, commutes, round) = instruction(op)?;
        // A constant is best in memory.
        let operands = if commutes && matches!(a, Src::Imm(_)) { (b, a) } else { (a, b) };
        Some(self.rounded(what, operands, class, nth, round))
    }

    /// The same of three.
    pub(super) fn rounded_ternary(
        &mut self,
        op: TernaryOp,
        [a, b, c]: [Src; 3],
        nth: usize,
    ) -> Option<VReg> {
        match op {
            TernaryOp::FmaF32(round) => {
                let sum = self.vector(c, Class::W32, nth);
                // A constant is best in memory.
                let (a, b) = if matches!(a, Src::Imm(_)) { (b, a) } else { (a, b) };
                let a = self.vector(a, Class::W32, nth);
                let b = self.last_operand(b, Class::W32, nth, round);
                Some(self.fma(a, b, sum, round))
            }
            TernaryOp::FmaF64(round) => {
                let [a, b, c] = [a, b, c].map(|src| self.vector(src, Class::W64, nth));
                let mut found = self.func.value(FLOAT);
                let operands = [O::Tied(found, c), O::U(a), O::U(b), O::Rounded(round)];
                self.func.x(U::FmaPd.code(self.family), &operands);
                // The first NaN is the result; processors have orders of their own.
                for operand in [c, b, a] {
                    let nan = self.compare_quads(Quads::Float(3), operand, operand);
                    let quiet = self.quiet(operand);
                    found = self.blend_of(Class::W64, nan, O::U(quiet), found);
                }
                Some(found)
            }
            _ => None,
        }
    }

    /// A multiplication and addition of `binary32`.
    pub(super) fn fma(&mut self, a: VReg, b: O, c: VReg, round: Round) -> VReg {
        let found = self.func.value(FLOAT);
        let operands = [O::Tied(found, c), O::U(a), b, O::Rounded(round)];
        self.func.x(U::FmaPs.code(self.family), &operands);
        found
    }

    /// What an instruction of one operand makes of it, rounded so.
    pub(super) fn rounded_code(&mut self, code: Code, a: VReg, round: Round) -> VReg {
        let found = self.func.value(FLOAT);
        self.func.x(code, &[O::D(found), O::U(a), O::Rounded(round)]);
        found
    }

    fn rounded(
        &mut self,
        what: V,
        (a, b): (Src, Src),
        class: Class,
        nth: usize,
        round: Round,
    ) -> VReg {
        let a = self.vector(a, class, nth);
        let b = self.last_operand(b, class, nth, round);
        let found = self.func.value(FLOAT);
        self.func.x(what.code(self.family), &[O::D(found), O::U(a), b, O::Rounded(round)]);
        found
    }

    /// The last operand: what rounds otherwise than to nearest takes none from memory.
    fn last_operand(&mut self, src: Src, class: Class, nth: usize, round: Round) -> O {
        match round {
            Round::NearestEven => self.operand(src, class, nth),
            Round::Down | Round::Up | Round::TowardZero => O::U(self.vector(src, class, nth)),
        }
    }
}
