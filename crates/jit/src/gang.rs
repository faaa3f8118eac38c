//! The warps that one run of the code executes together.

use crate::Level;
use lanes::WARP;

/// A warp, or two that follow each other, whose lanes run the same code at once ([`ir::analysis::LaunchShape`]).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gang {
    pub(crate) level: Level,
    /// 1 or 2.
    pub(crate) warps: usize,
}

impl Gang {
    pub(crate) fn lanes(self) -> usize {
        self.warps * WARP
    }

    /// Vectors of a value of 32 bits a lane.
    pub(crate) fn slices(self) -> usize {
        self.lanes() / self.level.lanes()
    }

    /// The vectors of a warp, of a value of 32 bits a lane.
    pub(crate) fn of_warp(self, warp: usize) -> std::ops::Range<usize> {
        let own = WARP / self.level.lanes();
        warp * own..(warp + 1) * own
    }

    /// A bit for each lane.
    pub(crate) fn all(self) -> u64 {
        u64::MAX >> (64 - self.lanes())
    }

    /// The bits of a vector's lanes, of so many vectors.
    pub(crate) fn of_vector(self, nth: usize, count: usize) -> u64 {
        let lanes = self.lanes() / count;
        (u64::MAX >> (64 - lanes)) << (nth * lanes)
    }
}

/// Lanes of a slice: those of a vector, or of half of one where rows of the CTA are so wide.
pub(crate) fn slice_lanes(level: Level, block: [u32; 3]) -> u32 {
    let lanes = level.lanes() as u32;
    if block[0] == lanes / 2 { lanes / 2 } else { lanes }
}
