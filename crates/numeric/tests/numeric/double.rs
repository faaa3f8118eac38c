//! `numeric::f64`.

use crate::numeric::{Round, f64};
use crate::oracle::{self, mode};
use crate::samples::{F64, Random};
use rustc_apfloat::Float;
use rustc_apfloat::ieee::Double;

fn number(bits: u64) -> Double {
    oracle::number(bits)
}

/// The NaN rule of the crate: the first NaN operand made quiet, else the default NaN.
fn expected(operands: &[u64], result: Double) -> u64 {
    match operands.iter().find(|&&bits| number(bits).is_nan()) {
        Some(nan) => nan | 0x0008_0000_0000_0000,
        None if result.is_nan() => 0xfff8_0000_0000_0000,
        None => result.to_bits() as u64,
    }
}

fn check_binary(a: u64, b: u64) {
    let (x, y) = (number(a), number(b));
    for round in Round::ALL {
        let r = mode(round);
        let want = |result| expected(&[a, b], result);
        let context = format!("{a:#018x} {b:#018x} {round:?}");
        assert_eq!(f64::add(a, b, round), want(x.add_r(y, r).value), "add {context}");
        assert_eq!(f64::sub(a, b, round), want(x.sub_r(y, r).value), "sub {context}");
        assert_eq!(f64::mul(a, b, round), want(x.mul_r(y, r).value), "mul {context}");
        assert_eq!(f64::div(a, b, round), want(x.div_r(y, r).value), "div {context}");
    }
    let nearest = Round::NearestEven;
    assert_eq!(f64::add_rn(a, b), f64::add(a, b, nearest), "add {a:#018x} {b:#018x}");
    assert_eq!(f64::sub_rn(a, b), f64::sub(a, b, nearest), "sub {a:#018x} {b:#018x}");
    assert_eq!(f64::mul_rn(a, b), f64::mul(a, b, nearest), "mul {a:#018x} {b:#018x}");
    assert_eq!(f64::div_rn(a, b), f64::div(a, b, nearest), "div {a:#018x} {b:#018x}");
}

fn check_fma(a: u64, b: u64, c: u64) {
    let (x, y, z) = (number(a), number(b), number(c));
    for round in Round::ALL {
        let want = expected(&[a, b, c], x.mul_add_r(y, z, mode(round)).value);
        let context = format!("fma {a:#018x} {b:#018x} {c:#018x} {round:?}");
        assert_eq!(f64::fma(a, b, c, round), want, "{context}");
        if round == Round::NearestEven {
            assert_eq!(f64::fma_rn(a, b, c), want, "rn {context}");
        }
    }
}

fn check_unary(a: u64) {
    let x = number(a);
    for round in Round::ALL {
        let reciprocal = number(f64::ONE).div_r(x, mode(round)).value;
        assert_eq!(f64::rcp(a, round), expected(&[a], reciprocal), "rcp {a:#018x} {round:?}");
        let root = if x.is_zero() || x.is_pos_infinity() {
            x
        } else if x.is_nan() || x.is_negative() {
            Double::NAN
        } else {
            oracle::sqrt(x, round)
        };
        assert_eq!(f64::sqrt(a, round), expected(&[a], root), "sqrt {a:#018x} {round:?}");
    }
    assert_eq!(f64::rcp_rn(a), f64::rcp(a, Round::NearestEven), "rcp {a:#018x}");
    assert_eq!(f64::sqrt_rn(a), f64::sqrt(a, Round::NearestEven), "sqrt {a:#018x}");
}

#[test]
fn edges_agree_with_the_oracle() {
    for a in F64.edges() {
        check_unary(a);
        for b in F64.edges() {
            check_binary(a, b);
            for c in F64.edges() {
                check_fma(a, b, c);
            }
        }
    }
}

#[test]
fn random_operands_agree_with_the_oracle() {
    let mut random = Random::new(2);
    for _ in 0..60_000 {
        let a = F64.any(&mut random);
        let b = F64.any(&mut random);
        check_binary(a, b);
        check_binary(a, F64.near(a, &mut random));
        check_fma(a, b, F64.near(f64::mul_rn(a, b), &mut random));
        check_fma(a, b, F64.any(&mut random));
    }
    for _ in 0..4_000 {
        check_unary(F64.any(&mut random));
    }
}

#[test]
fn sign_operations_pass_nan_unchanged() {
    for a in F64.edges() {
        let nan = number(a).is_nan();
        assert_eq!(f64::neg(a), if nan { a } else { number(a).to_bits() as u64 ^ f64::SIGN });
        assert_eq!(f64::abs(a), if nan { a } else { number(a).abs().to_bits() as u64 });
    }
}
