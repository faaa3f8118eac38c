//! Where values are needed next.

use super::order::Order;
use super::per_block::PerBlock;
use crate::mir::Func;
use regalloc2::{Block, Function, Inst, Operand, OperandConstraint, OperandKind, RegClass};

/// Nobody needs the value any more.
pub(super) const NEVER: u32 = u32::MAX;
/// Somebody needs the value, but not in a register.
pub(super) const FAR: u32 = u32::MAX - 1;
/// What is behind a loop is so much farther away.
const BEHIND_LOOP: u32 = 1 << 16;
/// What is seldom reached is so much farther away.
const SELDOM: u32 = 1 << 12;

/// A value that is needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needed {
    pub(super) value: u32,
    /// The instruction that needs it in a register next, counted from where the block begins; [`FAR`] if none does.
    pub(super) next: u32,
}

/// A value that a block reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) value: u32,
    /// The first instruction that needs it in a register, counted from where the block begins; [`FAR`] if none does.
    pub(super) next: u32,
    /// The last place where it is read.
    pub(super) last: u32,
}

/// Where a value is made: a block, and the instruction if it is not a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub(super) block: u32,
    pub(super) inst: Option<u32>,
}

/// Where values are needed next.
#[derive(Debug)]
pub(super) struct Uses {
    /// Per value.
    pub(super) made: Vec<Option<Made>>,
    /// Per value, its class.
    pub(super) class: Vec<RegClass>,
    /// Per value, the last place of its block where it is read; places are counted through all blocks in their order.
    pub(super) last: Vec<u32>,
    /// Per block, the place where it begins.
    pub(super) starts: Vec<u32>,
    /// Per block, the values that it is handed, by number; not its parameters.
    pub(super) live_in: Vec<Vec<Needed>>,
    /// Per block, the values among them that it reads itself, by number.
    pub(super) read: Vec<Vec<Read>>,
    /// Per operand, where its value is needed next behind the instruction, counted from where the block begins; or [`FAR`] or [`NEVER`].
    pub(super) next: Vec<u32>,
    /// The same of the parameters of each block.
    pub(super) params: Vec<Vec<u32>>,
    /// Per block, the next call that changes registers, counted from where the block begins; [`FAR`] if there is none.
    pub(super) calls: Vec<u32>,
    /// Per block, the most values of each class that are needed at once.
    pub(super) most: Vec<[u32; 3]>,
}

/// Where values are needed next behind the instruction that is looked at.
type Now = PerBlock<u32>;

/// Where a value is needed next.
fn next_of(now: &Now, block: usize, value: usize) -> u32 {
    now.get(block, value).unwrap_or(NEVER)
}

/// How far it is through a block to the next one.
fn way(func: &Func, order: &Order, from: usize, to: usize) -> u32 {
    let mut more = func.blocks[from].insts.len() as u32;
    if order.leaves(from, to) {
        more += BEHIND_LOOP;
    }
    if func.blocks[to].is_cold && !func.blocks[from].is_cold {
        more += SELDOM;
    }
    more
}

fn farther(next: u32, more: u32) -> u32 {
    if next >= FAR { FAR } else { next.saturating_add(more).min(FAR - 1) }
}

impl Uses {
    /// Finds where values are needed. The error is a sentence.
    pub(super) fn of(func: &Func, order: &Order) -> Result<Uses, String> {
        let (values, blocks) = (func.num_vregs(), func.num_blocks());
        let mut uses = Uses {
            made: vec![None; values],
            class: vec![RegClass::Int; values],
            last: vec![0; values],
            starts: vec![0; blocks],
            live_in: vec![Vec::new(); blocks],
            read: vec![Vec::new(); blocks],
            next: vec![NEVER; func.operands().len()],
            params: vec![Vec::new(); blocks],
            calls: vec![FAR; blocks],
            most: vec![[0; 3]; blocks],
        };
        let mut now = Now::new(values);
        let mut place = 0;
        for block in order.blocks.iter().copied() {
            uses.starts[block] = place;
            uses.read(func, &mut now, block);
            place += func.blocks[block].insts.len() as u32 + 1;
        }
        uses.live(func)?;
        now.forget();
        // What lies behind ways back has to be known before.
        if order.loops.iter().any(|blocks| !blocks.is_empty()) {
            uses.distances(func, order, &mut now);
            now.forget();
        }
        for block in order.blocks.iter().rev() {
            uses.backward(func, order, &mut now, *block);
        }
        Ok(uses)
    }

