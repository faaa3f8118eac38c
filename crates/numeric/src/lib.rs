//! Bit-exact scalar arithmetic of the PTX ISA.
//!
//! Every function is pure and total: it takes and returns raw register bits, never panics and
//! keeps no state. Floating-point values travel as their IEEE 754 encodings (`f32` as `u32`,
//! `f64` as `u64`, `f16` and `bf16` as `u16`, packed pairs as `u32`); signed integers travel in
//! the unsigned type of their width. Modules carry PTX type names, so `add.rn.f32` is
//! [`f32::add_rn`], `mul.hi.s32` is [`int::s32::mul_hi`] and `cvt.rzi.s32.f32` is
//! [`convert::s32::from_f32`].
//!
//! The common operations are branch-free and always inlined, so a loop over the lanes of a warp
//! vectorises. Functions that end in `_rn` round to nearest even with the host's own arithmetic;
//! those that take a [`Round`] are exact for all four modes.
//!
//! # NaN
//!
//! The ISA leaves the NaN that a single- or half-precision instruction returns unspecified
//! (PTX ISA 9.1, 9.7.3); current hardware returns one bit pattern, [`f32::NAN`] or
//! [`f16::NAN`] (CUDA C++ Programming Guide, "Floating-Point Standard"), and so do these
//! functions. Double precision keeps NaN payloads: the first NaN operand, made quiet, is the
//! result, and an invalid operation on numbers gives [`f64::NAN`].
//!
//! # Modifiers
//!
//! `.ftz`, `.sat` and `.relu` are separate functions to compose: `add.ftz.sat.f32` is
//! `saturate(flush(add_rn(flush(a), flush(b))))`.

pub mod bf16;
pub mod convert;
pub mod f16;
pub mod f32;
pub mod f64;
mod half;
mod ieee;
pub mod int;
mod packed;
mod round;
mod round_to_odd;
pub mod sfu;
pub mod x2;

pub use packed::{bf16x2, f16x2, f32x2, s16x2, u16x2};
pub use round::Round;
