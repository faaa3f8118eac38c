//! The warp IR: what both front ends (PTX text and machine code) lower to, and what engines run.
//!
//! A [`Kernel`] is a control-flow graph of [`Block`]s in *reconvergence order* (see [`analysis::order`]). Its
//! instructions are typed operations over the 32 lanes of a warp: each [`Op`] reads and writes
//! virtual registers that hold one value per lane. Three register classes suffice ([`Class`]): 32-bit
//! values (8- and 16-bit values live there zero-extended), 64-bit values, and predicates.
//!
//! Everything that computes one lane's result from that lane's operands is a *scalar operation* and
//! is declared once, as a row of the tables in [`table`]: name, operand types, result type and the
//! function that computes it. The enums [`UnaryOp`], [`BinaryOp`], [`TernaryOp`] and [`CompareOp`], their
//! names, their reference evaluators and the engines' vector loops all come from those rows.
// Invariant 3 of ARCHITECTURE.md: what is forgotten is a compile error.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod analysis;
mod bits;
mod builder;
mod collective;
mod copy;
mod interrupt;
mod kernel;
mod matrix;
pub mod mbarrier;
mod memory;
mod op;
mod register;
mod rename;
mod replace;
mod scalar;
mod special;
pub mod table;
pub mod tensor_map;
pub mod text;
mod texture;
mod touched;
mod verify;
mod webs;

pub use bits::{BitRule, Relation};
pub use builder::Builder;
pub use collective::{Collective, CollectiveKind, Members};
pub use copy::{AsyncCopy, BULK_UNIT, Completion, CopyProgress, ElementUpdate, Groups, pieces};
pub use interrupt::{Interrupt, made_of};
pub use kernel::{
    Block, BlockId, ClusterLimits, Frame, Inst, Kernel, Place, Terminator, ThreadLimits, WarpRules,
    gaps, terminator_use,
};
pub use matrix::{MatrixForm, MatrixWork, Mma};
pub use memory::{
    Access, Address, CLUSTER_STRIDE, Fence, MAX_CLUSTER, Ordering, PORTABLE_CLUSTER, Scope, Space,
    Update, WINDOW,
};
pub use op::{BarrierAction, BarrierReduction, ClusterHalf, Op, Operand, Service, Tells};
pub use register::{Class, Pred, Reg, Src};
pub use scalar::{BinaryOp, CompareOp, Float, RowOp, TernaryOp, UnaryOp};
pub use special::{Dim, Special};
pub use texture::{
    AddressMode, Detail, Filter, Geometry, Outside, Sampler, Sampling, SurfaceAccess, SurfaceUnit,
    TextureQuery,
};
pub use touched::{Length, Touched};
pub use verify::verify;
pub use webs::split_webs;

#[doc(hidden)]
pub use numeric;
pub use numeric::Round;
