//! Statements in which the threads of a CTA meet. All of them that have not exited come to each.

use super::generator::{Generator, OWN};
use super::memory::{COUNTERS, cell_of};
use super::region::{Region, Together};
use ir::{
    Access, Address, BarrierAction, BarrierReduction, BinaryOp, Builder, Class, CompareOp, Op,
};
use ir::{Ordering, Scope, Space, Special, Src, Terminator, Update};

impl Generator<'_> {
    pub(super) fn barrier_statement(&mut self, region: &Region) {
        match self.choices.below(6) {
            0 => {
                let id = self.barrier_id();
                let action = self.action();
                self.barrier(action, id);
            }
            1 | 2 => self.exchange(),
            3 => self.reduce_in_shared(),
            4 if self.is_independent => self.barrier_from_two_sides(region),
            _ => self.arrive_and_wait(),
        }
    }

    fn barrier_id(&mut self) -> Src {
        let id = self.choices.below(16) as u64;
        if !self.choices.one_in(4) {
            return Src::Imm(id);
        }
        let (value, _) = self.uniform();
        self.b.binary(BinaryOp::And32, value, Src::Imm(15)).into()
    }

    fn action(&mut self) -> BarrierAction {
        let p = self.pred();
        let op = match self.choices.below(4) {
            1 => BarrierReduction::Popc,
            2 => BarrierReduction::And,
            3 => BarrierReduction::Or,
            _ => return BarrierAction::Sync,
        };
        let class = if op == BarrierReduction::Popc { Class::W32 } else { Class::Pred };
        BarrierAction::Reduce { op, d: self.target(class), p }
    }

    /// Whether thread counts may be named: all threads of whole warps are there.
    fn is_complete(&self) -> bool {
        !self.has_exits && self.threads.is_multiple_of(32)
    }

    fn barrier(&mut self, action: BarrierAction, id: Src) {
        let counts = self.is_complete() && self.choices.one_in(3);
        let threads = counts.then_some(Src::Imm(u64::from(self.threads)));
        self.b.push(Op::Barrier { action, id, threads, aligned: false });
    }

    pub(super) fn sync(&mut self) {
        let id = self.barrier_id();
        self.barrier(BarrierAction::Sync, id);
    }

    /// Each thread leaves a word for another one.
    fn exchange(&mut self) {
        let (space, access, ordering) = (Space::Shared, Access::B32, Ordering::Weak);
        let base = i64::from(self.threads) * OWN as i64;
        let value = self.word();
        let own = self.b.binary(BinaryOp::MulLo32, self.fixed.thread, Src::Imm(4));
        // Those that read there before are done.
        self.sync();
        let address = Address { base: own.into(), offset: base };
        self.b.push(Op::Store { values: vec![value], space, access, address, ordering });
        self.sync();
        let distance = Src::Imm(self.choices.below(64) as u64);
        let theirs = self.b.binary(BinaryOp::AddI32, self.fixed.thread, distance);
        let theirs = self.b.binary(BinaryOp::RemU32, theirs, Src::Imm(u64::from(self.threads)));
        let theirs = self.b.binary(BinaryOp::MulLo32, theirs, Src::Imm(4));
        let address = Address { base: theirs.into(), offset: base };
        self.perhaps_guarded(|g| {
            let d = g.target(Class::W32);
            g.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
        });
    }

    /// Threads update one cell, and all look at what has become of it.
    fn reduce_in_shared(&mut self) {
        let nth = self.choices.below(COUNTERS.len());
        let op = COUNTERS.get(nth).copied().unwrap_or(BinaryOp::AddI32);
        let access = cell_of(op);
        let class = Builder::class_of(access);
        let offset = i64::from(self.threads) * (OWN as i64 + 8) + 8 * nth as i64;
        let (space, address) = (Space::Shared, Address { base: Src::Imm(0), offset });
        self.sync();
        self.perhaps_guarded(|g| {
            let b = g.value(class);
            let (update, ordering) = (Update::Apply(op), Ordering::Relaxed(Scope::Cta));
            g.b.push(Op::Atomic {
                d: None,
                update,
                space,
                access,
                address,
                b,
                c: Src::Imm(0),
                ordering,
            });
        });
        self.sync();
        let d = self.target(class);
        self.b.push(Op::Load {
            d: vec![Some(d)],
            space,
            access,
            address,
            ordering: Ordering::Weak,
        });
        self.sync();
    }

    /// Threads come to one barrier at two instructions.
    fn barrier_from_two_sides(&mut self, region: &Region) {
        let (id, p) = (self.barrier_id(), self.kept_pred());
        let action = self.action();
        let counts = self.is_complete() && self.choices.one_in(3);
        let threads = counts.then_some(Src::Imm(u64::from(self.threads)));
        self.on_two_sides(region, p, |g, mask| {
            g.statements(region.inner(mask, Together::Some), 2);
            g.b.push(Op::Barrier { action, id, threads, aligned: false });
            g.statements(region.inner(mask, Together::Some), 2);
        });
    }

    /// Every other warp arrives and goes on, while the others wait for it.
    fn arrive_and_wait(&mut self) {
        if !self.is_complete() {
            return self.sync();
        }
        let (id, threads) = (Src::Imm(3), Some(Src::Imm(u64::from(self.threads))));
        let warp = self.b.reg(Class::W32);
        self.b.push(Op::Special { d: warp, what: Special::Warpid });
        let odd = self.b.binary(BinaryOp::And32, warp, Src::Imm(1));
        let odd = self.b.compare(CompareOp::NeI32, odd, Src::Imm(0));
        let (one, other, join) = (self.b.block(), self.b.block(), self.b.block());
        self.b.terminate(Terminator::Branch { p: odd.into(), then: one, otherwise: other });
        for (side, action) in [(one, BarrierAction::Arrive), (other, BarrierAction::Sync)] {
            self.b.switch_to(side);
            self.b.push(Op::Barrier { action, id, threads, aligned: false });
            self.b.terminate(Terminator::Jump(join));
        }
        self.b.switch_to(join);
        // Nobody comes to that barrier again before it is complete.
        self.barrier(BarrierAction::Sync, Src::Imm(4));
    }
}
