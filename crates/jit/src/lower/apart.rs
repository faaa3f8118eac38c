//! Where lanes of a warp that have parted stay until they meet: blocks that are lowered a second time, for some of the lanes.

use super::nodes::{End, Nodes};
use crate::gang::Gang;
use crate::partial::Partial;
use fixedbitset::FixedBitSet;
use ir::analysis::{Flow, Shape, Shapes};
use ir::{BlockId, Inst, Kernel, Op, Reg, Src, Terminator};
use std::collections::{BTreeMap, BTreeSet};

/// Blocks of a part, without the one where lanes meet: of more, code takes long to make, and lanes that part leave it.
const MAX_BLOCKS: usize = 1 << 10;
/// Blocks of a part of its own, without loops, though a larger part has them, too: were it left out, control would go back and forth between
/// the code of all lanes and that of some at each such place, and all values would be those of either.
const SHORT: usize = 8;

/// Blocks in the order of the kernel, in which lanes that have parted run: the earliest first, but for endless ones. All of them come to the last.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) blocks: Vec<usize>,
    /// Per block, the registers that lanes need which come to it, or wait at a later one meanwhile.
    pub(super) needed: Vec<Vec<Reg>>,
    /// Per block, the registers that other lanes need meanwhile.
    pub(super) kept: Vec<BTreeSet<Reg>>,
    /// The registers that shuffles read there, in lanes that may be elsewhere.
    pub(super) offered: BTreeSet<Reg>,
    /// Per block, whether lanes that come there leave: it is endless, or has something that others have to do, such as to tell of a failed
    /// assertion.
    pub(super) stops: Vec<bool>,
    /// Per block, whether all lanes may have met there.
    pub(super) meets: Vec<bool>,
    /// Per block, the later ones at which lanes may wait while it is its turn.
    pub(super) waiting: Vec<BTreeSet<usize>>,
    /// Per block, the lanes that execute it, if they are always the same.
    pub(super) known: Vec<Option<u64>>,
}

/// A loop of a part: where its head stands there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    pub(super) part: usize,
    pub(super) nth: usize,
}

/// The parts of a kernel.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) all: Vec<Part>,
    /// Per block at whose end lanes may part, the part in which they stay.
    pub(super) of: BTreeMap<usize, usize>,
    /// The same of blocks at whose end lanes always part, and those for which the branch's register is true.
    pub(super) always: BTreeMap<usize, (usize, u64)>,
    /// Where lanes meet that part in no part: code is left where they do.
    pub(super) meets_elsewhere: BTreeSet<usize>,
    /// Per block of a part, its number among all.
    pub(super) numbers: BTreeMap<(usize, usize), usize>,
}

/// Whether lanes that come to a block stay there for ever, as compilers have it where they know that none does.
fn is_endless(flow: &Flow, block: usize) -> bool {
    !flow.after().reaches(block)
}

/// The blocks between a branch and where its lanes meet. Of endless ones, those to which lanes come first.
fn between(flow: &Flow, at: usize, meet: usize) -> Option<Vec<usize>> {
    let mut found = BTreeSet::new();
    let mut left: Vec<usize> = flow.forward.successors(at).collect();
    while let Some(block) = left.pop() {
        if block == meet || !found.insert(block) {
            continue;
        }
        let endless = is_endless(flow, block);
        if found.len() >= MAX_BLOCKS || block > meet && !endless {
            return None;
        }
        if !endless {
            left.extend(flow.forward.successors(block));
        }
    }
    Some(found.into_iter().collect())
}

/// The blocks in which lanes that have parted may be before they meet.
pub(super) fn parted(kernel: &Kernel, shapes: &Shapes) -> BTreeSet<usize> {
    let flow = Flow::of(kernel);
    let parts = (0..flow.blocks()).filter(|at| shapes.parts(BlockId(*at as u32)));
    let meets = parts.filter_map(|at| Some((at, flow.after().immediate(at)?)));
    meets.filter_map(|(at, meet)| between(&flow, at, meet)).flatten().collect()
}

