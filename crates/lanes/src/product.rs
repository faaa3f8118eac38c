//! Products of matrices: `d = a b + c`, with the matrices spread over the registers of a warp.
//!
//! Source: PTX ISA 9.1, `mma` and `wmma.mma`. The ISA leaves open in what order products are summed up, and how exact sums
//! in between are: of floats they are those of a device ([`sums`]). Products of binary64 are added to `c` in ascending order, rounded
//! as the instruction says. Integers are summed up exactly and then added to `c`.

mod kind;
mod layout;
mod multiply;
mod narrow;
pub mod sums;
mod wide;

pub use kind::{Adder, Factor, Layout, MOST_REGISTERS, Product, Registers, Sum};
pub use layout::Place;
pub use multiply::{Fragment, multiply};
pub use wide::multiply_wide;
