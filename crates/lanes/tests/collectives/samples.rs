//! Repeatable test inputs.

use warpwise_lanes::{LaneMask, Lanes};

/// The SplitMix64 generator (Steele, Lea and Flood, 2014).
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn words(&mut self) -> Lanes<u32> {
        std::array::from_fn(|_| self.word())
    }

    /// One element of `values` per lane.
    pub(crate) fn pick<T: Copy>(&mut self, values: &[T]) -> Lanes<T> {
        std::array::from_fn(|_| values[self.below(values.len())])
    }
}

/// Masks of every kind that code treats apart: none, all, single lanes, runs, gaps, arbitrary.
pub(crate) fn masks() -> Vec<LaneMask> {
    let mut bits = vec![0, u32::MAX, 0x5555_5555, 0xaaaa_aaaa, 0x8000_0001, 0x7fff_fffe];
    for lane in 0..32 {
        bits.extend([1 << lane, !(1 << lane), u32::MAX >> lane, u32::MAX << lane]);
    }
    let mut random = SplitMix64(1);
    bits.extend((0..64).map(|_| random.word()));
    bits.into_iter().map(LaneMask).collect()
}

/// The lane numbers of a mask, found bit by bit.
pub(crate) fn lanes_of(mask: LaneMask) -> Vec<usize> {
    (0..32).filter(|&lane| (mask.0 >> lane) % 2 == 1).collect()
}
