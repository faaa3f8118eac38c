//! Scalar comparisons: two operands, a predicate.
//!
//! A row reads `Name(operand: bits, …) -> bits [how bits of operands reach it] = result`: a [`Relation`](crate::Relation). Rows under `rounded` take a rounding mode `r`,
//! which becomes the variant's payload. Expressions name functions of crate `numeric`, which must be in
//! scope where the macro is used.

/// Calls `$with!` with the rows.
#[macro_export]
macro_rules! compare_ops {
    ($with:ident) => {
        $with! {
            plain {
                /// Equal.
                EqI32(a: u32, b: u32) -> bool [Equal] = a == b;
                /// Not equal.
                NeI32(a: u32, b: u32) -> bool [Equal] = a != b;
                /// Less, unsigned.
                LtU32(a: u32, b: u32) -> bool [Order { signed: false, equal: false }] = a < b;
                /// Less or equal, unsigned.
                LeU32(a: u32, b: u32) -> bool [Order { signed: false, equal: true }] = a <= b;
                /// Less, signed.
                LtS32(a: u32, b: u32) -> bool [Order { signed: true, equal: false }] = (a as i32) < b as i32;
                /// Less or equal, signed.
                LeS32(a: u32, b: u32) -> bool [Order { signed: true, equal: true }] = a as i32 <= b as i32;
                /// Equal.
                EqI64(a: u64, b: u64) -> bool [Equal] = a == b;
                /// Not equal.
                NeI64(a: u64, b: u64) -> bool [Equal] = a != b;
                /// Less, unsigned.
                LtU64(a: u64, b: u64) -> bool [Order { signed: false, equal: false }] = a < b;
                /// Less or equal, unsigned.
                LeU64(a: u64, b: u64) -> bool [Order { signed: false, equal: true }] = a <= b;
                /// Less, signed.
                LtS64(a: u64, b: u64) -> bool [Order { signed: true, equal: false }] = (a as i64) < b as i64;
                /// Less or equal, signed.
                LeS64(a: u64, b: u64) -> bool [Order { signed: true, equal: true }] = a as i64 <= b as i64;
                /// Equal, and neither is NaN.
                EqF32(a: u32, b: u32) -> bool [Any] = numeric::f32::eq(a, b);
                /// Equal, or either is NaN.
                EquF32(a: u32, b: u32) -> bool [Any] = numeric::f32::equ(a, b);
                /// Not equal, and neither is NaN.
                NeF32(a: u32, b: u32) -> bool [Any] = numeric::f32::ne(a, b);
                /// Not equal, or either is NaN.
                NeuF32(a: u32, b: u32) -> bool [Any] = numeric::f32::neu(a, b);
                /// Less, and neither is NaN.
                LtF32(a: u32, b: u32) -> bool [Any] = numeric::f32::lt(a, b);
                /// Less, or either is NaN.
                LtuF32(a: u32, b: u32) -> bool [Any] = numeric::f32::ltu(a, b);
                /// Less or equal, and neither is NaN.
                LeF32(a: u32, b: u32) -> bool [Any] = numeric::f32::le(a, b);
                /// Less or equal, or either is NaN.
                LeuF32(a: u32, b: u32) -> bool [Any] = numeric::f32::leu(a, b);
                /// Neither is NaN.
                NumF32(a: u32, b: u32) -> bool [Any] = numeric::f32::num(a, b);
                /// Either is NaN.
                NanF32(a: u32, b: u32) -> bool [Any] = numeric::f32::nan(a, b);
                /// Equal, and neither is NaN.
                EqF64(a: u64, b: u64) -> bool [Any] = numeric::f64::eq(a, b);
                /// Equal, or either is NaN.
                EquF64(a: u64, b: u64) -> bool [Any] = numeric::f64::equ(a, b);
                /// Not equal, and neither is NaN.
                NeF64(a: u64, b: u64) -> bool [Any] = numeric::f64::ne(a, b);
                /// Not equal, or either is NaN.
                NeuF64(a: u64, b: u64) -> bool [Any] = numeric::f64::neu(a, b);
                /// Less, and neither is NaN.
                LtF64(a: u64, b: u64) -> bool [Any] = numeric::f64::lt(a, b);
                /// Less, or either is NaN.
                LtuF64(a: u64, b: u64) -> bool [Any] = numeric::f64::ltu(a, b);
                /// Less or equal, and neither is NaN.
                LeF64(a: u64, b: u64) -> bool [Any] = numeric::f64::le(a, b);
                /// Less or equal, or either is NaN.
                LeuF64(a: u64, b: u64) -> bool [Any] = numeric::f64::leu(a, b);
                /// Neither is NaN.
                NumF64(a: u64, b: u64) -> bool [Any] = numeric::f64::num(a, b);
                /// Either is NaN.
                NanF64(a: u64, b: u64) -> bool [Any] = numeric::f64::nan(a, b);
            }
            rounded {
            }
        }
    };
}
