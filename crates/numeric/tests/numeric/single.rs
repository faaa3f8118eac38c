//! `numeric::f32`.

use crate::numeric::{Round, f32};
use crate::oracle::{self, mode};
use crate::samples::{F32, Random};
use rustc_apfloat::Float;
use rustc_apfloat::ieee::Single;

fn number(bits: u32) -> Single {
    oracle::number(bits)
}

fn expected(result: Single) -> u32 {
    if result.is_nan() { f32::NAN } else { result.to_bits() as u32 }
}

fn edges() -> Vec<u32> {
    F32.edges().into_iter().map(|bits| bits as u32).collect()
}

fn check_binary(a: u32, b: u32) {
    let (x, y) = (number(a), number(b));
    for round in Round::ALL {
        let r = mode(round);
        let context = format!("{a:#010x} {b:#010x} {round:?}");
        assert_eq!(f32::add(a, b, round), expected(x.add_r(y, r).value), "add {context}");
        assert_eq!(f32::sub(a, b, round), expected(x.sub_r(y, r).value), "sub {context}");
        assert_eq!(f32::mul(a, b, round), expected(x.mul_r(y, r).value), "mul {context}");
        assert_eq!(f32::div(a, b, round), expected(x.div_r(y, r).value), "div {context}");
    }
    let nearest = Round::NearestEven;
    assert_eq!(f32::add_rn(a, b), f32::add(a, b, nearest), "add {a:#010x} {b:#010x}");
    assert_eq!(f32::sub_rn(a, b), f32::sub(a, b, nearest), "sub {a:#010x} {b:#010x}");
    assert_eq!(f32::mul_rn(a, b), f32::mul(a, b, nearest), "mul {a:#010x} {b:#010x}");
    assert_eq!(f32::div_rn(a, b), f32::div(a, b, nearest), "div {a:#010x} {b:#010x}");
}

fn check_fma(a: u32, b: u32, c: u32) {
    let (x, y, z) = (number(a), number(b), number(c));
    for round in Round::ALL {
        let want = expected(x.mul_add_r(y, z, mode(round)).value);
        let context = format!("fma {a:#010x} {b:#010x} {c:#010x} {round:?}");
        assert_eq!(f32::fma(a, b, c, round), want, "{context}");
        if round == Round::NearestEven {
            assert_eq!(f32::fma_rn(a, b, c), want, "rn {context}");
            assert_eq!(f32::fma_rn_portable(a, b, c), want, "portable {context}");
        }
    }
}

fn check_unary(a: u32) {
    let x = number(a);
    for round in Round::ALL {
        let reciprocal = number(f32::ONE).div_r(x, mode(round)).value;
        assert_eq!(f32::rcp(a, round), expected(reciprocal), "rcp {a:#010x} {round:?}");
        let root = if x.is_zero() || x.is_pos_infinity() {
            x
        } else if x.is_nan() || x.is_negative() {
            Single::NAN
        } else {
            oracle::sqrt(x, round)
        };
        assert_eq!(f32::sqrt(a, round), expected(root), "sqrt {a:#010x} {round:?}");
    }
    assert_eq!(f32::rcp_rn(a), f32::rcp(a, Round::NearestEven), "rcp {a:#010x}");
    assert_eq!(f32::sqrt_rn(a), f32::sqrt(a, Round::NearestEven), "sqrt {a:#010x}");
}

#[test]
fn edges_agree_with_the_oracle() {
    for a in edges() {
        check_unary(a);
        for b in edges() {
            check_binary(a, b);
            for c in edges() {
                check_fma(a, b, c);
            }
        }
    }
}

#[test]
fn random_operands_agree_with_the_oracle() {
    let mut random = Random::new(1);
    for _ in 0..100_000 {
        let a = F32.any(&mut random) as u32;
        let b = F32.any(&mut random) as u32;
        check_binary(a, b);
        check_binary(a, F32.near(a.into(), &mut random) as u32);
        let product = f32::mul_rn(a, b);
        check_fma(a, b, F32.near(product.into(), &mut random) as u32);
        check_fma(a, b, F32.any(&mut random) as u32);
    }
    for _ in 0..10_000 {
        check_unary(F32.any(&mut random) as u32);
    }
}
