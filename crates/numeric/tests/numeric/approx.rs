//! The approximate functions, which must be correctly rounded, against values computed with
//! mpmath (`data/approx.py`).

use crate::numeric::{bf16, f16, f32, f64};

const DATA: &str = include_str!("../data/approx.txt");

/// The operand and result columns of the lines that start with `name`.
fn rows(name: &str) -> Vec<(u64, u64)> {
    let parse = |field: &str| u64::from_str_radix(field, 16).expect("hexadecimal");
    let rows: Vec<_> = DATA
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .filter(|fields| fields[0] == name)
        .map(|fields| (parse(fields[1]), parse(fields[2])))
        .collect();
    assert!(rows.len() > 1000, "{name} has {} rows", rows.len());
    rows
}

fn check_single(name: &str, function: impl Fn(u32) -> u32) {
    for (operand, want) in rows(name) {
        let got = function(operand as u32);
        assert_eq!(u64::from(got), want, "{name} of {operand:#010x}: {got:#010x}");
    }
}

#[test]
fn single_precision() {
    check_single("ex2.f32", f32::ex2_approx);
    check_single("lg2.f32", f32::lg2_approx);
    check_single("sin.f32", f32::sin_approx);
    check_single("cos.f32", f32::cos_approx);
    check_single("tanh.f32", f32::tanh_approx);
    check_single("rsqrt.f32", f32::rsqrt_approx);
}

#[test]
fn double_precision_rsqrt() {
    for (operand, want) in rows("rsqrt.f64") {
        assert_eq!(f64::rsqrt_approx(operand), want, "{operand:#018x}");
    }
    assert_eq!(f64::rsqrt_approx(0), f64::INFINITY);
    assert_eq!(f64::rsqrt_approx(f64::SIGN), f64::SIGN | f64::INFINITY);
    assert_eq!(f64::rsqrt_approx(f64::INFINITY), 0);
    assert_eq!(f64::rsqrt_approx(f64::SIGN | f64::ONE), f64::NAN);
    assert_eq!(f64::rsqrt_approx(f64::SIGN | f64::INFINITY), f64::NAN);
    assert_eq!(f64::rsqrt_approx(0xfff0_0000_0000_0007), 0xfff8_0000_0000_0007);
}

