//! Divergence injection: does the memory that a kernel leaves depend on which lanes are active at `activemask`?
//!
//! A run under the default schedule never shows it: lanes that can stay converged do. The kernel runs again with divergence injected at
//! every `activemask` (schedule `apart:N`), at full speed if all that counts is the memory that it leaves. If collectives take
//! their membermask from it, the detectors watch: diverged lanes may race where converged lanes do not.

use super::replay::Replay;
use super::watched::Watched;
use crate::launch::Arg;
use ir::{Inst, Kernel, Op, WarpRules};
use sanitize::detail::Shown;
use sanitize::explore::{Elsewhere, Run};
use sanitize::{Code, Detail, Finding, Found, Watch};
use vm::{Fault, LANE_BITS, LaunchError, Schedule};

/// Warp instructions of a run after which the detectors watch one of the others only: those with divergence are as long.
const LONG: u64 = 500_000;

fn insts(kernel: &Kernel) -> impl Iterator<Item = &Inst> {
    kernel.blocks.iter().flat_map(|block| &block.insts)
}

/// Whether a kernel executes `activemask`, and finds fewer lanes if they diverge.
pub(crate) fn reads_active_mask(kernel: &Kernel) -> bool {
    kernel.rules == WarpRules::Independent
        && insts(kernel).any(|inst| matches!(inst.op, Op::ActiveMask { .. }))
}

/// Whether nothing but `activemask` makes the result of a kernel depend on the schedule: neither the order of atomics nor
/// the time.
fn leaves_the_same(kernel: &Kernel) -> bool {
    !insts(kernel).any(|inst| inst.op.is_ordered_atomic() || inst.op.tells_time())
}

impl Replay<'_> {
    /// A finding if the kernel leaves something else with divergence at `activemask`, or shows what it does not show else: W009
    /// at the first collective that works with the mask, or W008. Kernels whose first run was stopped, or shows races or
    /// W009, are not run.
    ///
    /// # Errors
    /// A run could not begin.
    pub(crate) fn with_divergence(
        &mut self,
        first: &Run,
        watched: &Watched,
        args: &[Arg],
    ) -> Result<Option<Elsewhere>, LaunchError> {
        let explains = |code| matches!(code, Code::R001 | Code::R002 | Code::W009);
        let usual = &self.launch.schedule;
        let suspected = watched.found.suspected.first();
        let kernel = &self.kernel.lowered.kernel;
        let (executable, same) = (&*self.kernel.executable, leaves_the_same(kernel));
        if first.fault.is_some()
            || !(same || suspected.is_some())
            || *usual != Schedule::Fair
            || first
                .findings
                .iter()
                .any(|finding| explains(finding.code()) && !finding.is_harmless())
        {
            return Ok(None);
        }
        let long = watched.report.stats.warp_instructions > LONG;
        for bit in 0..LANE_BITS {
            let schedule = Schedule::Apart(bit);
            let watches = suspected.is_some() && (bit == 0 || !long);
            if !watches && !same {
                continue;
            }
            let launch = self.begin_anew(&schedule);
            let memory = self.rewind.memory;
            let (outcome, findings, traffic) = if watches {
                let mut sanitizer = self.kernel.sanitizer(&launch, self.watching);
                let outcome = vm::launch_observed(executable, &launch, memory, &mut sanitizer)?;
                let Found { findings, traffic, .. } = sanitizer.finish(None, memory);
                (outcome, findings, traffic)
            } else if self.rewind.is_among_others() {
                let mut watch = Watch::new();
                let outcome = vm::launch_observed(executable, &launch, memory, &mut watch)?;
                (outcome, Vec::new(), Some(watch.into_traffic()))
            } else {
                (vm::launch(executable, &launch, memory)?, Vec::new(), None)
            };
            let (memory, fault) = (self.rewind.left(traffic.as_ref()), outcome.fault);
            if fault.as_ref().is_some_and(Fault::is_limit) {
                return Ok(None);
            }
            let other = Run { findings, memory, fault };
            let shown = other
                .findings
                .iter()
                .filter(|finding| !finding.is_harmless())
                .find(|finding| !first.findings.iter().any(|known| known.is_like(finding)));
            if let (Some(shown), Some(suspected)) = (shown, suspected) {
                let finding = resting_on(suspected, &schedule, shown.clone());
                return Ok(Some(Elsewhere { schedule, finding, fault: None }));
            }
            if other.fault.is_none() && (other.memory == first.memory || !same) {
                continue;
            }
            let mut finding = self.dependence(first, &other, usual, &schedule, args)?;
            if let Some(suspected) = suspected {
                finding = resting_on(suspected, &schedule, finding);
            }
            return Ok(Some(Elsewhere { schedule, finding, fault: None }));
        }
        Ok(None)
    }
}

/// A suspected W009, with what another schedule has shown.
fn resting_on(suspected: &Finding, schedule: &Schedule, shown: Finding) -> Finding {
    let mut finding = suspected.clone();
    if let Detail::FromActiveMask(mask) = &mut finding.detail {
        mask.shown = Some(Shown { schedule: schedule.clone(), finding: Box::new(shown) });
    }
    finding
}
