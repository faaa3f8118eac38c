//! Threads, what they do at one time, and what happened before what.

use lanes::WARP;

/// A thread of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Thread {
    /// The CTA's number in the grid.
    pub(super) cta: u32,
    pub(super) warp: u8,
    pub(super) lane: u8,
}

impl Thread {
    pub(super) fn new(cta: u64, warp: usize, lane: u32) -> Thread {
        Thread { cta: cta as u32, warp: warp as u8, lane: lane as u8 }
    }
}

/// What lanes of a warp did at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The CTA's number in the grid.
    pub(super) cta: u32,
    pub(super) warp: u8,
    pub(super) lanes: u32,
    pub(super) stamp: u32,
}

impl Step {
    /// One of its threads; the lowest of some lanes.
    pub(super) fn thread(&self, lanes: u32) -> Thread {
        Thread { cta: self.cta, warp: self.warp, lane: lanes.trailing_zeros() as u8 % WARP as u8 }
    }

    /// The lanes that a thread is among.
    pub(super) fn itself(&self, thread: Thread) -> u32 {
        match (self.cta, self.warp) == (thread.cta, thread.warp) {
            true => self.lanes & 1 << thread.lane,
            false => 0,
        }
    }
}

/// Which lanes of an earlier step happened before a new one of perhaps several lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Before some lane of it.
    pub(super) some: u32,
    /// Before all of them.
    pub(super) all: u32,
}

/// Clocks that all lanes of a warp share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uniform {
    pub(super) floor: u32,
    pub(super) warp_floor: u32,
    pub(super) lockstep: bool,
}
