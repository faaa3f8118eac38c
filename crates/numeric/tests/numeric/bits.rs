//! Bit operations of `numeric::int` against the manual's pseudo-code (PTX ISA 9.1, 9.7.1, 9.7.8
//! and 9.7.9), which works bit by bit where the crate computes with masks and shifts.

use crate::int::{operands, value};
use crate::numeric::int::{b16, b32, b64, dot, s32, s64, u32, u64};
use crate::samples::Random;

/// Bit `i` of `a`.
fn bit(a: u64, i: i64) -> u64 {
    a >> i & 1
}

/// 0 to 255 in and around the widths, and amounts that only modulo 256 makes small.
fn positions() -> Vec<u32> {
    (0..=70).chain([95, 127, 128, 200, 254, 255, 256, 257, 263, 287, 0x1_0020, !0]).collect()
}

fn bfe(a: u64, b: u32, c: u32, signed: bool, width: u32) -> u64 {
    let msb = i64::from(width) - 1;
    let (pos, len) = (i64::from(b & 0xff), i64::from(c & 0xff));
    let sbit = if !signed || len == 0 { 0 } else { bit(a, (pos + len - 1).min(msb)) };
    (0..=msb)
        .fold(0, |d, i| d | (if i < len && pos + i <= msb { bit(a, pos + i) } else { sbit }) << i)
}

fn bfi(a: u64, b: u64, c: u32, d: u32, width: u32) -> u64 {
    let msb = i64::from(width) - 1;
    let (pos, len) = (i64::from(c & 0xff), i64::from(d & 0xff));
    let mut f = b;
    let mut i = 0;
    while i < len && pos + i <= msb {
        f = f & !(1 << (pos + i)) | bit(a, i) << (pos + i);
        i += 1;
    }
    f
}

#[test]
fn bit_fields() {
    for a in operands(64, 40, 31) {
        let b = a.rotate_left(17) ^ 0x0123_4567_89ab_cdef;
        let (a32, b32v) = (a as u32, b as u32);
        for &pos in &positions() {
            for &len in &positions() {
                let context = format!("{a:#x} {b:#x} {pos} {len}");
                let narrow = u64::from(a32);
                assert_eq!(
                    u64::from(u32::bfe(a32, pos, len)),
                    bfe(narrow, pos, len, false, 32),
                    "{context}"
                );
                assert_eq!(
                    u64::from(s32::bfe(a32, pos, len)),
                    bfe(narrow, pos, len, true, 32),
                    "{context}"
                );
                assert_eq!(u64::bfe(a, pos, len), bfe(a, pos, len, false, 64), "{context}");
                assert_eq!(s64::bfe(a, pos, len), bfe(a, pos, len, true, 64), "{context}");
                let want = bfi(narrow, b32v.into(), pos, len, 32);
                assert_eq!(u64::from(b32::bfi(a32, b32v, pos, len)), want, "{context}");
                assert_eq!(b64::bfi(a, b, pos, len), bfi(a, b, pos, len, 64), "{context}");
            }
        }
    }
}

fn bfind(a: u64, shiftamt: bool, signed: bool, width: u32) -> u32 {
    let msb = i64::from(width) - 1;
    let a = if signed && bit(a, msb) == 1 { !a } else { a };
    match (0..=msb).rev().find(|&i| bit(a, i) == 1) {
        Some(i) if shiftamt => (msb - i) as u32,
        Some(i) => i as u32,
        None => 0xffff_ffff,
    }
}

fn clz(a: u64, width: u32) -> u32 {
    (0..width).find(|&d| bit(a, i64::from(width - 1 - d)) == 1).unwrap_or(width)
}

fn brev(a: u64, width: u32) -> u64 {
    (0..i64::from(width)).fold(0, |d, i| d | bit(a, i64::from(width) - 1 - i) << i)
}

