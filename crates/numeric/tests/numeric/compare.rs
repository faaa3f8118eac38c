//! Comparisons, `min`, `max`, sign operations, classes and modifiers of all formats.

use crate::numeric::{bf16, f16, f32, f64};
use crate::oracle;
use crate::samples::{BF16, F16, F32, F64, Layout, Random};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Category, Float};
use std::cmp::Ordering;

/// Pairs of edges, and of random numbers near each other.
fn pairs(layout: Layout) -> Vec<(u64, u64)> {
    let edges = layout.edges();
    let mut pairs: Vec<_> =
        edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
    let mut random = Random::new(3);
    for _ in 0..20_000 {
        let a = layout.any(&mut random);
        pairs.push((a, layout.near(a, &mut random)));
    }
    pairs
}

/// The order in which `min` and `max` see two numbers: by value, then -0 below +0.
fn order<F: Float>(x: F, y: F) -> Ordering {
    let by_sign = y.is_negative().cmp(&x.is_negative());
    x.partial_cmp(&y).expect("numbers").then(by_sign)
}

macro_rules! format_tests {
    ($module:ident, $name:ident, $layout:ident, $oracle:ident, $bits:ident) => {
        mod $module {
            use super::*;

            fn number(bits: $bits) -> $oracle {
                oracle::number(bits)
            }

            #[test]
            fn comparisons() {
                for (a, b) in pairs($layout) {
                    let (a, b) = (a as $bits, b as $bits);
                    let order = number(a).partial_cmp(&number(b));
                    let is = |wanted: &[Option<Ordering>]| wanted.contains(&order);
                    let (less, equal, greater) =
                        (Some(Ordering::Less), Some(Ordering::Equal), Some(Ordering::Greater));
                    let got = [
                        ($name::eq(a, b), is(&[equal])),
                        ($name::ne(a, b), is(&[less, greater])),
                        ($name::lt(a, b), is(&[less])),
                        ($name::le(a, b), is(&[less, equal])),
                        ($name::gt(a, b), is(&[greater])),
                        ($name::ge(a, b), is(&[greater, equal])),
                        ($name::equ(a, b), is(&[equal, None])),
                        ($name::neu(a, b), is(&[less, greater, None])),
                        ($name::ltu(a, b), is(&[less, None])),
                        ($name::leu(a, b), is(&[less, equal, None])),
                        ($name::gtu(a, b), is(&[greater, None])),
                        ($name::geu(a, b), is(&[greater, equal, None])),
                        ($name::num(a, b), is(&[less, equal, greater])),
                        ($name::nan(a, b), is(&[None])),
                    ];
                    for (i, (got, want)) in got.into_iter().enumerate() {
                        assert_eq!(got, want, "comparison {i} of {a:#x} {b:#x}");
                    }
                }
            }

            #[test]
            fn min_and_max() {
                for (a, b) in pairs($layout) {
                    let (a, b) = (a as $bits, b as $bits);
                    let (x, y) = (number(a), number(b));
                    let (low, high) = match (x.is_nan(), y.is_nan()) {
                        (true, true) => (both_nan(b), both_nan(b)),
                        (true, false) => (b, b),
                        (false, true) => (a, a),
                        (false, false) if order(x, y) == Ordering::Less => (a, b),
                        (false, false) => (b, a),
                    };
                    assert_eq!($name::min(a, b), low, "min {a:#x} {b:#x}");
                    assert_eq!($name::max(a, b), high, "max {a:#x} {b:#x}");
                }
            }

            #[test]
            fn classes_and_modifiers() {
                let values = pairs($layout).into_iter().map(|(a, _)| a as $bits);
                for a in values {
                    let x = number(a);
                    assert_eq!($name::is_nan(a), x.is_nan(), "{a:#x}");
                    assert_eq!($name::is_number(a), !x.is_nan(), "{a:#x}");
                    assert_eq!($name::is_infinite(a), x.is_infinite(), "{a:#x}");
                    assert_eq!($name::is_finite(a), x.is_finite(), "{a:#x}");
                    assert_eq!($name::is_subnormal(a), x.is_denormal(), "{a:#x}");
                    let normal =
                        x.is_zero() || (x.category() == Category::Normal && !x.is_denormal());
                    assert_eq!($name::is_normal(a), normal, "{a:#x}");
                    let zero = $oracle::ZERO.copy_sign(x).to_bits() as $bits;
                    let flushed = if x.is_denormal() { zero } else { a };
                    assert_eq!($name::flush(a), flushed, "{a:#x}");
                    let one = number($name::ONE);
                    let clamped = if x.is_nan() || x.is_negative() || x.is_zero() {
                        $oracle::ZERO
                    } else if x > one {
                        one
                    } else {
                        x
                    };
                    assert_eq!($name::saturate(a), clamped.to_bits() as $bits, "{a:#x}");
                    let rectified = match x.is_nan() {
                        true => $name::NAN,
                        false if x.is_negative() => 0,
                        false => a,
                    };
                    assert_eq!($name::relu(a), rectified, "{a:#x}");
                }
            }

            #[test]
            fn copysign_takes_the_sign_of_its_first_operand() {
                for (a, b) in pairs($layout) {
                    let (a, b) = (a as $bits, b as $bits);
                    let want = number(b).copy_sign(number(a)).to_bits() as $bits;
                    assert_eq!($name::copysign(a, b), want, "{a:#x} {b:#x}");
                }
            }
        }
    };
}

