//! The approximate functions, which must give what an H100 and an H200 gave (`data/approx.tsv`).
//!
//! A line is a function, the first operand, the distance to the next one, how many there are, all of them encodings or
//! upper words of doubles, and a hash of the results; of `rsqrt.approx.f64` it is an operand and its result. All operands of single precision were
//! compared on the device by `warpwise-conformance`, which does so again where there is one.

use crate::numeric::{bf16, bf16x2, f16, f16x2, f32, f64};

const DATA: &str = include_str!("../data/approx.tsv");

/// The fields of the lines of a function.
fn lines(name: &str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = DATA.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    lines.filter(move |fields| fields[0] == name)
}

/// How many operands are tried at once.
const ROW: usize = 32;

/// FNV-1a, of words of 32 bits.
struct Hash(u64);

impl Hash {
    const EMPTY: Hash = Hash(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x100_0000_01b3);
    }
}

/// Compares a function of rows of words with the lines of its name.
fn check(name: &str, function: fn([u32; ROW]) -> [u32; ROW]) {
    let mut sets = 0;
    for fields in lines(name) {
        let hexadecimal = |field: &str| u64::from_str_radix(field, 16).expect("hexadecimal");
        let decimal = |field: &str| field.parse::<u32>().expect("decimal");
        let (first, stride, count) =
            (hexadecimal(fields[1]) as u32, decimal(fields[2]), decimal(fields[3]));
        let mut hash = Hash::EMPTY;
        for start in (0..count).step_by(ROW) {
            let operands = std::array::from_fn(|lane| {
                first.wrapping_add(stride.wrapping_mul(start + lane as u32))
            });
            let results = function(operands);
            results.iter().take((count - start) as usize).for_each(|word| hash.add(*word));
        }
        assert_eq!(hash.0, hexadecimal(fields[4]), "{name} from {first:#010x} on");
        sets += 1;
    }
    assert!(sets > 0, "there is nothing about {name}");
}

/// `.ftz` of a function of single precision.
macro_rules! ftz {
    ($function:path) => {
        |a| $function(a.map(f32::flush)).map(f32::flush)
    };
}

#[test]
fn single_precision() {
    check("rcp.approx.ftz.f32", ftz!(f32::rcp_approx));
    check("sqrt.approx.ftz.f32", ftz!(f32::sqrt_approx));
    check("rsqrt.approx.ftz.f32", ftz!(f32::rsqrt_approx));
    check("ex2.approx.ftz.f32", ftz!(f32::ex2_approx));
    check("lg2.approx.ftz.f32", ftz!(f32::lg2_approx));
    check("sin.approx.ftz.f32", ftz!(f32::sin_approx));
    check("cos.approx.ftz.f32", ftz!(f32::cos_approx));
    check("tanh.approx.f32", f32::tanh_approx);
}

#[test]
fn half_precision() {
    check("ex2.approx.f16", |a| f16::ex2_approx(a.map(|a| a as u16)).map(u32::from));
    check("tanh.approx.f16", |a| f16::tanh_approx(a.map(|a| a as u16)).map(u32::from));
    check("ex2.approx.ftz.bf16", |a| {
        let power = bf16::ex2_approx(a.map(|a| bf16::flush(a as u16)));
        power.map(|power| u32::from(bf16::flush(power)))
    });
    check("tanh.approx.bf16", |a| bf16::tanh_approx(a.map(|a| a as u16)).map(u32::from));
}

/// Pairs have the results of their elements.
#[test]
fn pairs() {
    let pairs: [u32; 1 << 12] = std::array::from_fn(|i| (i as u32).wrapping_mul(0x9e37_79b9));
    let check = |of_pairs: fn([u32; 1 << 12]) -> [u32; 1 << 12],
                 of_one: fn([u16; 1]) -> [u16; 1]| {
        for (pair, result) in pairs.into_iter().zip(of_pairs(pairs)) {
            let [low, high] =
                [pair as u16, (pair >> 16) as u16].map(|element| of_one([element])[0]);
            assert_eq!(result, u32::from(low) | u32::from(high) << 16, "{pair:#010x}");
        }
    };
    check(f16x2::ex2_approx, f16::ex2_approx);
    check(f16x2::tanh_approx, f16::tanh_approx);
    check(bf16x2::ex2_approx, bf16::ex2_approx);
    check(bf16x2::tanh_approx, bf16::tanh_approx);
}

#[test]
fn double_precision() {
    for fields in lines("rsqrt.approx.f64") {
        let [operand, want] = [fields[1], fields[2]]
            .map(|field| u64::from_str_radix(field, 16).expect("hexadecimal"));
        assert_eq!(f64::rsqrt_approx(operand), want, "{operand:#018x}");
    }
    assert_eq!(f64::rsqrt_approx(0), f64::INFINITY);
    assert_eq!(f64::rsqrt_approx(f64::SIGN), f64::SIGN | f64::INFINITY);
    assert_eq!(f64::rsqrt_approx(f64::INFINITY), 0);
    assert_eq!(f64::rsqrt_approx(f64::SIGN | f64::ONE), f64::NAN);
    assert_eq!(f64::rsqrt_approx(f64::SIGN | f64::INFINITY), f64::NAN);
    assert_eq!(f64::rsqrt_approx(0xfff0_0000_0000_0007), 0xfff8_0000_0000_0007);
}

