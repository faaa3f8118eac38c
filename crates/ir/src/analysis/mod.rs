//! What is known of a kernel's values before it runs: which are the same in how many threads ([`Uniformity`]), how those of a
//! warp's lanes follow from that of one ([`Shapes`]), which lanes of a value anybody needs ([`Demanded`]), where values are needed
//! at all ([`Liveness`], [`Extents`]), where control goes and meets again ([`Flow`], [`Dominators`], [`order`]), which branches decide about
//! which blocks ([`Regions`]), and what a source of values can influence ([`influenced`]).
//!
//! All take time nearly linear in the kernel. Those that a launch makes end early when they are interrupted.

mod control;
mod definitions;
mod demanded;
mod divergence;
mod dominators;
mod evaluate;
mod flow;
mod graph;
mod influence;
mod liveness;
pub mod order;
mod shape;
mod shapes;
mod uniformity;

pub use control::{Marked, Regions};
pub use definitions::definitions;
pub use demanded::Demanded;
pub use dominators::Dominators;
pub use flow::Flow;
pub use graph::Graph;
pub use influence::{influenced, influenced_at, unseen};
pub use liveness::{Extent, Extents, Liveness, reads_and_writes};
pub use shape::{Affine, Shape};
pub use shapes::Shapes;
pub use uniformity::{Uniform, Uniformity};

/// What launches of one shape have in common, as far as values follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// The CTA's extents in threads.
    pub block: [u32; 3],
}

impl LaunchShape {
    /// Threads of a CTA.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a CTA.
    pub fn warps(&self) -> u32 {
        self.threads().div_ceil(lanes::WARP as u32)
    }

    /// `%tid` of a lane of a warp. Lanes that are not there count on.
    pub fn tid(&self, warp: u32, lane: u32) -> [u32; 3] {
        let [x, y, _] = self.block.map(|extent| extent.max(1));
        let thread = warp * lanes::WARP as u32 + lane;
        [thread % x, thread / x % y, thread / x / y]
    }
}
