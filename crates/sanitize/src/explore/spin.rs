//! Spin loops: a split that is back at the same place in the same state, and has written nothing that
//! others can see, has waited in vain. The run would do the same without that iteration, so schedules with
//! such iterations need not be explored ("Model Checking for Await Loops", Kokologiannakis and others, 2021).
//!
//! The split is not run again until somebody writes what it has read. Then the run is given up: the one in which the
//! write came first does the same without the iteration. What the exploration learns from this run is that the two do
//! not commute.

use super::footprint::{Access, Kind, Step};
use lanes::LaneMask;
use vm::Candidate;

/// Steps of a split that are looked at for a turn of a loop.
const TURN: usize = 64;

/// Who waits in vain in a run.
#[derive(Debug, Default)]
pub(super) struct Spins {
    waiting: Vec<Waiting>,
    /// Somebody has waited in vain for something that was then written.
    redundant: bool,
}

/// A split that waits in vain.
#[derive(Debug)]
struct Waiting {
    split: Candidate,
    /// What it has read in its loop.
    reads: Vec<Access>,
}

impl Spins {
    /// A run begins.
    pub(super) fn begin(&mut self) {
        *self = Spins::default();
    }

    /// Whether the run does nothing that a shorter one does not do.
    pub(super) fn redundant(&self) -> bool {
        self.redundant
    }

    /// Whether running the split now would change nothing.
    pub(super) fn in_vain(&self, split: &Candidate) -> bool {
        self.waiting.iter().any(|waiting| {
            let warp = |split: &Candidate| (split.cta, split.warp);
            let same = warp(&waiting.split) == warp(split) && waiting.split.at_same_place(split);
            same && split.lanes - waiting.split.lanes == LaneMask::EMPTY
        })
    }

    /// Takes in the last of these steps.
    pub(super) fn take(&mut self, steps: &[Step]) {
        let Some((step, before)) = steps.split_last() else { return };
        self.redundant |= self.waiting.iter().any(|waiting| writes(step, &waiting.reads));
        let Some(begin) = turn(step, before) else { return };
        let mut reads = Vec::new();
        for other in &steps[begin..] {
            match other.shares_lanes(step) {
                true => other.accesses.iter().for_each(|access| add(&mut reads, access)),
                false => self.redundant |= writes(other, &reads),
            }
        }
        self.waiting.push(Waiting { split: step.split, reads });
    }
}

/// Adds what was read.
fn add(reads: &mut Vec<Access>, access: &Access) {
    let adjoins = |last: &&mut Access| {
        last.location == access.location && (last.start..=last.end).contains(&access.start)
    };
    match reads.last_mut().filter(adjoins) {
        Some(last) => last.end = last.end.max(access.end),
        None => reads.push(*access),
    }
}

/// Whether a step writes what was read.
fn writes(step: &Step, reads: &[Access]) -> bool {
    let written = || step.accesses.iter().filter(|access| access.kind != Kind::Read);
    written().any(|write| reads.iter().any(|read| write.meets(read)))
}

/// The first step of the turn of a loop that ends where `step` begins, if nothing has changed in it. A loop may have no
/// access at all: then it never ends.
fn turn(step: &Step, before: &[Step]) -> Option<usize> {
    step.state?;
    let own = before.iter().enumerate().rev().filter(|(_, other)| other.shares_lanes(step));
    for (nth, other) in own.take(TURN) {
        if other.changes() {
            return None;
        }
        let same = other.lanes == step.lanes && other.split.at_same_place(&step.split);
        if same && other.state == step.state {
            return Some(nth);
        }
    }
    None
}