#[test]
fn upper_words() {
    /// The lower word must not matter, and is zero in results.
    fn upper(function: fn(u64) -> u64, a: u32) -> u32 {
        let result = function(u64::from(a) << 32 | 0xdead_beef);
        assert_eq!(result as u32, 0, "{a:#010x}");
        (result >> 32) as u32
    }
    check("rcp.approx.ftz.f64", |a| a.map(|a| upper(f64::rcp_approx_ftz, a)));
    check("rsqrt.approx.ftz.f64", |a| a.map(|a| upper(f64::rsqrt_approx_ftz, a)));
}

/// The special values that the manual tabulates (PTX ISA 9.1, 9.7.3.13 to 9.7.3.22).
#[test]
fn tables_of_special_values() {
    let (inf, zero, one, nan) = (f32::INFINITY, 0, f32::ONE, f32::NAN);
    let minus = |a| a | f32::SIGN;
    // -inf, a negative number, -0, +0, +inf, a NaN.
    let operands = [minus(inf), minus(one), minus(zero), zero, inf, 0xffc0_0001];
    type Function = fn([u32; 1]) -> [u32; 1];
    let tables: [(Function, [u32; 6]); 8] = [
        (f32::rcp_approx, [minus(zero), minus(one), minus(inf), inf, zero, nan]),
        (f32::sqrt_approx, [nan, nan, minus(zero), zero, inf, nan]),
        (f32::rsqrt_approx, [nan, nan, minus(inf), inf, zero, nan]),
        (f32::sin_approx, [nan, 0xbf57_6aa3, minus(zero), zero, nan, nan]),
        (f32::cos_approx, [nan, 0x3f0a_5141, one, one, nan, nan]),
        (f32::lg2_approx, [nan, nan, minus(inf), minus(inf), inf, nan]),
        (f32::ex2_approx, [zero, 0x3f00_0000, one, one, inf, nan]),
        (f32::tanh_approx, [minus(one), 0xbf42_f848, minus(zero), zero, one, nan]),
    ];
    for (row, (function, results)) in tables.into_iter().enumerate() {
        for (operand, want) in operands.into_iter().zip(results) {
            assert_eq!(function([operand]), [want], "table {row}, {operand:#010x}");
        }
    }
}

/// PTX ISA 9.1, 9.7.3.8: what `div.approx` does for large divisors.
#[test]
fn approximate_division() {
    let (inf, one, two_to_126) = (f32::INFINITY, f32::ONE, 0x7e80_0000);
    let div_approx = |a, b| f32::div_approx([a], [b])[0];
    let div_full = |a, b| f32::div_full([a], [b])[0];
    assert_eq!(div_approx(one, 0x4040_0000), 0x3eaa_aaab);
    assert_eq!(div_approx(f32::MAX, two_to_126), 0x407f_ffff);
    for large in [two_to_126 + 1, 0x7f00_0000, f32::MAX] {
        assert_eq!(div_approx(f32::MAX, large), 0);
        assert_eq!(div_approx(one, large | f32::SIGN), f32::SIGN);
        assert_eq!(div_approx(one | f32::SIGN, large | f32::SIGN), 0);
        assert_eq!(div_approx(inf, large), f32::NAN);
        assert_eq!(div_approx(f32::NAN, large), f32::NAN);
        assert_eq!(div_full(f32::MAX, large), f32::div_rn(f32::MAX, large));
    }
    assert_eq!(div_approx(one, inf), 0);
    assert_eq!(div_approx(inf, inf), f32::NAN);
    assert_eq!(div_approx(one, 0), inf);
}

/// PTX ISA 9.1, 9.7.3.14 and 9.7.3.17.
#[test]
fn upper_word_tables() {
    let (inf, nan, sign) = (f64::INFINITY, 0x7fff_ffff_0000_0000, f64::SIGN);
    let subnormal = 0x000f_ffff_ffff_ffff;
    let table = [
        (sign | inf, sign, nan),
        (sign | subnormal, sign | inf, sign | inf),
        (sign, sign | inf, sign | inf),
        (0, inf, inf),
        (subnormal, inf, inf),
        (inf, 0, 0),
        (0x7ff0_0001_0000_0000, nan, nan),
        (0xfff8_0000_0000_0000, nan, nan),
        // Only the upper word counts: this is an infinity.
        (0x7ff0_0000_0000_0001, 0, 0),
    ];
    for (a, reciprocal, root) in table {
        assert_eq!(f64::rcp_approx_ftz(a), reciprocal, "{a:#018x}");
        assert_eq!(f64::rsqrt_approx_ftz(a), root, "{a:#018x}");
    }
    assert_eq!(f64::rsqrt_approx_ftz(sign | f64::ONE), nan);
    // Subnormal results are flushed.
    assert_eq!(f64::rcp_approx_ftz(f64::MAX), 0);
    assert_eq!(f64::rcp_approx_ftz(sign | f64::MAX), sign);
}
