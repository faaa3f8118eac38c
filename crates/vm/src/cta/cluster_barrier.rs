//! What has happened at the barrier of a cluster (`cluster.rs`).

use crate::threads::MAX_WARPS;

/// What the threads of a CTA have done at the barrier of their cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClusterBarrier {
    /// Per warp, the lanes that have arrived since it was complete.
    pub(super) arrived: [u32; MAX_WARPS],
    /// Per warp, the lanes that arrived before it was complete and have not waited since.
    pub(super) passes: [u32; MAX_WARPS],
    /// Whether a thread has arrived since it was complete.
    pub(super) any: bool,
}
