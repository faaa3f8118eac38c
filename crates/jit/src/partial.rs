//! The last warp of a CTA, where it has fewer lanes than others.

use lanes::WARP;

/// A warp that has fewer lanes than others. It is a gang of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partial {
    /// Its number.
    pub(crate) warp: u32,
    /// The lanes that are there.
    pub(crate) lanes: u64,
}

impl Partial {
    /// That of a CTA of these extents, if it has one.
    pub(crate) fn of(block: [u32; 3]) -> Option<Partial> {
        let threads: u32 = block.iter().product();
        let (warp, rest) = (threads / WARP as u32, threads % WARP as u32);
        (rest != 0).then_some(Partial { warp, lanes: (1 << rest) - 1 })
    }

    /// Of lanes that are meant in every warp, those that are there: if there are any, and the same in every warp.
    pub(crate) fn known(self, lanes: u64) -> Option<u64> {
        let there = lanes & self.lanes;
        (there != 0 && (self.warp == 0 || there == lanes)).then_some(there)
    }
}
