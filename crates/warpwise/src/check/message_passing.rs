//! Message passing through memory: kernels whose threads communicate by flags run again under random schedules.
//!
//! A flag that happens to be set in time orders accesses that nothing else would, and no detector can tell under that
//! schedule. Small kernels of this kind run again under a few random schedules, where every detector watches. That the result
//! differs is no finding here: the order of atomics may be meant to be open.

use super::replay::Replay;
use super::watched::Watched;
use ir::{Kernel, Op};
use sanitize::explore::{self, Elsewhere, Run};
use vm::{LaunchError, Schedule};

/// How many other schedules there are, at most, and how many choices they make in all.
const SCHEDULES: u64 = 64;
const CHOICES: u64 = 200_000;
/// Where their random choices begin.
const SEED: u64 = 1;

/// Warp instructions of the largest kernel that runs replay: schedules that choose each step are slow.
const MOST: u64 = 100_000;

/// Whether threads of a kernel use what they find in memory that others may write at the same time.
pub(crate) fn passes_messages(kernel: &Kernel) -> bool {
    let mut insts = kernel.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| match &inst.op {
        Op::Load { ordering, .. } => ordering.scope().is_some(),
        Op::Atomic { d, .. } => d.is_some(),
        _ => false,
    })
}

impl crate::module::Kernel {
    /// Whether threads of it use what they find in memory that others may write at the same time, the host included.
    pub fn passes_messages(&self) -> bool {
        passes_messages(&self.lowered.kernel)
    }
}

impl Replay<'_> {
    /// What the first of some random schedules shows that shows anything, if the usual one showed nothing.
    ///
    /// # Errors
    /// A run could not begin.
    pub(crate) fn message_passing(
        &mut self,
        first: &Run,
        watched: &Watched,
    ) -> Result<Vec<Elsewhere>, LaunchError> {
        let stats = &watched.report.stats;
        let is_clean =
            first.fault.is_none() && first.findings.iter().all(|finding| finding.is_harmless());
        if !is_clean || self.launch.schedule != Schedule::Fair || stats.warp_instructions > MOST {
            return Ok(Vec::new());
        }
        explore::hunt(self, first, (SCHEDULES, CHOICES), SEED)
    }
}
