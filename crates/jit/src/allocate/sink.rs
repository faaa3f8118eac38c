//! Where registers are few, instructions wait until their results are needed, if their operands do not have to be kept for that.
//!
//! Code is made operation after operation, each for all vectors of a value: then as many results are in registers at once.

use super::order::Order;
use super::uses::Uses;
use crate::mir::{Arg, ArgBase, Func, Kind};
use crate::registers::Registers;
use iced_x86::Instruction;
use regalloc2::{Inst, OperandKind};

/// What is known of values in a block.
struct Known {
    /// The block for which it is.
    block: Vec<u32>,
    /// The instruction before which the value is read first.
    first: Vec<u32>,
    /// The last one, or [`BEHIND`].
    last: Vec<u32>,
}

/// A value is read in other blocks, too.
const BEHIND: u32 = u32::MAX;

/// Puts instructions where their results are needed, in blocks that need more registers than there are. The result is which blocks have
/// another order now.
pub(super) fn sink(
    func: &mut Func,
    order: &Order,
    uses: &Uses,
    registers: &Registers,
) -> Vec<usize> {
    let count = uses.class.len();
    let mut known =
        Known { block: vec![u32::MAX; count], first: vec![0; count], last: vec![0; count] };
    let mut changed = Vec::new();
    for block in &order.blocks {
        let few =
            uses.most[*block].iter().zip(registers.all).any(|(most, all)| *most > all.count_ones());
        if few && !func.blocks[*block].is_cold && known.sink_block(func, uses, *block) {
            changed.push(*block);
        }
    }
    changed
}

impl Known {
    fn sink_block(&mut self, func: &mut Func, uses: &Uses, block: usize) -> bool {
        let here = &func.blocks[block];
        for to in &here.succs {
            for needed in &uses.live_in[to.index()] {
                self.read(block, needed.value as usize, BEHIND);
            }
        }
        for value in here.args.iter().flatten() {
            self.read(block, value.vreg(), BEHIND);
        }
        let range = here.insts.clone();
        let mut before: Vec<(u32, u32)> = Vec::with_capacity(range.len());
        for inst in range.clone().rev() {
            let at = self.place(func, block, inst);
            before.push((at, inst));
            for operand in &func.operands()[func.operand_range(Inst::new(inst as usize))] {
                if operand.kind() == OperandKind::Use {
                    self.read(block, operand.vreg().vreg(), at);
                }
            }
        }
        before.reverse();
        if before.iter().all(|(at, inst)| at == inst) {
            return false;
        }
        before.sort_by_key(|(at, inst)| (*at, at == inst, *inst));
        let insts = before.into_iter().map(|(_, inst)| inst as usize);
        func.arrange(range, insts.collect());
        true
    }

    /// The instruction before which another should stand; itself where it should stay.
    fn place(&self, func: &Func, block: usize, inst: u32) -> u32 {
        let operands = &func.operands()[func.operand_range(Inst::new(inst as usize))];
        let mut results = operands.iter().filter(|operand| operand.kind() == OperandKind::Def);
        let (Some(result), None) = (results.next(), results.next()) else { return inst };
        let value = result.vreg().vreg();
        if self.block[value] != block as u32 || !may_wait(func, inst) {
            return inst;
        }
        let first = self.first[value];
        let stays = |value: usize| self.block[value] == block as u32 && self.last[value] >= first;
        let mut read = operands.iter().filter(|operand| operand.kind() == OperandKind::Use);
        if first != BEHIND && read.all(|operand| stays(operand.vreg().vreg())) {
            first
        } else {
            inst
        }
    }

    /// Notes that a value is read before an instruction.
    fn read(&mut self, block: usize, value: usize, at: u32) {
        if self.block[value] != block as u32 {
            self.block[value] = block as u32;
            (self.first[value], self.last[value]) = (at, at);
        } else {
            self.first[value] = self.first[value].min(at);
            self.last[value] = self.last[value].max(at);
        }
    }
}

/// Whether it does not matter when an instruction is executed: it computes from values and constants alone.
fn may_wait(func: &Func, inst: u32) -> bool {
    let Kind::X { code, args, locked: false, .. } = &func.insts[inst as usize].kind else {
        return false;
    };
    let constant =
        |arg: &Arg| !matches!(arg, Arg::Memory { base, .. } if !matches!(base, ArgBase::Pool(_)));
    let mut instruction = Instruction::default();
    instruction.set_code(*code);
    func.args[args.start as usize..args.end as usize].iter().all(constant)
        && instruction.rflags_modified() == 0
        && instruction.rflags_read() == 0
}
