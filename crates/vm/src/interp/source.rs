//! The kernel behind a program, for observers.

use super::slot::Slot;
use ir::{BlockId, Inst, Kernel, Pred, Tells, WarpRules};

/// The kernel behind a program, kept for observers.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) kernel: Kernel,
    /// Per register, its row.
    pub(crate) slots: Vec<Slot>,
    /// Per code, what it does in terms of the kernel.
    pub(crate) origins: Vec<Origin>,
    /// Per code, whether a step of a schedule that chooses step by step begins there.
    pub(crate) steps: Vec<bool>,
    /// Per code, what such a step shows of the lanes that take it together, if they need not.
    pub(crate) tells: Vec<Tells>,
}

impl Source {
    pub(super) fn new(kernel: &Kernel, slots: Vec<Slot>, origins: Vec<Origin>) -> Source {
        let inst = |block: BlockId, nth: usize| &kernel.blocks[block.0 as usize].insts[nth];
        // The instruction that begins there. A guard goes with its instruction.
        let begun = |origin: &Origin| match *origin {
            Origin::Guard(block, nth) => Some(inst(block, nth)),
            Origin::Inst(block, nth) => {
                Some(inst(block, nth)).filter(|inst| !has_guard(inst.guard))
            }
            Origin::Unguard | Origin::Terminator(_) => None,
        };
        let begins = |origin: &Origin| begun(origin).is_some_and(|inst| inst.op.concerns_others());
        let steps = origins.iter().map(begins).collect();
        let told = |origin: &Origin| match kernel.rules {
            WarpRules::Independent => begun(origin).map_or(Tells::Nothing, |inst| inst.op.tells()),
            WarpRules::Lockstep => Tells::Nothing,
        };
        let tells = origins.iter().map(told).collect();
        Source { kernel: kernel.clone(), slots, origins, steps, tells }
    }

    /// The instruction that a code performs.
    pub(crate) fn inst(&self, at: usize) -> Option<&Inst> {
        match self.origins[at] {
            Origin::Inst(block, nth) => self.kernel.blocks[block.0 as usize].insts.get(nth),
            Origin::Guard(..) | Origin::Unguard | Origin::Terminator(_) => None,
        }
    }
}

/// Whether an instruction's guard leaves any choice.
pub(super) fn has_guard(guard: Option<Pred>) -> bool {
    guard.is_some_and(|guard| guard != Pred::Const(true))
}

/// What a code of an observed program does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// Reads the guard of the instruction at this index of the block.
    Guard(BlockId, usize),
    /// Ends the reach of a guard.
    Unguard,
    /// The instruction at this index of the block.
    Inst(BlockId, usize),
    /// The block's terminator.
    Terminator(BlockId),
}
