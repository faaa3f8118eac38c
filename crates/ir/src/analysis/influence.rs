//! Which registers of a kernel a source of values can influence: through operations, and through branches that
//! decide what is written.

use super::control::{Marked, Regions};
use crate::{Inst, Kernel, Op, Operand, Place, Reg, Terminator, terminator_use};
use fixedbitset::FixedBitSet;
use foldhash::{HashSet, HashSetExt};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Instructions that are looked at for a result that is only good to have, per instruction of the kernel and at least.
const PATIENCE: (usize, usize) = (16, 1 << 22);

/// Who reads each register: instructions by block and number, and the terminator after the last.
struct Readers {
    starts: Vec<u32>,
    at: Vec<(u32, u32)>,
}

impl Readers {
    fn of(kernel: &Kernel) -> Readers {
        let mut starts = vec![0u32; kernel.registers.len() + 1];
        each_reader(kernel, |reg, _| starts[reg.0 as usize + 1] += 1);
        for nth in 1..starts.len() {
            starts[nth] += starts[nth - 1];
        }
        let mut at = vec![(0, 0); starts.last().map_or(0, |count| *count as usize)];
        let mut next = starts.clone();
        each_reader(kernel, |reg, reader| {
            let place = &mut next[reg.0 as usize];
            at[*place as usize] = reader;
            *place += 1;
        });
        Readers { starts, at }
    }

    fn of_register(&self, reg: usize) -> &[(u32, u32)] {
        &self.at[self.starts[reg] as usize..self.starts[reg + 1] as usize]
    }
}

fn each_reader(kernel: &Kernel, mut each: impl FnMut(Reg, (u32, u32))) {
    for (block, code) in (0u32..).zip(&kernel.blocks) {
        for (nth, inst) in (0u32..).zip(&code.insts) {
            each_read(inst, |reg| each(reg, (block, nth)));
        }
        if let Some(reg) = terminator_use(&code.terminator) {
            each(reg, (block, code.insts.len() as u32));
        }
    }
}

/// Calls `each` with the registers that an instruction reads, its guard included.
fn each_read(inst: &Inst, mut each: impl FnMut(Reg)) {
    inst.guard.and_then(|guard| guard.reg()).into_iter().for_each(&mut each);
    inst.op.operands(|operand| {
        if let Operand::Use(reg) = operand {
            each(reg);
        }
    });
}

/// Whether each register can ever be influenced by the results of the operations that `source` names, also by what a thread
/// stores in its own memory: any load from there may bring it back.
pub fn influenced(kernel: &Kernel, source: impl Fn(&Op) -> bool) -> Vec<bool> {
    let regions = Regions::of(kernel);
    Spread::new(kernel, &regions).from(source)
}

/// Influence on its way through a kernel. Every instruction is looked at once for each register that it reads, and once for
/// a branch that decides about it.
struct Spread<'k> {
    kernel: &'k Kernel,
    regions: &'k Regions,
    readers: Readers,
    decided: Marked,
    reached: Vec<bool>,
    /// Registers whose readers have not been looked at.
    left: Vec<usize>,
    /// Whether local memory may hold something that is influenced.
    stored: bool,
}

impl<'k> Spread<'k> {
    fn new(kernel: &'k Kernel, regions: &'k Regions) -> Spread<'k> {
        Spread {
            kernel,
            regions,
            readers: Readers::of(kernel),
            decided: Marked::new(regions),
            reached: vec![false; kernel.registers.len()],
            left: Vec::new(),
            stored: false,
        }
    }

    fn from(mut self, source: impl Fn(&Op) -> bool) -> Vec<bool> {
        let kernel = self.kernel;
        for inst in kernel.blocks.iter().flat_map(|block| &block.insts) {
            if source(&inst.op) {
                self.reach(inst);
            }
        }
        while let Some(reg) = self.left.pop() {
            for nth in 0..self.readers.of_register(reg).len() {
                let (block, nth) = self.readers.of_register(reg)[nth];
                match kernel.blocks[block as usize].insts.get(nth as usize) {
                    Some(inst) => self.reach(inst),
                    None => self.decide(block as usize),
                }
            }
        }
        self.reached
    }

    /// An instruction is influenced.
    fn reach(&mut self, inst: &Inst) {
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand
                && !std::mem::replace(&mut self.reached[reg.0 as usize], true)
            {
                self.left.push(reg.0 as usize);
            }
        });
        if inst.op.stores_to_own() && !std::mem::replace(&mut self.stored, true) {
            let kernel = self.kernel;
            for inst in kernel.blocks.iter().flat_map(|block| &block.insts) {
                if inst.op.loads_from_own() {
                    self.reach(inst);
                }
            }
        }
    }

    /// The branch at the end of a block is influenced.
    fn decide(&mut self, block: usize) {
        for block in self.decided.mark(self.regions, block) {
            let kernel = self.kernel;
            kernel.blocks[block].insts.iter().for_each(|inst| self.reach(inst));
        }
    }
}

