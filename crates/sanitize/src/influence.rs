//! Which registers of a kernel a source of values can influence: through operations, and through branches that
//! decide what is written.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use ir::{Block, BlockId, Inst, Kernel, Op, Operand, Place, Reg, Space, Terminator};

/// A set of small numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn full(count: usize) -> Set {
        Set(vec![u64::MAX; count.div_ceil(64)])
    }

    fn empty(count: usize) -> Set {
        Set(vec![0; count.div_ceil(64)])
    }

    fn only(count: usize, member: usize) -> Set {
        let mut set = Set::empty(count);
        set.insert(member);
        set
    }

    fn insert(&mut self, member: usize) {
        self.0[member / 64] |= 1 << (member % 64);
    }

    fn remove(&mut self, member: usize) {
        self.0[member / 64] &= !(1 << (member % 64));
    }

    /// Takes in the members of another set; whether some are new.
    fn join(&mut self, other: &Set) -> bool {
        let mut grows = false;
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            grows |= other & !*word != 0;
            *word |= other;
        }
        grows
    }

    fn contains(&self, member: usize) -> bool {
        self.0[member / 64] >> (member % 64) & 1 != 0
    }

    fn intersect(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }
}

/// Per block, the blocks that every way from it to the kernel's end goes through, itself included.
fn post_dominators(blocks: &[Block]) -> Vec<Set> {
    let count = blocks.len();
    let mut sets = vec![Set::full(count); count];
    let mut changes = true;
    while changes {
        changes = false;
        for (at, block) in blocks.iter().enumerate().rev() {
            let mut joined: Option<Set> = None;
            for to in block.terminator.successors() {
                let theirs = &sets[to.0 as usize];
                match &mut joined {
                    Some(joined) => joined.intersect(theirs),
                    None => joined = Some(theirs.clone()),
                }
            }
            let mut set = joined.unwrap_or_else(|| Set::only(count, at));
            set.insert(at);
            if set != sets[at] {
                sets[at] = set;
                changes = true;
            }
        }
    }
    sets
}

/// The blocks that a branch decides about: those between it and the block that all its ways lead to.
fn decided(blocks: &[Block], branch: usize, after: &Set) -> Vec<usize> {
    let next = |at: usize| blocks[at].terminator.successors().map(|to| to.0 as usize);
    let mut found = Set::empty(blocks.len());
    let mut left: Vec<usize> = next(branch).collect();
    let mut list = Vec::new();
    while let Some(at) = left.pop() {
        let beyond = at != branch && after.contains(at);
        if !beyond && !found.contains(at) {
            found.insert(at);
            list.push(at);
            left.extend(next(at));
        }
    }
    list
}

/// Whether an operation loads from what may be local memory, and whether it stores there.
pub(crate) fn accesses_local(op: &Op) -> (bool, bool) {
    let local =
        op.touches().is_some_and(|touched| matches!(touched.space, Space::Local | Space::Generic));
    (local && matches!(op, Op::Load { .. }), local && matches!(op, Op::Store { .. }))
}

/// Per branch that decides whether local memory is written: the stores that it decides about. A branch is known by
/// where it comes from and leads to.
pub(crate) fn decided_stores(kernel: &Kernel) -> HashMap<(Place, BlockId, BlockId), Vec<Place>> {
    let blocks = &kernel.blocks;
    let after = post_dominators(blocks);
    let mut found = HashMap::new();
    for (at, block) in blocks.iter().enumerate() {
        let Terminator::Branch { then, otherwise, .. } = block.terminator else { continue };
        let decided = decided(blocks, at, &after[at]);
        let insts = decided.into_iter().flat_map(|at| &blocks[at].insts);
        let stores: Vec<Place> =
            insts.filter(|inst| accesses_local(&inst.op).1).map(|inst| inst.place).collect();
        if !stores.is_empty() {
            found.insert((block.place, then, otherwise), stores);
        }
    }
    found
}