#[test]
fn counts_and_reversal() {
    for a in operands(64, 3000, 32) {
        let low = a as u32;
        let narrow = u64::from(low);
        assert_eq!(b32::popc(low), (0..32).map(|i| bit(narrow, i)).sum::<u64>() as u32, "{a:#x}");
        assert_eq!(b64::popc(a), (0..64).map(|i| bit(a, i)).sum::<u64>() as u32, "{a:#x}");
        assert_eq!(b32::clz(low), clz(narrow, 32), "{a:#x}");
        assert_eq!(b64::clz(a), clz(a, 64), "{a:#x}");
        assert_eq!(u64::from(b32::brev(low)), brev(narrow, 32), "{a:#x}");
        assert_eq!(b64::brev(a), brev(a, 64), "{a:#x}");
        assert_eq!(u32::bfind(low), bfind(narrow, false, false, 32), "{a:#x}");
        assert_eq!(s32::bfind(low), bfind(narrow, false, true, 32), "{a:#x}");
        assert_eq!(u64::bfind(a), bfind(a, false, false, 64), "{a:#x}");
        assert_eq!(s64::bfind(a), bfind(a, false, true, 64), "{a:#x}");
        assert_eq!(u32::bfind_shiftamt(low), bfind(narrow, true, false, 32), "{a:#x}");
        assert_eq!(s32::bfind_shiftamt(low), bfind(narrow, true, true, 32), "{a:#x}");
        assert_eq!(u64::bfind_shiftamt(a), bfind(a, true, false, 64), "{a:#x}");
        assert_eq!(s64::bfind_shiftamt(a), bfind(a, true, true, 64), "{a:#x}");
    }
}

/// The shift amounts of interest: all near the widths, and the largest.
fn amounts() -> impl Iterator<Item = u32> {
    (0..70).chain([127, 128, 255, 256, 1 << 31, u32::MAX])
}

#[test]
fn shifts_clamp_at_the_width() {
    for a in operands(64, 60, 33) {
        for amount in amounts() {
            let shl = |width: u32| value(a, false, width) << amount.min(width);
            let shr = |width: u32| value(a, false, width) >> amount.min(width);
            assert_eq!(b16::shl(a as u16, amount), shl(16) as u16, "{a:#x} {amount}");
            assert_eq!(b32::shl(a as u32, amount), shl(32) as u32, "{a:#x} {amount}");
            assert_eq!(b64::shl(a, amount), shl(64) as u64, "{a:#x} {amount}");
            assert_eq!(b16::shr(a as u16, amount), shr(16) as u16, "{a:#x} {amount}");
            assert_eq!(b32::shr(a as u32, amount), shr(32) as u32, "{a:#x} {amount}");
            assert_eq!(b64::shr(a, amount), shr(64) as u64, "{a:#x} {amount}");
        }
    }
}

#[test]
fn funnel_shifts() {
    for both in operands(64, 60, 34) {
        let (a, b) = (both as u32, (both >> 32) as u32);
        // {b, a} with room to shift by 32 either way.
        let pair = u128::from(both);
        for c in amounts() {
            let (clamp, wrap) = (c.min(32), c & 31);
            let left = |n: u32| (pair << n >> 32) as u32;
            let right = |n: u32| (pair >> n) as u32;
            assert_eq!(b32::shf_l_clamp(a, b, c), left(clamp), "{both:#x} {c}");
            assert_eq!(b32::shf_l_wrap(a, b, c), left(wrap), "{both:#x} {c}");
            assert_eq!(b32::shf_r_clamp(a, b, c), right(clamp), "{both:#x} {c}");
            assert_eq!(b32::shf_r_wrap(a, b, c), right(wrap), "{both:#x} {c}");
        }
    }
}

#[test]
fn every_table_of_lop3() {
    let (a, b, c) = (0x0f0f_1234, 0x3333_9abc, 0x5555_def0);
    for lut in 0..=255 {
        let want = (0..32).fold(0, |d, i| {
            let index = bit(a, i) << 2 | bit(b, i) << 1 | bit(c, i);
            d | bit(lut, index as i64) << i
        });
        assert_eq!(u64::from(b32::lop3(a as u32, b as u32, c as u32, lut as u8)), want, "{lut:#x}");
    }
    // The manual's example tables.
    let (a, b, c) = (a as u32, b as u32, c as u32);
    assert_eq!(b32::lop3(a, b, c, 0x80), a & b & c);
    assert_eq!(b32::lop3(a, b, c, 0xfe), a | b | c);
    assert_eq!(b32::lop3(a, b, c, 0x40), a & b & !c);
    assert_eq!(b32::lop3(a, b, c, 0xea), (a & b) | c);
    assert_eq!(b32::lop3(a, b, c, 0x1a), (a & b | c) ^ a);
}

