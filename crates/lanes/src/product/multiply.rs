//! Products of matrices whose elements have at most 32 bits.

use super::kind::{Adder, Factor, MOST_REGISTERS, Product, Sum};
use super::layout::SIDE;
use super::narrow::{PLANES, Planes, per_word, split};
use super::sums;
use crate::Lanes;
use numeric::{Round, convert, f32 as single};

/// The registers of a matrix, of every lane; those that a matrix does not have are not looked at.
pub type Fragment<'a, T> = [&'a Lanes<T>; MOST_REGISTERS];

/// A square part of `c` or `d`, row by row.
type Square<T> = [[T; SIDE]; SIDE];

/// Some rows of `a`, word by word, and the same words of columns of `b`, column by column: a row or column has at most as many
/// words as there are rows. How many is not known to the compiler, which would unroll thousands of operations.
struct Words {
    rows: Square<u32>,
    columns: Square<u32>,
    count: usize,
}

/// `d = a b + c` of a [valid](Product::is_valid) product that is not [wide](Product::is_wide). All registers of `d` that
/// the product has are written, in every lane.
#[inline(always)]
pub fn multiply(
    product: &Product,
    [a, b, c]: [&Fragment<'_, u32>; 3],
    d: &mut [Lanes<u32>; MOST_REGISTERS],
) {
    let (of_a, of_b, elements) = (product.rows(), product.columns(), product.elements());
    let count = product.words().min(SIDE);
    let mut words = Words { rows: [[0; SIDE]; SIDE], columns: [[0; SIDE]; SIDE], count };
    for column in (0..product.n as usize).step_by(SIDE) {
        of_b.each(b, (column, count), |nth, word, value| words.columns[word][nth] = value);
        for row in (0..product.m as usize).step_by(SIDE) {
            of_a.each(a, (row, count), |nth, word, value| words.rows[nth][word] = value);
            let mut sums: Square<u32> = [[0; SIDE]; SIDE];
            elements.each((row, column), |row, column, lane, nth| {
                let (register, shift) = product.c.place(nth);
                sums[row][column] = c[register % MOST_REGISTERS][lane] >> shift;
            });
            let sums = match product.a {
                Factor::B1 => bits(product, &words, sums),
                Factor::F64 => sums,
                Factor::F16
                | Factor::Bf16
                | Factor::Tf32
                | Factor::E4m3
                | Factor::E5m2
                | Factor::E2m3
                | Factor::E3m2
                | Factor::E2m1
                | Factor::S8
                | Factor::U8
                | Factor::S4
                | Factor::U4 => numbers(product, &words, sums),
            };
            elements.each((row, column), |row, column, lane, nth| {
                let (register, shift) = product.d.place(nth);
                let d = &mut d[register % MOST_REGISTERS][lane];
                // The element in the high bits comes behind the one in the low bits.
                *d = if shift == 0 { sums[row][column] } else { *d | sums[row][column] << shift };
            });
        }
    }
}

/// Counts bits.
#[inline(always)]
fn bits(product: &Product, words: &Words, mut sums: Square<u32>) -> Square<u32> {
    for (word, columns) in words.columns.iter().enumerate().take(words.count) {
        for (row, sums) in words.rows.iter().zip(&mut sums) {
            for (column, sum) in columns.iter().zip(sums) {
                let (a, b) = (row[word], *column);
                let both = if product.xor { a ^ b } else { a & b };
                *sum = sum.wrapping_add(both.count_ones());
            }
        }
    }
    sums
}

#[inline(always)]
fn numbers(product: &Product, words: &Words, c: Square<u32>) -> Square<u32> {
    match product.a.is_integer() {
        true => integers(product, words, c),
        false => floats(product, words, c),
    }
}

#[inline(always)]
fn integers(product: &Product, words: &Words, c: Square<u32>) -> Square<u32> {
    let mut of_a: Planes = [[[0.0; SIDE]; SIDE]; PLANES];
    let mut of_b: Planes = [[[0.0; SIDE]; SIDE]; PLANES];
    let mut sums = [[0.0; SIDE]; SIDE];
    let passes = if product.a.bits() == 4 { 2 } else { 1 };
    for pass in 0..passes {
        split(product.a, &words.rows, 4 * pass, &mut of_a);
        split(product.b, &words.columns, 4 * pass, &mut of_b);
        // Sums of products of integers are integers below 2^24 (at most 32 times 2^16, or 64 times 2^8), which binary32
        // holds; one fused step would be the same, and a call where the machine has none.
        sums = accumulate(product, words, (&of_a, &of_b), sums);
    }
    add(product, c, sums)
}

#[inline(always)]
fn floats(product: &Product, words: &Words, c: Square<u32>) -> Square<u32> {
    let mut of_a: Planes = [[[0.0; SIDE]; SIDE]; PLANES];
    let mut of_b: Planes = [[[0.0; SIDE]; SIDE]; PLANES];
    split(product.a, &words.rows, 0, &mut of_a);
    split(product.b, &words.columns, 0, &mut of_b);
    let c = match product.c {
        Sum::F16 => each(&c, |half| f32::from_bits(convert::f32::from_f16(half as u16))),
        Sum::F32 | Sum::F64 | Sum::S32 => each(&c, f32::from_bits),
    };
    let per = per_word(product.a);
    let sums = match product.adder {
        Adder::Full | Adder::Short => {
            aligned(product, words, (&of_a[..per], &of_b[..per]), c, product.d)
        }
        Adder::Halves => {
            let zeros = [[0.0; SIDE]; SIDE];
            let (low, high) = (0..per / 2, per / 2..per);
            let sums = aligned(product, words, (&of_a[low.clone()], &of_b[low]), zeros, Sum::F32);
            let sums = aligned(product, words, (&of_a[high.clone()], &of_b[high]), sums, Sum::F32);
            let mut all = c;
            for (all, sums) in all.iter_mut().zip(&sums) {
                for (all, sum) in all.iter_mut().zip(sums) {
                    *all += sum;
                }
            }
            all
        }
    };
    match (product.d, product.satfinite) {
        (Sum::F16, false) => each(&sums, |sum| half(canonical(sum))),
        (Sum::F16, true) => each(&sums, |sum| finite_half(half(canonical(sum)))),
        (Sum::F32 | Sum::F64 | Sum::S32, false) => each(&sums, canonical),
        (Sum::F32 | Sum::F64 | Sum::S32, true) => each(&sums, |sum| finite_single(canonical(sum))),
    }
}

/// The products of elements in some planes added to `c` as [`sums`] has it, for a result of a type.
// Once, and not for each instruction set: the products of most kernels are made elsewhere.
#[inline(never)]
fn aligned(
    product: &Product,
    words: &Words,
    (of_a, of_b): (&[Square<f32>], &[Square<f32>]),
    c: Square<f32>,
    ty: Sum,
) -> Square<f32> {
    let count = words.count.min(SIDE);
    let [least_a, least_b] = [product.a, product.b].map(sums::least);
    let mut found = [[0.0; SIDE]; SIDE];
    for (row, (c, found)) in c.iter().zip(&mut found).enumerate() {
        let mut largest = c.map(|c| sums::exponent(c, sums::LEAST));
        let mut plain = c.map(f64::from);
        for (of_a, of_b) in of_a.iter().zip(of_b) {
            for (a, b) in of_a[row].iter().zip(of_b).take(count) {
                let exponent = sums::exponent(*a, least_a);
                for ((b, largest), plain) in b.iter().zip(&mut largest).zip(&mut plain) {
                    *largest = (*largest).max(exponent + sums::exponent(*b, least_b));
                    *plain += f64::from(*a) * f64::from(*b);
                }
            }
        }
        let scales = largest.map(|largest| sums::scales(product.adder, largest));
        let mut total = [0.0; SIDE];
        for ((total, c), [up, _]) in total.iter_mut().zip(c).zip(&scales) {
            *total = cut(f64::from(*c) * up);
        }
        for (of_a, of_b) in of_a.iter().zip(of_b) {
            for (a, b) in of_a[row].iter().zip(of_b).take(count) {
                for ((b, total), [up, _]) in b.iter().zip(&mut total).zip(&scales) {
                    *total += cut(f64::from(*a) * f64::from(*b) * up);
                }
            }
        }
        for (((found, total), plain), [_, down]) in
            found.iter_mut().zip(&total).zip(&plain).zip(&scales)
        {
            // What is no number is the same in every order, and however exact.
            *found = match plain.is_finite() {
                true => sums::finished(product.adder, ty, total * down),
                false => *plain as f32,
            };
        }
    }
    found
}

/// Without what is behind the point: of a term, which is below 2^28 where all elements are numbers.
#[inline(always)]
fn cut(term: f64) -> f64 {
    f64::from(term as i32)
}

/// The products of integers added to `sums`.
#[inline(always)]
fn accumulate(
    product: &Product,
    words: &Words,
    (of_a, of_b): (&Planes, &Planes),
    mut sums: Square<f32>,
) -> Square<f32> {
    let (count, per) = (words.count.min(SIDE), per_word(product.a));
    for word in 0..count {
        for (of_a, of_b) in of_a.iter().zip(of_b).take(per) {
            for (row, sums) in of_a.iter().zip(&mut sums) {
                for (b, sum) in of_b[word].iter().zip(sums) {
                    *sum += row[word] * *b;
                }
            }
        }
    }
    sums
}

/// Adds sums of products of integers to `c`.
#[inline(always)]
fn add(product: &Product, mut c: Square<u32>, products: Square<f32>) -> Square<u32> {
    for (sums, products) in c.iter_mut().zip(&products) {
        for (sum, found) in sums.iter_mut().zip(products) {
            let (c, found) = (*sum as i32, *found as i32);
            let d = if product.satfinite { c.saturating_add(found) } else { c.wrapping_add(found) };
            *sum = d as u32;
        }
    }
    c
}

/// A function of every element.
#[inline(always)]
fn each<T: Copy, U: Copy + Default>(square: &Square<T>, new: impl Fn(T) -> U) -> Square<U> {
    // `map` of arrays is not inlined here.
    let mut found = [[U::default(); SIDE]; SIDE];
    for (found, row) in found.iter_mut().zip(square) {
        for (found, element) in found.iter_mut().zip(row) {
            *found = new(*element);
        }
    }
    found
}

#[inline(always)]
fn canonical(sum: f32) -> u32 {
    if sum.is_nan() { single::NAN } else { sum.to_bits() }
}

#[inline(always)]
fn half(sum: u32) -> u32 {
    convert::f16::from_f32(sum, Round::NearestEven).into()
}

/// `.satfinite` of binary16: infinities become the largest number of their sign, NaN becomes 0.
#[inline(always)]
fn finite_half(a: u32) -> u32 {
    match a & 0x7fff {
        0x7c00 => a & 0x8000 | 0x7bff,
        magnitude if magnitude > 0x7c00 => 0,
        _ => a,
    }
}

/// `.satfinite` of binary32.
#[inline(always)]
fn finite_single(a: u32) -> u32 {
    match a & 0x7fff_ffff {
        0x7f80_0000 => a & 0x8000_0000 | 0x7f7f_ffff,
        magnitude if magnitude > 0x7f80_0000 => 0,
        _ => a,
    }
}