/// Whether each register can ever be influenced by the results of the operations that `source` names, also by what a thread
/// stores in its own memory: any load from there may bring it back.
pub(crate) fn influenced(kernel: &Kernel, source: impl Fn(&Op) -> bool) -> Vec<bool> {
    let mut reached = Set::empty(kernel.registers.len());
    let blocks = &kernel.blocks;
    let after = post_dominators(blocks);
    let mut decided_blocks = vec![false; blocks.len()];
    let (mut grows, mut stored) = (true, false);
    while grows {
        grows = false;
        for (at, block) in blocks.iter().enumerate() {
            for inst in &block.insts {
                let (loads, stores) = accesses_local(&inst.op);
                let from = decided_blocks[at]
                    || source(&inst.op)
                    || reads(inst, &reached)
                    || loads && stored;
                grows |= stores && from && !stored;
                stored |= stores && from;
                inst.op.operands(|operand| {
                    if let Operand::Def(reg) = operand {
                        grows |= from && !reached.contains(reg.0 as usize);
                        if from {
                            reached.insert(reg.0 as usize);
                        }
                    }
                });
            }
            grows |=
                decides(block, &reached, || decided(blocks, at, &after[at]), &mut decided_blocks);
        }
    }
    (0..kernel.registers.len()).map(|reg| reached.contains(reg)).collect()
}

/// The instructions at which a register can be influenced by the results of the operations that `source` names, through
/// registers and branches. `operand` names the register of an instruction.
pub(crate) fn influenced_at(
    kernel: &Kernel,
    source: impl Fn(&Op) -> bool,
    operand: impl Fn(&Op) -> Option<Reg>,
) -> HashSet<Place> {
    let blocks = &kernel.blocks;
    let after = post_dominators(blocks);
    let mut decided_blocks = vec![false; blocks.len()];
    let mut before = vec![Set::empty(kernel.registers.len()); blocks.len()];
    let mut found = HashSet::new();
    let mut grows = true;
    while grows {
        grows = false;
        for (at, block) in blocks.iter().enumerate() {
            let mut reached = before[at].clone();
            for inst in &block.insts {
                if operand(&inst.op).is_some_and(|reg| reached.contains(reg.0 as usize)) {
                    found.insert(inst.place);
                }
                let from = decided_blocks[at] || source(&inst.op) || reads(inst, &reached);
                inst.op.operands(|operand| {
                    let Operand::Def(reg) = operand else { return };
                    if from {
                        reached.insert(reg.0 as usize);
                    } else if inst.guard.is_none() {
                        reached.remove(reg.0 as usize);
                    }
                });
            }
            grows |=
                decides(block, &reached, || decided(blocks, at, &after[at]), &mut decided_blocks);
            for to in block.terminator.successors() {
                grows |= before[to.0 as usize].join(&reached);
            }
        }
    }
    found
}

/// The registers that the results of the operations that `source` names can influence, if nobody else can tell: they decide at
/// most between ways that come together again, on which nothing is done but to compute and to sleep.
pub(crate) fn unseen(kernel: &Kernel, source: impl Fn(&Op) -> bool) -> Option<Vec<bool>> {
    let reached = influenced(kernel, source);
    let is_reached = |reg: Reg| reached[reg.0 as usize];
    let blocks = &kernel.blocks;
    let after = post_dominators(blocks);
    let quiet = |op: &Op| {
        op.is_pure() || matches!(op, Op::Nanosleep { .. } | Op::Load { .. } | Op::Special { .. })
    };
    for (at, block) in blocks.iter().enumerate() {
        for inst in &block.insts {
            let mut uses = false;
            inst.op.operands(|operand| {
                uses |= matches!(operand, Operand::Use(reg) if is_reached(reg))
            });
            let guarded = inst.guard.and_then(|guard| guard.reg()).is_some_and(is_reached);
            let addressed = uses && inst.op.touches().is_some();
            if addressed || (uses || guarded) && !quiet(&inst.op) {
                return None;
            }
        }
        let Terminator::Branch { p, .. } = block.terminator else { continue };
        if !p.reg().is_some_and(is_reached) {
            continue;
        }
        let between = decided(blocks, at, &after[at]);
        let leaves = |block: &Block| block.terminator.successors().next().is_none();
        let heard = |at: &usize| {
            leaves(&blocks[*at]) || !blocks[*at].insts.iter().all(|inst| quiet(&inst.op))
        };
        if between.contains(&at) || between.iter().any(heard) {
            return None;
        }
    }
    Some(reached)
}

