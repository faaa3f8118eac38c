//! `numeric::convert`.

use crate::int::value;
use crate::numeric::{Round, convert};
use crate::oracle::{self, mode};
use crate::samples::{F16, F32, F64, Layout, Random};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert};

/// Every encoding of a 16-bit format.
fn all() -> impl Iterator<Item = u64> {
    0..=u64::from(u16::MAX)
}

/// Edges, random encodings, and the neighbourhood of powers of two, where integer ranges end and
/// fractions of one half appear.
fn floats(layout: Layout) -> Vec<u64> {
    let mut random = Random::new(6);
    let mut values = layout.edges();
    let bias = (1 << (layout.exponent - 1)) - 1;
    for exponent in bias - 3..=bias + 66 {
        for step in [-3, -2, -1, 0, 1, 2, 3] {
            let power = exponent << layout.fraction;
            for value in
                [power, power + (1 << (layout.fraction - 1)), power + random.next() % power]
            {
                let value = value.wrapping_add_signed(step);
                values.extend([value, value | 1 << (layout.fraction + layout.exponent)]);
            }
        }
    }
    values.extend((0..40_000).map(|_| layout.any(&mut random)));
    values
}

/// Zero, powers of two and their neighbours, and random integers of every length.
fn integers() -> Vec<u64> {
    let mut random = Random::new(7);
    let mut values = vec![0];
    for shift in 0..64 {
        let power = 1u64 << shift;
        for offset in -2i64..=2 {
            let value = power.wrapping_add_signed(offset);
            values.extend([value, value.wrapping_neg()]);
        }
        for _ in 0..200 {
            let value = random.next() >> shift;
            // Few significant bits make ties.
            let coarse = value >> random.below(64);
            let tie = (coarse << 1 | 1) << random.below(64);
            values.extend([value, value.wrapping_neg(), coarse, tie, tie.wrapping_add(1)]);
        }
    }
    values
}

/// The result of `cvt` to an integer type of `width` bits (PTX ISA 9.1, 9.7.9.21).
fn to_integer<F: Float>(a: F, signed: bool, width: usize, round: Round, double: bool) -> u64 {
    if a.is_nan() {
        return if double || width == 64 { 1 << (width - 1) } else { 0 };
    }
    let mut is_exact = false;
    if signed {
        let integer = a.to_i128_r(width, mode(round), &mut is_exact).value;
        integer as u64 & (u64::MAX >> (64 - width))
    } else {
        a.to_u128_r(width, mode(round), &mut is_exact).value as u64
    }
}

macro_rules! float_to_integer {
    ($test:ident, $from:ident, $src:ident, $oracle:ident, $double:expr, $inputs:expr) => {
        #[test]
        fn $test() {
            for bits in $inputs {
                let a = bits as $src;
                let x: $oracle = oracle::number(a);
                for round in Round::ALL {
                    let want = |signed, width| to_integer(x, signed, width, round, $double);
                    let got = [
                        (convert::u8::$from(a, round) as u64, want(false, 8)),
                        (convert::s8::$from(a, round) as u64, want(true, 8)),
                        (convert::u16::$from(a, round) as u64, want(false, 16)),
                        (convert::s16::$from(a, round) as u64, want(true, 16)),
                        (convert::u32::$from(a, round) as u64, want(false, 32)),
                        (convert::s32::$from(a, round) as u64, want(true, 32)),
                        (convert::u64::$from(a, round), want(false, 64)),
                        (convert::s64::$from(a, round), want(true, 64)),
                    ];
                    for (i, (got, want)) in got.into_iter().enumerate() {
                        assert_eq!(got, want, "destination {i} of {a:#x} {round:?}");
                    }
                }
            }
        }
    };
}

float_to_integer!(f16_to_integers, from_f16, u16, Half, false, all());
float_to_integer!(bf16_to_integers, from_bf16, u16, BFloat, false, all());
float_to_integer!(f32_to_integers, from_f32, u32, Single, false, floats(F32));
float_to_integer!(f64_to_integers, from_f64, u64, Double, true, floats(F64));