    /// Looks at blocks again whose instructions have another order now.
    pub(super) fn look_again(&mut self, func: &Func, order: &Order, blocks: &[usize]) {
        let mut now = Now::new(func.num_vregs());
        for block in blocks {
            self.read(func, &mut now, *block);
        }
        now.forget();
        for block in blocks {
            self.backward(func, order, &mut now, *block);
        }
    }

    /// Finds what a block reads of what it is handed.
    fn read(&mut self, func: &Func, now: &mut Now, at: usize) {
        let block = &func.blocks[at];
        let place = self.starts[at];
        for param in &block.params {
            self.made[param.vreg()] = Some(Made { block: at as u32, inst: None });
            self.class[param.vreg()] = param.class();
            self.last[param.vreg()] = place;
        }
        let mut read: Vec<Read> = Vec::new();
        let mut reads = |uses: &mut Uses, value: usize, nth: u32, next: u32| {
            let last = place + nth;
            if uses.made[value].is_some_and(|made| made.block == at as u32) {
                uses.last[value] = last;
                return;
            }
            match now.get(at, value) {
                Some(known) => {
                    let known: &mut Read = &mut read[known as usize];
                    (known.next, known.last) = (next.min(known.next), last);
                }
                None => {
                    now.set(at, value, read.len() as u32);
                    read.push(Read { value: value as u32, next, last });
                }
            }
        };
        for (nth, inst) in func.block_insns(Block::new(at)).iter().enumerate() {
            let nth = nth as u32;
            for operand in func.inst_operands(inst) {
                let value = operand.vreg().vreg();
                match operand.kind() {
                    OperandKind::Use => {
                        let next = if wants_register(*operand) { nth } else { FAR };
                        reads(self, value, nth, next);
                    }
                    OperandKind::Def => {
                        let inst = Some(inst.index() as u32);
                        self.made[value] = Some(Made { block: at as u32, inst });
                        self.class[value] = operand.class();
                        self.last[value] = place + nth;
                    }
                }
            }
        }
        let len = block.insts.len() as u32;
        for value in block.args.iter().flatten() {
            reads(self, value.vreg(), len, len);
        }
        read.sort_unstable_by_key(|needed| needed.value);
        self.read[at] = read;
    }

