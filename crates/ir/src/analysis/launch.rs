//! What launches of one shape have in common, and which of their lanes run together.

use lanes::WARP;

/// Lanes of the largest gang: of two warps.
pub const GANG_LANES: usize = 2 * WARP;

/// What launches of one shape have in common, as far as values follow from it.
///
/// A *gang* is one warp, or two that follow each other, whose lanes run the same code at once. What is known of a gang's lanes is
/// known of [`GANG_LANES`]: those of a gang of one warp are told twice. A gang's lanes are divided into *slices*: its warps, or the
/// lanes of each vector, or part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// The CTA's extents in threads.
    pub block: [u32; 3],
    /// Warps of a gang: 1 or 2.
    pub gang: u32,
    /// Lanes of a vector, or of a part of it, a power of two of at most a warp's.
    pub vector: u32,
}

impl LaunchShape {
    /// Threads of a CTA.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a CTA.
    pub fn warps(&self) -> u32 {
        self.threads().div_ceil(WARP as u32)
    }

    /// Gangs of a CTA.
    pub fn gangs(&self) -> u32 {
        self.warps().div_ceil(self.gang)
    }

    /// `%tid` of a lane of a gang. Lanes that are not there count on.
    pub fn tid(&self, gang: u32, lane: usize) -> [u32; 3] {
        let [x, y, _] = self.block.map(|extent| extent.max(1));
        let lanes = self.gang * WARP as u32;
        let thread = gang * lanes + lane as u32 % lanes;
        [thread % x, thread / x % y, thread / x / y]
    }

    /// Lanes of a slice, of large slices first.
    pub(super) fn slices(&self) -> impl Iterator<Item = u32> {
        let warps = (self.gang > 1).then_some(WARP as u32);
        warps.into_iter().chain([self.vector])
    }
}
