//! What the codes of an observed program do in terms of its kernel.

use ir::{BlockId, Inst, Kernel, Pred};

/// Whether an instruction's guard leaves any choice.
pub(super) fn has_guard(guard: Option<Pred>) -> bool {
    guard.is_some_and(|guard| guard != Pred::Const(true))
}

/// What a code of an observed program does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// Reads the guard of the instruction at this index of the block.
    Guard(BlockId, usize),
    /// Ends the reach of a guard.
    Unguard,
    /// The instruction at this index of the block.
    Inst(BlockId, usize),
    /// The block's terminator.
    Terminator(BlockId),
}

impl Origin {
    /// Whether a step of a schedule that chooses step by step begins at the code: at what others can notice. A guard goes
    /// with its instruction.
    pub(super) fn begins_step(self, kernel: &Kernel) -> bool {
        let inst = |block: BlockId, nth: usize| &kernel.blocks[block.0 as usize].insts[nth];
        let begun = match self {
            Origin::Guard(block, nth) => Some(inst(block, nth)),
            Origin::Inst(block, nth) => {
                Some(inst(block, nth)).filter(|inst| !has_guard(inst.guard))
            }
            Origin::Unguard | Origin::Terminator(_) => None,
        };
        begun.is_some_and(|inst: &Inst| inst.op.concerns_others())
    }
}
