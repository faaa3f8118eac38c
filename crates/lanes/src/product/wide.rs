//! Products of matrices of binary64.

use super::kind::{MOST_REGISTERS, Product};
use super::layout::SIDE;
use super::multiply::Fragment;
use crate::Lanes;
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
        Round::NearestEven => by_steps(product, operands, d, double::fma_rn),
        round @ (Round::TowardZero | Round::Down | Round::Up) => {
            by_steps(product, operands, d, |a, b, c| double::fma(a, b, c, round));
        }
    }
}

/// Elements of a row of `a`, at most.
const LONGEST: usize = 16;

#[inline(always)]
fn by_steps(
    product: &Product,
    [a, b, c]: [&Fragment<'_, u64>; 3],
    d: &mut [Lanes<u64>; MOST_REGISTERS],
    step: impl Fn(u64, u64, u64) -> u64,
) {
    let (of_a, of_b, elements) = (product.rows(), product.columns(), product.elements());
    let count = product.words().min(LONGEST);
    let mut rows = [[0; LONGEST]; SIDE];
    let mut columns = [[0; SIDE]; LONGEST];
    for column in (0..product.n as usize).step_by(SIDE) {
        of_b.each(b, (column, count), |nth, word, value| columns[word][nth] = value);
        for row in (0..product.m as usize).step_by(SIDE) {
            of_a.each(a, (row, count), |nth, word, value| rows[nth][word] = value);
            let mut sums = [[0; SIDE]; SIDE];
            elements.each((row, column), |row, column, lane, nth| {
                sums[row][column] = c[nth % MOST_REGISTERS][lane];
            });
            for (row, sums) in rows.iter().zip(&mut sums) {
                for (a, columns) in row.iter().zip(&columns).take(count) {
                    for (b, sum) in columns.iter().zip(sums.iter_mut()) {
                        *sum = step(*a, *b, *sum);
                    }
                }
            }
            elements.each((row, column), |row, column, lane, nth| {
                d[nth % MOST_REGISTERS][lane] = sums[row][column];
            });
        }
    }
}