impl Parts {
    pub(super) fn of(
        kernel: &Kernel,
        shapes: &Shapes,
        nodes: &Nodes,
        (gang, partial): (Gang, Option<Partial>),
    ) -> Parts {
        let flow = Flow::of(kernel);
        let end = flow.blocks();
        let parts = |at: &usize| {
            shapes.parts(BlockId(*at as u32)) && nodes.last(*at).end == End::Terminator
        };
        let mut found = Parts::default();
        // Lanes of a warp seldom come to barriers apart.
        let is_barrier =
            |inst: &Inst| matches!(inst.op, Op::Barrier { .. } | Op::ClusterBarrier { .. });
        let waits = kernel.blocks.iter().map(|block| block.insts.iter().any(is_barrier));
        let waits: Vec<bool> = waits.collect();
        let back = |block: usize| {
            let to = kernel.blocks[block].terminator.successors();
            to.filter(|to| to.0 as usize <= block).count()
        };
        let mut regions = Vec::new();
        for at in (0..end).filter(parts) {
            let Some(meet) = flow.after().immediate(at).filter(|meet| *meet != end && *meet > 0)
            else {
                continue;
            };
            let fits = |block: &usize| *block > 0 && back(*block) < 2 && !waits[*block];
            let blocks = between(&flow, at, meet);
            match blocks.filter(|blocks| at < meet && blocks.iter().all(fits)) {
                Some(blocks) => regions.push((at, blocks, meet)),
                None => _ = found.meets_elsewhere.insert(meet),
            }
        }
        regions.sort_by_key(|(at, blocks, _)| (usize::MAX - blocks.len(), *at));
        let mut meets = BTreeSet::new();
        for (at, blocks, meet) in regions {
            let inside = |part: &Part, block: &usize| part.position(*block).is_some();
            let is_short = |blocks: &[usize]| {
                blocks.len() <= SHORT && blocks.iter().all(|block| back(*block) == 0)
            };
            let alone = is_short(&blocks);
            let nth = found.all.iter().rposition(|part| {
                (!alone || is_short(&part.blocks[..part.blocks.len() - 1]))
                    && blocks.iter().chain([&meet]).all(|block| inside(part, block))
            });
            let nth = match nth {
                Some(nth) => nth,
                None => {
                    let all: Vec<usize> = blocks.iter().copied().chain([meet]).collect();
                    let nth = found.all.len();
                    for block in &all {
                        let number = found.numbers.len();
                        found.numbers.insert((nth, *block), number);
                    }
                    let stops = blocks
                        .iter()
                        .map(|block| !nodes.is_whole(*block) || is_endless(&flow, *block));
                    let part = Part {
                        // The last one is where all go on.
                        stops: stops.chain([false]).collect(),
                        blocks: all,
                        needed: Vec::new(),
                        kept: Vec::new(),
                        offered: BTreeSet::new(),
                        meets: Vec::new(),
                        waiting: Vec::new(),
                        known: Vec::new(),
                    };
                    found.all.push(part);
                    nth
                }
            };
            found.of.insert(at, nth);
            if let Terminator::Branch { p, then, otherwise } = kernel.blocks[at].terminator
                && partial.is_none()
                && then != otherwise
                && let Some(reg) = p.reg()
                && let Shape::Mask(lanes) = shapes.shape(reg)
            {
                found.always.insert(at, (nth, *lanes));
            }
            meets.insert((nth, meet));
        }
        for (nth, part) in found.all.iter_mut().enumerate() {
            part.meets = part.blocks.iter().map(|block| meets.contains(&(nth, *block))).collect();
            part.find_offered(kernel);
            let own = found.of.iter().filter(|(_, part)| **part == nth);
            let entered: Vec<usize> = own.map(|(at, _)| *at).collect();
            part.find_waiting(kernel, &entered);
            let live = part.live(kernel, nodes);
            part.find_needed(kernel, &live);
            part.find_kept(kernel, shapes, &live, &entered);
            part.find_known(kernel, shapes, &flow, &entered);
            for known in &mut part.known {
                let all = known.map(|lanes| lanes & gang.all());
                *known = partial.map_or(all, |partial| all.and_then(|lanes| partial.known(lanes)));
            }
        }
        found
    }

