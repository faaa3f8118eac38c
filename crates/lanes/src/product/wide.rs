//! Products of matrices of binary64.

use super::kind::{MOST_REGISTERS, Product};
use super::multiply::{Fragment, SIDE, lines};
use crate::{Lanes, WARP};
use numeric::{Round, f64 as double};

/// `d = a b + c` of a [valid](Product::is_valid) product that is [wide](Product::is_wide). All registers of `d` that the
/// product has are written, in every lane.
#[inline(always)]
pub fn multiply_wide(
    product: &Product,
    operands: [&Fragment<'_, u64>; 3],
    d: &mut [Lanes<u64>; MOST_REGISTERS],
) {
    match product.round {
        Round::NearestEven => by_words(product, operands, d, double::fma_rn),
        round @ (Round::TowardZero | Round::Down | Round::Up) => {
            by_words(product, operands, d, |a, b, c| double::fma(a, b, c, round));
        }
    }
}

#[inline(always)]
fn by_words(
    product: &Product,
    operands: [&Fragment<'_, u64>; 3],
    d: &mut [Lanes<u64>; MOST_REGISTERS],
    step: impl Fn(u64, u64, u64) -> u64,
) {
    match product.words() {
        4 => by_parts::<4>(product, operands, d, step),
        8 => by_parts::<8>(product, operands, d, step),
        16 => by_parts::<16>(product, operands, d, step),
        _ => {}
    }
}

#[inline(always)]
fn by_parts<const K: usize>(
    product: &Product,
    [a, b, c]: [&Fragment<'_, u64>; 3],
    d: &mut [Lanes<u64>; MOST_REGISTERS],
    step: impl Fn(u64, u64, u64) -> u64,
) {
    for first_column in (0..product.n as usize).step_by(SIDE) {
        let place = |nth, word| product.place_in_b(first_column + nth, word);
        let columns: [[u64; K]; SIDE] = lines(b, place);
        for row in 0..product.m as usize {
            let mut sums = [0; SIDE];
            for (nth, sum) in sums.iter_mut().enumerate() {
                let (lane, nth) = product.place_of_sum(row, first_column + nth);
                *sum = c[nth % MOST_REGISTERS][lane % WARP];
            }
            for word in 0..K {
                let place = product.place_in_a(row, word);
                let a = a[place.register % MOST_REGISTERS][place.lane % WARP];
                for (column, sum) in columns.iter().zip(&mut sums) {
                    *sum = step(a, column[word], *sum);
                }
            }
            for (nth, sum) in sums.into_iter().enumerate() {
                let (lane, nth) = product.place_of_sum(row, first_column + nth);
                d[nth % MOST_REGISTERS][lane % WARP] = sum;
            }
        }
    }
}
