//! `numeric::f16`, `numeric::bf16` and packed pairs.

use crate::numeric::{bf16, f16, f32, x2};
use crate::oracle;
use crate::samples::{BF16, F16, Random};
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Half};

macro_rules! half_tests {
    ($module:ident, $name:ident, $layout:ident, $oracle:ident, $seed:expr) => {
        mod $module {
            use super::*;

            fn number(bits: u16) -> $oracle {
                oracle::number(bits)
            }

            fn expected(result: $oracle) -> u16 {
                if result.is_nan() { 0x7fff } else { result.to_bits() as u16 }
            }

            fn check_binary(a: u16, b: u16) {
                let (x, y) = (number(a), number(b));
                assert_eq!($name::add_rn(a, b), expected((x + y).value), "add {a:#06x} {b:#06x}");
                assert_eq!($name::sub_rn(a, b), expected((x - y).value), "sub {a:#06x} {b:#06x}");
                assert_eq!($name::mul_rn(a, b), expected((x * y).value), "mul {a:#06x} {b:#06x}");
            }

            fn check_fma(a: u16, b: u16, c: u16) {
                let want = expected(number(a).mul_add(number(b), number(c)).value);
                assert_eq!($name::fma_rn(a, b, c), want, "fma {a:#06x} {b:#06x} {c:#06x}");
            }

            #[test]
            fn every_operand_against_edges() {
                for b in $layout.edges() {
                    for a in 0..=u16::MAX {
                        check_binary(a, b as u16);
                    }
                }
            }

            #[test]
            fn edge_triples() {
                let edges = $layout.edges();
                for &a in &edges {
                    for &b in &edges {
                        for &c in &edges {
                            check_fma(a as u16, b as u16, c as u16);
                        }
                    }
                }
            }

            #[test]
            fn random_operands() {
                let mut random = Random::new($seed);
                for _ in 0..300_000 {
                    let a = $layout.any(&mut random) as u16;
                    let b = $layout.any(&mut random) as u16;
                    check_binary(a, b);
                    check_binary(a, $layout.near(a.into(), &mut random) as u16);
                    check_fma(a, b, $layout.any(&mut random) as u16);
                    let product = (number(a) * number(b)).value.to_bits() as u64;
                    check_fma(a, b, $layout.near(product, &mut random) as u16);
                }
            }
        }
    };
}

half_tests!(f16_arithmetic, f16, F16, Half, 4);
half_tests!(bf16_arithmetic, bf16, BF16, BFloat, 5);

#[test]
fn packed_operations_keep_the_halves_apart() {
    let a = x2::pack(0x3c00, 0x4000);
    let b = x2::pack(0x4200, 0xc400);
    assert_eq!(a, 0x4000_3c00);
    assert_eq!((x2::low(a), x2::high(a)), (0x3c00, 0x4000));
    // 1 + 3 = 4 and 2 - 4 = -2.
    assert_eq!(x2::binary(f16::add_rn, a, b), 0xc000_4400);
    assert_eq!(x2::unary(f16::neg, a), 0xc000_bc00);
    // 1 * 3 + 1 = 4 and 2 * -4 + 2 = -6.
    assert_eq!(x2::ternary(f16::fma_rn, a, b, a), 0xc600_4400);
    // 1 + 2 = 3 and 2 + 2 = 4, in single precision.
    let (one, two) = (0x3f80_0000, 0x4000_0000);
    let (a, b) = (x2::wide::pack(one, two), x2::wide::pack(two, two));
    assert_eq!(a, 0x4000_0000_3f80_0000);
    assert_eq!(x2::wide::binary(f32::add_rn, a, b), 0x4080_0000_4040_0000);
}

/// A product that is the middle of two bf16 numbers, moved off it by a far smaller addend, must
/// not round as a tie. A double without rounding to odd would.
#[test]
fn bf16_fma_sees_a_tiny_addend() {
    // 1.5 * 1.0078125 = 1.51171875, halfway between 0x3fc1 and 0x3fc2.
    let tiny = 0x0100;
    assert_eq!(bf16::fma_rn(0x3fc0, 0x3f81, 0), 0x3fc2);
    assert_eq!(bf16::fma_rn(0x3fc0, 0x3f81, tiny), 0x3fc2);
    assert_eq!(bf16::fma_rn(0x3fc0, 0x3f81, tiny | 0x8000), 0x3fc1);
}