    /// The number of a block of a part among all.
    pub(super) fn number(&self, part: usize, position: usize) -> u32 {
        let block = self.all[part].blocks[position];
        self.numbers.get(&(part, block)).map_or(0, |number| *number as u32)
    }
}

impl Part {
    /// Where a block stands in the part.
    pub(super) fn position(&self, block: usize) -> Option<usize> {
        let (last, others) = self.blocks.split_last()?;
        // All but the last are in order.
        if *last == block { Some(others.len()) } else { others.binary_search(&block).ok() }
    }

    /// The blocks of the part to which control goes from one of its blocks other than the last.
    pub(super) fn successors(&self, kernel: &Kernel, nth: usize) -> Vec<usize> {
        if nth + 1 == self.blocks.len() {
            return Vec::new();
        }
        let terminator: &Terminator = &kernel.blocks[self.blocks[nth]].terminator;
        terminator.successors().filter_map(|to| self.position(to.0 as usize)).collect()
    }

    /// Per block, the registers that are needed there.
    fn live(&self, kernel: &Kernel, nodes: &Nodes) -> Vec<FixedBitSet> {
        let live = |block: &usize| nodes.all[nodes.first[*block]].live.iter().copied();
        self.blocks.iter().map(|block| registers(kernel, live(block))).collect()
    }

    /// Finds what lanes need that come to a block, and those that wait behind it. What shuffles read, they read in lanes wherever these
    /// are, so it is needed on all ways there.
    fn find_needed(&mut self, kernel: &Kernel, live: &[FixedBitSet]) {
        let offered = registers(kernel, self.offered.iter().copied());
        let mut needed = live.to_vec();
        needed.iter_mut().for_each(|needed| needed.intersect_with(&offered));
        let mut changed = true;
        while changed {
            changed = false;
            for nth in (0..self.blocks.len().saturating_sub(1)).rev() {
                let mut all = needed[nth + 1].clone();
                for to in self.successors(kernel, nth) {
                    all.union_with(&needed[to]);
                }
                if !all.is_subset(&needed[nth]) {
                    needed[nth].union_with(&all);
                    changed = true;
                }
            }
        }
        for (nth, needed) in needed.iter_mut().enumerate() {
            for standing in [nth].iter().chain(&self.waiting[nth]) {
                needed.union_with(&live[*standing]);
            }
        }
        self.needed = needed.iter().map(|needed| regs(needed).collect()).collect();
    }

    fn find_offered(&mut self, kernel: &Kernel) {
        let insts = self.blocks.iter().flat_map(|block| &kernel.blocks[*block].insts);
        self.offered = insts
            .filter_map(|inst| match inst.op.offered()? {
                Src::Reg(reg) => Some(reg),
                Src::Imm(_) => None,
            })
            .collect();
    }

    /// Finds at which blocks lanes may wait.
    fn find_waiting(&mut self, kernel: &Kernel, entered: &[usize]) {
        let count = self.blocks.len();
        let mut waiting = vec![BTreeSet::new(); count];
        let to = |at: usize| -> Vec<usize> {
            let to = kernel.blocks[at].terminator.successors();
            to.filter_map(|to| self.position(to.0 as usize)).collect()
        };
        for at in entered {
            let to = to(*at);
            let first = to.iter().copied().min().unwrap_or(0);
            waiting[first].extend(to.into_iter().filter(|other| *other > first));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for nth in 0..count - 1 {
                let mut all: BTreeSet<usize> = waiting[nth].clone();
                all.extend(self.successors(kernel, nth));
                // The earliest go on; who has none to wait for is passed over.
                let back = all.iter().copied().filter(|other| *other <= nth).min();
                for turn in [Some(nth + 1), back].into_iter().flatten() {
                    let later = all.iter().copied().filter(|other| *other > turn);
                    let before = waiting[turn].len();
                    waiting[turn].extend(later);
                    changed |= waiting[turn].len() != before;
                }
            }
        }
        self.waiting = waiting;
    }