#[test]
fn simple_logic() {
    let (a, b) = (0x0ff0_1234_5678_9abc, 0x3333_5555_0f0f_fff0);
    assert_eq!((b64::and(a, b), b64::or(a, b)), (a & b, a | b));
    assert_eq!((b64::xor(a, b), b64::not(a)), (a ^ b, !a));
    assert_eq!((b16::cnot(0), b16::cnot(1), b16::cnot(0x8000)), (1, 0, 0));
    assert_eq!((b32::cnot(0), b32::cnot(2), b64::cnot(0), b64::cnot(1 << 63)), (1, 0, 1, 0));
}

/// The byte that a selector of the generic form names.
fn select(a: u32, b: u32, selector: u32) -> u32 {
    let source = [a.to_le_bytes(), b.to_le_bytes()].concat();
    let byte = source[(selector & 7) as usize];
    u32::from(match (selector & 8 != 0, byte & 0x80 != 0) {
        (false, _) => byte,
        (true, false) => 0,
        (true, true) => 0xff,
    })
}

#[test]
fn every_selector_of_prmt() {
    let (a, b) = (0x8311_c27f, 0x07fe_9560);
    for c in 0..=0xffff {
        let want = (0..4).fold(0, |d, i| d | select(a, b, c >> (4 * i) & 15) << (8 * i));
        assert_eq!(b32::prmt(a, b, c), want, "{c:#x}");
        assert_eq!(b32::prmt(a, b, c | 0xabcd_0000), want, "{c:#x}");
    }
}

#[test]
fn prmt_modes_follow_the_table() {
    // Source bytes named by their numbers; rows are d.b3 to d.b0 as the manual prints them.
    let (a, b) = (0x0302_0100, 0x0706_0504);
    type Mode = fn(u32, u32, u32) -> u32;
    let table: [(Mode, [u32; 4]); 6] = [
        (b32::prmt_f4e, [0x0302_0100, 0x0403_0201, 0x0504_0302, 0x0605_0403]),
        (b32::prmt_b4e, [0x0506_0700, 0x0607_0001, 0x0700_0102, 0x0001_0203]),
        (b32::prmt_rc8, [0x0000_0000, 0x0101_0101, 0x0202_0202, 0x0303_0303]),
        (b32::prmt_ecl, [0x0302_0100, 0x0302_0101, 0x0302_0202, 0x0303_0303]),
        (b32::prmt_ecr, [0x0000_0000, 0x0101_0100, 0x0202_0100, 0x0302_0100]),
        (b32::prmt_rc16, [0x0100_0100, 0x0302_0302, 0x0100_0100, 0x0302_0302]),
    ];
    for (row, (mode, results)) in table.into_iter().enumerate() {
        for (c, want) in (0..).zip(results) {
            assert_eq!(mode(a, b, c), want, "mode {row}, selector {c}");
            assert_eq!(mode(a, b, c | 0xffff_fffc), want, "mode {row}, selector {c}");
        }
    }
}

fn bmsk(a: u32, b: u32, clamp: bool) -> u32 {
    let a1 = a & 0x1f;
    let mut mask0 = !0u32 << a1;
    let b1 = b & 0x1f;
    let sum = a1 + b1;
    let position_overflow = clamp && a >= 32;
    let width_overflow = clamp && b >= 32;
    if position_overflow {
        mask0 = 0;
    }
    let mask1 = if sum >= 32 || position_overflow || width_overflow {
        0
    } else if b1 == 0 {
        !0
    } else {
        !0 << sum
    };
    mask0 & !mask1
}

fn szext(a: u32, b: u32, clamp: bool, signed: bool) -> u32 {
    let b1 = b & 0x1f;
    let too_large = b >= 32 && clamp;
    let mask = if too_large { 0 } else { !0u32 << b1 };
    let sign_pos = b1.wrapping_sub(1) & 0x1f;
    let sign_bit = b1 != 0 && !too_large && signed && a >> sign_pos & 1 == 1;
    (a & !mask) | if sign_bit { mask } else { 0 }
}