/// Notes the blocks that a block's branch decides about, if one of the registers decides that; whether some are new.
fn decides(
    block: &Block,
    reached: &Set,
    about: impl FnOnce() -> Vec<usize>,
    decided_blocks: &mut [bool],
) -> bool {
    let Terminator::Branch { p, .. } = block.terminator else { return false };
    if !p.reg().is_some_and(|reg| reached.contains(reg.0 as usize)) {
        return false;
    }
    let mut grows = false;
    for at in about() {
        grows |= !decided_blocks[at];
        decided_blocks[at] = true;
    }
    grows
}

/// Whether an instruction reads a register of a set, its guard included.
fn reads(inst: &Inst, registers: &Set) -> bool {
    let guard = inst.guard.and_then(|guard| guard.reg());
    let mut found = guard.is_some_and(|reg| registers.contains(reg.0 as usize));
    inst.op.operands(|operand| {
        if let Operand::Use(reg) = operand {
            found |= registers.contains(reg.0 as usize);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Builder, Class, CompareOp, Src, WarpRules};

    #[test]
    fn values_and_branches_influence() {
        let mut b = Builder::new("k", WarpRules::Independent);
        let [mask, sum, other, chosen, late] = [0; 5].map(|_| b.reg(Class::W32));
        let (left, join) = (b.block(), b.block());
        b.push(Op::ActiveMask { d: mask });
        b.binary_to(sum, ir::BinaryOp::AddI32, mask, Src::Imm(1));
        b.copy_to(other, Src::Imm(3));
        let p = b.compare(CompareOp::EqI32, sum, Src::Imm(0));
        b.terminate(Terminator::Branch { p: p.into(), then: left, otherwise: join });
        b.switch_to(left);
        b.copy_to(chosen, Src::Imm(4));
        b.terminate(Terminator::Jump(join));
        b.switch_to(join);
        b.copy_to(late, other);
        let kernel = b.finish();
        let found = influenced(&kernel, |op| matches!(op, Op::ActiveMask { .. }));
        let expected = [true, true, false, true, false, true];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_comes_before_is_not_influenced() {
        // p = sum == 0; if p { other = 3; mask = activemask; sum = mask + other }
        let mut b = Builder::new("k", WarpRules::Independent);
        let [mask, sum, other] = [0; 3].map(|_| b.reg(Class::W32));
        let (left, join) = (b.block(), b.block());
        b.copy_to(sum, Src::Imm(0));
        let p = b.compare(CompareOp::EqI32, sum, Src::Imm(0));
        b.terminate(Terminator::Branch { p: p.into(), then: left, otherwise: join });
        b.switch_to(left);
        b.copy_to(other, Src::Imm(3));
        b.push(Op::ActiveMask { d: mask });
        b.set_place(Place(1));
        b.binary_to(sum, ir::BinaryOp::AddI32, mask, other);
        b.terminate(Terminator::Jump(join));
        b.switch_to(join);
        b.set_place(Place(2));
        b.binary_to(other, ir::BinaryOp::AddI32, other, sum);
        let kernel = b.finish();
        let at = |nth: usize| {
            influenced_at(
                &kernel,
                |op| matches!(op, Op::ActiveMask { .. }),
                |op| match op {
                    Op::Binary { a: Src::Reg(a), b: Src::Reg(b), .. } => Some([*a, *b][nth]),
                    _ => None,
                },
            )
        };
        assert_eq!(at(0), HashSet::from_iter([Place(1)]));
        assert_eq!(at(1), HashSet::from_iter([Place(2)]));
    }
}