    /// Finds the blocks at which lanes only come from one branch, that is the same in every gang. Where others pass by, or lanes do that
    /// go back, nobody may be there.
    fn find_known(&mut self, kernel: &Kernel, shapes: &Shapes, flow: &Flow, entered: &[usize]) {
        let position = |to: BlockId| self.position(to.0 as usize);
        let passed_by = |nth: usize, at: usize| {
            let comes_in = |other: &usize| {
                let mut to = kernel.blocks[*other].terminator.successors().filter_map(position);
                *other != at && to.any(|to| to <= nth)
            };
            let goes_back =
                |from: usize| self.successors(kernel, from).into_iter().any(|to| to <= nth);
            entered.iter().any(comes_in) || (nth..self.blocks.len()).any(goes_back)
        };
        let known = |(nth, block): (usize, &usize)| -> Option<u64> {
            let mut ways = flow.backward.successors(*block);
            let (Some(at), None) = (ways.next(), ways.next()) else { return None };
            if !entered.contains(&at) || self.blocks.contains(&at) || passed_by(nth, at) {
                return None;
            }
            let Terminator::Branch { p, then, otherwise } = kernel.blocks[at].terminator else {
                return None;
            };
            let taken = shapes.constant_lanes(p)?;
            match (then.0 as usize == *block, otherwise.0 as usize == *block) {
                (true, false) => Some(taken),
                (false, true) => Some(!taken),
                (true, true) | (false, false) => None,
            }
        };
        self.known = self.blocks.iter().enumerate().map(known).collect();
    }

    fn find_kept(
        &mut self,
        kernel: &Kernel,
        shapes: &Shapes,
        live: &[FixedBitSet],
        entered: &[usize],
    ) {
        let count = self.blocks.len();
        let mut reach = vec![FixedBitSet::with_capacity(count); count];
        let mut changed = true;
        while changed {
            changed = false;
            for nth in (0..count).rev() {
                let mut all = FixedBitSet::with_capacity(count);
                all.insert(nth);
                self.successors(kernel, nth).iter().for_each(|to| all.union_with(&reach[*to]));
                if !all.is_subset(&reach[nth]) {
                    reach[nth].union_with(&all);
                    changed = true;
                }
            }
        }
        // Per block, the later ones in which other lanes may wait while it runs.
        let mut waiting = vec![FixedBitSet::with_capacity(count); count];
        let mut part = |one: &FixedBitSet, other: &FixedBitSet| {
            let mut later = other.clone();
            for nth in one.ones() {
                later.remove_range(..nth + 1);
                waiting[nth].union_with(&later);
            }
        };
        for nth in 0..count {
            let to = self.successors(kernel, nth);
            if shapes.parts(BlockId(self.blocks[nth] as u32))
                && let [one, other] = to[..]
            {
                part(&reach[one], &reach[other]);
                part(&reach[other], &reach[one]);
            }
        }
        // Lanes come in by two ways at once, too.
        for at in entered {
            let to = kernel.blocks[*at].terminator.successors();
            let to: Vec<usize> = to.filter_map(|to| self.position(to.0 as usize)).collect();
            if let [one, other] = to[..] {
                part(&reach[one], &reach[other]);
                part(&reach[other], &reach[one]);
            }
        }
        let offered = registers(kernel, self.offered.iter().copied());
        self.kept = (0..count)
            .map(|nth| {
                let mut kept = offered.clone();
                // All come to the last one.
                let last = (nth + 1 < count).then_some(count - 1);
                for other in waiting[nth].ones().chain(last) {
                    kept.union_with(&live[other]);
                }
                kept.intersect_with(&registers(kernel, self.needed[nth].iter().copied()));
                regs(&kept).collect()
            })
            .collect();
    }
}

/// A set of registers.
fn registers(kernel: &Kernel, of: impl Iterator<Item = Reg>) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(kernel.registers.len());
    of.for_each(|reg| set.insert(reg.0 as usize));
    set
}

/// The registers of a set, in order.
fn regs(set: &FixedBitSet) -> impl Iterator<Item = Reg> + '_ {
    set.ones().map(|reg| Reg(reg as u32))
}