#[test]
fn masks_and_extensions() {
    for a in amounts() {
        for b in amounts() {
            assert_eq!(b32::bmsk_clamp(a, b), bmsk(a, b, true), "{a} {b}");
            assert_eq!(b32::bmsk_wrap(a, b), bmsk(a, b, false), "{a} {b}");
        }
    }
    for a in operands(32, 200, 35) {
        let a = a as u32;
        for n in amounts() {
            assert_eq!(u32::szext_clamp(a, n), szext(a, n, true, false), "{a:#x} {n}");
            assert_eq!(u32::szext_wrap(a, n), szext(a, n, false, false), "{a:#x} {n}");
            assert_eq!(s32::szext_clamp(a, n), szext(a, n, true, true), "{a:#x} {n}");
            assert_eq!(s32::szext_wrap(a, n), szext(a, n, false, true), "{a:#x} {n}");
        }
    }
}

fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    let set = |pos: i64| bit(mask.into(), pos) == 1;
    if offset == 0 {
        return if base < 32 && set(base.into()) { base } else { 0xffff_ffff };
    }
    let mut pos = i64::from(base);
    let mut count = i64::from(offset).abs() - 1;
    let inc = if offset > 0 { 1 } else { -1 };
    while (0..32).contains(&pos) {
        if set(pos) {
            if count == 0 {
                return pos as u32;
            }
            count -= 1;
        }
        pos += inc;
    }
    0xffff_ffff
}

#[test]
fn nth_set_bit() {
    for mask in operands(32, 150, 36) {
        let mask = mask as u32;
        for base in (0..=33).chain([1 << 31, u32::MAX]) {
            for offset in (-34..=34).chain([i32::MIN, i32::MIN + 1, i32::MAX]) {
                let want = fns(mask, base, offset);
                assert_eq!(b32::fns(mask, base, offset as u32), want, "{mask:#x} {base} {offset}");
            }
        }
    }
    // The manual's examples.
    assert_eq!(b32::fns(0xaaaa_aaaa, 3, 1), 3);
    assert_eq!(b32::fns(0xaaaa_aaaa, 3, -1i32 as u32), 3);
    assert_eq!(b32::fns(0xaaaa_aaaa, 2, 1), 3);
    assert_eq!(b32::fns(0xaaaa_aaaa, 2, -1i32 as u32), 1);
}

/// `c` plus the products of elements of `a` and `b`, whose widths and signedness are given.
fn dot_product(a: (u32, u32, bool), b: (u32, u32, bool), count: u32, c: u32) -> u32 {
    let element = |(word, width, signed): (u32, u32, bool), i| {
        value(u64::from(word) >> (i * width), signed, width)
    };
    (0..count).fold(i128::from(c), |d, i| d + element(a, i) * element(b, i)) as u32
}

#[test]
fn dot_products() {
    let mut random = Random::new(37);
    let edges = [0, 0x8080_8080, 0xffff_ffff, 0x7f7f_7f7f, 0x8000_8000, 0x7fff_7fff];
    let words: Vec<u32> = edges.into_iter().chain((0..60).map(|_| random.next() as u32)).collect();
    for &a in &words {
        for &b in &words {
            for c in [0, 1, 1 << 31, u32::MAX, a ^ b] {
                let four = |x, y| dot_product((a, 8, x), (b, 8, y), 4, c);
                let two = |b, x, y| dot_product((a, 16, x), (b, 8, y), 2, c);
                let got = [
                    (dot::dp4a_u32_u32(a, b, c), four(false, false)),
                    (dot::dp4a_u32_s32(a, b, c), four(false, true)),
                    (dot::dp4a_s32_u32(a, b, c), four(true, false)),
                    (dot::dp4a_s32_s32(a, b, c), four(true, true)),
                    (dot::dp2a_lo_u32_u32(a, b, c), two(b, false, false)),
                    (dot::dp2a_lo_u32_s32(a, b, c), two(b, false, true)),
                    (dot::dp2a_lo_s32_u32(a, b, c), two(b, true, false)),
                    (dot::dp2a_lo_s32_s32(a, b, c), two(b, true, true)),
                    (dot::dp2a_hi_u32_u32(a, b, c), two(b >> 16, false, false)),
                    (dot::dp2a_hi_u32_s32(a, b, c), two(b >> 16, false, true)),
                    (dot::dp2a_hi_s32_u32(a, b, c), two(b >> 16, true, false)),
                    (dot::dp2a_hi_s32_s32(a, b, c), two(b >> 16, true, true)),
                ];
                for (i, (got, want)) in got.into_iter().enumerate() {
                    assert_eq!(got, want, "operation {i} of {a:#x} {b:#x} {c:#x}");
                }
            }
        }
    }
}
