//! Branches, loops and exits.

use super::generator::Generator;
use super::region::{Loop, Region, Together};
use ir::{BinaryOp, Class, CompareOp, Pred, Reg, Src, Terminator, UnaryOp};

impl Generator<'_> {
    /// A condition, and in which threads it is the same.
    fn condition(&mut self) -> (Pred, Together) {
        match self.choices.below(8) {
            5 => return (self.in_some_warps(), Together::Some),
            6.. => {}
            _ => return (self.kept_pred(), Together::Some),
        }
        let (value, who) = self.uniform();
        let few = self.b.binary(BinaryOp::And32, value, Src::Imm(3));
        let bound = Src::Imm(self.choices.below(4) as u64);
        (self.b.compare(CompareOp::LtU32, few, bound).into(), who)
    }

    /// Perhaps some registers begin anew with values that all lanes share: what was done to them before mattered only there.
    fn begin_anew(&mut self) {
        if self.choices.one_in(2) {
            return;
        }
        for d in self.words.clone() {
            if self.choices.one_in(2) {
                let (value, _) = self.uniform();
                self.b.unary_to(d, UnaryOp::Mov32, value);
            }
        }
    }

    pub(super) fn branch(&mut self, region: &Region) {
        self.begin_anew();
        let (p, who) = self.condition();
        let has_both = self.choices.one_in(2);
        let (mut one, mut other) = (region.mask, region.mask);
        if who == Together::Some {
            one = self.ballot(p, region.mask).into();
            other = self.b.binary(BinaryOp::Xor32, region.mask, one).into();
        }
        let (then, join) = (self.b.block(), self.b.block());
        let otherwise = if has_both { self.b.block() } else { join };
        self.b.terminate(Terminator::Branch { p, then, otherwise });
        self.b.switch_to(then);
        self.statements(region.inner(one, who), 4);
        self.b.terminate(Terminator::Jump(join));
        if has_both {
            self.b.switch_to(otherwise);
            self.statements(region.inner(other, who), 4);
            self.b.terminate(Terminator::Jump(join));
        }
        self.b.switch_to(join);
        self.begin_anew();
    }

    /// The lanes of a region part, and those of both sides, of which each knows its mask, do something before they meet again.
    pub(super) fn on_two_sides(
        &mut self,
        region: &Region,
        p: Pred,
        mut make: impl FnMut(&mut Self, Src),
    ) {
        let one_mask = self.ballot(p, region.mask);
        let other_mask = self.b.binary(BinaryOp::Xor32, region.mask, one_mask);
        let (then, otherwise, join) = (self.b.block(), self.b.block(), self.b.block());
        self.b.terminate(Terminator::Branch { p, then, otherwise });
        for (side, mask) in [(then, one_mask), (otherwise, other_mask)] {
            self.b.switch_to(side);
            make(self, mask.into());
            self.b.terminate(Terminator::Jump(join));
        }
        self.b.switch_to(join);
    }

    /// A loop of up to three turns a lane.
    pub(super) fn repeat(&mut self, region: &Region) {
        let is_uniform = self.choices.one_in(2);
        let (turns, who) = match (is_uniform, self.choices.one_in(2)) {
            (true, true) => (Src::Imm(self.choices.below(4) as u64), Together::Cluster),
            (true, false) => {
                let (value, who) = self.uniform();
                (self.b.binary(BinaryOp::And32, value, Src::Imm(3)).into(), who)
            }
            (false, is_of_warps) => {
                let value = match is_of_warps && self.choices.one_in(2) {
                    true => self.warp().into(),
                    false => self.word(),
                };
                (self.b.binary(BinaryOp::And32, value, Src::Imm(3)).into(), Together::Some)
            }
        };
        let asks_first = self.choices.one_in(2);
        let counter = self.moved(Src::Imm(0));
        let mask = if is_uniform { None } else { Some(self.moved(region.mask)) };
        let inside = mask.map_or(region.mask, Src::Reg);
        let (body, latch, exit) = (self.b.block(), self.b.block(), self.b.block());
        // The test stands at the end of a turn, or before the first, too.
        self.b.terminate(Terminator::Jump(if asks_first { latch } else { body }));
        self.b.switch_to(body);
        let mut inner = region.inner(inside, who);
        inner.of = Some(Loop { mask, latch, exit });
        self.statements(inner, 5);
        self.b.terminate(Terminator::Jump(latch));
        self.b.switch_to(latch);
        // The counter is one ahead if the first turn has come here without a body.
        let first = if asks_first { 1 } else { 0 };
        self.b.binary_to(counter, BinaryOp::AddI32, counter, Src::Imm(1));
        let done = self.b.binary(BinaryOp::SubI32, counter, Src::Imm(first));
        let p = self.b.compare(CompareOp::LtU32, done, turns).into();
        if let Some(mask) = mask {
            if self.choices.one_in(2) {
                let what = ir::Collective::Ballot { d: mask, a: p };
                self.meet(what, mask.into());
            } else {
                let left = self.ballot(p, mask.into());
                self.b.unary_to(mask, UnaryOp::Mov32, left);
            }
        }
        self.b.terminate(Terminator::Branch { p, then: body, otherwise: exit });
        self.b.switch_to(exit);
        self.begin_anew();
    }

    /// Some lanes leave the loop, or the turn.
    pub(super) fn leave_turn(&mut self, region: &mut Region) {
        let Some(Loop { mask, latch, exit }) = region.of else { return };
        let p = self.kept_pred();
        let stay = self.ballot(p.negated(), region.mask);
        let rest = self.b.block();
        let leaves = match mask {
            // Who leaves is no longer in the mask of the loop; so this is no choice once some have left the turn.
            Some(mask) if region.mask == mask.into() && self.choices.one_in(2) => {
                self.b.unary_to(mask, UnaryOp::Mov32, stay);
                exit
            }
            Some(_) | None => {
                region.mask = stay.into();
                region.who = Together::Some;
                latch
            }
        };
        self.b.terminate(Terminator::Branch { p, then: leaves, otherwise: rest });
        self.b.switch_to(rest);
    }

    /// The number of a thread's warp.
    fn warp(&mut self) -> Reg {
        self.b.binary(BinaryOp::ShrU32, self.fixed.thread, Src::Imm(5))
    }

    /// Whether a thread is in some warps.
    fn in_some_warps(&mut self) -> Pred {
        let which = Src::Imm(self.choices.below(32) as u64);
        let warp = self.warp();
        let which = self.b.binary(BinaryOp::ShrU32, which, warp);
        let bit = self.b.binary(BinaryOp::And32, which, Src::Imm(1));
        self.b.compare(CompareOp::NeI32, bit, Src::Imm(0)).into()
    }

    /// Some lanes exit, or whole warps.
    pub(super) fn exit_some(&mut self, region: &mut Region) {
        let p = match self.choices.one_in(2) {
            true => self.kept_pred(),
            false => self.in_some_warps(),
        };
        let stay = self.ballot(p.negated(), region.mask);
        let (leave, rest) = (self.b.block(), self.b.block());
        self.b.terminate(Terminator::Branch { p, then: leave, otherwise: rest });
        self.b.switch_to(leave);
        self.results();
        self.b.terminate(Terminator::Exit);
        self.b.switch_to(rest);
        region.mask = stay.into();
        self.has_exits = true;
        // Some registers of those that stay change, so that those that have left show what they had.
        let d = self.target(Class::W32);
        self.b.binary_to(d, BinaryOp::AddI32, d, Src::Imm(1));
    }
}
