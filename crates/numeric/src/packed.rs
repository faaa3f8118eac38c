//! Instructions on packed pairs, one module per PTX type.
//!
//! Each function applies the function of that name of the element type to both halves. They are
//! written out, where [`crate::x2`] takes a function, because only direct calls are sure to be
//! inlined into a vectorised loop.

/// Defines functions on pairs from functions on elements.
macro_rules! pairs {
    ($element:path, $pack:path, $low:path, $high:path, $pair:ident:
        unary $($unary:ident)*; binary $($binary:ident)*; ternary $($ternary:ident)*;
        rounded $($rounded:ident)*; rounded_ternary $($rounded_ternary:ident)*; row $($row:ident)*;
    ) => {
        use $element as element;
        use $pack as pack;
        use $low as low;
        use $high as high;

        $(
            #[doc = concat!("`", stringify!($unary), "` of each element.")]
            #[inline(always)]
            pub fn $unary(a: $pair) -> $pair {
                pack(element::$unary(low(a)), element::$unary(high(a)))
            }
        )*
        $(
            #[doc = concat!("`", stringify!($binary), "` of each pair of elements.")]
            #[inline(always)]
            pub fn $binary(a: $pair, b: $pair) -> $pair {
                pack(element::$binary(low(a), low(b)), element::$binary(high(a), high(b)))
            }
        )*
        $(
            #[doc = concat!("`", stringify!($ternary), "` of each triple of elements.")]
            #[inline(always)]
            pub fn $ternary(a: $pair, b: $pair, c: $pair) -> $pair {
                pack(
                    element::$ternary(low(a), low(b), low(c)),
                    element::$ternary(high(a), high(b), high(c)),
                )
            }
        )*
        $(
            #[doc = concat!("`", stringify!($rounded), "` of each pair of elements.")]
            #[inline(always)]
            pub fn $rounded(a: $pair, b: $pair, round: crate::Round) -> $pair {
                pack(
                    element::$rounded(low(a), low(b), round),
                    element::$rounded(high(a), high(b), round),
                )
            }
        )*
        $(
            #[doc = concat!("`", stringify!($rounded_ternary), "` of each triple of elements.")]
            #[inline(always)]
            pub fn $rounded_ternary(a: $pair, b: $pair, c: $pair, round: crate::Round) -> $pair {
                pack(
                    element::$rounded_ternary(low(a), low(b), low(c), round),
                    element::$rounded_ternary(high(a), high(b), high(c), round),
                )
            }
        )*
        $(
            #[doc = concat!("`", stringify!($row), "` of each element of a row.")]
            #[inline(always)]
            pub fn $row<const L: usize>(a: [$pair; L]) -> [$pair; L] {
                let (mut lows, mut highs) = ([0; L], [0; L]);
                for lane in 0..L {
                    (lows[lane], highs[lane]) = (low(a[lane]), high(a[lane]));
                }
                let (lows, highs) = (element::$row(lows), element::$row(highs));
                let mut all = [0; L];
                for lane in 0..L {
                    all[lane] = pack(lows[lane], highs[lane]);
                }
                all
            }
        )*
    };
}

/// `f16x2`, in 32 bits.
pub mod f16x2 {
    pairs!(crate::f16, crate::x2::pack, crate::x2::low, crate::x2::high, u32:
        unary neg abs flush saturate relu satfinite;
        binary add_rn sub_rn mul_rn min max min_nan max_nan min_xorsign_abs max_xorsign_abs
            min_nan_xorsign_abs max_nan_xorsign_abs copysign;
        ternary fma_rn; rounded; rounded_ternary; row ex2_approx tanh_approx;
    );
}

/// `bf16x2`, in 32 bits.
pub mod bf16x2 {
    pairs!(crate::bf16, crate::x2::pack, crate::x2::low, crate::x2::high, u32:
        unary neg abs flush saturate relu satfinite;
        binary add_rn sub_rn mul_rn min max min_nan max_nan min_xorsign_abs max_xorsign_abs
            min_nan_xorsign_abs max_nan_xorsign_abs copysign;
        ternary fma_rn; rounded; rounded_ternary; row ex2_approx tanh_approx;
    );
}

/// `f32x2`, in 64 bits.
pub mod f32x2 {
    pairs!(crate::f32, crate::x2::wide::pack, crate::x2::wide::low, crate::x2::wide::high, u64:
        unary flush; binary add_rn sub_rn mul_rn; ternary fma_rn;
        rounded add sub mul; rounded_ternary fma; row;
    );
}

/// `u16x2`, in 32 bits.
pub mod u16x2 {
    pairs!(crate::int::u16, crate::x2::pack, crate::x2::low, crate::x2::high, u32:
        unary; binary add sub min max; ternary; rounded; rounded_ternary; row;
    );
}

/// `s16x2`, in 32 bits.
pub mod s16x2 {
    pairs!(crate::int::s16, crate::x2::pack, crate::x2::low, crate::x2::high, u32:
        unary; binary add sub min max min_relu max_relu; ternary; rounded; rounded_ternary; row;
    );
}