/// The encoding of an integer in a format.
fn from_integer<F: Float>(value: i128, round: Round) -> u64 {
    F::from_i128_r(value, mode(round)).value.to_bits() as u64
}

macro_rules! integer_to_float {
    ($test:ident, $name:ident, $oracle:ident) => {
        #[test]
        fn $test() {
            for a in integers() {
                for round in Round::ALL {
                    let want =
                        |signed, width| from_integer::<$oracle>(value(a, signed, width), round);
                    let got = [
                        (convert::$name::from_u8(a as u8, round) as u64, want(false, 8)),
                        (convert::$name::from_s8(a as u8, round) as u64, want(true, 8)),
                        (convert::$name::from_u16(a as u16, round) as u64, want(false, 16)),
                        (convert::$name::from_s16(a as u16, round) as u64, want(true, 16)),
                        (convert::$name::from_u32(a as u32, round) as u64, want(false, 32)),
                        (convert::$name::from_s32(a as u32, round) as u64, want(true, 32)),
                        (convert::$name::from_u64(a, round) as u64, want(false, 64)),
                        (convert::$name::from_s64(a, round) as u64, want(true, 64)),
                    ];
                    for (i, (got, want)) in got.into_iter().enumerate() {
                        assert_eq!(got, want, "source {i} of {a:#x} {round:?}");
                    }
                }
            }
        }
    };
}

integer_to_float!(integers_to_f16, f16, Half);
integer_to_float!(integers_to_bf16, bf16, BFloat);
integer_to_float!(integers_to_f32, f32, Single);
integer_to_float!(integers_to_f64, f64, Double);

/// Every pair of 8- and 16-bit integers and formats is small enough to enumerate.
#[test]
fn every_short_integer_to_half_precision() {
    for a in 0..=u16::MAX {
        for round in Round::ALL {
            let unsigned = i128::from(a);
            let signed = i128::from(a as i16);
            let got = convert::f16::from_u16(a, round);
            assert_eq!(u64::from(got), from_integer::<Half>(unsigned, round), "{a} {round:?}");
            let got = convert::f16::from_s16(a, round);
            assert_eq!(u64::from(got), from_integer::<Half>(signed, round), "{a} {round:?}");
            let got = convert::bf16::from_u16(a, round);
            assert_eq!(u64::from(got), from_integer::<BFloat>(unsigned, round), "{a} {round:?}");
            let got = convert::bf16::from_s16(a, round);
            assert_eq!(u64::from(got), from_integer::<BFloat>(signed, round), "{a} {round:?}");
        }
    }
}

/// The encoding after rounding to a narrower format, NaN canonical.
fn narrowed<F: FloatConvert<G>, G: Float>(a: F, round: Round, nan: u64) -> u64 {
    let mut loses = false;
    let result = a.convert_r(mode(round), &mut loses).value;
    if result.is_nan() { nan } else { result.to_bits() as u64 }
}

#[test]
fn f32_to_half_precision() {
    let mut values = floats(F32);
    // The middles between neighbours of the narrower formats, and just beside them.
    for half in all().step_by(7) {
        let f16_middle = u64::from(convert::f32::from_f16(half as u16)) + 0x1000;
        let bf16_middle = half << 16 | 0x8000;
        for middle in [f16_middle, bf16_middle] {
            values.extend([middle - 1, middle, middle + 1]);
        }
    }
    // The subnormals of f16 round at other places: multiples of 2^-25 and beside them.
    values.extend((0..4096u32).flat_map(|n| {
        let middle = u64::from((n as f32 * 2f32.powi(-25)).to_bits());
        [middle.saturating_sub(1), middle, middle + 1]
    }));
    for bits in values {
        let a = bits as u32;
        let x: Single = oracle::number(a);
        for round in Round::ALL {
            let got = u64::from(convert::f16::from_f32(a, round));
            assert_eq!(got, narrowed::<_, Half>(x, round, 0x7fff), "{a:#x} {round:?}");
            let got = u64::from(convert::bf16::from_f32(a, round));
            assert_eq!(got, narrowed::<_, BFloat>(x, round, 0x7fff), "{a:#x} {round:?}");
        }
    }
}