/// The forms that double precision lacks.
macro_rules! modified_tests {
    ($module:ident, $name:ident, $layout:ident, $oracle:ident, $bits:ident) => {
        mod $module {
            use super::*;

            #[test]
            fn min_and_max_with_modifiers() {
                for (a, b) in pairs($layout) {
                    let (a, b) = (a as $bits, b as $bits);
                    let (x, y): ($oracle, $oracle) = (oracle::number(a), oracle::number(b));
                    let nan = x.is_nan() || y.is_nan();
                    let or_nan = |number| if nan { $name::NAN } else { number };
                    assert_eq!($name::min_nan(a, b), or_nan($name::min(a, b)), "{a:#x} {b:#x}");
                    assert_eq!($name::max_nan(a, b), or_nan($name::max(a, b)), "{a:#x} {b:#x}");
                    let sign = x.is_negative() != y.is_negative();
                    let (p, q) = (x.abs(), y.abs());
                    let low = if q.is_nan() || p < q { p } else { q };
                    let high = if q.is_nan() || p > q { p } else { q };
                    let signed = |m: $oracle| {
                        if m.is_negative() == sign {
                            m.to_bits() as $bits
                        } else {
                            (-m).to_bits() as $bits
                        }
                    };
                    let low = if x.is_nan() && y.is_nan() { $name::NAN } else { signed(low) };
                    let high = if x.is_nan() && y.is_nan() { $name::NAN } else { signed(high) };
                    assert_eq!($name::min_xorsign_abs(a, b), low, "min {a:#x} {b:#x}");
                    assert_eq!($name::max_xorsign_abs(a, b), high, "max {a:#x} {b:#x}");
                    assert_eq!($name::min_nan_xorsign_abs(a, b), or_nan(low), "min {a:#x} {b:#x}");
                    assert_eq!($name::max_nan_xorsign_abs(a, b), or_nan(high), "max {a:#x} {b:#x}");
                }
            }

            #[test]
            fn neg_and_abs() {
                for a in $layout.edges() {
                    let a = a as $bits;
                    let x: $oracle = oracle::number(a);
                    let want =
                        |y: $oracle| if x.is_nan() { $name::NAN } else { y.to_bits() as $bits };
                    assert_eq!($name::neg(a), want(-x), "{a:#x}");
                    assert_eq!($name::abs(a), want(x.abs()), "{a:#x}");
                }
            }
        }
    };
}

/// What the minimum and maximum of two NaNs are.
trait BothNan {
    fn of(second: Self) -> Self;
}

macro_rules! both_nan {
    ($bits:ident, |$second:ident| $value:expr) => {
        impl BothNan for $bits {
            fn of($second: Self) -> Self {
                $value
            }
        }
    };
}

both_nan!(u16, |_second| 0x7fff);
both_nan!(u32, |_second| 0x7fff_ffff);
both_nan!(u64, |second| second | 0x0008_0000_0000_0000);

fn both_nan<B: BothNan>(second: B) -> B {
    B::of(second)
}

format_tests!(f16_plain, f16, F16, Half, u16);
format_tests!(bf16_plain, bf16, BF16, BFloat, u16);
format_tests!(f32_plain, f32, F32, Single, u32);
format_tests!(f64_plain, f64, F64, Double, u64);
modified_tests!(f16_modified, f16, F16, Half, u16);
modified_tests!(bf16_modified, bf16, BF16, BFloat, u16);
modified_tests!(f32_modified, f32, F32, Single, u32);