/// Every function of a packed module must apply the element's function of that name to the low
/// halves and to the high halves.
macro_rules! packed_tests {
    (
        $test:ident, $module:ident, $element:path, $bits:ident, $pair:ident,
        |$a:ident, $b:ident, $c:ident| $($function:ident($($operand:ident)*))*
    ) => {
        #[test]
        fn $test() {
            use crate::numeric::$module;
            use $element as element;
            let mut random = Random::new(9);
            for _ in 0..2_000 {
                let $a = random.next() as $pair;
                let $b = random.next() as $pair;
                let $c = random.next() as $pair;
                let context = format!("{:#x} {:#x} {:#x}", $a, $b, $c);
                $(
                    let got = $module::$function($($operand),*);
                    let low = element::$function($($operand as $bits),*);
                    let high = element::$function($(($operand >> $bits::BITS) as $bits),*);
                    let name = stringify!($function);
                    assert_eq!(got as $bits, low, "{name} {context}");
                    assert_eq!((got >> $bits::BITS) as $bits, high, "{name} {context}");
                )*
            }
        }
    };
}

packed_tests!(f16x2_applies_to_halves, f16x2, crate::numeric::f16, u16, u32, |a, b, c|
    neg(a) abs(a) flush(a) saturate(a) relu(a) satfinite(a)
    add_rn(a b) sub_rn(a b) mul_rn(a b) min(a b) max(a b) min_nan(a b) max_nan(a b)
    min_xorsign_abs(a b) max_xorsign_abs(a b) min_nan_xorsign_abs(a b) max_nan_xorsign_abs(a b)
    copysign(a b) fma_rn(a b c));
packed_tests!(bf16x2_applies_to_halves, bf16x2, crate::numeric::bf16, u16, u32, |a, b, c|
    neg(a) abs(a) flush(a) saturate(a) relu(a) satfinite(a)
    add_rn(a b) sub_rn(a b) mul_rn(a b) min(a b) max(a b) min_nan(a b) max_nan(a b)
    min_xorsign_abs(a b) max_xorsign_abs(a b) min_nan_xorsign_abs(a b) max_nan_xorsign_abs(a b)
    copysign(a b) fma_rn(a b c));
packed_tests!(f32x2_applies_to_halves, f32x2, crate::numeric::f32, u32, u64, |a, b, c|
    flush(a) add_rn(a b) sub_rn(a b) mul_rn(a b) fma_rn(a b c));
packed_tests!(u16x2_applies_to_halves, u16x2, crate::numeric::int::u16, u16, u32, |a, b, c|
    add(a b) sub(a b) min(a b) max(a b));
packed_tests!(s16x2_applies_to_halves, s16x2, crate::numeric::int::s16, u16, u32, |a, b, c|
    add(a b) sub(a b) min(a b) max(a b) min_relu(a b) max_relu(a b));

#[test]
fn f32x2_takes_a_rounding_mode() {
    use crate::numeric::{Round, f32x2};
    let (a, b) = (0x3f80_0001_bf80_0000, 0x3380_0000_3300_0000);
    for round in Round::ALL {
        let pair = |low, high| x2::wide::pack(low, high);
        let (la, ha, lb, hb) = (0xbf80_0000, 0x3f80_0001, 0x3300_0000, 0x3380_0000);
        assert_eq!(f32x2::add(a, b, round), pair(f32::add(la, lb, round), f32::add(ha, hb, round)));
        assert_eq!(f32x2::sub(a, b, round), pair(f32::sub(la, lb, round), f32::sub(ha, hb, round)));
        assert_eq!(f32x2::mul(a, b, round), pair(f32::mul(la, lb, round), f32::mul(ha, hb, round)));
        let want = pair(f32::fma(la, lb, la, round), f32::fma(ha, hb, ha, round));
        assert_eq!(f32x2::fma(a, b, a, round), want);
    }
}