/// The instructions at which a register can be influenced by the results of the operations that `source` names, through
/// registers and branches. `operand` names the register of an instruction. In kernels in which that takes too long, a register counts as
/// influenced everywhere if it is so anywhere.
pub fn influenced_at(
    kernel: &Kernel,
    source: impl Fn(&Op) -> bool,
    operand: impl Fn(&Op) -> Option<Reg>,
) -> HashSet<Place> {
    let regions = Regions::of(kernel);
    let anywhere = Spread::new(kernel, &regions).from(&source);
    let asked = |inst: &Inst| operand(&inst.op).is_some_and(|reg| anywhere[reg.0 as usize]);
    let insts = || kernel.blocks.iter().flat_map(|block| &block.insts);
    if !insts().any(asked) {
        return HashSet::new();
    }
    let exact = Places::new(kernel, &regions, &anywhere).find(&source, &operand);
    exact.unwrap_or_else(|| insts().filter(|inst| asked(inst)).map(|inst| inst.place).collect())
}

/// What is influenced where: the registers that are influenced somewhere, at the start of each block.
struct Places<'k> {
    kernel: &'k Kernel,
    regions: &'k Regions,
    /// The numbers of these registers.
    numbers: Vec<u32>,
    /// How many there are.
    count: usize,
    before: Vec<FixedBitSet>,
    decided: Marked,
    /// Blocks to look at again, the first one first.
    waiting: BinaryHeap<Reverse<usize>>,
    waits: Vec<bool>,
}

impl<'k> Places<'k> {
    fn new(kernel: &'k Kernel, regions: &'k Regions, anywhere: &[bool]) -> Places<'k> {
        let mut count = 0;
        let numbers = anywhere.iter().map(|reached| match reached {
            true => {
                count += 1;
                count - 1
            }
            false => u32::MAX,
        });
        let numbers = numbers.collect();
        Places {
            kernel,
            regions,
            numbers,
            count: count as usize,
            before: Vec::new(),
            decided: Marked::new(regions),
            waiting: (0..kernel.blocks.len()).map(Reverse).collect(),
            waits: vec![true; kernel.blocks.len()],
        }
    }

    fn find(
        mut self,
        source: impl Fn(&Op) -> bool,
        operand: impl Fn(&Op) -> Option<Reg>,
    ) -> Option<HashSet<Place>> {
        let kernel = self.kernel;
        let size: usize = kernel.blocks.iter().map(|block| 1 + block.insts.len()).sum();
        let mut patience = PATIENCE.1.max(PATIENCE.0 * size);
        let words = self.count.div_ceil(64);
        if words.saturating_mul(kernel.blocks.len()) > patience {
            return None;
        }
        self.before = vec![FixedBitSet::with_capacity(self.count); kernel.blocks.len()];
        let mut found = HashSet::new();
        let mut reached = FixedBitSet::with_capacity(self.count);
        while let Some(Reverse(at)) = self.waiting.pop() {
            let block = &kernel.blocks[at];
            patience = patience.checked_sub(1 + block.insts.len() + words)?;
            self.waits[at] = false;
            reached.clone_from(&self.before[at]);
            for inst in &block.insts {
                if operand(&inst.op).is_some_and(|reg| self.holds(&reached, reg)) {
                    found.insert(inst.place);
                }
                let mut from = self.decided.contains(at) || source(&inst.op);
                each_read(inst, |reg| from |= self.holds(&reached, reg));
                inst.op.operands(|operand| {
                    let Operand::Def(reg) = operand else { return };
                    let Some(number) = self.number(reg) else { return };
                    if from || inst.guard.is_none() {
                        reached.set(number, from);
                    }
                });
            }
            let decides = terminator_use(&block.terminator);
            if decides.is_some_and(|reg| self.holds(&reached, reg)) {
                for block in self.decided.mark(self.regions, at) {
                    self.wait(block);
                }
            }
            for to in block.terminator.successors() {
                let to = to.0 as usize;
                if !reached.is_subset(&self.before[to]) {
                    self.before[to].union_with(&reached);
                    self.wait(to);
                }
            }
        }
        Some(found)
    }

    fn wait(&mut self, block: usize) {
        if !std::mem::replace(&mut self.waits[block], true) {
            self.waiting.push(Reverse(block));
        }
    }

    fn number(&self, reg: Reg) -> Option<usize> {
        let number = self.numbers[reg.0 as usize];
        (number != u32::MAX).then_some(number as usize)
    }

    fn holds(&self, reached: &FixedBitSet, reg: Reg) -> bool {
        self.number(reg).is_some_and(|number| reached.contains(number))
    }
}