/// What an H100 makes of a NaN of binary64 in a format with so many bits: a quiet one with its sign and the top of its payload
/// (`conformance/recordings/nvidia-h100-conversions.lz4`).
fn nan(a: u64, exponent: u32, fraction: u32) -> u64 {
    let ones = (1u64 << (exponent + 1)) - 1;
    let top = a >> (52 - fraction) & ((1 << fraction) - 1);
    a >> 63 << (exponent + fraction) | ones << (fraction - 1) | top
}

#[test]
fn f64_to_narrower_formats() {
    let mut values = floats(F64);
    // Numbers in the range of the narrower formats, in the middle of two of them and beside it.
    let mut random = Random::new(8);
    for _ in 0..40_000 {
        let single = F32.any(&mut random) as u32;
        let half = F16.any(&mut random) as u16;
        let brain = F32.any(&mut random) as u32 & 0xffff_0000;
        for middle in [
            convert::f64::from_f32(single).wrapping_add(1 << 28),
            convert::f64::from_f16(half).wrapping_add(1 << 41),
            convert::f64::from_f32(brain).wrapping_add(1 << 44),
        ] {
            values.extend([middle.wrapping_sub(1), middle, middle.wrapping_add(1)]);
        }
    }
    for a in values {
        let x: Double = oracle::number(a);
        for round in Round::ALL {
            let got = u64::from(convert::f32::from_f64(a, round));
            assert_eq!(got, narrowed::<_, Single>(x, round, nan(a, 8, 23)), "{a:#x} {round:?}");
            let got = u64::from(convert::f16::from_f64(a, round));
            assert_eq!(got, narrowed::<_, Half>(x, round, nan(a, 5, 10)), "{a:#x} {round:?}");
            let got = u64::from(convert::bf16::from_f64(a, round));
            assert_eq!(got, narrowed::<_, BFloat>(x, round, nan(a, 8, 7)), "{a:#x} {round:?}");
        }
    }
}

#[test]
fn half_precision_formats_to_each_other() {
    for bits in all() {
        let a = bits as u16;
        let half: Half = oracle::number(a);
        let brain: BFloat = oracle::number(a);
        for round in Round::ALL {
            let got = u64::from(convert::bf16::from_f16(a, round));
            assert_eq!(
                got,
                narrowed::<_, BFloat>(oracle::exact::<_, Single>(quiet(half)), round, 0x7fff)
            );
            let got = u64::from(convert::f16::from_bf16(a, round));
            assert_eq!(
                got,
                narrowed::<_, Half>(oracle::exact::<_, Single>(quiet(brain)), round, 0x7fff)
            );
        }
    }
}

/// A number unchanged, and a quiet NaN for any NaN.
fn quiet<F: Float>(a: F) -> F {
    if a.is_nan() { F::NAN } else { a }
}

#[test]
fn widening_is_exact() {
    for bits in all() {
        let a = bits as u16;
        let half: Half = oracle::number(a);
        let brain: BFloat = oracle::number(a);
        if half.is_nan() {
            assert_eq!(convert::f32::from_f16(a), 0x7fff_ffff);
            // The quiet bit, the sign and the other nine bits of the payload.
            let want = (bits >> 15) << 63 | 0x7ff8 << 48 | (bits & 0x1ff) << 42;
            assert_eq!(convert::f64::from_f16(a), want);
        } else {
            let single: Single = oracle::exact(half);
            let double: Double = oracle::exact(half);
            assert_eq!(u128::from(convert::f32::from_f16(a)), single.to_bits());
            assert_eq!(u128::from(convert::f64::from_f16(a)), double.to_bits());
        }
        assert_eq!(convert::f32::from_bf16(a), (bits << 16) as u32);
        if brain.is_nan() {
            let want = (bits >> 15) << 63 | 0x7ff8 << 48 | (bits & 0x3f) << 45;
            assert_eq!(convert::f64::from_bf16(a), want);
        } else {
            let double: Double = oracle::exact(brain);
            assert_eq!(u128::from(convert::f64::from_bf16(a)), double.to_bits());
        }
    }
    for bits in floats(F32) {
        let a = bits as u32;
        let single: Single = oracle::number(a);
        if single.is_nan() {
            let want = u64::from(a >> 31) << 63 | 0x7ff8 << 48 | u64::from(a & 0x3f_ffff) << 29;
            assert_eq!(convert::f64::from_f32(a), want);
        } else {
            let double: Double = oracle::exact(single);
            assert_eq!(u128::from(convert::f64::from_f32(a)), double.to_bits());
        }
    }
}

