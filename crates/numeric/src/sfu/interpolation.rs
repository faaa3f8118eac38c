//! What the interpolator of a function computes with, for code that computes the same in another way.

use super::functions::{Ex2, Rcp, Rsqrt, Sqrt};
use super::interpolator::{Function, Sum, words_of};

/// The functions of which nothing but the upper part of a sum is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolated {
    /// `MUFU.RCP`.
    Rcp,
    /// `MUFU.RSQ`.
    Rsqrt,
    /// `MUFU.SQRT`.
    Sqrt,
    /// `MUFU.EX2`.
    Ex2,
}

/// The coefficients of a function, and what becomes of them.
#[derive(Clone, Debug)]
pub struct Interpolation {
    /// Per segment, c0.
    pub firsts: Vec<u32>,
    /// Per segment, the magnitude of c1 in [`SLOPE_BITS`](super::SLOPE_BITS) bits, and that of c2 above it.
    pub others: Vec<u32>,
    /// How the terms are added up.
    pub sum: Sum,
    /// The exponent of the sum, of which the result takes the upper 24 bits.
    pub exponent: i32,
}

/// What there is of a function.
pub fn interpolation(function: Interpolated) -> Interpolation {
    match function {
        Interpolated::Rcp => of::<Rcp, 128>(-1),
        Interpolated::Rsqrt => of::<Rsqrt, 128>(-1),
        Interpolated::Sqrt => of::<Sqrt, 128>(0),
        Interpolated::Ex2 => of::<Ex2, 64>(0),
    }
}

fn of<F: Function<N>, const N: usize>(exponent: i32) -> Interpolation {
    let word = |nth: usize| F::CURVE.iter().map(move |segment| words_of(*segment)[nth]).collect();
    Interpolation { firsts: word(0), others: word(1), sum: F::SUM, exponent }
}
