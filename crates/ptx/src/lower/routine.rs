//! Functions that are lowered once and called, and the stack of a thread.

use super::call_graph::Once;
use super::frames::LocalFrame;
use super::scope::Variable;
use crate::syntax::ast::Function;
use ir::{BlockId, Place, Reg};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// What stands behind a formal parameter.
#[derive(Clone, Debug)]
pub(super) enum Passed {
    /// A variable.
    At(Variable),
    /// A register of its own.
    In(Reg),
    /// A register for each element of a vector.
    Each(Vec<Reg>),
}

/// A function that is lowered once.
#[derive(Debug)]
pub(super) struct Routine {
    pub(super) function: Arc<Function>,
    pub(super) once: Once,
    /// Where its callers go.
    pub(super) entry: BlockId,
    /// Where its statements begin.
    pub(super) body: BlockId,
    /// Where `ret` goes.
    pub(super) exit: BlockId,
    /// Holds where the frame of the activation begins in local memory.
    pub(super) base: Reg,
    /// Holds which of its callers goes on when it returns.
    pub(super) site: Reg,
    /// Holds where the stack ended when it was called, if it allocates from it and has no frame there.
    pub(super) stack: Option<Reg>,
    pub(super) params: Vec<Passed>,
    pub(super) returns: Vec<Passed>,
    /// Its registers: those of its parameters, and those of its body.
    pub(super) registers: [Range<usize>; 2],
    /// Its frame, from 0 on; first the parameters.
    pub(super) frame: LocalFrame,
    /// Bytes of its frame with those of all that take the place of calls in it.
    pub(super) bytes: u64,
    /// The greatest alignment of what is in it.
    pub(super) align: u64,
    /// The last of its instructions.
    pub(super) place: Place,
    /// Where its frames begin among those of the kernel, and end.
    pub(super) frames: Range<usize>,
    /// Where those go on that call it.
    pub(super) returns_to: Vec<BlockId>,
}

/// A call of such a function.
#[derive(Debug)]
pub(super) struct Site {
    /// The function that it stands in; `None` is the kernel.
    pub(super) caller: Option<usize>,
    pub(super) callee: usize,
    pub(super) place: Place,
    /// Makes room on the stack, saves what the caller needs behind the call, and goes on at `pass`.
    pub(super) push: BlockId,
    /// Passes the arguments that lie in memory, and goes on at `enter`.
    pub(super) pass: BlockId,
    /// Writes the registers of the callee, which may be the caller's own, and goes there.
    pub(super) enter: BlockId,
    /// Where the callee returns to.
    pub(super) resume: BlockId,
    /// Loads what was saved, and goes on at `next`.
    pub(super) pop: BlockId,
    pub(super) next: BlockId,
}

/// All of a kernel.
#[derive(Debug, Default)]
pub(super) struct Routines {
    pub(super) all: Vec<Routine>,
    pub(super) by_name: HashMap<String, usize>,
    pub(super) sites: Vec<Site>,
    /// The one that is being lowered; `None` is the kernel.
    pub(super) current: Option<usize>,
    /// The frame of the kernel among all.
    pub(super) kernel_frame: usize,
}

/// The stack of a thread: it grows upwards behind all variables whose places are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stack {
    /// Where it ends now.
    pub(super) top: Reg,
    /// Where it must end.
    pub(super) end: Reg,
    /// What all addresses are aligned to at which frames begin, less 1.
    pub(super) align_less_1: Reg,
    /// The bits of such addresses.
    pub(super) mask: Reg,
}
