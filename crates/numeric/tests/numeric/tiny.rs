//! `tf32` and the formats of eight bits and fewer.

use crate::numeric::convert::{e2m1, e2m3, e3m2, e4m3, e5m2, tf32, ue8m0};
use crate::numeric::{Round, f16, f32};
use crate::oracle::{self, mode};
use crate::samples::{F32, Random};
use rustc_apfloat::Float;
use rustc_apfloat::ieee::Single;

/// The value of an encoding, by the definition of the format; every one is exact in a double.
fn value(code: u8, exponent_bits: u32, fraction_bits: u32, bias: i32) -> f64 {
    let fraction = f64::from(code & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    let field = i32::from(code >> fraction_bits & ((1 << exponent_bits) - 1));
    let magnitude = match field {
        0 => fraction * 2f64.powi(1 - bias),
        _ => (1.0 + fraction) * 2f64.powi(field - bias),
    };
    if code >> (exponent_bits + fraction_bits) & 1 == 1 { -magnitude } else { magnitude }
}

/// The nearest of the codes from 0 to `max`, ties to the even one, found by trying all.
fn nearest(x: f64, max: u8, value: impl Fn(u8) -> f64) -> u8 {
    let distance = |code: &u8| (value(*code) - x.abs()).abs();
    let order = |a: &u8, b: &u8| {
        let by_distance = distance(a).partial_cmp(&distance(b)).expect("numbers");
        by_distance.then((a & 1).cmp(&(b & 1)))
    };
    (0..=max).min_by(order).expect("there are codes")
}

/// All half-precision numbers, and the neighbourhood in single precision of every one.
fn singles() -> Vec<u32> {
    let mut random = Random::new(41);
    let mut values: Vec<u32> = F32.edges().into_iter().map(|bits| bits as u32).collect();
    for half in (0..=u16::MAX).step_by(3) {
        let bits = crate::numeric::convert::f32::from_f16(half);
        values.extend([bits.wrapping_sub(1), bits, bits.wrapping_add(1)]);
    }
    values.extend((0..10_000).map(|_| F32.any(&mut random) as u32));
    values
}

macro_rules! tiny_tests {
    ($test:ident, $name:ident, $exponent:expr, $fraction:expr, $bias:expr, nan: $nan:expr) => {
        #[test]
        fn $test() {
            let value = |code| value(code, $exponent, $fraction, $bias);
            for bits in singles() {
                let got = $name::from_f32(bits);
                if f32::is_nan(bits) {
                    assert_eq!(got, $nan, "{bits:#010x}");
                    continue;
                }
                let x = f64::from(std::primitive::f32::from_bits(bits)).clamp(-1e9, 1e9);
                let sign = if bits >> 31 == 1 { $name::SIGN } else { 0 };
                assert_eq!(got, nearest(x, $name::MAX, value) | sign, "{bits:#010x}");
            }
            for code in 0..=u8::MAX {
                let magnitude = code & ($name::SIGN - 1);
                if magnitude <= $name::MAX {
                    let half = f64::from(std::primitive::f32::from_bits(
                        crate::numeric::convert::f32::from_f16($name::to_f16(code)),
                    ));
                    assert_eq!(half.to_bits(), value(code).to_bits(), "{code:#x}");
                }
            }
        }
    };
}

tiny_tests!(e4m3_rounds_to_nearest, e4m3, 4, 3, 7, nan: 0x7f);
tiny_tests!(e5m2_rounds_to_nearest, e5m2, 5, 2, 15, nan: 0x7f);
tiny_tests!(e2m3_rounds_to_nearest, e2m3, 2, 3, 1, nan: 0x1f);
tiny_tests!(e3m2_rounds_to_nearest, e3m2, 3, 2, 3, nan: 0x1f);
tiny_tests!(e2m1_rounds_to_nearest, e2m1, 2, 1, 1, nan: 0x07);

#[test]
fn special_codes_to_f16() {
    assert_eq!((e4m3::to_f16(0x7f), e4m3::to_f16(0xff)), (f16::NAN, f16::NAN));
    assert_eq!((e5m2::to_f16(0x7c), e5m2::to_f16(0xfc)), (0x7c00, 0xfc00));
    for nan in [0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff] {
        assert_eq!(e5m2::to_f16(nan), f16::NAN);
    }
}

/// The largest numbers of the manual: 448, 57344, 7.5, 28 and 6.
#[test]
fn largest_numbers() {
    assert_eq!(e4m3::to_f16(e4m3::MAX), 0x5f00);
    assert_eq!(e5m2::to_f16(e5m2::MAX), 0x7b00);
    assert_eq!(e2m3::to_f16(e2m3::MAX), 0x4780);
    assert_eq!(e3m2::to_f16(e3m2::MAX), 0x4f00);
    assert_eq!(e2m1::to_f16(e2m1::MAX), 0x4600);
}

#[test]
fn tf32_rounding() {
    for bits in singles() {
        let x: Single = oracle::number(bits);
        // Encodings of one sign are in order, so rounding to the upper 19 bits rounds the number.
        let exact = |round| {
            if !x.is_finite() {
                return if x.is_nan() { f32::NAN } else { bits };
            }
            let magnitude = u64::from(bits & 0x7fff_ffff);
            let (kept, rest) = (magnitude >> 13, magnitude & 0x1fff);
            let up = match round {
                rustc_apfloat::Round::NearestTiesToEven => rest + (kept & 1) > 0x1000,
                rustc_apfloat::Round::NearestTiesToAway => rest >= 0x1000,
                rustc_apfloat::Round::TowardZero => false,
                rustc_apfloat::Round::TowardPositive => rest != 0 && bits >> 31 == 0,
                rustc_apfloat::Round::TowardNegative => rest != 0 && bits >> 31 == 1,
            };
            ((kept + u64::from(up)) << 13) as u32 | bits & (1 << 31)
        };
        for round in Round::ALL {
            assert_eq!(tf32::from_f32(bits, round), exact(mode(round)), "{bits:#010x} {round:?}");
        }
        let away = exact(rustc_apfloat::Round::NearestTiesToAway);
        assert_eq!(tf32::from_f32_rna(bits), away, "{bits:#010x}");
    }
    assert_eq!(tf32::satfinite(f32::INFINITY), 0x7f7f_e000);
    assert_eq!(tf32::satfinite(f32::SIGN | f32::INFINITY), 0xff7f_e000);
    assert_eq!(tf32::satfinite(f32::NAN), f32::NAN);
    assert_eq!(tf32::satfinite(tf32::MAX), tf32::MAX);
}

#[test]
fn satfinite_replaces_infinities_only() {
    use crate::numeric::bf16;
    assert_eq!(f16::satfinite(f16::INFINITY), 0x7bff);
    assert_eq!(f16::satfinite(f16::SIGN | f16::INFINITY), 0xfbff);
    assert_eq!(f16::satfinite(f16::NAN), f16::NAN);
    assert_eq!(f16::satfinite(0x7bff), 0x7bff);
    assert_eq!(bf16::satfinite(bf16::INFINITY), 0x7f7f);
    assert_eq!(bf16::satfinite(bf16::SIGN | bf16::INFINITY), 0xff7f);
    assert_eq!(bf16::satfinite(0x7f81), 0x7f81);
}

#[test]
fn powers_of_two() {
    // 2^-127 and upwards, as far as there are codes.
    let value = |code: u8| 2f64.powi(i32::from(code) - 127);
    for bits in singles() {
        let (down, up) = (ue8m0::from_f32_rz(bits), ue8m0::from_f32_rp(bits));
        let x = f64::from(std::primitive::f32::from_bits(bits)).abs();
        if !x.is_finite() {
            assert_eq!((down, up), (0xff, 0xff), "{bits:#010x}");
            continue;
        }
        let below = (0..0xff).rev().find(|code| value(*code) <= x).unwrap_or(0);
        let above = (0..0xff).find(|code| value(*code) >= x).unwrap_or(0xff);
        assert_eq!((down, up), (below, above), "{bits:#010x}");
    }
    for code in 0..0xff {
        let single = crate::numeric::convert::f32::from_bf16(ue8m0::to_bf16(code));
        assert_eq!(f64::from(std::primitive::f32::from_bits(single)), value(code), "{code:#x}");
    }
    assert_eq!(ue8m0::to_bf16(0xff), 0x7fff);
}
