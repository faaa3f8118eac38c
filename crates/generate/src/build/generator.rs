//! The kernel under construction: its registers and operands.

use super::region::Together;
use crate::choices::Choices;
use ir::{BlockId, Builder, Class, Pred, Reg, Src, UnaryOp};

/// Bytes of shared memory that each thread has for itself.
pub(super) const OWN: u64 = 16;
/// Bytes of local memory.
pub(super) const LOCAL: u64 = 64;
/// Bytes of the input.
pub(super) const INPUT: u64 = 256;
/// Bytes of the results that a thread leaves, and of memory of its own behind them.
pub(super) const RESULTS: u64 = 64;
pub(super) const SCRATCH: u64 = 32;

/// Registers of the kernel's frame that nothing changes.
pub(super) struct Fixed {
    /// The thread's number in its CTA.
    pub(super) thread: Reg,
    pub(super) lane: Reg,
    /// The offset of its own bytes of shared memory.
    pub(super) own: Reg,
    /// Generic addresses: of shared memory, of local memory, of the input, of the thread's part of the output, of the counters.
    pub(super) shared: Reg,
    pub(super) local: Reg,
    pub(super) input: Reg,
    pub(super) output: Reg,
    pub(super) counters: Reg,
    /// Words that are the same in all threads of the CTA.
    pub(super) uniform: Vec<Reg>,
    /// The one of them that is not the same in all CTAs: the CTA's number.
    pub(super) cta: Reg,
    /// What a kernel with clusters needs to know of its own.
    pub(super) cluster: Option<Cluster>,
}

/// Registers of a kernel with clusters that nothing changes.
#[derive(Clone, Copy)]
pub(super) struct Cluster {
    /// The CTA's rank, and CTAs of the cluster.
    pub(super) rank: Reg,
    pub(super) ctas: Reg,
    /// Where the shared memory of rank 0 appears.
    pub(super) window: Reg,
    /// The thread's own bytes of shared memory, as other CTAs reach them.
    pub(super) own: Reg,
}

pub(super) struct Generator<'c> {
    pub(super) choices: &'c mut Choices,
    pub(super) b: Builder,
    pub(super) fixed: Fixed,
    /// The registers that statements compute with.
    pub(super) words: Vec<Reg>,
    pub(super) wides: Vec<Reg>,
    pub(super) preds: Vec<Reg>,
    /// Threads of the CTA.
    pub(super) threads: u32,
    /// Whether some threads may have exited.
    pub(super) has_exits: bool,
    /// Whether lanes may part and meet again at other instructions.
    pub(super) is_independent: bool,
    /// Whether there may be barrier objects and copies in bulk.
    pub(super) has_objects: bool,
    /// Where routines begin, those inside others first.
    pub(super) routines: Vec<BlockId>,
    /// Bytes of local memory that their stacks have, behind what statements use.
    pub(super) stack: u64,
    /// Statements that may still be made.
    pub(super) budget: u32,
}

impl Generator<'_> {
    /// A register of a class, to be written.
    pub(super) fn target(&mut self, class: Class) -> Reg {
        let list = match class {
            Class::W32 => &self.words,
            Class::W64 => &self.wides,
            Class::Pred => &self.preds,
        };
        self.choices.pick(list, self.fixed.thread)
    }

    pub(super) fn word(&mut self) -> Src {
        match self.choices.below(8) {
            5 => Src::Imm(self.choices.bits()),
            6 => self.fixed.lane.into(),
            7 => {
                let lane = self.fixed.lane;
                self.choices.pick(&self.fixed.uniform, lane).into()
            }
            _ => self.target(Class::W32).into(),
        }
    }

    /// A word that is the same in all threads of the CTA, and whether in those of the cluster, too.
    pub(super) fn uniform(&mut self) -> (Reg, Together) {
        let value = self.choices.pick(&self.fixed.uniform, self.fixed.cta);
        let who = if value == self.fixed.cta { Together::Cta } else { Together::Cluster };
        (value, who)
    }

    pub(super) fn wide(&mut self) -> Src {
        match self.choices.one_in(5) {
            true => Src::Imm(self.choices.bits()),
            false => self.target(Class::W64).into(),
        }
    }

    pub(super) fn value(&mut self, class: Class) -> Src {
        match class {
            Class::W32 => self.word(),
            Class::W64 => self.wide(),
            // No row of the tables takes predicates.
            Class::Pred => Src::Imm(0),
        }
    }

    pub(super) fn pred(&mut self) -> Pred {
        let reg = self.target(Class::Pred);
        match self.choices.below(16) {
            15 => Pred::Const(self.choices.one_in(2)),
            10..15 => Pred::Not(reg),
            _ => Pred::Is(reg),
        }
    }

    /// A predicate that keeps its value.
    pub(super) fn kept_pred(&mut self) -> Pred {
        let pred = self.pred();
        let kept = self.b.reg(Class::Pred);
        self.b.pred_to(kept, pred);
        match self.choices.one_in(3) {
            true => Pred::Not(kept),
            false => Pred::Is(kept),
        }
    }

    /// Makes instructions, perhaps under a guard.
    pub(super) fn perhaps_guarded(&mut self, make: impl FnOnce(&mut Self)) {
        if self.choices.one_in(4) {
            let guard = match self.choices.one_in(2) {
                true => self.kept_pred(),
                // The instructions may change it.
                false => self.pred(),
            };
            self.b.set_guard(Some(guard));
        }
        make(self);
        self.b.set_guard(None);
    }

    /// A word moved to a new register.
    pub(super) fn moved(&mut self, value: Src) -> Reg {
        self.b.unary(UnaryOp::Mov32, value)
    }
}
