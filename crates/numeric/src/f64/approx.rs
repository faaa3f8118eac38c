//! The approximate reciprocal and reciprocal square root.
//!
//! As those of single precision ([`crate::f32`]), they are what NVIDIA's assembler makes of them
//! for a GPU.

use super::encoding::{INFINITY, SIGN, is_nan, quiet, value};
use super::{NAN, flush, fma_rn, mul_rn};
use crate::sfu;

/// The bits of the upper word.
const UPPER: u64 = !0xffff_ffff;

/// The NaN of the `.approx.ftz.f64` forms.
const APPROX_NAN: u64 = 0x7fff_ffff_0000_0000;

/// What a function of the special function unit gives for the upper word of a magnitude: the
/// fraction of 20 bits as one of 23, and the result cut off to 20 bits. The function is the
/// reciprocal of a root of the given degree. It takes the exponent's lowest bit; the rest of it
/// comes back divided.
#[inline(always)]
fn of_upper_word(a: u64, function: fn(&[u32; 1]) -> [u32; 1], degree: i32) -> u64 {
    let field = (a >> 52 & 0x7ff) as i32;
    // 1023 and 1024 as 127 and 128.
    let parity = 1 - (field & 1);
    let fraction = (a >> 29) as u32 & 0x007f_fff8;
    let [number] = function(&[((127 + parity) as u32) << 23 | fraction]);
    let exponent = (number >> 23) as i32 - 127 + 1023 - (field - 1023 - parity) / degree;
    let upper = (exponent as u64) << 20 | u64::from(number >> 3 & 0xf_ffff);
    let number = if exponent > 0 { upper << 32 } else { 0 };
    let number = if field == 0x7ff { 0 } else { number };
    if field == 0 { INFINITY } else { number }
}

/// `rcp.approx.ftz.f64`: `1 / a` from the upper word of `a`, in an upper word (PTX ISA 9.1,
/// 9.7.3.14).
#[inline(always)]
pub fn rcp_approx_ftz(a: u64) -> u64 {
    let number = of_upper_word(a, sfu::rcp, 1);
    if is_nan(a & UPPER) { APPROX_NAN } else { number | a & SIGN }
}

/// `rsqrt.approx.ftz.f64`: 1 over the square root from the upper word of `a`, in an upper word
/// (PTX ISA 9.1, 9.7.3.17).
#[inline(always)]
pub fn rsqrt_approx_ftz(a: u64) -> u64 {
    let number = of_upper_word(a, sfu::rsqrt, 2);
    let is_zero = flush(a & UPPER) & !SIGN == 0;
    let is_negative = a & SIGN != 0 && !is_zero;
    if is_negative || is_nan(a & UPPER) { APPROX_NAN } else { number | a & SIGN }
}

/// `rsqrt.approx.f64`: 1 over the square root (PTX ISA 9.1, 9.7.3.16): that of the upper word, and
/// a step of third order towards the root.
pub fn rsqrt_approx(a: u64) -> u64 {
    const TWO_TO_54: u64 = (1023 + 54) << 52;
    const TWO_TO_27: u64 = (1023 + 27) << 52;
    const ONE: u64 = 1.0_f64.to_bits();
    const HALF: u64 = 0.5_f64.to_bits();
    const THREE_EIGHTHS: u64 = 0.375_f64.to_bits();
    if is_nan(a) {
        return quiet(a);
    }
    if a & !SIGN == 0 {
        return a & SIGN | INFINITY;
    }
    if a & SIGN != 0 {
        return NAN;
    }
    if a == INFINITY {
        return 0;
    }
    if value(a) < f64::MIN_POSITIVE {
        return mul_rn(rsqrt_approx(mul_rn(a, TWO_TO_54)), TWO_TO_27);
    }
    let near = rsqrt_approx_ftz(a);
    let error = fma_rn(mul_rn(near, near) ^ SIGN, a, ONE);
    fma_rn(fma_rn(error, THREE_EIGHTHS, HALF), mul_rn(near, error), near)
}