/// FNV-1a over all results of a 16-bit function.
fn digest(function: impl Fn(u16) -> u16) -> u64 {
    (0..=u16::MAX)
        .flat_map(|a| function(a).to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
}

#[test]
fn every_half_precision_operand() {
    let check = |name: &str, function: fn(u16) -> u16| {
        let want = format!("digest {name} {:016x}", digest(function));
        assert!(DATA.lines().any(|line| line == want), "{name} differs");
    };
    check("ex2.f16", f16::ex2_approx);
    check("ex2.bf16", bf16::ex2_approx);
    check("tanh.f16", f16::tanh_approx);
    check("tanh.bf16", bf16::tanh_approx);
}

/// The special values that the manual tabulates (PTX ISA 9.1, 9.7.3.13 to 9.7.3.22).
#[test]
fn tables_of_special_values() {
    let (inf, zero, one, nan) = (f32::INFINITY, 0, f32::ONE, f32::NAN);
    let minus = |a| a | f32::SIGN;
    // -inf, a negative number, -0, +0, +inf, a NaN.
    let operands = [minus(inf), minus(one), minus(zero), zero, inf, 0xffc0_0001];
    type Function = fn(u32) -> u32;
    let tables: [(Function, [u32; 6]); 8] = [
        (f32::rcp_approx, [minus(zero), minus(one), minus(inf), inf, zero, nan]),
        (f32::sqrt_approx, [nan, nan, minus(zero), zero, inf, nan]),
        (f32::rsqrt_approx, [nan, nan, minus(inf), inf, zero, nan]),
        (f32::sin_approx, [nan, 0xbf57_6aa4, minus(zero), zero, nan, nan]),
        (f32::cos_approx, [nan, 0x3f0a_5140, one, one, nan, nan]),
        (f32::lg2_approx, [nan, nan, minus(inf), minus(inf), inf, nan]),
        (f32::ex2_approx, [zero, 0x3f00_0000, one, one, inf, nan]),
        (f32::tanh_approx, [minus(one), 0xbf42_f7d6, minus(zero), zero, one, nan]),
    ];
    for (row, (function, results)) in tables.into_iter().enumerate() {
        for (operand, want) in operands.into_iter().zip(results) {
            assert_eq!(function(operand), want, "table {row}, {operand:#010x}");
        }
    }
}

/// PTX ISA 9.1, 9.7.3.8: what `div.approx` does for large divisors.
#[test]
fn approximate_division() {
    let (inf, one, two_to_126) = (f32::INFINITY, f32::ONE, 0x7e80_0000);
    assert_eq!(f32::div_approx(one, 0x4040_0000), 0x3eaa_aaab);
    assert_eq!(f32::div_approx(f32::MAX, two_to_126), 0x407f_ffff);
    for large in [two_to_126 + 1, 0x7f00_0000, f32::MAX] {
        assert_eq!(f32::div_approx(f32::MAX, large), 0);
        assert_eq!(f32::div_approx(one, large | f32::SIGN), f32::SIGN);
        assert_eq!(f32::div_approx(one | f32::SIGN, large | f32::SIGN), 0);
        assert_eq!(f32::div_approx(inf, large), f32::NAN);
        assert_eq!(f32::div_approx(f32::NAN, large), f32::NAN);
        assert_eq!(f32::div_full(f32::MAX, large), f32::div_rn(f32::MAX, large));
    }
    assert_eq!(f32::div_approx(one, inf), 0);
    assert_eq!(f32::div_approx(inf, inf), f32::NAN);
    assert_eq!(f32::div_approx(one, 0), inf);
}

/// A double in the upper word: 20 fraction bits.
fn upper(a: u64) -> (u64, i32) {
    ((a >> 32 & 0xf_ffff) | 1 << 20, (a >> 52 & 0x7ff) as i32 - 1023 - 20)
}

/// Every fraction of the 1.11.20 format: the result is the nearest number of that format.
#[test]
fn upper_word_forms_round_to_nearest() {
    for fraction in 0..1u64 << 20 {
        for exponent in [1023u64, 1024] {
            // The lower word must not matter.
            let a = exponent << 52 | fraction << 32 | 0xdead_beef;
            let (x, x_exponent) = upper(a);

            let r = f64::rcp_approx_ftz(a);
            let (m, m_exponent) = upper(r);
            assert_eq!(r as u32, 0);
            // |1/x - m| is at most half a unit: (2m - 1) x <= 2 * 2^-e <= (2m + 1) x. Below a
            // power of two units are half as large.
            let two = 4u64 << -(x_exponent + m_exponent);
            let below = if m == 1 << 20 { 4 * m - 1 } else { 4 * m - 2 };
            assert!(below * x <= two && two <= (4 * m + 2) * x, "rcp {a:#018x}");

            let r = f64::rsqrt_approx_ftz(a);
            let (m, m_exponent) = upper(r);
            assert_eq!(r as u32, 0);
            let square = |root: u64| u128::from(root) * u128::from(root) * u128::from(x);
            let sixteen = 16u128 << -(x_exponent + 2 * m_exponent);
            let below = if m == 1 << 20 { 4 * m - 1 } else { 4 * m - 2 };
            assert!(square(below) <= sixteen && sixteen <= square(4 * m + 2), "rsqrt {a:#018x}");
        }
    }
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

/// Every operand, against the host's double-precision function, which is good to a unit or so.
/// Results within two units of the middle of two numbers are left to the data file, which has the
/// hardest.
fn check_every_operand(ours: fn(u32) -> u32, host: fn(f64) -> f64) {
    for a in 0..=u32::MAX {
        let x = std::primitive::f32::from_bits(a);
        let double = host(x.into());
        if double.is_nan() {
            assert_eq!(ours(a), f32::NAN, "{a:#010x}");
            continue;
        }
        let near = |step| {
            let bits = double.to_bits().wrapping_add_signed(step);
            (std::primitive::f64::from_bits(bits) as std::primitive::f32).to_bits()
        };
        if near(-2) == near(2) {
            assert_eq!(ours(a), near(0), "{a:#010x}");
        }
    }
}

/// Tests that take a minute or two each with optimisation.
macro_rules! every_operand {
    ($($test:ident: $ours:path, $host:path;)*) => {
        $(
            #[test]
            #[ignore = "takes minutes"]
            fn $test() {
                check_every_operand($ours, $host);
            }
        )*
    };
}

every_operand!(
    every_operand_of_ex2: f32::ex2_approx, std::primitive::f64::exp2;
    every_operand_of_lg2: f32::lg2_approx, std::primitive::f64::log2;
    every_operand_of_sin: f32::sin_approx, std::primitive::f64::sin;
    every_operand_of_cos: f32::cos_approx, std::primitive::f64::cos;
    every_operand_of_tanh: f32::tanh_approx, std::primitive::f64::tanh;
);
