//! Shadow state: which bits of registers and memory are undefined, and the origin of the undefined value.

mod memory;
mod origin;
mod registers;
pub(crate) mod term;
pub(crate) mod transfer;

pub(crate) use memory::{GlobalShadow, Shadow};
pub(crate) use origin::{Births, Kind, Origin};
pub(crate) use registers::Registers;
