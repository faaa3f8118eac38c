//! Who is at a piece of code.

use ir::{BlockId, Reg, Src};

/// Which threads are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Together {
    /// Some lanes of some warps.
    Some,
    /// All threads of the CTA that have not exited.
    Cta,
    /// All threads of the cluster that have not exited.
    Cluster,
}

/// What holds for the lanes that execute a piece of code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// The mask of those of the warp, exactly.
    pub(super) mask: Src,
    /// Who executes it.
    pub(super) who: Together,
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
    pub(super) fn inner(&self, mask: Src, who: Together) -> Region {
        Region { mask, who: who.min(self.who), depth: self.depth + 1, of: None }
    }

    /// Whether all threads of the CTA that have not exited execute it.
    pub(super) fn is_uniform(&self) -> bool {
        self.who >= Together::Cta
    }
}
