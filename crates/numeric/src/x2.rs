//! Packed pairs: any operation on both halves of a register.
//!
//! The low half holds element 0. The modules of the packed types, such as
//! [`f16x2`](crate::f16x2), have the operations that instructions name.

macro_rules! pairs {
    ($element:ident, $pair:ident) => {
        /// Packs element 0 into the low and element 1 into the high half.
        #[inline(always)]
        pub const fn pack(low: $element, high: $element) -> $pair {
            low as $pair | (high as $pair) << $element::BITS
        }

        /// Element 0, the low half.
        #[inline(always)]
        pub const fn low(a: $pair) -> $element {
            a as $element
        }

        /// Element 1, the high half.
        #[inline(always)]
        pub const fn high(a: $pair) -> $element {
            (a >> $element::BITS) as $element
        }

        /// `f` of each element.
        #[inline(always)]
        pub fn unary(f: impl Fn($element) -> $element, a: $pair) -> $pair {
            pack(f(low(a)), f(high(a)))
        }

        /// `f` of the elements of `a` and `b`.
        #[inline(always)]
        pub fn binary(f: impl Fn($element, $element) -> $element, a: $pair, b: $pair) -> $pair {
            pack(f(low(a), low(b)), f(high(a), high(b)))
        }

        /// `f` of the elements of `a`, `b` and `c`.
        #[inline(always)]
        pub fn ternary(
            f: impl Fn($element, $element, $element) -> $element,
            a: $pair,
            b: $pair,
            c: $pair,
        ) -> $pair {
            pack(f(low(a), low(b), low(c)), f(high(a), high(b), high(c)))
        }
    };
}

pairs!(u16, u32);

/// Pairs of 32-bit elements in 64-bit registers.
pub mod wide {
    pairs!(u32, u64);
}

/// Element 0 of each lane of a row.
#[inline(always)]
pub fn lows<const L: usize>(a: [u32; L]) -> [u16; L] {
    let mut all = [0; L];
    for lane in 0..L {
        all[lane] = low(a[lane]);
    }
    all
}

/// A row of single elements, in the low halves of registers.
#[inline(always)]
pub fn widened<const L: usize>(a: [u16; L]) -> [u32; L] {
    let mut all = [0; L];
    for lane in 0..L {
        all[lane] = u32::from(a[lane]);
    }
    all
}
