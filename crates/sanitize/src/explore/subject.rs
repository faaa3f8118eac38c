//! What is explored.

use super::footprint::Footprints;
use crate::finding::Finding;
use ir::{Kernel, Place};
use vm::memory::Snapshot;
use vm::{Chooser, Fault};

/// What one run of a subject did.
#[derive(Clone, Debug)]
pub struct Run {
    /// What the detectors found.
    pub findings: Vec<Finding>,
    /// Global memory after the run.
    pub memory: Snapshot,
    /// What stopped the kernel.
    pub fault: Option<Fault>,
}

/// A kernel with its inputs, which can be run again and again.
pub trait Subject {
    /// Why a run may not begin.
    type Error;

    /// Runs the kernel from the start as the chooser wants it. `footprints`, if given, are shown every step.
    ///
    /// # Errors
    /// The run could not begin.
    fn run(
        &mut self,
        chooser: &mut dyn Chooser,
        footprints: Option<&mut Footprints>,
    ) -> Result<Run, Self::Error>;

    /// Global memory before each run.
    fn start(&self) -> &Snapshot;

    /// Hears that somebody else has run a schedule.
    fn ran_elsewhere(&mut self) {}

    /// A number that places have in common which are one to the user, such as copies of a line that a compiler made.
    fn line(&self, place: Place) -> u64;

    /// The kernel.
    fn kernel(&self) -> &Kernel;

    /// Whether the kernel can tell which lanes run together: by `activemask`, or a collective without a membermask.
    fn counts_lanes(&self) -> bool;

    /// CTAs of the grid.
    fn ctas(&self) -> u64;

    /// Whether the exploration must end now.
    fn interrupted(&self) -> bool;
}