/// The registers that the results of the operations that `source` names can influence, if nobody else can tell: they decide at
/// most between ways that come together again, on which nothing is done but to compute and to sleep.
pub fn unseen(kernel: &Kernel, source: impl Fn(&Op) -> bool) -> Option<Vec<bool>> {
    let regions = Regions::of(kernel);
    let reached = Spread::new(kernel, &regions).from(source);
    let is_reached = |reg: Reg| reached[reg.0 as usize];
    let blocks = &kernel.blocks;
    let leaves = |at: usize| blocks[at].terminator.successors().next().is_none();
    let mut decided = Marked::new(&regions);
    let mut patience = PATIENCE.1.max(PATIENCE.0 * blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        for inst in &block.insts {
            let mut uses = false;
            inst.op.operands(|operand| {
                uses |= matches!(operand, Operand::Use(reg) if is_reached(reg))
            });
            let guarded = inst.guard.and_then(|guard| guard.reg()).is_some_and(is_reached);
            let addressed = uses && inst.op.touches().next().is_some();
            if addressed || (uses || guarded) && !inst.op.is_quiet() {
                return None;
            }
        }
        let Terminator::Branch { p, .. } = block.terminator else { continue };
        if !p.reg().is_some_and(is_reached) {
            continue;
        }
        let mut between = decided.mark(&regions, at).into_iter();
        let heard = |at| leaves(at) || !blocks[at].insts.iter().all(|inst| inst.op.is_quiet());
        if between.any(heard) || regions.comes_back(at, &mut patience)? {
            return None;
        }
    }
    Some(reached)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Class, CompareOp, Src, WarpRules};

    #[test]
    fn values_and_branches_influence() {
        let mut b = Builder::new("k", WarpRules::Independent);
        let [mask, sum, other, chosen, late] = [0; 5].map(|_| b.reg(Class::W32));
        let (left, join) = (b.block(), b.block());
        b.push(Op::ActiveMask { d: mask });
        b.binary_to(sum, crate::BinaryOp::AddI32, mask, Src::Imm(1));
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
        b.binary_to(sum, crate::BinaryOp::AddI32, mask, other);
        b.terminate(Terminator::Jump(join));
        b.switch_to(join);
        b.set_place(Place(2));
        b.binary_to(other, crate::BinaryOp::AddI32, other, sum);
        let kernel = b.finish();
        let at = |nth: usize| {
            influenced_at(
                &kernel,
                |op| matches!(op, Op::ActiveMask { .. }),
                |op| {
                    let Op::Binary { a: Src::Reg(a), b: Src::Reg(b), .. } = op else { return None };
                    Some([*a, *b][nth])
                },
            )
        };
        assert_eq!(at(0), HashSet::from_iter([Place(1)]));
        assert_eq!(at(1), HashSet::from_iter([Place(2)]));
    }
}
