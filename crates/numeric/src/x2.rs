//! Packed pairs: a 16-bit operation on both halves of 32-bit registers.
//!
//! `add.rn.f16x2` is `x2::binary(f16::add_rn, a, b)`. The low half holds element 0.

/// Packs element 0 into the low and element 1 into the high half.
#[inline(always)]
pub const fn pack(low: u16, high: u16) -> u32 {
    low as u32 | (high as u32) << 16
}

/// Element 0, the low half.
#[inline(always)]
pub const fn low(a: u32) -> u16 {
    a as u16
}

/// Element 1, the high half.
#[inline(always)]
pub const fn high(a: u32) -> u16 {
    (a >> 16) as u16
}

/// `f` of each element.
#[inline(always)]
pub fn unary(f: impl Fn(u16) -> u16, a: u32) -> u32 {
    pack(f(low(a)), f(high(a)))
}

/// `f` of the elements of `a` and `b`.
#[inline(always)]
pub fn binary(f: impl Fn(u16, u16) -> u16, a: u32, b: u32) -> u32 {
    pack(f(low(a), low(b)), f(high(a), high(b)))
}

/// `f` of the elements of `a`, `b` and `c`.
#[inline(always)]
pub fn ternary(f: impl Fn(u16, u16, u16) -> u16, a: u32, b: u32, c: u32) -> u32 {
    pack(f(low(a), low(b), low(c)), f(high(a), high(b), high(c)))
}
