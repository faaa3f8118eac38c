//! What kernels do with the memory that they allocate.

use ir::Place;

/// A thread has allocated memory, or freed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapEvent {
    /// The warp's index in its CTA.
    pub warp: usize,
    /// The lane.
    pub lane: u32,
    /// The instruction.
    pub place: Place,
    /// The device address of the block.
    pub address: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Whether it was freed; otherwise it was allocated.
    pub frees: bool,
}
