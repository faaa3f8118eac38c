//! A plan as the interpreter runs it: a flat list of codes, and the operands that have no room in them.

use super::operations::{AtomicOp, CopyOp, HostOp, MemoryOp, PredicatedOp};
use super::source::Origin;
use super::straight::Straight;
use crate::frame::Frame;
use crate::plan::{Pc, Plan, Rows, Slot};
use ir::Special;
use std::fmt;
use std::sync::Arc;

/// A plan compiled for a level of vector instructions.
pub(crate) struct Program {
    pub(super) plan: Arc<Plan>,
    /// The plan's rows with the program's constants.
    pub(super) rows: Rows,
    pub(super) codes: Vec<Code>,
    /// Per place of the plan, the code at which lanes begin that stand there.
    pub(super) entries: Vec<u32>,
    /// Per code, the place of the plan that it belongs to.
    pub(super) places: Vec<Pc>,
    /// Prepares the frame for a new group.
    pub(super) begin_group: Code,
    /// What is the same in every CTA.
    pub(super) prologue: Vec<Code>,
    /// Per branch of the plan.
    pub(super) branches: Vec<BranchCodes>,
    pub(super) memory: Vec<MemoryOp>,
    pub(super) atomics: Vec<AtomicOp>,
    pub(super) predicated: Vec<PredicatedOp>,
    pub(super) specials: Vec<Special>,
    pub(super) hosts: Vec<HostOp>,
    pub(super) copies: Vec<CopyOp>,
    /// Per access that remembers an allocation, whether it writes.
    pub(super) sites: Vec<bool>,
    /// Per code, what an observer is told; empty if there is none.
    pub(super) origins: Vec<Origin>,
    /// Which codes nobody has to be shown one by one; none if there is no observer.
    pub(super) straight: Straight<Code>,
}

/// A branch: where its lanes go.
#[derive(Clone, Copy, Debug)]
pub(super) struct BranchCodes {
    pub(super) p: Slot,
    pub(super) negated: bool,
    pub(super) then: usize,
    pub(super) otherwise: usize,
    /// If the branch is over the next block, and an observed run may execute that in place, whether that block is where it leads if
    /// it is taken.
    pub(super) over: Option<bool>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} codes of `{}`", self.codes.len(), self.plan.kernel.name)
    }
}

/// Performs a [`Code`] for the frame's group and returns the index of the next one, or [`STOP`](super::handler::STOP).
///
/// # Safety
/// The machine has the level that the handler was selected for; the code belongs to the program, and the program to the
/// frame's plan.
pub(super) type Handler = unsafe fn(&Program, &mut Frame<'_>, &Code, usize) -> usize;

/// One operation of a program: its handler and its operands. `x` and `y` mean what the handler says,
/// most often an index into a table of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    pub(crate) run: Handler,
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    pub(crate) x: u32,
    pub(crate) y: u32,
}

impl Code {
    /// An operation without operands.
    pub(super) fn alone(run: Handler) -> Code {
        let none = Slot::NONE;
        Code { run, d: none, a: none, b: none, c: none, x: 0, y: 0 }
    }
}
