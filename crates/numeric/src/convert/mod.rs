//! The conversions of `cvt` (PTX ISA 9.1, 9.7.9.21), one module per destination type.
//!
//! `cvt.rzi.s32.f32` is [`s32::from_f32`] with [`Round::TowardZero`](crate::Round::TowardZero).
//! 8-bit results fill the low byte; the caller extends them to its register.

mod float;
mod integer;
mod narrow;
mod tiny;

pub use float::{bf16, f16, f32, f64};
pub use integer::{s8, s16, s32, s64, u8, u16, u32, u64};
pub use tiny::{e2m1, e2m3, e3m2, e4m3, e5m2, tf32, ue8m0};
