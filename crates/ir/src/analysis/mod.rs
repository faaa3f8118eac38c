//! What is known of a kernel's values before it runs: which are the same in how many threads ([`Uniformity`]), how those of a
//! warp's lanes follow from that of one ([`Shapes`]), and which lanes of a value anybody needs ([`Demanded`]).
//!
//! Where control goes ([`crate::Dominators`]) and which values are needed where ([`crate::Liveness`]) stands beside them. All
//! take time nearly linear in the kernel, and end early when they are interrupted.

mod demanded;
mod divergence;
mod evaluate;
mod shape;
mod shapes;
mod uniformity;

pub use demanded::Demanded;
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
