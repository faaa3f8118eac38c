//! Shuffle: every lane reads a register of a lane that it names.
//!
//! Source: PTX ISA 9.1, `shfl` and `shfl.sync`; the machine instruction `SHFL` means the same.
//! A shuffle has two steps. [`source_lanes`] computes from the operands `b` and `c` which lane each
//! lane reads, and [`permute`] moves the data. The first step does not depend on the data, so a
//! caller whose `b` and `c` are constants may do it once.

use crate::{LaneMask, Lanes, WARP};

/// How a shuffle computes the source lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShflMode {
    /// `b` lanes below the executing lane (`.up`).
    Up,
    /// `b` lanes above the executing lane (`.down`).
    Down,
    /// The lane number exclusive-or `b` (`.bfly`).
    Bfly,
    /// Lane `b` of the segment (`.idx`).
    Idx,
}

impl ShflMode {
    /// All modes.
    pub const ALL: [Self; 4] = [Self::Up, Self::Down, Self::Bfly, Self::Idx];
}

/// Which lane each lane reads in a shuffle, and the predicate result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShflSources {
    /// The source lane of each lane, below 32; the lane itself where it is out of range.
    pub lane: Lanes<u32>,
    /// The destination predicate `p`: lanes whose computed source lane is in range.
    pub in_range: LaneMask,
}

/// The source lane of `lane`, below 32, and the destination predicate `p`.
///
/// Only bits 4:0 of `b`, bits 4:0 (clamp) and 12:8 (segment mask) of `c`, and bits 4:0 of `lane`
/// count. The computed index is signed: `.up` with an offset greater than the lane number is out of
/// range whatever the clamp. `.bfly` is tested against the upper bound only and may read a lower
/// segment.
#[inline(always)]
pub const fn source_lane(mode: ShflMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let lane = (lane & 31) as i32;
    let bval = (b & 31) as i32;
    let clamp = (c & 31) as i32;
    let segmask = (c >> 8 & 31) as i32;
    let max_lane = (lane & segmask) | (clamp & !segmask);
    let min_lane = lane & segmask;
    let j = match mode {
        ShflMode::Up => lane - bval,
        ShflMode::Down => lane + bval,
        ShflMode::Bfly => lane ^ bval,
        ShflMode::Idx => min_lane | (bval & !segmask),
    };
    let in_range = match mode {
        ShflMode::Up => j >= max_lane,
        ShflMode::Down | ShflMode::Bfly | ShflMode::Idx => j <= max_lane,
    };
    ((if in_range { j } else { lane }) as u32, in_range)
}

/// The source lane and the predicate of all 32 lanes; `b` and `c` are the operands per lane.
///
/// Computed for every lane, executing or not: a lane's entry depends on its own operands only.
#[inline]
pub fn source_lanes(mode: ShflMode, b: &Lanes<u32>, c: &Lanes<u32>) -> ShflSources {
    // The mode is a constant in each arm, which leaves a loop without branches.
    match mode {
        ShflMode::Up => each_lane(|i| source_lane(ShflMode::Up, i as u32, b[i], c[i])),
        ShflMode::Down => each_lane(|i| source_lane(ShflMode::Down, i as u32, b[i], c[i])),
        ShflMode::Bfly => each_lane(|i| source_lane(ShflMode::Bfly, i as u32, b[i], c[i])),
        ShflMode::Idx => each_lane(|i| source_lane(ShflMode::Idx, i as u32, b[i], c[i])),
    }
}

#[inline(always)]
fn each_lane(source: impl Fn(usize) -> (u32, bool)) -> ShflSources {
    let mut lanes = [0; WARP];
    let mut bits = [0; WARP];
    for (lane, (slot, bit)) in lanes.iter_mut().zip(&mut bits).enumerate() {
        let (j, p) = source(lane);
        *slot = j;
        *bit = u32::from(p) << lane;
    }
    ShflSources { lane: lanes, in_range: LaneMask(bits.iter().fold(0, |mask, bit| mask | bit)) }
}

/// Moves data: element `i` of the result is `a[sources[i]]`. Only bits 4:0 of a source count.
///
/// A lane that reads a non-participant gets that lane's register as it stands.
#[inline(always)]
pub fn permute<T: Copy>(a: &Lanes<T>, sources: &Lanes<u32>) -> Lanes<T> {
    core::array::from_fn(|lane| a[(sources[lane] & 31) as usize])
}

/// [`permute`] for a value of one bit per lane: bit `i` of the result is bit `sources[i]` of `a`.
#[inline(always)]
pub fn permute_mask(a: LaneMask, sources: &Lanes<u32>) -> LaneMask {
    LaneMask::from_fn(|lane| a.0 >> (sources[lane] & 31) & 1 != 0)
}

/// The lanes of `executing` that read a lane outside `participants`, which the ISA leaves undefined.
///
/// A lane that is out of range reads itself, so it counts only if it does not take part itself.
#[inline]
pub fn undefined_reads(
    sources: &Lanes<u32>,
    participants: LaneMask,
    executing: LaneMask,
) -> LaneMask {
    executing - permute_mask(participants, sources)
}
