//! The volatile reads of loops that do nothing but wait.

use foldhash::HashSet;
use ir::{Address, Block, BlockId, Kernel, Op, Operand, Ordering, Place, Src, Terminator};

/// The loads of blocks that look at one word again and again until it says otherwise: which lanes execute them together does not
/// matter.
pub(super) fn loads(kernel: &Kernel) -> HashSet<Place> {
    let goes_round = |(nth, block): (usize, &Block)| {
        let itself = BlockId(nth as u32);
        matches!(block.terminator, Terminator::Branch { then, otherwise, .. } if then == itself || otherwise == itself)
    };
    let blocks = kernel.blocks.iter().enumerate().filter(|at| goes_round(*at));
    let waiting = blocks.map(|(_, block)| block).filter(|block| !has_effect(block));
    let looks = |block: &Block, op: &Op| match op {
        Op::Load { address, ordering: Ordering::Volatile, .. } => stays(block, address),
        _ => false,
    };
    let insts = waiting.flat_map(|block| block.insts.iter().map(move |inst| (block, inst)));
    insts.filter(|(block, inst)| looks(block, &inst.op)).map(|(_, inst)| inst.place).collect()
}

/// Whether a block does more than compute and look.
fn has_effect(block: &Block) -> bool {
    let does = |op: &Op| op.touches().is_some_and(|touched| touched.writes) || op.may_wait();
    block.insts.iter().any(|inst| does(&inst.op))
}

/// Whether an address is the same in every turn of a block.
fn stays(block: &Block, address: &Address) -> bool {
    let Src::Reg(base) = address.base else { return true };
    let mut changes = false;
    for inst in &block.insts {
        inst.op.operands(|operand| changes |= matches!(operand, Operand::Def(reg) if reg == base));
    }
    !changes
}
