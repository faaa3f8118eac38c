//! Movmatrix against an 8×8 matrix that is transposed as one.

use warpwise_lanes::movmatrix::{movmatrix, undefined_reads};
use warpwise_lanes::{LaneMask, Lanes};

use crate::samples::{SplitMix64, lanes_of, masks};

type Matrix = [[u16; 8]; 8];

fn unpack(a: &Lanes<u32>) -> Matrix {
    let mut matrix = [[0; 8]; 8];
    for (lane, &word) in a.iter().enumerate() {
        matrix[lane / 4][2 * (lane % 4)] = word as u16;
        matrix[lane / 4][2 * (lane % 4) + 1] = (word >> 16) as u16;
    }
    matrix
}

#[test]
fn element_row_column_moves_to_column_row() {
    let mut random = SplitMix64(8);
    let mut inputs: Vec<Lanes<u32>> = (0..1000).map(|_| random.words()).collect();
    // One set bit at a time: every bit of the input has one place in the output.
    inputs.extend((0..32 * 32).map(|bit| {
        let mut a = [0; 32];
        a[bit / 32] = 1 << (bit % 32);
        a
    }));
    for a in inputs {
        let (before, after) = (unpack(&a), unpack(&movmatrix(&a)));
        for row in 0..8 {
            for column in 0..8 {
                assert_eq!(after[row][column], before[column][row], "{row} {column} {a:x?}");
            }
        }
        assert_eq!(movmatrix(&movmatrix(&a)), a);
    }
}

#[test]
fn a_lane_reads_the_two_lanes_that_hold_its_elements() {
    // Mark every element with the lane that holds it.
    let holders: Lanes<u32> = std::array::from_fn(|lane| lane as u32 * 0x1_0001);
    let sources = movmatrix(&holders);
    for participants in masks() {
        for executing in masks() {
            let expected: LaneMask = lanes_of(executing)
                .into_iter()
                .filter(|&lane| {
                    [sources[lane] & 0xffff, sources[lane] >> 16]
                        .iter()
                        .any(|&holder| !lanes_of(participants).contains(&(holder as usize)))
                })
                .map(|lane| lane as u32)
                .collect();
            assert_eq!(undefined_reads(participants, executing), expected);
        }
    }
    assert!(undefined_reads(LaneMask::FULL, LaneMask::FULL).is_empty());
}
