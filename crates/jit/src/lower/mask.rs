//! Lanes that execute while others of their warp do not.

use regalloc2::VReg;

/// The lanes that execute, and where.
#[derive(Clone, Debug)]
pub(super) struct Masked {
    pub(super) part: usize,
    pub(super) nth: usize,
    pub(super) lanes: VReg,
    /// The same as masks, once somebody needed them.
    pub(super) masks: Option<Vec<VReg>>,
    pub(super) wide: Option<Vec<VReg>>,
}
