//! Integer instructions, one module per PTX type (PTX ISA 9.1, 9.7.1, 9.7.2, 9.7.8).
//!
//! Typed arithmetic lives in [`mod@u16`] to [`s64`], operations on untyped bits in [`b16`], [`b32`]
//! and [`b64`], sums of products in [`dot`]. All values are raw bits in the unsigned type of
//! their width. Arithmetic wraps unless a name says `sat`.

mod bits;
pub mod dot;
mod typed;

pub use bits::{b16, b32, b64};
pub use typed::{s16, s32, s64, u16, u32, u64};
