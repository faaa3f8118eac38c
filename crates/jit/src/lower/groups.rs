//! Collectives of groups of a warp's lanes, all of which come together: tiles of cooperative groups, whose lanes know their membermasks
//! from `%laneid`.

use super::Lower;
use super::lane_bits::Sets;
use super::value::{Value, words_of_lanes};
use crate::isa::V;
use crate::mir::O;
use ir::{Class, Collective, Pred, Reg, Src};
use lanes::{ShflMode, VoteMode, WARP, shfl};
use regalloc2::VReg;

/// Per lane of a gang, the lanes of its warp that are in its group.
struct Groups(Vec<u32>);

impl Groups {
    /// The groups that membermasks make, if they are groups: each lane is in its own, and all lanes of a group name the same.
    fn of(masks: &[u64]) -> Option<Groups> {
        let masks: Vec<u32> = masks.iter().map(|mask| *mask as u32).collect();
        let is_group = |(lane, mask): (usize, &u32)| {
            let warp = &masks[lane - lane % WARP..][..WARP];
            let mut others = warp.iter().enumerate();
            mask >> (lane % WARP) & 1 != 0
                && others.all(|(other, its)| mask >> other & 1 == 0 || its == mask)
        };
        masks.iter().enumerate().all(is_group).then_some(Groups(masks))
    }

    /// Whether each lane reads from a lane of its own group, whatever an operand that is not known says.
    fn hold(&self, mode: ShflMode, b: Src, c: u32) -> bool {
        let has = |lane: usize, other: usize| self.0[lane] >> other & 1 != 0;
        match (b, mode) {
            (Src::Imm(b), _) => {
                let found = shfl::source_lanes(mode, &[b as u32; WARP], &[c; WARP]);
                (0..self.0.len()).all(|lane| has(lane, found.lane[lane % WARP] as usize % WARP))
            }
            // Their sources lie in the segment of the lane.
            (Src::Reg(_), ShflMode::Idx | ShflMode::Up | ShflMode::Down) => {
                let segment = |lane: usize| lane & (c >> 8 & 31) as usize;
                (0..self.0.len()).all(|lane| {
                    let own = segment(lane % WARP);
                    (0..WARP).all(|other| segment(other) != own || has(lane, other))
                })
            }
            (Src::Reg(_), ShflMode::Bfly) => false,
        }
    }
}

impl Lower<'_> {
    /// Emits a collective in which all lanes take part, those of each group for themselves. Says whether it can be done.
    pub(super) fn collective_of_groups(&mut self, what: &Collective, mask: Reg) -> bool {
        let Some(masks) = self.known_lanes(mask) else { return false };
        let Some(groups) = Groups::of(&masks[..self.gang.lanes()]) else { return false };
        match what {
            Collective::Shfl { mode, b, c: Src::Imm(c), .. }
                if self.can_collect(what) && groups.hold(*mode, *b, *c as u32) =>
            {
                self.collect(what);
            }
            Collective::WarpSync => {}
            Collective::Ballot { d, a } => {
                let found = self.bits_of_groups(*a, &groups);
                self.set(*d, Value::vectors(found));
            }
            Collective::Vote { mode, d, a } => self.vote_of_groups(*mode, *d, *a, &groups),
            _ => return false,
        }
        true
    }

    /// The membermasks of a vector's lanes.
    fn masks_of_groups(&mut self, groups: &Groups, nth: usize) -> O {
        let first = nth * self.family.lanes();
        O::M(self.pool(words_of_lanes(|lane| groups.0.get(first + lane).copied().unwrap_or(0))))
    }

    /// Per vector, for each lane the lanes of its group in which a predicate holds.
    fn bits_of_groups(&mut self, a: Pred, groups: &Groups) -> Vec<VReg> {
        let bits = self.bits(a);
        let mut found = Vec::new();
        for (warp, bits) in self.of_warps(bits).into_iter().enumerate() {
            let all = self.broadcast(bits, Class::W32);
            for nth in self.gang.of_warp(warp) {
                let masks = self.masks_of_groups(groups, nth);
                found.push(self.binary(V::And, all, masks));
            }
        }
        found
    }

    fn vote_of_groups(&mut self, mode: VoteMode, d: Reg, a: Pred, groups: &Groups) {
        let found = self.bits_of_groups(a, groups);
        let all = |this: &mut Self| {
            let masks: Vec<VReg> = (0..found.len())
                .map(|nth| {
                    let masks = this.masks_of_groups(groups, nth);
                    this.equal_words(found[nth], masks)
                })
                .collect();
            this.bits_of(&masks)
        };
        let none = |this: &mut Self| {
            let zero = this.pool([0; 64]);
            let masks: Vec<VReg> =
                found.iter().map(|bits| this.equal_words(*bits, O::M(zero))).collect();
            this.bits_of(&masks)
        };
        let lanes = match mode {
            VoteMode::All => all(self),
            VoteMode::Any => {
                let none = none(self);
                self.lanes_not(none)
            }
            VoteMode::Uni => {
                let [all, none] = [all(self), none(self)];
                self.lanes_of(Sets::Or, all, none)
            }
        };
        self.set(d, Value::scalar(lanes));
    }
}
