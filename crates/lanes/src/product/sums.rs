//! Sums of products of floats as tensor cores make them: all products and the sum before are aligned to the largest of their
//! exponents and cut off below, what is left is summed up exactly, and the sum is cut off once more.
//!
//! The ISA leaves order and precision open (PTX ISA 9.1, `mma`). These rules were found from products of random matrices on an H200
//! (sm_90); `crates/conformance/recordings` has 169 of them, which a test holds this to, bit for bit.

use super::kind::{Adder, Factor, Sum};

/// The exponent of zero, below that of every product.
pub const NONE: i32 = -2000;

/// The lowest exponent that sums are aligned to, so that powers of two for it are numbers; binary32 has nothing as low.
pub const LOWEST: i32 = -600;

/// The exponent of what is no number.
pub const INFINITE: i32 = 128;

/// The least exponent of an element that is not zero: subnormal ones are not normalized. Formats of at most 8 bits are taken as
/// binary16.
#[inline(always)]
pub const fn least(factor: Factor) -> i32 {
    match factor {
        Factor::Bf16 | Factor::Tf32 => -126,
        Factor::F16
        | Factor::E4m3
        | Factor::E5m2
        | Factor::E2m3
        | Factor::E3m2
        | Factor::E2m1
        | Factor::F64
        | Factor::S8
        | Factor::U8
        | Factor::S4
        | Factor::U4
        | Factor::B1 => -14,
    }
}

/// The least exponent of a sum that is not zero.
pub const LEAST: i32 = -126;

/// The exponent of a number whose least is given.
#[inline(always)]
pub fn exponent(number: f32, least: i32) -> i32 {
    let bits = number.to_bits() & 0x7fff_ffff;
    if bits == 0 { NONE } else { ((bits >> 23) as i32 - 127).max(least) }
}

/// Bits that are kept below the largest exponent; that of a product is the sum of those of its factors, though it may be
/// up to four times that power of two.
#[inline(always)]
pub const fn kept(adder: Adder) -> i32 {
    match adder {
        Adder::Full | Adder::Halves => 25,
        Adder::Short => 13,
    }
}

/// Bits of binary32 that a sum leaves zero.
#[inline(always)]
pub const fn dropped(adder: Adder) -> u32 {
    match adder {
        Adder::Full | Adder::Halves => 0,
        Adder::Short => (1 << 10) - 1,
    }
}

/// A power of two, of an exponent from -1022 to 1023.
#[inline(always)]
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// What aligns products whose largest exponent is given, and what undoes that.
#[inline(always)]
pub fn scales(adder: Adder, largest: i32) -> [f64; 2] {
    let at = kept(adder) - largest.max(LOWEST);
    [power(at), power(-at)]
}

/// A sum as binary32: cut off, or infinite from 2^128 on. For binary16 its lowest bit says whether something is cut off, so
/// that rounding once more is rounding once.
#[inline(always)]
pub fn finished(adder: Adder, ty: Sum, sum: f64) -> f32 {
    let nearest = sum as f32;
    let beyond = f64::from(nearest).abs() > sum.abs() && sum.abs() < power(INFINITE);
    let bits = nearest.to_bits() - u32::from(beyond);
    let inexact = f64::from(f32::from_bits(bits)) != sum;
    f32::from_bits(match ty {
        Sum::F16 => bits | u32::from(inexact),
        Sum::F32 | Sum::F64 | Sum::S32 => bits & !dropped(adder),
    })
}
