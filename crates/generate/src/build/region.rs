//! Who is at a piece of code.

use ir::{BlockId, Reg, Src};

/// What holds for the lanes that execute a piece of code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// The mask of those of the warp, exactly.
    pub(super) mask: Src,
    /// Whether all threads of the CTA that have not exited execute it.
    pub(super) is_uniform: bool,
    /// How many branches and loops it stands in.
    pub(super) depth: u32,
    /// The loop whose body it is.
    pub(super) of: Option<Loop>,
}

/// A loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    /// The register with the mask of the lanes that are in it; `None` if they stay together.
    pub(super) mask: Option<Reg>,
    /// Where its body goes on with the next turn.
    pub(super) latch: BlockId,
    /// Where lanes leave to.
    pub(super) exit: BlockId,
}

impl Region {
    /// A piece of code inside, executed by these lanes.
    pub(super) fn inner(&self, mask: Src, is_uniform: bool) -> Region {
        let is_uniform = is_uniform && self.is_uniform;
        Region { mask, is_uniform, depth: self.depth + 1, of: None }
    }
}
