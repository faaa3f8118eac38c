//! Operations that compute lane by lane.

use super::{Row, Scene};
use crate::shadow::{Origin, transfer};
use ir::{CompareOp, Inst, Op, Pred, Reg, Src};

impl Scene<'_, '_> {
    /// Nearly always no operand is undefined, and then the result is defined.
    #[inline]
    pub(super) fn pure(&mut self, inst: &Inst, d: Reg, operands: [Option<Reg>; 3]) {
        for (warp, lanes) in self.view.group() {
            let registers = &mut self.cta.registers;
            let any = operands
                .into_iter()
                .flatten()
                .fold(0, |any, reg| any | registers.undefined(reg, warp));
            let tainted = any & lanes.0;
            registers.define(d, warp, lanes.0 & !tainted);
            if tainted != 0 {
                self.compute(inst, d, warp, tainted);
            }
        }
    }

    /// The result in lanes in which an operand is undefined.
    #[cold]
    fn compute(&mut self, inst: &Inst, d: Reg, warp: usize, lanes: u32) {
        let view = self.view;
        let row = |src, class| Row::of(view, src, class, warp);
        match &inst.op {
            Op::Unary { op, a, .. } => {
                for lane in lanes::LaneMask(lanes) {
                    let bits = transfer::unary(*op, self.bits(*a, warp, lane));
                    self.result(inst, d, &[*a], (warp, lane), bits, !transfer::moves(*op));
                }
            }
            Op::Binary { op, a, b, .. } => {
                let ([first, second], _) = op.signature();
                let (va, vb) = (row(*a, first), row(*b, second));
                for lane in lanes::LaneMask(lanes) {
                    let s = [self.bits(*a, warp, lane), self.bits(*b, warp, lane)];
                    let bits = transfer::binary(*op, s, [va.at(lane), vb.at(lane)]);
                    let computed = !transfer::packs(*op);
                    self.result(inst, d, &[*a, *b], (warp, lane), bits, computed);
                }
            }
            Op::Ternary { op, a, b, c, .. } => {
                let ([first, second, third], _) = op.signature();
                let (va, vb, vc) = (row(*a, first), row(*b, second), row(*c, third));
                for lane in lanes::LaneMask(lanes) {
                    let s = [*a, *b, *c].map(|src| self.bits(src, warp, lane));
                    let v = [va.at(lane), vb.at(lane), vc.at(lane)];
                    let bits = transfer::ternary(*op, s, v);
                    self.result(inst, d, &[*a, *b, *c], (warp, lane), bits, true);
                }
            }
            Op::Compare { op, a, b, .. } => self.compare(inst, *op, d, (*a, *b), (warp, lanes)),
            Op::Logic { table, a, b, .. } => {
                let (va, vb) = (view.pred(*a, warp), view.pred(*b, warp));
                for lane in lanes::LaneMask(lanes) {
                    let s = [self.is_undefined(*a, warp, lane), self.is_undefined(*b, warp, lane)];
                    let v = [va.contains(lane), vb.contains(lane)];
                    let bits = u64::from(transfer::logic(*table, s, v));
                    let from = if s[0] { a.reg() } else { b.reg() };
                    self.result_from(inst, d, from, (warp, lane), bits, true);
                }
            }
            Op::Select { a, b, p, .. } => {
                let class = self.cta.registers.class(d);
                let (va, vb, vp) = (row(*a, class), row(*b, class), view.pred(*p, warp));
                for lane in lanes::LaneMask(lanes) {
                    let s = [self.bits(*a, warp, lane), self.bits(*b, warp, lane)];
                    let undecided = self.is_undefined(*p, warp, lane);
                    let (v, chosen) = ([va.at(lane), vb.at(lane)], vp.contains(lane));
                    let full = transfer::full(class);
                    let bits = transfer::select((undecided, chosen), s, v, full);
                    let from = match (undecided, chosen) {
                        (true, _) => p.reg(),
                        (false, true) => super::reg_of(*a),
                        (false, false) => super::reg_of(*b),
                    };
                    self.result_from(inst, d, from, (warp, lane), bits, undecided);
                }
            }
            Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::AsyncCopy(_)
            | Op::Host { .. } => {}
        }
    }

    fn compare(
        &mut self,
        inst: &Inst,
        op: CompareOp,
        d: Reg,
        (a, b): (Src, Src),
        (warp, lanes): (usize, u32),
    ) {
        let ([first, second], _) = op.signature();
        let va = Row::of(self.view, a, first, warp);
        let vb = Row::of(self.view, b, second, warp);
        for lane in lanes::LaneMask(lanes) {
            let s = [self.bits(a, warp, lane), self.bits(b, warp, lane)];
            let bits = u64::from(transfer::compare(op, s, [va.at(lane), vb.at(lane)]));
            self.result(inst, d, &[a, b], (warp, lane), bits, true);
        }
    }

    /// Whether a predicate is undefined in a lane.
    pub(super) fn is_undefined(&self, pred: Pred, warp: usize, lane: u32) -> bool {
        pred.reg().is_some_and(|reg| self.cta.registers.bits(reg, warp, lane) != 0)
    }

    /// Writes a result whose undefined bits come from the first operand that has any.
    fn result(
        &mut self,
        inst: &Inst,
        d: Reg,
        operands: &[Src],
        (warp, lane): (usize, u32),
        bits: u64,
        computed: bool,
    ) {
        let undefined = |src: &&Src| self.bits(**src, warp, lane) != 0;
        let from = operands.iter().find(undefined).and_then(|src| super::reg_of(*src));
        self.result_from(inst, d, from, (warp, lane), bits, computed);
    }

    fn result_from(
        &mut self,
        inst: &Inst,
        d: Reg,
        from: Option<Reg>,
        (warp, lane): (usize, u32),
        bits: u64,
        computed: bool,
    ) {
        let mut origin = Origin::default();
        if bits != 0
            && let Some(from) = from
        {
            origin = self.origin(from, warp, lane, inst.place);
            if computed {
                origin = origin.computed();
            }
        }
        let bits = bits & transfer::full(self.cta.registers.class(d));
        self.cta.registers.set(d, warp, lane, bits, origin);
    }
}
