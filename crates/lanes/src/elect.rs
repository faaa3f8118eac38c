//! Elect: one lane chosen as leader.
//!
//! Source: PTX ISA 9.1, `elect.sync`. The ISA asks only that the same membermask elects the
//! same lane; Warpwise takes the lowest.

use crate::LaneMask;

/// The leader: the lowest lane of `membermask` that has not exited.
///
/// Every participant receives its number as `d`, and `p` is true in that lane alone. `None` if no
/// lane of the membermask is left. The machine instructions `ELECT` and `ELECTU` elect the lowest
/// participant: pass the participants and [`LaneMask::EMPTY`].
#[inline]
pub const fn elect(membermask: LaneMask, exited: LaneMask) -> Option<u32> {
    LaneMask(membermask.0 & !exited.0).lowest()
}
