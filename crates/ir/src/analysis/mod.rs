//! What is known of a kernel's values before it runs: which are the same in how many threads ([`Uniformity`]), how those of the
//! lanes that run together follow from that of one ([`Shapes`]), which lanes of a value anybody needs ([`Demanded`]), where values are needed
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
mod launch;
mod liveness;
pub mod order;
mod possible;
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
pub use launch::{GANG_LANES, LaunchShape};
pub use liveness::{Extent, Extents, Liveness, reads_and_writes};
pub use shape::{Affine, Shape, Steps};
pub use shapes::Shapes;
pub use uniformity::{Uniform, Uniformity};
