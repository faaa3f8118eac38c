//! The typed modules of `numeric::int` against 128-bit integers.

use crate::numeric::int::{s16, s32, s64, u16, u32, u64};
use crate::samples::Random;

/// Edge values and random ones of every length, cut to `width` bits.
pub(crate) fn operands(width: u32, count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let mask = u64::MAX >> (64 - width);
    let half = 1u64 << (width - 1);
    let mut values = vec![0, 1, 2, 3, 7, 0xff, half - 1, half, half + 1, mask - 1, mask];
    values.extend([0x5555_5555_5555_5555 & mask, 0xaaaa_aaaa_aaaa_aaaa & mask, mask >> 8]);
    values.extend((0..count).map(|_| (random.next() >> random.below(64)) & mask));
    values
}

/// Bits 0..width of a value, as a signed or unsigned integer.
pub(crate) fn value(bits: u64, signed: bool, width: u32) -> i128 {
    let top = 64 - width;
    if signed { i128::from((bits << top) as i64 >> top) } else { i128::from(bits << top >> top) }
}

macro_rules! typed_tests {
    ($test:ident, $name:ident, $bits:ident, $signed:expr) => {
        #[test]
        fn $test() {
            const WIDTH: ::core::primitive::u32 = $bits::BITS;
            let number = |bits: $bits| value(bits.into(), $signed, WIDTH);
            for &a in &operands(WIDTH, 150, 11) {
                for &b in &operands(WIDTH, 150, 12) {
                    let (a, b, c) = (a as $bits, b as $bits, (a ^ b.rotate_left(5)) as $bits);
                    let (x, y, z) = (number(a), number(b), number(c));
                    let context = format!("{a:#x} {b:#x} {c:#x}");
                    // Only the products of two u64 wrap, which leaves the low 128 bits right.
                    let product = x.wrapping_mul(y);
                    let high = (product >> WIDTH) as $bits;
                    let sad = z + (if x < y { y - x } else { x - y });
                    let got = [
                        ($name::add(a, b), (x + y) as $bits),
                        ($name::sub(a, b), (x - y) as $bits),
                        ($name::mul_lo(a, b), product as $bits),
                        ($name::mul_hi(a, b), high),
                        ($name::mad_lo(a, b, c), product.wrapping_add(z) as $bits),
                        ($name::mad_hi(a, b, c), (i128::from(high) + z) as $bits),
                        ($name::sad(a, b, c), sad as $bits),
                        ($name::div(a, b), if b == 0 { $bits::MAX } else { (x / y) as $bits }),
                        ($name::rem(a, b), if b == 0 { $bits::MAX } else { (x % y) as $bits }),
                        ($name::min(a, b), x.min(y) as $bits),
                        ($name::max(a, b), x.max(y) as $bits),
                    ];
                    for (i, (got, want)) in got.into_iter().enumerate() {
                        assert_eq!(got, want, "operation {i} of {context}");
                    }
                    let got = [
                        ($name::eq(a, b), x == y),
                        ($name::ne(a, b), x != y),
                        ($name::lt(a, b), x < y),
                        ($name::le(a, b), x <= y),
                        ($name::gt(a, b), x > y),
                        ($name::ge(a, b), x >= y),
                    ];
                    for (i, (got, want)) in got.into_iter().enumerate() {
                        assert_eq!(got, want, "comparison {i} of {context}");
                    }
                }
                for amount in (0..70).chain([128, 255, 256, 1 << 31, ::core::primitive::u32::MAX]) {
                    let a = a as $bits;
                    let want = (number(a) >> amount.min(WIDTH)) as $bits;
                    assert_eq!($name::shr(a, amount), want, "shr {a:#x} {amount}");
                }
            }
        }
    };
}

typed_tests!(typed_u16, u16, u16, false);
typed_tests!(typed_s16, s16, u16, true);
typed_tests!(typed_u32, u32, u32, false);
typed_tests!(typed_s32, s32, u32, true);
typed_tests!(typed_u64, u64, u64, false);
typed_tests!(typed_s64, s64, u64, true);

