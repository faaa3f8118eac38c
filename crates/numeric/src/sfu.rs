//! The special function unit: what a GPU computes for the functions that the ISA only bounds
//! (`MUFU` in machine code), to the last bit.
//!
//! An operand says which segment of a function it lies in, and where; the result follows from what
//! is interpolated there. All of this, and the coefficients, were found from what an H200 returned;
//! all results of single precision of an H100 are as here, and all that an H200 was asked for.
//!
//! Subnormal operands and results are zeros of their sign, but for [`tanh`].
//!
//! Functions are of rows, of L lanes each: what looks up coefficients, lane after lane, stands
//! between loops that become vector code.

mod functions;
mod interpolation;
mod interpolator;
mod rows;

pub use functions::{
    cos, ex2, lg2, ordinary_ex2, ordinary_lg2, ordinary_rcp, ordinary_rsqrt, ordinary_sqrt, rcp,
    rsqrt, sin, sqrt, tanh, turns,
};
pub use interpolation::{Interpolated, Interpolation, interpolation};
pub use interpolator::{LOW_BITS, PLACE_BITS, SLOPE_BITS, Sum};