macro_rules! integral {
    ($test:ident, $name:ident, $bits:ident, $oracle:ident, $inputs:expr, |$a:ident| $nan:expr) => {
        #[test]
        fn $test() {
            for bits in $inputs {
                let $a = bits as $bits;
                let x: $oracle = oracle::number($a);
                for round in Round::ALL {
                    let integer = x.round_to_integral(mode(round)).value.to_bits() as $bits;
                    let want = if x.is_nan() { $nan } else { integer };
                    assert_eq!(convert::$name::integral($a, round), want, "{:#x} {round:?}", $a);
                }
            }
        }
    };
}

integral!(f16_to_integral, f16, u16, Half, all(), |_a| 0x7fff);
integral!(bf16_to_integral, bf16, u16, BFloat, all(), |_a| 0x7fff);
integral!(f32_to_integral, f32, u32, Single, floats(F32), |_a| 0x7fff_ffff);
integral!(f64_to_integral, f64, u64, Double, floats(F64), |a| a | 1 << 51);

macro_rules! integer_to_integer {
    ($test:ident, $from:ident, $from_sat:ident, $src:ident, $signed:expr) => {
        #[test]
        fn $test() {
            for bits in integers() {
                let a = bits as $src;
                let x = value(bits, $signed, $src::BITS);
                let cut = |width: u32| x as u64 & (u64::MAX >> (64 - width));
                let clamp = |signed: bool, width: u32| {
                    let range = if signed {
                        (-1i128 << (width - 1), (1i128 << (width - 1)) - 1)
                    } else {
                        (0, (1i128 << width) - 1)
                    };
                    x.clamp(range.0, range.1) as u64 & (u64::MAX >> (64 - width))
                };
                let got = [
                    (convert::u8::$from(a) as u64, cut(8)),
                    (convert::s8::$from(a) as u64, cut(8)),
                    (convert::u16::$from(a) as u64, cut(16)),
                    (convert::s16::$from(a) as u64, cut(16)),
                    (convert::u32::$from(a) as u64, cut(32)),
                    (convert::s32::$from(a) as u64, cut(32)),
                    (convert::u64::$from(a), cut(64)),
                    (convert::s64::$from(a), cut(64)),
                    (convert::u8::$from_sat(a) as u64, clamp(false, 8)),
                    (convert::s8::$from_sat(a) as u64, clamp(true, 8)),
                    (convert::u16::$from_sat(a) as u64, clamp(false, 16)),
                    (convert::s16::$from_sat(a) as u64, clamp(true, 16)),
                    (convert::u32::$from_sat(a) as u64, clamp(false, 32)),
                    (convert::s32::$from_sat(a) as u64, clamp(true, 32)),
                    (convert::u64::$from_sat(a), clamp(false, 64)),
                    (convert::s64::$from_sat(a), clamp(true, 64)),
                ];
                for (i, (got, want)) in got.into_iter().enumerate() {
                    assert_eq!(got, want, "destination {i} of {a:#x}");
                }
            }
        }
    };
}

integer_to_integer!(u8_to_integers, from_u8, from_u8_sat, u8, false);
integer_to_integer!(s8_to_integers, from_s8, from_s8_sat, u8, true);
integer_to_integer!(u16_to_integers, from_u16, from_u16_sat, u16, false);
integer_to_integer!(s16_to_integers, from_s16, from_s16_sat, u16, true);
integer_to_integer!(u32_to_integers, from_u32, from_u32_sat, u32, false);
integer_to_integer!(s32_to_integers, from_s32, from_s32_sat, u32, true);
integer_to_integer!(u64_to_integers, from_u64, from_u64_sat, u64, false);
integer_to_integer!(s64_to_integers, from_s64, from_s64_sat, u64, true);
