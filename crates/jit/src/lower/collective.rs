//! Collectives of whole warps, of each warp of a gang for itself.

use super::Lower;
use super::value::{Form, Value, words_of_lanes};
use crate::isa::V;
use crate::mir::{Kind, O};
use iced_x86::{Code, ConditionCode};
use ir::{Access, Class, Collective, Inst, Members, Op, Operand, Pred, Reg, Src};
use lanes::{ReduxOp, VoteMode, WARP};
use regalloc2::VReg;

impl Lower<'_> {
    /// Emits a collective in which all lanes take part. Says whether it can be done.
    pub(super) fn collective(&mut self, what: &Collective, members: Members) -> bool {
        let all = match members {
            Members::Active => true,
            Members::Mask(Src::Imm(mask)) => mask as u32 == u32::MAX,
            Members::Mask(Src::Reg(mask)) if self.shape(mask).is_uniform() => {
                self.known_lanes(mask).is_some_and(|lanes| lanes[0] as u32 == u32::MAX)
            }
            Members::Mask(Src::Reg(mask)) => {
                return self.partial.is_none() && self.collective_of_groups(what, mask);
            }
        };
        all && self.can_collect(what) && {
            self.collect(what);
            true
        }
    }

    /// Emits a collective whose membermask is in a register: what all lanes do, if it names them all, else somebody else performs it.
    /// Says whether it can be done.
    pub(super) fn collective_of_all(&mut self, inst: &Inst, place: u32) -> bool {
        let Op::Collective { what, members: Members::Mask(Src::Reg(mask)), .. } = &inst.op else {
            return false;
        };
        if inst.guard.is_some() || !self.shape(*mask).is_uniform() || !self.can_collect(what) {
            return false;
        }
        let mut written = Vec::new();
        inst.op.operands(|operand| match operand {
            Operand::Def(reg) => written.push(reg),
            // Both ways need them.
            Operand::Use(reg) if self.class(reg) == Class::Pred => {
                self.scalar(reg);
            }
            Operand::Use(reg) => {
                self.canonical(reg);
                self.vectors(reg);
            }
        });
        let mask = self.scalar(*mask);
        self.func.x(Code::Cmp_rm32_imm8, &[O::U(mask), O::I8(0xff)]);
        let [all, join] = [0; 2].map(|_| self.func.block());
        let some = self.func.cold_block();
        let both = vec![(some, Vec::new()), (all, Vec::new())];
        self.func.end(Kind::Branch(ConditionCode::ne), both);
        let known = (self.state.clone(), self.bases);
        for (block, takes_part) in [(all, true), (some, false)] {
            (self.state, self.bases) = known.clone();
            self.func.begin(block);
            match takes_part {
                true => self.collect(what),
                false => self.perform(inst, place),
            }
            let results: Vec<_> = written.iter().map(|reg| self.handed(*reg)).collect();
            let results = results.concat();
            self.func.end(Kind::Jump, vec![(join, results)]);
        }
        (self.state, self.bases) = known;
        self.func.begin(join);
        self.params(join, &written);
        true
    }

    /// Whether a collective of all lanes can be done here.
    pub(super) fn can_collect(&self, what: &Collective) -> bool {
        match what {
            Collective::Shfl { mode, d, b, c: Src::Imm(c), .. } => {
                self.can_shuffle(*mode, *d, *b, *c as u32)
            }
            Collective::Vote { .. }
            | Collective::Ballot { .. }
            | Collective::MatchAll { wide: false, .. }
            | Collective::Redux { .. }
            | Collective::Elect { .. }
            | Collective::WarpSync => true,
            Collective::MovMatrix { d, .. } | Collective::MatchAny { d, wide: false, .. } => {
                self.form(*d) == Form::Vectors
            }
            Collective::Shfl { .. }
            | Collective::MatchAny { .. }
            | Collective::MatchAll { .. }
            | Collective::ReduxF32 { .. }
            | Collective::Matrix(_)
            | Collective::Mma(_) => false,
        }
    }

    /// Whether a collective asks lanes for no more than a bit, so that those which are not there can be left out.
    pub(super) fn is_of_bits(what: &Collective) -> bool {
        matches!(
            what,
            Collective::Vote { .. }
                | Collective::Ballot { .. }
                | Collective::Elect { .. }
                | Collective::WarpSync
        )
    }

    /// Emits a collective that can be done here.
    pub(super) fn collect(&mut self, what: &Collective) {
        if let Collective::MatchAll { a: read, .. }
        | Collective::MatchAny { a: read, .. }
        | Collective::Redux { a: read, .. }
        | Collective::MovMatrix { a: read, .. }
        | Collective::Shfl { b: read, .. } = what
        {
            // The bits of a NaN show.
            self.canonical_src(*read);
        }
        match what {
            Collective::Shfl { mode, d, p, a, b, c: Src::Imm(c) } => match b {
                Src::Imm(b) if self.form(*d) == Form::Vectors => {
                    self.shuffle_known(*mode, *d, *p, *a, *b as u32, *c as u32);
                }
                _ => self.shuffle(*mode, *d, *p, *a, *b, *c as u32),
            },
            Collective::Ballot { d, a } => {
                let bits = self.bits(*a);
                let bits = self.there(bits);
                let warps = self.of_warps(bits);
                self.set_of_warps(*d, &warps);
            }
            Collective::Vote { mode, d, a } => self.vote(*mode, *d, *a),
            Collective::MatchAll { d, p, a, .. } => {
                let found: Vec<VReg> =
                    (0..self.gang.warps).map(|warp| self.all_match(*a, warp)).collect();
                if let Some(d) = d {
                    self.set_of_warps(*d, &found);
                }
                if let Some(p) = p {
                    let found = self.of_gang(&found);
                    self.set(*p, Value::scalar(found));
                }
            }
            Collective::MatchAny { d, a, wide: false } => self.match_any(*d, *a),
            Collective::Redux { op, d, a } => self.redux(*op, *d, *a),
            Collective::Elect { d, p } => {
                // The lowest lane.
                if let Some(d) = d {
                    let lane = self.number(0, Class::W32);
                    let value = self.alike(*d, lane);
                    self.set(*d, value);
                }
                let bits = self.lanes_constant(1 << WARP | 1);
                self.set(*p, Value::scalar(bits));
            }
            Collective::MovMatrix { d, a } => self.transpose(*d, *a),
            Collective::WarpSync => {}
            Collective::Shfl { .. }
            | Collective::MatchAny { .. }
            | Collective::ReduxF32 { .. }
            | Collective::Matrix(_)
            | Collective::Mma(_) => debug_assert!(false, "{what:?} is performed by somebody else"),
        }
    }

    fn vote(&mut self, mode: VoteMode, d: Reg, a: Pred) {
        let bits = self.bits(a);
        let bits = self.as_the_first(bits);
        let (compared, code) = match mode {
            VoteMode::All => (0xff, Code::Sete_rm8),
            VoteMode::Any => (0, Code::Setne_rm8),
            // None and all are the only numbers that are not above 1 after one is added.
            VoteMode::Uni => (1, Code::Setbe_rm8),
        };
        let mut found = Vec::new();
        for mut bits in self.of_warps(bits) {
            if mode == VoteMode::Uni {
                bits = self.tied(Code::Add_rm32_imm8, bits, O::I8(1));
            }
            self.func.x(Code::Cmp_rm32_imm8, &[O::U(bits), O::I8(compared)]);
            found.push(self.warp_or_none(code));
        }
        let found = self.of_gang(&found);
        self.set(d, Value::scalar(found));
    }

    /// All bits of a warp if all its lanes hold the same value, else none.
    fn all_match(&mut self, a: Src, warp: usize) -> VReg {
        let vectors: Vec<VReg> =
            self.gang.of_warp(warp).map(|nth| self.vector(a, Class::W32, nth)).collect();
        let first = self.reordered(vectors[0], |_| 0);
        let masks: Vec<VReg> =
            vectors.iter().map(|vector| self.equal_words(*vector, O::U(first))).collect();
        let bits = self.bits_of(&masks);
        self.func.x(Code::Cmp_rm32_imm8, &[O::U(bits), O::I8(0xff)]);
        self.warp_or_none(Code::Sete_rm8)
    }

    /// Per lane, the lanes of its warp that hold the same word.
    fn match_any(&mut self, d: Reg, a: Src) {
        self.give_element(a, Access::B32, 0);
        let vectors = self.vectors_of(a, Class::W32);
        for warp in 0..self.gang.warps {
            self.func.match_any(&vectors[self.gang.of_warp(warp)], warp as u8);
        }
        self.take_element(d, 1);
    }

    /// One value, in all lanes of a vector, of those of some vectors, then of ever smaller parts of one.
    pub(super) fn folded(&mut self, what: V, mut parts: Vec<VReg>) -> VReg {
        while let [low, high, ..] = parts[..] {
            parts.drain(..2);
            parts.push(self.binary(what, low, O::U(high)));
        }
        let mut all = parts[0];
        let mut distance = self.family.lanes() / 2;
        while distance > 0 {
            let other = self.reordered(all, |lane| lane ^ distance);
            all = self.binary(what, all, O::U(other));
            distance /= 2;
        }
        all
    }

    /// One value from all lanes.
    fn redux(&mut self, op: ReduxOp, d: Reg, a: Src) {
        let what = match op {
            ReduxOp::Add => V::AddD,
            ReduxOp::MinU32 => V::MinUD,
            ReduxOp::MaxU32 => V::MaxUD,
            ReduxOp::MinS32 => V::MinSD,
            ReduxOp::MaxS32 => V::MaxSD,
            ReduxOp::And => V::And,
            ReduxOp::Or => V::Or,
            ReduxOp::Xor => V::Xor,
        };
        let mut found = Vec::new();
        for warp in 0..self.gang.warps {
            let parts: Vec<VReg> =
                self.gang.of_warp(warp).map(|nth| self.vector(a, Class::W32, nth)).collect();
            found.push(self.folded(what, parts));
        }
        if self.form(d) == Form::Vectors {
            let slices = self.gang.slices();
            let own = slices / self.gang.warps;
            let vectors = (0..slices).map(|nth| found[nth / own]).collect();
            return self.set(d, Value::vectors(vectors));
        }
        let firsts: Vec<VReg> = found.into_iter().map(|all| self.first_word(all)).collect();
        self.set_of_warps(d, &firsts);
    }

    /// The words of a vector in another order, or some of them several times.
    fn reordered(&mut self, vector: VReg, from: impl Fn(usize) -> usize) -> VReg {
        let index = self.pool(words_of_lanes(|lane| from(lane) as u32));
        let index = self.unary(crate::isa::U::Load, O::M(index));
        self.binary(V::PermD, index, O::U(vector))
    }
}
