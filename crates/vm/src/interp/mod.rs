//! The interpreter: a plan compiled to a flat list of handlers that run over whole warps.
//!
//! [`Program`] holds one `Code` per operation. A handler performs its operation for every warp of the
//! running group ([`Frame`](crate::frame::Frame)) and returns where to go on. It is the reference for all engines.

mod aligned;
mod atomic;
mod collective;
mod compile;
mod control;
mod copy;
mod element;
mod handler;
mod handlers;
mod host;
mod matrix;
mod memory;
mod operations;
mod predicate;
mod predicated;
mod product;
mod program;
mod reach;
mod rows;
mod run;
mod sample;
mod scalar;
mod source;
mod special;
mod straight;
mod strong;

use crate::Level;
use crate::engine::{Code, Engine};
use crate::plan::Plan;
use ir::Interrupt;
use std::sync::Arc;

pub(crate) use collective::Gathered;
pub use collective::{Operands, Results, evaluate};
pub(crate) use program::Program;
pub(crate) use reach::find_region;
pub(crate) use scalar::row_functions;

/// The interpreter, with handlers for a level of vector instructions that the machine has.
pub(crate) struct Interpreter(pub(crate) Level);

impl Engine for Interpreter {
    fn compile(&self, plan: &Arc<Plan>, interrupt: &Interrupt<'_>) -> Option<Box<dyn Code>> {
        Some(Box::new(self.program(plan, interrupt)?))
    }
}

impl Interpreter {
    /// Compiles a plan. `None` if it was interrupted.
    pub(crate) fn program(&self, plan: &Arc<Plan>, interrupt: &Interrupt<'_>) -> Option<Program> {
        Program::compile(plan, self.0, interrupt)
    }
}
