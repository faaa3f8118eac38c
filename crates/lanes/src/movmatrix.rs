//! Movmatrix: the transpose of an 8×8 matrix of 16-bit elements held across the warp.
//!
//! Source: PTX ISA 9.1, `movmatrix.sync.aligned.m8n8.trans.b16`; the machine instruction `MOVM`
//! means the same. Lane `i` holds row `i / 4`, columns `2 * (i % 4)` in bits 15:0 and
//! `2 * (i % 4) + 1` in bits 31:16.

use crate::{LaneMask, Lanes};

/// The transposed matrix, in the layout of the input.
///
/// The instruction is `.aligned`, so all 32 lanes take part. If one does not, its register is read
/// as it stands; see [`undefined_reads`].
#[inline]
pub fn movmatrix(a: &Lanes<u32>) -> Lanes<u32> {
    core::array::from_fn(|lane| {
        let [low, high] = source_lanes(lane);
        let shift = source_shift(lane);
        (a[low] >> shift & 0xffff) | (a[high] >> shift & 0xffff) << 16
    })
}

/// The lanes of `executing` that read a lane outside `participants`, which the ISA leaves undefined.
#[inline]
pub fn undefined_reads(participants: LaneMask, executing: LaneMask) -> LaneMask {
    executing
        & LaneMask::from_fn(|lane| {
            let [low, high] = source_lanes(lane);
            participants.0 & (1 << low) == 0 || participants.0 & (1 << high) == 0
        })
}

/// The lanes that hold the two elements which `lane` (below 32) receives, that of its lower half first.
#[inline(always)]
pub const fn source_lanes(lane: usize) -> [usize; 2] {
    let (row, column) = (lane / 4, lane % 4 * 2);
    [column * 4 + row / 2, (column + 1) * 4 + row / 2]
}

/// By how many bits the elements which `lane` receives stand above the lowest bit of those lanes' registers: the row of a lane is the
/// column that it reads, and odd columns are upper halves.
#[inline(always)]
pub const fn source_shift(lane: usize) -> u32 {
    16 * (lane as u32 / 4 % 2)
}