#[test]
fn division_by_zero_and_overflow() {
    // All ones, as the code that NVIDIA's assembler generates for these instructions leaves.
    assert_eq!((u32::div(7, 0), u32::rem(7, 0)), (0xffff_ffff, 0xffff_ffff));
    assert_eq!((s32::div(7, 0), s32::rem(7, 0)), (0xffff_ffff, 0xffff_ffff));
    assert_eq!((u16::div(7, 0), u16::rem(7, 0)), (0xffff, 0xffff));
    assert_eq!((s64::div(7, 0), s64::rem(7, 0)), (!0, !0));
    assert_eq!((s16::div(0x8000, 0xffff), s16::rem(0x8000, 0xffff)), (0x8000, 0));
    assert_eq!((s32::div(1 << 31, !0), s32::rem(1 << 31, !0)), (1 << 31, 0));
    assert_eq!((s64::div(1 << 63, !0), s64::rem(1 << 63, !0)), (1 << 63, 0));
}

macro_rules! signed_tests {
    ($test:ident, $name:ident, $bits:ident) => {
        #[test]
        fn $test() {
            for a in operands($bits::BITS, 1000, 13) {
                let x = value(a, true, $bits::BITS);
                assert_eq!($name::abs(a as $bits), x.unsigned_abs() as $bits, "abs {a:#x}");
                assert_eq!($name::neg(a as $bits), -x as $bits, "neg {a:#x}");
            }
        }
    };
}

signed_tests!(signed_s16, s16, u16);
signed_tests!(signed_s32, s32, u32);
signed_tests!(signed_s64, s64, u64);

macro_rules! wide_tests {
    ($test:ident, $name:ident, $bits:ident, $wide:ident, $signed:expr) => {
        #[test]
        fn $test() {
            for &a in &operands($bits::BITS, 150, 14) {
                for &b in &operands($bits::BITS, 150, 15) {
                    let product = value(a, $signed, $bits::BITS) * value(b, $signed, $bits::BITS);
                    let (a, b, c) = (a as $bits, b as $bits, (a << 7 ^ b * 3) as $wide);
                    assert_eq!($name::mul_wide(a, b), product as $wide, "{a:#x} {b:#x}");
                    let sum = (product + i128::from(c)) as $wide;
                    assert_eq!($name::mad_wide(a, b, c), sum, "{a:#x} {b:#x} {c:#x}");
                }
            }
        }
    };
}

wide_tests!(wide_u16, u16, u16, u32, false);
wide_tests!(wide_s16, s16, u16, u32, true);
wide_tests!(wide_u32, u32, u32, u64, false);
wide_tests!(wide_s32, s32, u32, u64, true);

macro_rules! carry_tests {
    ($test:ident, $name:ident, $bits:ident, $signed:expr) => {
        #[test]
        fn $test() {
            const WIDTH: ::core::primitive::u32 = $bits::BITS;
            // A sum of bit patterns and its carry out of the top.
            let sum = |a: $bits, b: $bits, carry: bool| {
                let sum = u128::from(a) + u128::from(b) + u128::from(carry);
                (sum as $bits, sum >> WIDTH != 0)
            };
            for &a in &operands(WIDTH, 100, 16) {
                for &b in &operands(WIDTH, 100, 17) {
                    let (a, b, c) = (a as $bits, b as $bits, (a.rotate_left(9) ^ b) as $bits);
                    let signed = |bits: $bits| value(bits.into(), $signed, WIDTH);
                    let product = signed(a).wrapping_mul(signed(b));
                    let (low, high) = (product as $bits, (product >> WIDTH) as $bits);
                    for carry in [false, true] {
                        let context = format!("{a:#x} {b:#x} {c:#x} {carry}");
                        assert_eq!($name::add_carry(a, b, carry), sum(a, b, carry), "{context}");
                        let difference = i128::from(a) - i128::from(b) - i128::from(carry);
                        let want = (difference as $bits, difference < 0);
                        assert_eq!($name::sub_borrow(a, b, carry), want, "{context}");
                        let got = $name::mad_lo_carry(a, b, c, carry);
                        assert_eq!(got, sum(low, c, carry), "{context}");
                        let got = $name::mad_hi_carry(a, b, c, carry);
                        assert_eq!(got, sum(high, c, carry), "{context}");
                    }
                }
            }
        }
    };
}

