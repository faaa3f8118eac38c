//! `%tid` by warp and lane.

use crate::threads::MAX_WARPS;
use lanes::{LANE_IDS, Lanes, WARP};

/// `%tid` of every lane of every warp of a CTA.
#[derive(Clone, Debug)]
pub(crate) struct ThreadIndices {
    pub(crate) rows: Vec<[Lanes<u32>; 3]>,
}

impl ThreadIndices {
    /// The indices of a CTA of this shape; threads are numbered with x fastest.
    pub(crate) fn new(block: [u32; 3]) -> Self {
        let index = |thread: u32| {
            let [x, y, _] = block.map(|extent| extent.max(1));
            [thread % x, thread / x % y, thread / x / y]
        };
        let row = |warp: usize| {
            [0, 1, 2].map(|dim| LANE_IDS.map(|lane| index((warp * WARP) as u32 + lane)[dim]))
        };
        let threads: u32 = block.iter().product();
        let warps = (threads as usize).div_ceil(WARP).min(MAX_WARPS);
        ThreadIndices { rows: (0..warps).map(row).collect() }
    }

    /// The index of one thread.
    pub(crate) fn of(&self, warp: usize, lane: usize) -> [u32; 3] {
        [0, 1, 2].map(|dim| self.rows.get(warp).map_or(0, |row| row[dim][lane]))
    }
}