    /// Finds what each block is handed, value after value, from where it is read back to where it is made.
    fn live(&mut self, func: &Func) -> Result<(), String> {
        let mut starts = vec![0u32; func.num_vregs() + 1];
        for needed in self.read.iter().flatten() {
            starts[needed.value as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut readers = vec![0u32; starts.last().map_or(0, |count| *count as usize)];
        let mut free = starts.clone();
        for (block, read) in self.read.iter().enumerate() {
            for needed in read {
                let at = &mut free[needed.value as usize];
                readers[*at as usize] = block as u32;
                *at += 1;
            }
        }
        let mut found_for = vec![u32::MAX; func.num_blocks()];
        let mut open: Vec<usize> = Vec::new();
        for value in 0..func.num_vregs() {
            let range = starts[value] as usize..starts[value + 1] as usize;
            open.extend(readers[range].iter().map(|block| *block as usize));
            while let Some(block) = open.pop() {
                if std::mem::replace(&mut found_for[block], value as u32) == value as u32 {
                    continue;
                }
                self.live_in[block].push(Needed { value: value as u32, next: FAR });
                let made = self.made[value].map(|made| made.block as usize);
                let preds = func.block_preds(Block::new(block));
                if preds.is_empty() || made.is_none() {
                    return Err("a value is read that is made nowhere".to_owned());
                }
                for from in preds.iter().map(|from| from.index()) {
                    if Some(from) != made {
                        open.push(from);
                    }
                }
            }
        }
        Ok(())
    }

    /// Finds where values are needed behind a block. The result is how many of each class there are.
    fn behind(&self, func: &Func, order: &Order, now: &mut Now, block: usize) -> [u32; 3] {
        let len = func.blocks[block].insts.len() as u32;
        let mut counts = [0; 3];
        let mut needs = |value: usize, next: u32| {
            let known = next_of(now, block, value);
            counts[self.class[value] as usize] += u32::from(known == NEVER);
            now.set(block, value, known.min(next));
        };
        for (to, args) in func.blocks[block].succs.iter().zip(&func.blocks[block].args) {
            let more = way(func, order, block, to.index());
            for Needed { value, next } in &self.live_in[to.index()] {
                needs(*value as usize, farther(*next, more));
            }
            // Of parameters this is known, but of those of loops that are not done yet.
            let params = &self.params[to.index()];
            for (nth, value) in args.iter().enumerate() {
                let next = params.get(nth).map_or(len, |next| farther(*next, more));
                needs(value.vreg(), next);
            }
        }
        counts
    }

    /// Finds where each block needs next what it is handed.
    fn distances(&mut self, func: &Func, order: &Order, now: &mut Now) {
        for block in order.blocks.iter().rev().copied() {
            self.behind(func, order, now, block);
            let mut read = self.read[block].iter().peekable();
            for needed in &mut self.live_in[block] {
                while read.next_if(|read| read.value < needed.value).is_some() {}
                let here = read.next_if(|read| read.value == needed.value);
                let here = here.map_or(FAR, |read| read.next);
                needed.next = here.min(next_of(now, block, needed.value as usize));
            }
            self.find_calls(func, order, block);
        }
    }

    /// Finds the next call.
    fn find_calls(&mut self, func: &Func, order: &Order, block: usize) {
        let range = func.blocks[block].insts.clone();
        let mut insts = func.insts[range.start as usize..range.end as usize].iter();
        self.calls[block] = match insts.position(|inst| inst.calls) {
            Some(nth) => nth as u32,
            None => {
                let succs = func.blocks[block].succs.iter().map(|to| to.index());
                let calls = succs.map(|to| farther(self.calls[to], way(func, order, block, to)));
                calls.min().unwrap_or(FAR)
            }
        };
    }

    /// Goes through a block from its end to where it begins.
    fn backward(&mut self, func: &Func, order: &Order, now: &mut Now, block: usize) {
        let len = func.blocks[block].insts.len() as u32;
        let mut live = self.behind(func, order, now, block);
        let mut most = live;
        for nth in (0..len).rev() {
            let inst = Inst::new((func.blocks[block].insts.start + nth) as usize);
            let range = func.operand_range(inst);
            let operands = &func.operands()[range.clone()];
            let mut here = live;
            for (at, operand) in range.zip(operands) {
                let next = next_of(now, block, operand.vreg().vreg());
                self.next[at] = next;
                let unused = operand.kind() == OperandKind::Def && next == NEVER;
                here[operand.class() as usize] += u32::from(unused);
            }
            // What is needed behind a call has no register that this changes.
            for reg in func.inst_clobbers(inst) {
                here[reg.class() as usize] += 1;
            }
            for operand in operands.iter().filter(|operand| operand.kind() == OperandKind::Def) {
                let value = operand.vreg().vreg();
                if next_of(now, block, value) != NEVER {
                    live[operand.class() as usize] -= 1;
                    now.set(block, value, NEVER);
                }
            }
            for operand in operands.iter().filter(|operand| operand.kind() == OperandKind::Use) {
                let value = operand.vreg().vreg();
                let known = next_of(now, block, value);
                if known == NEVER {
                    live[operand.class() as usize] += 1;
                }
                let next = if wants_register(*operand) { nth } else { known.min(FAR) };
                now.set(block, value, next);
            }
            for class in 0..3 {
                most[class] = most[class].max(live[class]).max(here[class]);
            }
        }
        self.most[block] = most;
        self.find_calls(func, order, block);
        for needed in &mut self.live_in[block] {
            needed.next = next_of(now, block, needed.value as usize).min(FAR);
        }
        let params = func.blocks[block].params.iter();
        self.params[block] = params.map(|param| next_of(now, block, param.vreg())).collect();
    }
}

/// Whether an operand has to be in a register.
pub(super) fn wants_register(operand: Operand) -> bool {
    operand.constraint() != OperandConstraint::Any
}
