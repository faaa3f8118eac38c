//! Products of matrices whose elements have at most 32 bits.

use super::kind::{Factor, MOST_REGISTERS, Product, Sum};
use super::layout::Place;
use super::narrow::{LONGEST, elements};
use crate::{Lanes, WARP};
use numeric::{Round, convert, f32 as single};

/// The registers of a matrix, of every lane; those that a matrix does not have are not looked at.
pub type Fragment<'a, T> = [&'a Lanes<T>; MOST_REGISTERS];

/// Rows and columns that are multiplied at once.
pub(super) const SIDE: usize = 8;

/// A square part of `c` or `d`, row by row.
type Square = [[u32; SIDE]; SIDE];

/// Rows of `a` or columns of `b`, word by word.
type Lines<const W: usize> = [[u32; W]; SIDE];

/// `d = a b + c` of a [valid](Product::is_valid) product that is not [wide](Product::is_wide). All registers of `d` that
/// the product has are written, in every lane.
#[inline(always)]
pub fn multiply(
    product: &Product,
    [a, b, c]: [&Fragment<'_, u32>; 3],
    d: &mut [Lanes<u32>; MOST_REGISTERS],
) {
    match product.words() {
        4 => by_words::<4>(product, [a, b, c], d),
        8 => by_words::<8>(product, [a, b, c], d),
        _ => {}
    }
}

#[inline(always)]
fn by_words<const W: usize>(
    product: &Product,
    [a, b, c]: [&Fragment<'_, u32>; 3],
    d: &mut [Lanes<u32>; MOST_REGISTERS],
) {
    for column in (0..product.n as usize).step_by(SIDE) {
        let columns: Lines<W> = lines(b, |nth, word| product.place_in_b(column + nth, word));
        for row in (0..product.m as usize).step_by(SIDE) {
            let rows: Lines<W> = lines(a, |nth, word| product.place_in_a(row + nth, word));
            let sums = part_of_c(product, c, (row, column));
            let sums = match product.a {
                Factor::B1 => bits(product, &rows, &columns, sums),
                Factor::S8 | Factor::U8 | Factor::S4 | Factor::U4 => {
                    integers(product, &rows, &columns, sums)
                }
                Factor::F16 | Factor::Bf16 | Factor::Tf32 | Factor::E4m3 | Factor::E5m2 => {
                    floats(product, &rows, &columns, sums)
                }
                Factor::F64 => sums,
            };
            part_of_d(product, d, (row, column), &sums);
        }
    }
}

/// The words of some rows or columns.
#[inline(always)]
pub(super) fn lines<T: Copy + Default, const W: usize>(
    fragment: &Fragment<'_, T>,
    place: impl Fn(usize, usize) -> Place,
) -> [[T; W]; SIDE] {
    let mut found = [[T::default(); W]; SIDE];
    for (nth, line) in found.iter_mut().enumerate() {
        for (word, found) in line.iter_mut().enumerate() {
            let Place { register, lane } = place(nth, word);
            *found = fragment[register % MOST_REGISTERS][lane % WARP];
        }
    }
    found
}

/// A part of `c`, each element in the low bits.
#[inline(always)]
fn part_of_c(
    product: &Product,
    c: &Fragment<'_, u32>,
    (first_row, first_column): (usize, usize),
) -> Square {
    let mut found = [[0; SIDE]; SIDE];
    for (row, found) in found.iter_mut().enumerate() {
        for (column, found) in found.iter_mut().enumerate() {
            let (lane, nth) = product.place_of_sum(first_row + row, first_column + column);
            let (register, shift) = product.c.place(nth);
            *found = c[register % MOST_REGISTERS][lane % WARP] >> shift;
        }
    }
    found
}

/// Writes a part of `d`. What is beside an element is written first or later.
#[inline(always)]
fn part_of_d(
    product: &Product,
    d: &mut [Lanes<u32>; MOST_REGISTERS],
    (first_row, first_column): (usize, usize),
    sums: &Square,
) {
    for (row, sums) in sums.iter().enumerate() {
        for (column, sum) in sums.iter().enumerate() {
            let (lane, nth) = product.place_of_sum(first_row + row, first_column + column);
            let (register, shift) = product.d.place(nth);
            let d = &mut d[register % MOST_REGISTERS][lane % WARP];
            *d = if shift == 0 { *sum } else { *d & 0xffff | sum << shift };
        }
    }
}

/// Counts bits.
#[inline(always)]
fn bits<const W: usize>(
    product: &Product,
    rows: &Lines<W>,
    columns: &Lines<W>,
    mut sums: Square,
) -> Square {
    for (row, sums) in rows.iter().zip(&mut sums) {
        for word in 0..W {
            for (column, sum) in columns.iter().zip(sums.iter_mut()) {
                let (a, b) = (row[word], column[word]);
                let both = if product.xor { a ^ b } else { a & b };
                *sum = sum.wrapping_add(both.count_ones());
            }
        }
    }
    sums
}

/// The products of elements, column by column, added to `sums` in ascending order.
#[inline(always)]
fn accumulate<const W: usize>(
    product: &Product,
    rows: &Lines<W>,
    columns: &Lines<W>,
    sums: &mut [[f32; SIDE]; SIDE],
    step: impl Fn(f32, f32, f32) -> f32,
) {
    let mut of_a = [[0.0; LONGEST]; SIDE];
    for (words, found) in rows.iter().zip(&mut of_a) {
        elements(product.a, words, found);
    }
    let mut of_b = [[0.0; SIDE]; LONGEST];
    for (column, words) in columns.iter().enumerate() {
        let mut found = [0.0; LONGEST];
        elements(product.b, words, &mut found);
        for (of_b, found) in of_b.iter_mut().zip(&found).take(product.k as usize) {
            of_b[column] = *found;
        }
    }
    let mut found = *sums;
    for (k, of_b) in of_b.iter().enumerate().take(product.k as usize) {
        for (of_a, sums) in of_a.iter().zip(&mut found) {
            let a = of_a[k];
            for (b, sum) in of_b.iter().zip(sums) {
                *sum = step(a, *b, *sum);
            }
        }
    }
    *sums = found;
}

/// Sums of products of integers are integers below 2^24 (at most 32 times 2^16, or 64 times 2^8), which binary32 holds.
#[inline(always)]
fn integers<const W: usize>(
    product: &Product,
    rows: &Lines<W>,
    columns: &Lines<W>,
    mut sums: Square,
) -> Square {
    let mut products = [[0.0; SIDE]; SIDE];
    accumulate(product, rows, columns, &mut products, |a, b, sum| sum + a * b);
    for (sums, products) in sums.iter_mut().zip(&products) {
        for (sum, found) in sums.iter_mut().zip(products) {
            let (c, found) = (*sum as i32, *found as i32);
            let d = if product.satfinite { c.saturating_add(found) } else { c.wrapping_add(found) };
            *sum = d as u32;
        }
    }
    sums
}

#[inline(always)]
fn floats<const W: usize>(
    product: &Product,
    rows: &Lines<W>,
    columns: &Lines<W>,
    c: Square,
) -> Square {
    let mut sums = c.map(|sums| {
        sums.map(|sum| {
            f32::from_bits(match product.c {
                Sum::F16 => convert::f32::from_f16(sum as u16),
                Sum::F32 | Sum::F64 | Sum::S32 => sum,
            })
        })
    });
    // A NaN stays one, so it becomes canonical once, behind the last step.
    accumulate(product, rows, columns, &mut sums, |a, b, sum| a.mul_add(b, sum));
    sums.map(|sums| {
        sums.map(|sum| {
            let sum = if sum.is_nan() { single::NAN } else { sum.to_bits() };
            match product.d {
                Sum::F16 => {
                    let half = convert::f16::from_f32(sum, Round::NearestEven);
                    u32::from(if product.satfinite { finite_half(half) } else { half })
                }
                Sum::F32 | Sum::F64 | Sum::S32 => {
                    if product.satfinite {
                        finite_single(sum)
                    } else {
                        sum
                    }
                }
            }
        })
    })
}

/// `.satfinite` of binary16: infinities become the largest number of their sign, NaN becomes 0.
#[inline(always)]
fn finite_half(a: u16) -> u16 {
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
