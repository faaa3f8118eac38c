//! What lies where in the shared memory of a CTA.

use super::generator::OWN;
use super::memory::COUNTERS;
use ir::BULK_UNIT;

/// Barrier objects of a CTA: a word each.
pub(super) const OBJECTS: u64 = 4;
/// Bytes into which copies are made.
pub(super) const LANDING: u64 = 128;

/// Where the barrier objects of a CTA of so many threads stand in shared memory: behind the threads' own bytes, two words of each to
/// exchange, and the cells to reduce in, those of the cluster behind those of the CTA.
pub(super) fn objects(threads: u32) -> u64 {
    (u64::from(threads) * (OWN + 8) + 16 * COUNTERS.len() as u64).next_multiple_of(BULK_UNIT)
}

/// Where copies in bulk land.
pub(super) fn landing(threads: u32) -> u64 {
    objects(threads) + 8 * OBJECTS
}
