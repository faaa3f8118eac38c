//! Products of matrices. Shapes, types and layouts are compared with numpy by `tests/kernels/matrix`, and with multiply-adds
//! by `crates/vm/tests/products`; here is what those leave out.

use numeric::Round;
use warpwise_lanes::Product;
use warpwise_lanes::product::{Adder, Factor, Layout, MOST_REGISTERS, Sum, multiply};

/// A product of `wmma` on old targets.
fn saturating(c: Sum, d: Sum) -> Product {
    Product {
        m: 16,
        n: 16,
        k: 16,
        a: Factor::F16,
        b: Factor::F16,
        c,
        d,
        layout: Layout::Wmma,
        satfinite: true,
        xor: false,
        adder: Adder::Full,
        round: Round::NearestEven,
    }
}

/// The elements of `d` in lane 0 if `a`, `b` and `c` have the same word in every register.
fn uniform(product: &Product, [a, b, c]: [u32; 3]) -> u32 {
    let rows = [a, b, c].map(|word| [word; 32]);
    let [a, b, c] = rows.each_ref().map(|row| [row; MOST_REGISTERS]);
    let mut d = [[0; 32]; MOST_REGISTERS];
    multiply(product, [&a, &b, &c], &mut d);
    d[0][0]
}

/// CUDA C++ Programming Guide, "Warp Matrix Functions", `mma_sync`: with `satf`, an infinity becomes the largest number of its
/// sign, and NaN becomes +0.
#[test]
fn results_of_floats_saturate() {
    let zero = 0;
    for (c, d) in [
        (0x7f80_0000, 0x7f7f_ffff),
        (0xff80_0000, 0xff7f_ffff),
        (0xffc0_0000, 0),
        (0x8000_0001, 0x8000_0001),
        (0x3f80_0000, 0x3f80_0000),
    ] {
        assert_eq!(uniform(&saturating(Sum::F32, Sum::F32), [zero, zero, c]), d, "{c:#x}");
    }
    // Two elements: infinity and minus infinity; NaN and one.
    let halves = saturating(Sum::F16, Sum::F16);
    assert_eq!(uniform(&halves, [zero, zero, 0xfc00_7c00]), 0xfbff_7bff);
    assert_eq!(uniform(&halves, [zero, zero, 0x3c00_7e01]), 0x3c00_0000);
    // 16 * 65504 * 65504 is no binary16.
    assert_eq!(uniform(&halves, [0x7bff_7bff, 0x7bff_7bff, 0]), 0x7bff_7bff);
    assert_eq!(uniform(&halves, [0xfbff_fbff, 0x7bff_7bff, 0]), 0xfbff_fbff);
}

#[test]
fn products_that_nobody_has_are_not_valid() {
    let valid = saturating(Sum::F16, Sum::F32);
    assert!(valid.is_valid());
    for wrong in [
        Product { n: 8, ..valid },
        Product { k: 48, ..valid },
        Product { m: 0, n: 0, k: 0, ..valid },
        Product { m: u32::MAX, ..valid },
        Product { k: u32::MAX, ..valid },
        Product { b: Factor::Bf16, ..valid },
        Product { d: Sum::S32, ..valid },
        Product { layout: Layout::Mma, ..valid },
    ] {
        assert!(!wrong.is_valid(), "{wrong:?}");
    }
}
