//! A kernel while it is being lowered.

use super::call_graph::CallGraph;
use super::errors::Errors;
use super::frames::{Call, LocalFrame, Targets};
use super::layout::{NamedVariable, Row, SharedMemory};
use super::lines::SourceLines;
use super::routine::{Routines, Stack};
use super::scope::Scopes;
use crate::syntax::ScalarType;
use diag::Span;
use ir::{Builder, Place, Reg};
use std::collections::HashMap;

/// A kernel parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// The type of one scalar.
    pub ty: ScalarType,
    /// Offset in the parameter space of a launch, in bytes, where gaps around arrays show accesses past their ends.
    pub offset: u32,
    /// Offset in bytes in a block of arguments as the CUDA ABI lays it out, without gaps.
    pub block_offset: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Size in bytes, of the whole array or vector.
    pub bytes: u32,
    /// Whether it is an array or vector of scalars.
    pub is_aggregate: bool,
    /// Whether its declaration says that it holds an address (`.ptr`).
    pub is_pointer: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A kernel while it is being lowered. Catalogue entries use its methods to read operands and write
/// results, and its builder to emit IR.
pub struct Lowering {
    /// Emits IR.
    pub b: Builder,
    /// Whether registers wider than the instruction's type are admitted right now.
    pub relaxed: bool,
    pub(super) scopes: Scopes,
    pub(super) places: Vec<Span>,
    pub(super) lines: SourceLines,
    pub(super) params: Vec<Param>,
    pub(super) param_row: Row,
    /// Bytes of the parameters without gaps.
    pub(super) param_bytes: u64,
    pub(super) shared_memory: SharedMemory,
    /// Where the shared variables of the kernel and of its functions stand, by the places of their names.
    pub(super) shared: HashMap<Span, u64>,
    /// The same for reports.
    pub(super) shared_variables: Vec<NamedVariable>,
    /// The variable that stands for dynamic shared memory, once one is used.
    pub(super) dynamic: Option<NamedVariable>,
    /// Where the shared memory stands that is set aside for the system, once something uses it.
    pub(super) reserved_shared: Option<u64>,
    /// Where the barrier of the grid stands in the image, if the module reads where it is.
    pub(super) grid_workspace: Option<u64>,
    /// Whether shared memory may be reached from other CTAs of a cluster.
    pub(super) clusters: bool,
    /// Whether the module is for an architecture without subnormal numbers of binary32.
    pub(super) flushes: bool,
    /// Offsets in the image of what constant variables lie in.
    pub(super) constants: std::ops::Range<u64>,
    /// Bytes of local memory that the kernel needs with all that it calls.
    pub(super) local_bytes: u64,
    pub(super) frame: LocalFrame,
    /// Holds where the frame begins, if that is not at 0.
    pub(super) base: Option<Reg>,
    /// The greatest alignment of a variable in the frame so far.
    pub(super) align: u64,
    pub(super) call_graph: CallGraph,
    pub(super) routines: Routines,
    /// The stack, if something needs one.
    pub(super) stack: Option<Stack>,
    /// Those of the functions that have been lowered.
    pub(super) frames: Vec<ir::Frame>,
    /// The functions whose bodies are being lowered, outermost first.
    pub(super) calls: Vec<Call>,
    /// What calls through registers can reach, by label.
    pub(super) targets: HashMap<String, Targets>,
    /// How many labels the tables have, and those that branches go to.
    pub(super) table_entries: usize,
    pub(super) carry: Option<Reg>,
    /// What is wrong where the kernel stops itself, apart from the `trap` instruction.
    pub(super) stops: HashMap<Place, &'static str>,
    /// Numbers of the qualifiers that instructions have had.
    pub(super) qualifiers: HashMap<String, u32>,
    /// How many blocks and calls are open.
    pub(super) depth: usize,
    pub(super) errors: Errors,
}
