//! What the interpolator of a function computes with, for code that computes the same in another way.

use super::functions::{Ex2, Rcp, Rsqrt, Sqrt};
use super::interpolator::{self, Function, words_of};

/// How many bits a place in a segment has.
pub const PLACE_BITS: u32 = interpolator::PLACE_BITS;
/// How many bits of a place are multiplied apart from those above them, so that all products have 32 bits, and how many bits of a sum
/// are below those that count.
pub const LOW_BITS: u32 = interpolator::LOW;
/// How many bits the second coefficient has beside the third.
pub const SLOPE_BITS: u32 = interpolator::WIDTH;

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

/// The coefficients of a function, and how its terms are added up.
#[derive(Clone, Debug)]
pub struct Interpolation {
    /// Per segment, c0.
    pub firsts: Vec<u32>,
    /// Per segment, the magnitude of c1 in [`SLOPE_BITS`] bits, and that of c2 above it.
    pub others: Vec<u32>,
    /// The unit of the sum, as a power of two: that of c1 with a place.
    pub unit: i32,
    /// By which powers of two those of c0, and of c2 with a square, are larger.
    pub shifts: [u32; 2],
    /// The signs of c1 and c2.
    pub signs: [i32; 2],
    /// What is added beside.
    pub bias: i32,
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
    let interpolator::Sum { unit, shifts, signs, bias } = F::SUM;
    Interpolation { firsts: word(0), others: word(1), unit, shifts, signs, bias, exponent }
}
