//! Where registers are few, instructions wait until their results are needed, if their operands do not have to be kept for that.
//!
//! Code is made operation after operation, each for all vectors of a value: then as many results are in registers at once.

use super::order::Order;
use super::per_block::PerBlock;
use super::uses::Uses;
use crate::mir::{Arg, ArgBase, Func, Kind, Way};
use crate::registers::Registers;
use crate::x86::changes_flags;
use iced_x86::Instruction;
use regalloc2::{Function, Inst, OperandKind};

/// The instructions before which values are read first and last; [`BEHIND`] if that is in another block.
struct Known(PerBlock<(u32, u32)>);

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
    let lacks = |block: &usize| {
        let mut classes = uses.most[*block].iter().zip(registers.all);
        !func.blocks[*block].is_cold && classes.any(|(most, all)| *most > all.count_ones())
    };
    let mut blocks: Vec<usize> = order.blocks.iter().copied().filter(lacks).collect();
    if !blocks.is_empty() {
        let mut known = Known(PerBlock::new(func.num_vregs()));
        blocks.retain(|block| known.sink_block(func, uses, *block));
    }
    blocks
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
        let Some((first, _)) = self.0.get(block, value).filter(|_| may_wait(func, inst)) else {
            return inst;
        };
        let stays = |value| self.0.get(block, value).is_some_and(|(_, last)| last >= first);
        let mut read = operands.iter().filter(|operand| operand.kind() == OperandKind::Use);
        if first != BEHIND && read.all(|operand| stays(operand.vreg().vreg())) {
            first
        } else {
            inst
        }
    }

    /// Notes that a value is read before an instruction.
    fn read(&mut self, block: usize, value: usize, at: u32) {
        let (first, last) = self.0.get(block, value).unwrap_or((at, at));
        self.0.set(block, value, (first.min(at), last.max(at)));
    }
}

/// Whether it does not matter when an instruction is executed: it computes from values and constants alone.
fn may_wait(func: &Func, inst: u32) -> bool {
    let Kind::X { code, args, way: Way::Usual | Way::Rounded(_), .. } =
        &func.insts[inst as usize].kind
    else {
        return false;
    };
    let constant =
        |arg: &Arg| !matches!(arg, Arg::Memory { base, .. } if !matches!(base, ArgBase::Pool(_)));
    let mut instruction = Instruction::default();
    instruction.set_code(*code);
    func.args[args.start as usize..args.end as usize].iter().all(constant)
        && !changes_flags(*code)
        && instruction.rflags_read() == 0
}
