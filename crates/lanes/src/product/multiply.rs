//! Products of matrices whose elements have at most 32 bits.

use super::kind::{Factor, MOST_REGISTERS, Product, Sum};
use super::layout::SIDE;
use super::narrow::planes;
use crate::Lanes;
use numeric::{Round, convert, f32 as single};

/// The registers of a matrix, of every lane; those that a matrix does not have are not looked at.
pub type Fragment<'a, T> = [&'a Lanes<T>; MOST_REGISTERS];

/// A square part of `c` or `d`, row by row.
type Square<T> = [[T; SIDE]; SIDE];

/// Some rows of `a`, word by word, and the same words of columns of `b`, column by column.
struct Words<const W: usize> {
    rows: [[u32; W]; SIDE],
    columns: [[u32; SIDE]; W],
}

/// `d = a b + c` of a [valid](Product::is_valid) product that is not [wide](Product::is_wide). All registers of `d` that
/// the product has are written, in every lane.
#[inline(always)]
pub fn multiply(
    product: &Product,
    operands: [&Fragment<'_, u32>; 3],
    d: &mut [Lanes<u32>; MOST_REGISTERS],
) {
    match product.words() {
        4 => by_words::<4>(product, operands, d),
        8 => by_words::<8>(product, operands, d),
        _ => {}
    }
}

#[inline(always)]
fn by_words<const W: usize>(
    product: &Product,
    [a, b, c]: [&Fragment<'_, u32>; 3],
    d: &mut [Lanes<u32>; MOST_REGISTERS],
) {
    let (of_a, of_b, elements) = (product.rows(), product.columns(), product.elements());
    let mut words = Words::<W> { rows: [[0; W]; SIDE], columns: [[0; SIDE]; W] };
    for column in (0..product.n as usize).step_by(SIDE) {
        of_b.each::<u32, W>(b, column, |nth, word, value| words.columns[word][nth] = value);
        for row in (0..product.m as usize).step_by(SIDE) {
            of_a.each::<u32, W>(a, row, |nth, word, value| words.rows[nth][word] = value);
            let mut sums: Square<u32> = [[0; SIDE]; SIDE];
            elements.each((row, column), |row, column, lane, nth| {
                let (register, shift) = product.c.place(nth);
                sums[row][column] = c[register % MOST_REGISTERS][lane] >> shift;
            });
            let sums = match product.a {
                Factor::B1 => bits(product, &words, sums),
                Factor::S8 | Factor::U8 | Factor::S4 | Factor::U4 => {
                    integers(product, &words, sums)
                }
                Factor::F16 | Factor::Bf16 => floats::<W, 2>(product, &words, sums),
                Factor::E4m3 | Factor::E5m2 => floats::<W, 4>(product, &words, sums),
                Factor::Tf32 => floats::<W, 1>(product, &words, sums),
                Factor::F64 => sums,
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
fn bits<const W: usize>(product: &Product, words: &Words<W>, mut sums: Square<u32>) -> Square<u32> {
    for (word, columns) in words.columns.iter().enumerate() {
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

/// The products of elements, `PER` of each word, added to `sums` in ascending order.
#[inline(always)]
fn accumulate<const W: usize, const PER: usize>(
    product: &Product,
    words: &Words<W>,
    mut sums: Square<f32>,
    step: impl Fn(f32, f32, f32) -> f32,
) -> Square<f32> {
    let of_a: [[[f32; W]; SIDE]; PER] = planes(product.a, &words.rows);
    let of_b: [[[f32; SIDE]; W]; PER] = planes(product.b, &words.columns);
    for word in 0..W {
        for (of_a, of_b) in of_a.iter().zip(&of_b) {
            for (row, sums) in of_a.iter().zip(&mut sums) {
                for (b, sum) in of_b[word].iter().zip(sums) {
                    *sum = step(row[word], *b, *sum);
                }
            }
        }
    }
    sums
}

/// Sums of products of integers are integers below 2^24 (at most 32 times 2^16, or 64 times 2^8), which binary32 holds.
#[inline(always)]
fn integers<const W: usize>(
    product: &Product,
    words: &Words<W>,
    mut sums: Square<u32>,
) -> Square<u32> {
    const BYTES: usize = 4;
    let mut products = [[0.0; SIDE]; SIDE];
    let step = |a, b, sum| sum + a * b;
    products = accumulate::<W, BYTES>(product, words, products, step);
    if matches!(product.a, Factor::S4 | Factor::U4) {
        let high = Words {
            rows: words.rows.map(|row| row.map(|word| word >> 4)),
            columns: words.columns.map(|row| row.map(|word| word >> 4)),
        };
        products = accumulate::<W, BYTES>(product, &high, products, step);
    }
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
fn floats<const W: usize, const PER: usize>(
    product: &Product,
    words: &Words<W>,
    c: Square<u32>,
) -> Square<u32> {
    let c = match product.c {
        Sum::F16 => each(c, |half| convert::f32::from_f16(half as u16)),
        Sum::F32 | Sum::F64 | Sum::S32 => c,
    };
    let c = c.map(|row| row.map(f32::from_bits));
    // A NaN stays one, so it becomes canonical once, behind the last step.
    let sums = accumulate::<W, PER>(product, words, c, |a, b, sum| a.mul_add(b, sum));
    let sums =
        sums.map(|row| row.map(|sum| if sum.is_nan() { single::NAN } else { sum.to_bits() }));
    match (product.d, product.satfinite) {
        (Sum::F16, false) => each(sums, half),
        (Sum::F16, true) => each(sums, |sum| finite_half(half(sum))),
        (Sum::F32 | Sum::F64 | Sum::S32, false) => sums,
        (Sum::F32 | Sum::F64 | Sum::S32, true) => each(sums, finite_single),
    }
}

/// The same with every element replaced.
#[inline(always)]
fn each(mut square: Square<u32>, new: impl Fn(u32) -> u32) -> Square<u32> {
    for row in &mut square {
        for element in row {
            *element = new(*element);
        }
    }
    square
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
