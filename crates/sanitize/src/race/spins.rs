//! The volatile reads of loops that do nothing but wait.

use foldhash::HashSet;
use ir::{Block, BlockId, Kernel, Op, Operand, Ordering, Place, Reg, Src, Terminator};

/// The loads of blocks that look at one word again and again until it says otherwise: which lanes execute them together does not
/// matter.
pub(super) fn loads(kernel: &Kernel) -> HashSet<Place> {
    let goes_round = |(nth, block): (usize, &Block)| {
        let itself = BlockId(nth as u32);
        matches!(block.terminator, Terminator::Branch { then, otherwise, .. } if then == itself || otherwise == itself)
    };
    let blocks = kernel.blocks.iter().enumerate().filter(|at| goes_round(*at));
    let waiting = blocks.map(|(_, block)| block).filter(|block| !has_effect(block));
    let looks = |changed: &HashSet<Reg>, op: &Op| {
        let Op::Load { address, ordering: Ordering::Volatile, .. } = op else { return false };
        match address.base {
            Src::Reg(base) => !changed.contains(&base),
            Src::Imm(_) => true,
        }
    };
    let mut found = HashSet::default();
    for block in waiting {
        let changed = changed(block);
        let insts = block.insts.iter().filter(|inst| looks(&changed, &inst.op));
        found.extend(insts.map(|inst| inst.place));
    }
    found
}

/// Whether a block does more than compute and look.
fn has_effect(block: &Block) -> bool {
    let does = |op: &Op| op.touches().any(|touched| touched.writes) || op.may_wait();
    block.insts.iter().any(|inst| does(&inst.op))
}

/// The registers that a block writes: addresses from others are the same in every turn of it.
fn changed(block: &Block) -> HashSet<Reg> {
    let mut changed = HashSet::default();
    for inst in &block.insts {
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                changed.insert(reg);
            }
        });
    }
    changed
}
