//! What the codes of an observed program do in terms of its kernel.

use ir::{BlockId, Inst, Kernel, Members, Op, Pred, Src};

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
    /// The collective at this index of the block, at which lanes wait for each other.
    Meeting(BlockId, usize),
    /// The CTA barrier at this index of the block.
    Barrier(BlockId, usize),
    /// The block's terminator.
    Terminator(BlockId),
}

impl Origin {
    /// The instruction that the code is, if it is one.
    pub(super) fn inst(self, kernel: &Kernel) -> Option<&Inst> {
        match self {
            Origin::Inst(block, nth)
            | Origin::Meeting(block, nth)
            | Origin::Barrier(block, nth) => kernel.blocks[block.0 as usize].insts.get(nth),
            Origin::Guard(..) | Origin::Unguard | Origin::Terminator(_) => None,
        }
    }

    /// Whether the code only computes, lane by lane, from registers to registers.
    pub(super) fn only_computes(self, kernel: &Kernel) -> bool {
        let Origin::Inst(block, nth) = self else { return false };
        let inst = &kernel.blocks[block.0 as usize].insts[nth];
        let is_special = inst.op.special().is_some() && !inst.op.tells_time();
        !has_guard(inst.guard) && (inst.op.is_pure() || is_special)
    }

    /// Whether it is a collective that names all lanes.
    pub(super) fn meets_all(self, kernel: &Kernel) -> bool {
        let Origin::Meeting(block, nth) = self else { return false };
        let inst = &kernel.blocks[block.0 as usize].insts[nth];
        let all = Members::Mask(Src::Imm(u32::MAX.into()));
        !has_guard(inst.guard)
            && matches!(inst.op, Op::Collective { members, .. } if members == all)
    }

    /// Whether a step of a schedule that chooses step by step begins at the code: at what others can notice. A guard goes
    /// with its instruction.
    pub(super) fn begins_step(self, kernel: &Kernel) -> bool {
        let inst = |block: BlockId, nth: usize| &kernel.blocks[block.0 as usize].insts[nth];
        let begun = match self {
            Origin::Guard(block, nth) => Some(inst(block, nth)),
            Origin::Inst(block, nth)
            | Origin::Meeting(block, nth)
            | Origin::Barrier(block, nth) => {
                Some(inst(block, nth)).filter(|inst| !has_guard(inst.guard))
            }
            Origin::Unguard | Origin::Terminator(_) => None,
        };
        begun.is_some_and(|inst: &Inst| inst.op.concerns_others())
    }
}
