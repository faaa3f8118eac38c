//! Operations that compute lane by lane.

use super::{Row, Scene};
use crate::shadow::term::{self, Term};
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
                    let term = self.term(*a, warp, lane).and_then(|a| term::unary(*op, a));
                    let how = (!transfer::moves(*op), term);
                    self.result(inst, d, &[*a], (warp, lane), bits, how);
                }
            }
            Op::Binary { op, a, b, .. } => {
                let ([first, second], _) = op.signature();
                let (va, vb) = (row(*a, first), row(*b, second));
                for lane in lanes::LaneMask(lanes) {
                    let s = [self.bits(*a, warp, lane), self.bits(*b, warp, lane)];
                    let v = [va.at(lane), vb.at(lane)];
                    let bits = transfer::binary(*op, s, v);
                    let terms = self.terms([*a, *b], warp, lane);
                    let term = terms.and_then(|terms| term::binary(*op, terms, v));
                    let how = (!transfer::packs(*op), term);
                    self.result(inst, d, &[*a, *b], (warp, lane), bits, how);
                }
            }
            Op::Ternary { op, a, b, c, .. } => {
                let ([first, second, third], _) = op.signature();
                let (va, vb, vc) = (row(*a, first), row(*b, second), row(*c, third));
                for lane in lanes::LaneMask(lanes) {
                    let s = [*a, *b, *c].map(|src| self.bits(src, warp, lane));
                    let v = [va.at(lane), vb.at(lane), vc.at(lane)];
                    let bits = transfer::ternary(*op, s, v);
                    let terms = self.terms([*a, *b, *c], warp, lane);
                    let term = terms.and_then(|terms| term::ternary(*op, terms, v));
                    self.result(inst, d, &[*a, *b, *c], (warp, lane), bits, (true, term));
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
                    self.result_from(inst, d, from, (warp, lane), bits, (true, None));
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
                    let (from, term) = match (undecided, chosen) {
                        (true, _) => (p.reg(), None),
                        (false, true) => (super::reg_of(*a), self.term(*a, warp, lane)),
                        (false, false) => (super::reg_of(*b), self.term(*b, warp, lane)),
                    };
                    self.result_from(inst, d, from, (warp, lane), bits, (undecided, term));
                }
            }
            Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
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
            self.result(inst, d, &[a, b], (warp, lane), bits, (true, None));
        }
    }

    /// The undefined parts of all operands, if something is known of each.
    fn terms<const N: usize>(
        &self,
        operands: [Src; N],
        warp: usize,
        lane: u32,
    ) -> Option<[Term; N]> {
        let mut terms = [Term::DEFINED; N];
        for (term, src) in terms.iter_mut().zip(operands) {
            *term = self.term(src, warp, lane)?;
        }
        Some(terms)
    }

    /// Whether a predicate is undefined in a lane.
    pub(super) fn is_undefined(&self, pred: Pred, warp: usize, lane: u32) -> bool {
        pred.reg().is_some_and(|reg| self.cta.registers.bits(reg, warp, lane) != 0)
    }

    /// Writes a result whose undefined bits come from the first operand that has any; `how` says whether the
    /// operation computed with it, and the result's undefined part, if something is known of that.
    fn result(
        &mut self,
        inst: &Inst,
        d: Reg,
        operands: &[Src],
        (warp, lane): (usize, u32),
        bits: u64,
        how: (bool, Option<Term>),
    ) {
        let undefined = |src: &&Src| self.bits(**src, warp, lane) != 0;
        let from = operands.iter().find(undefined).and_then(|src| super::reg_of(*src));
        self.result_from(inst, d, from, (warp, lane), bits, how);
    }

    fn result_from(
        &mut self,
        inst: &Inst,
        d: Reg,
        from: Option<Reg>,
        (warp, lane): (usize, u32),
        bits: u64,
        (computed, term): (bool, Option<Term>),
    ) {
        let cancelled = term == Some(Term::DEFINED);
        let full = transfer::full(self.cta.registers.class(d));
        let bits = if cancelled { 0 } else { bits & full };
        let mut origin = Origin::default();
        if bits != 0
            && let Some(from) = from
        {
            origin = self.origin(from, warp, lane, inst.place);
            if computed {
                origin = origin.computed();
            }
            origin = origin.with_term(term.unwrap_or_else(|| self.births.term()));
        }
        self.cta.registers.set(d, warp, lane, bits, origin);
    }
}
