//! What the instructions of a described machine do.
//!
//! A [`Program`] is an assembly file of a machine that an [`isa::Description`] describes, lowered to a kernel
//! of the IR that runs as one warp. The warp instructions go through the same collectives as those of PTX
//! (module `binding`); every other instruction does what the pseudo-code under its `__Semantics` says
//! (module `pseudo`). [`State`] is the registers and memory before and after.
//!
//! # Registers
//!
//! Four register files are known, by the names that descriptions give them in `File<…>`: `GPR` (32 bits a
//! lane), `PR` (one bit a lane), `UR` (32 bits a warp) and `UPR` (one bit a warp). A register with a name of
//! its own (`RZ`, `URZ`, `PT`, `UPT`) reads as 0 or as true, and what is written to it is dropped. An operand of
//! 64 bits is a pair: the named register is the low half, the next one the high half. All lanes read and
//! write the one value of a uniform register, whether or not they have parted; a write takes the value of the
//! lowest lane that executes it.
//!
//! # Participants
//!
//! The lanes that take part in an instruction are the active lanes of the split whose guard is true.
//! Module [`select`] goes the other way: from a kernel to assembly.
// Invariant 3 of ARCHITECTURE.md: what is forgotten is a compile error.
#![deny(clippy::wildcard_enum_match_arm)]

mod binding;
mod check;
pub mod codes;
pub mod cubin;
mod emit;
pub mod fatbin;
mod operand;
mod program;
mod pseudo;
mod register;
pub mod select;
pub mod shim;
mod state;

pub use binding::instructions;
pub use check::check;
pub use program::{Meaning, Program};
pub use pseudo::signatures;
pub use register::{File, Register, last_register};
pub use state::{Layout, State};