carry_tests!(carry_u32, u32, u32, false);
carry_tests!(carry_s32, s32, u32, true);
carry_tests!(carry_u64, u64, u64, false);
carry_tests!(carry_s64, s64, u64, true);

#[test]
fn relu() {
    for &a in &operands(32, 100, 22) {
        for &b in &operands(32, 100, 23) {
            let (x, y) = (a as i32, b as i32);
            let (a, b) = (a as u32, b as u32);
            assert_eq!(s32::min_relu(a, b), x.min(y).max(0) as u32, "{a:#x} {b:#x}");
            assert_eq!(s32::max_relu(a, b), x.max(y).max(0) as u32, "{a:#x} {b:#x}");
            let (x, y) = (x as i16, y as i16);
            let (a, b) = (a as u16, b as u16);
            assert_eq!(s16::min_relu(a, b), x.min(y).max(0) as u16, "{a:#x} {b:#x}");
            assert_eq!(s16::max_relu(a, b), x.max(y).max(0) as u16, "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn saturating_s32() {
    let clamp = |x: i128| x.clamp(-(1 << 31), (1 << 31) - 1) as u32;
    for &a in &operands(32, 150, 18) {
        for &b in &operands(32, 150, 19) {
            let (x, y) = (value(a, true, 32), value(b, true, 32));
            let z = value(a ^ b << 3, true, 32);
            let (a, b, c) = (a as u32, b as u32, z as u32);
            assert_eq!(s32::add_sat(a, b), clamp(x + y), "{a:#x} {b:#x}");
            assert_eq!(s32::sub_sat(a, b), clamp(x - y), "{a:#x} {b:#x}");
            let high = (x * y) >> 32;
            assert_eq!(s32::mad_hi_sat(a, b, c), clamp(high + z), "{a:#x} {b:#x} {c:#x}");
        }
    }
}

macro_rules! only32_tests {
    ($test:ident, $name:ident, $signed:expr) => {
        #[test]
        fn $test() {
            for &a in &operands(32, 150, 20) {
                for &b in &operands(32, 150, 21) {
                    let product = value(a, $signed, 24) * value(b, $signed, 24);
                    let (a, b, c) = (a as u32, b as u32, (a << 5 ^ b) as u32);
                    let low = product as u32;
                    let high = (product >> 16) as u32;
                    assert_eq!($name::mul24_lo(a, b), low, "{a:#x} {b:#x}");
                    assert_eq!($name::mul24_hi(a, b), high, "{a:#x} {b:#x}");
                    assert_eq!($name::mad24_lo(a, b, c), low.wrapping_add(c), "{a:#x} {b:#x}");
                    assert_eq!($name::mad24_hi(a, b, c), high.wrapping_add(c), "{a:#x} {b:#x}");
                }
            }
        }
    };
}

only32_tests!(mul24_u32, u32, false);
only32_tests!(mul24_s32, s32, true);

#[test]
fn mad24_saturates() {
    // (2^23 - 1)^2 >> 16 is 2^30 - 2^8: less than half of the range is left.
    let largest = 0x7f_ffff;
    assert_eq!(s32::mul24_hi(largest, largest), 0x3fff_ff00);
    assert_eq!(s32::mad24_hi_sat(largest, largest, 0x4000_00ff), 0x7fff_ffff);
    assert_eq!(s32::mad24_hi_sat(largest, largest, 0x4000_0100), 0x7fff_ffff);
    assert_eq!(s32::mad24_hi_sat(largest, largest, 0x4000_00fe), 0x7fff_fffe);
    // -(2^23) * (2^23 - 1) >> 16, with the most negative addend.
    assert_eq!(s32::mad24_hi_sat(0x80_0000, largest, 1 << 31), 1 << 31);
}
