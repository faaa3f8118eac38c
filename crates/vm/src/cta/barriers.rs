//! CTA barriers (`bar`, `barrier`).
//!
//! A thread count is one of warps (PTX ISA 9.1, `barrier`): a warp has arrived, with all its 32 threads, when those of its
//! threads have that have not exited. So the last warp of a CTA counts like the others.

use crate::fault::WaitingFor;
use crate::threads::MAX_WARPS;
use lanes::WARP;

/// Barriers of a CTA, by number (PTX ISA 9.1, `bar`).
pub const BARRIERS: usize = 16;

/// What has happened at one barrier since it was last complete.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Barrier {
    /// Threads that have arrived.
    pub(super) arrived: u32,
    /// The same in whole warps.
    pub(super) marked: u32,
    /// Per warp, the lanes that have arrived and wait for the others of the warp before it has.
    pub(super) pending: [u32; MAX_WARPS],
    /// Threads that must arrive; `None` is all live threads.
    pub(super) expected: Option<u32>,
    /// Threads that arrived with a true predicate.
    pub(super) trues: u32,
}

/// The barriers of a CTA.
#[derive(Clone, Debug, Default)]
pub(super) struct Barriers {
    pub(super) barriers: [Barrier; BARRIERS],
}

impl Barriers {
    pub(super) fn waiting_for(&self, id: u32, live: u32) -> WaitingFor {
        let barrier = &self.barriers[id as usize % BARRIERS];
        let (arrived, expected) = match barrier.expected {
            Some(expected) => (barrier.marked, expected),
            None => (barrier.arrived, live),
        };
        WaitingFor::Barrier { id, arrived, expected }
    }
}

impl Barrier {
    /// Whether all who are expected have arrived. `live` are the lanes of each warp that have not exited.
    pub(super) fn is_complete(&mut self, live: &[u32], threads: u32) -> bool {
        let Some(expected) = self.expected else { return self.arrived >= threads };
        for (pending, live) in self.pending.iter_mut().zip(live) {
            if *pending != 0 && live & !*pending == 0 {
                self.marked += WARP as u32;
                *pending = 0;
            }
        }
        self.marked >= expected
    }
}
