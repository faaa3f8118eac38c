//! Statements in which lanes of a warp meet.

use super::generator::Generator;
use super::region::Region;
use ir::{
    Access, Address, BinaryOp, Class, Collective, CompareOp, Members, Op, Ordering, Pred, Reg,
};
use ir::{Space, Src, UnaryOp};
use lanes::{MinMax, ReduxF32, ReduxOp, ShflMode, VoteMode};

/// What lanes at different instructions must have in common to meet.
#[derive(Clone, Copy)]
enum Kind {
    Shfl(ShflMode),
    Vote(VoteMode),
    Ballot,
    MatchAny(bool),
    MatchAll(bool),
    Redux(ReduxOp),
    ReduxF32(ReduxF32),
    Elect,
    WarpSync,
}

impl Generator<'_> {
    pub(super) fn meet(&mut self, what: Collective, members: Src) {
        self.b.push(Op::Collective { what, members: Members::Mask(members), aligned: false });
    }

    /// The mask of the members for which a predicate is true, in a new register.
    pub(super) fn ballot(&mut self, a: Pred, members: Src) -> Reg {
        let d = self.b.reg(Class::W32);
        self.meet(Collective::Ballot { d, a }, members);
        d
    }

    fn kind(&mut self) -> Kind {
        let wide = self.choices.one_in(2);
        match self.choices.below(12) {
            0..4 => Kind::Shfl(self.choices.pick(&ShflMode::ALL, ShflMode::Idx)),
            4 => Kind::Vote(self.choices.pick(&VoteMode::ALL, VoteMode::All)),
            5 => Kind::Ballot,
            6 => Kind::MatchAny(wide),
            7 => Kind::MatchAll(wide),
            8 => Kind::Redux(self.choices.pick(&ReduxOp::ALL, ReduxOp::Add)),
            9 => {
                let op = self.choices.pick(&[MinMax::Min, MinMax::Max], MinMax::Min);
                let (abs, propagate_nan) = (self.choices.one_in(2), self.choices.one_in(2));
                Kind::ReduxF32(ReduxF32 { op, abs, propagate_nan })
            }
            10 => Kind::Elect,
            _ => Kind::WarpSync,
        }
    }

    pub(super) fn collective_statement(&mut self, region: &Region) {
        let kind = self.kind();
        match self.choices.below(8) {
            // Some lanes pass by.
            4 => {
                let guard = self.kept_pred();
                let members = self.ballot(guard, region.mask).into();
                self.b.set_guard(Some(guard));
                self.collective(kind, members, members);
                self.b.set_guard(None);
            }
            // The lanes of one instruction name different members.
            5 => {
                let bit = Src::Imm(1 << self.choices.below(5));
                let bit = self.b.binary(BinaryOp::And32, self.fixed.lane, bit);
                let side = self.b.compare(CompareOp::NeI32, bit, Src::Imm(0));
                let one = self.ballot(side.into(), region.mask);
                let other = self.b.binary(BinaryOp::Xor32, region.mask, one);
                let members = self.b.select(Class::W32, side, one, other).into();
                self.collective(kind, members, members);
            }
            // Those named that have exited or never were do not count.
            6 if region.is_uniform() => {
                self.collective(kind, Src::Imm(u64::from(u32::MAX)), region.mask);
            }
            7 => self.active_mask(),
            _ => self.collective(kind, region.mask, region.mask),
        }
        if region.is_uniform() && self.choices.one_in(8) {
            self.transpose();
        }
    }

    /// A lane is always among the active ones; which others are, is the schedule's choice.
    fn active_mask(&mut self) {
        let active = self.b.reg(Class::W32);
        self.b.push(Op::ActiveMask { d: active });
        let own = self.b.binary(BinaryOp::ShrU32, active, self.fixed.lane);
        let d = self.target(Class::W32);
        self.b.binary_to(d, BinaryOp::And32, own, Src::Imm(1));
    }

    fn transpose(&mut self) {
        if self.has_exits || !self.threads.is_multiple_of(32) {
            return;
        }
        let (a, d) = (self.word(), self.target(Class::W32));
        self.meet(Collective::MovMatrix { d, a }, Src::Imm(u64::from(u32::MAX)));
    }

    /// A collective of `members`, of which `present` are those that come.
    fn collective(&mut self, kind: Kind, members: Src, present: Src) {
        match kind {
            Kind::Shfl(mode) => self.shuffle(mode, members, present),
            Kind::Vote(mode) => {
                let (a, d) = (self.pred(), self.target(Class::Pred));
                self.meet(Collective::Vote { mode, d, a }, members);
            }
            Kind::Ballot => {
                let (a, d) = (self.pred(), self.target(Class::W32));
                self.meet(Collective::Ballot { d, a }, members);
            }
            Kind::MatchAny(wide) => {
                let (a, d) = (self.matched(wide), self.target(Class::W32));
                self.meet(Collective::MatchAny { d, a, wide }, members);
            }
            Kind::MatchAll(wide) => {
                let a = self.matched(wide);
                let (d, p) = (self.target(Class::W32), self.target(Class::Pred));
                let (d, p) = match self.choices.below(3) {
                    0 => (Some(d), Some(p)),
                    1 => (Some(d), None),
                    _ => (None, Some(p)),
                };
                self.meet(Collective::MatchAll { d, p, a, wide }, members);
            }
            Kind::Redux(op) => {
                let (a, d) = (self.word(), self.target(Class::W32));
                self.meet(Collective::Redux { op, d, a }, members);
            }
            Kind::ReduxF32(mode) => {
                let (a, d) = (self.word(), self.target(Class::W32));
                self.meet(Collective::ReduxF32 { mode, d, a }, members);
            }
            Kind::Elect => {
                let (d, p) = (self.target(Class::W32), self.target(Class::Pred));
                let d = if self.choices.one_in(2) { Some(d) } else { None };
                self.meet(Collective::Elect { d, p }, members);
            }
            Kind::WarpSync => self.meet(Collective::WarpSync, members),
        }
    }

    /// A value of which some lanes have the same.
    fn matched(&mut self, wide: bool) -> Src {
        let few = Src::Imm(self.choices.below(4) as u64);
        match (wide, self.choices.one_in(2)) {
            (false, false) => self.word(),
            (false, true) => {
                let word = self.word();
                self.b.binary(BinaryOp::And32, word, few).into()
            }
            (true, false) => self.wide(),
            (true, true) => {
                let value = self.wide();
                self.b.binary(BinaryOp::And64, value, few).into()
            }
        }
    }

    /// What lanes get that read a lane which does not take part is undefined: they take their lane number instead.
    fn shuffle(&mut self, mode: ShflMode, members: Src, present: Src) {
        let a = self.word();
        let b = match self.choices.one_in(2) {
            true => Src::Imm(self.choices.below(33) as u64),
            false => self.word(),
        };
        let c = match self.choices.below(4) {
            0 => Src::Imm(0x1f),
            1 => Src::Imm(0),
            2 => Src::Imm(self.choices.below(0x2000) as u64),
            _ => self.word(),
        };
        let [value, source] = [0; 2].map(|_| self.b.reg(Class::W32));
        let in_range = self.b.reg(Class::Pred);
        // Registers are read once more below, and must not be what the result replaces.
        let mut keep = |src: Src| if let Src::Reg(_) = src { self.moved(src).into() } else { src };
        let (b, c) = (keep(b), keep(c));
        let lane = self.fixed.lane;
        let (d, p) = (value, Some(in_range));
        self.meet(Collective::Shfl { mode, d, p, a, b, c }, members);
        let amount = self.b.binary(BinaryOp::And32, b, Src::Imm(31));
        match mode {
            ShflMode::Up => self.b.binary_to(source, BinaryOp::SubI32, lane, amount),
            ShflMode::Down => self.b.binary_to(source, BinaryOp::AddI32, lane, amount),
            ShflMode::Bfly => self.b.binary_to(source, BinaryOp::Xor32, lane, amount),
            ShflMode::Idx => {
                let segment = self.b.binary(BinaryOp::ShrU32, c, Src::Imm(8));
                let segment = self.b.binary(BinaryOp::And32, segment, Src::Imm(31));
                let base = self.b.binary(BinaryOp::And32, lane, segment);
                let outside = self.b.unary(UnaryOp::Not32, segment);
                let index = self.b.binary(BinaryOp::And32, amount, outside);
                self.b.binary_to(source, BinaryOp::Or32, base, index);
            }
        }
        let source = self.b.select(Class::W32, in_range, source, lane);
        let here = self.b.binary(BinaryOp::ShrU32, present, source);
        let here = self.b.binary(BinaryOp::And32, here, Src::Imm(1));
        let here = self.b.compare(CompareOp::NeI32, here, Src::Imm(0));
        let (d, p) = (self.target(Class::W32), self.target(Class::Pred));
        self.b.push(Op::Select { d, a: value.into(), b: lane.into(), p: here.into() });
        if self.choices.one_in(2) {
            self.b.pred_to(p, in_range);
        }
    }

    /// Lanes meet at two instructions.
    pub(super) fn meet_from_two_sides(&mut self, region: &Region) {
        let (kind, p) = (self.kind(), self.pred());
        let (one, other, join) = (self.b.block(), self.b.block(), self.b.block());
        self.b.terminate(ir::Terminator::Branch { p, then: one, otherwise: other });
        for side in [one, other] {
            self.b.switch_to(side);
            self.collective(kind, region.mask, region.mask);
            self.b.terminate(ir::Terminator::Jump(join));
        }
        self.b.switch_to(join);
    }

    /// Lanes tell each other values through the own bytes of others, which they own again behind the second meeting.
    pub(super) fn warp_exchange(&mut self, region: &Region) {
        let (space, access, ordering) = (Space::Shared, Access::B32, Ordering::Weak);
        let value = self.word();
        let at = |base: Reg| Address { base: base.into(), offset: 4 };
        let address = at(self.fixed.own);
        self.b.push(Op::Store { values: vec![value], space, access, address, ordering });
        self.meet(Collective::WarpSync, region.mask);
        let flip = Src::Imm(1 << self.choices.below(5));
        let partner = self.b.binary(BinaryOp::Xor32, self.fixed.lane, flip);
        let here = self.b.binary(BinaryOp::ShrU32, region.mask, partner);
        let here = self.b.binary(BinaryOp::And32, here, Src::Imm(1));
        let here = self.b.compare(CompareOp::NeI32, here, Src::Imm(0));
        let thread = self.b.binary(BinaryOp::Xor32, self.fixed.thread, flip);
        let theirs = self.b.binary(BinaryOp::MulLo32, thread, Src::Imm(super::generator::OWN));
        let d = self.target(Class::W32);
        self.b.set_guard(Some(here.into()));
        self.b.push(Op::Load { d: vec![Some(d)], space, access, address: at(theirs), ordering });
        self.b.set_guard(None);
        self.meet(Collective::WarpSync, region.mask);
    }
}
