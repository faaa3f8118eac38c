//! Does what a kernel leaves depend on which lanes `activemask` finds together?
//!
//! A run under the usual schedule never shows it: lanes that can stay together do. The kernel runs again with lanes apart at
//! every `activemask`, at full speed, as all that counts is the memory that it leaves.

use crate::argument::Arg;
use crate::check::Watched;
use crate::explore::Again;
use ir::{Kernel, Op, WarpRules};
use sanitize::explore::{Elsewhere, Run};
use sanitize::{Code, Related};
use vm::{Fault, LANE_BITS, LaunchError, Schedule};

/// Whether a kernel asks `activemask`, and nothing else in it makes its result depend on the schedule: neither the order of
/// atomics nor the time.
pub(crate) fn may_show_who_is_there(kernel: &Kernel) -> bool {
    let insts = || kernel.blocks.iter().flat_map(|block| &block.insts);
    let is_atomic = |op: &Op| matches!(op, Op::Atomic { .. }) && op.any_order().is_none();
    let is_time = |op: &Op| matches!(op, Op::Special { what, .. } if what.varies_by_time());
    let depends = |op| is_atomic(op) || is_time(op);
    kernel.rules == WarpRules::Independent
        && insts().any(|inst| matches!(inst.op, Op::ActiveMask { .. }))
        && !insts().any(|inst| depends(&inst.op))
}

impl Again<'_> {
    /// A finding if the kernel leaves something else with lanes apart at `activemask`: W009 at the first collective that
    /// works with what it found, or W008. Kernels whose first run was stopped, or shows races or W009, are not run.
    ///
    /// # Errors
    /// A run could not begin.
    pub(crate) fn apart(
        &mut self,
        first: &Run,
        watched: &Watched,
        args: &[Arg],
    ) -> Result<Option<Elsewhere>, LaunchError> {
        let explains = |code| matches!(code, Code::R001 | Code::R002 | Code::W009);
        let usual = &self.launch.schedule;
        if first.fault.is_some()
            || *usual != Schedule::Fair
            || first.findings.iter().any(|finding| explains(finding.code))
        {
            return Ok(None);
        }
        for schedule in (0..LANE_BITS).map(Schedule::Apart) {
            let launch = self.begin_anew(&schedule);
            let outcome = vm::launch(&self.kernel.lowered.kernel, &launch, self.memory)?;
            let (memory, fault) = (self.memory.snapshot(), outcome.fault);
            if fault.as_ref().is_some_and(Fault::is_limit) {
                return Ok(None);
            }
            let other = Run { findings: Vec::new(), memory, fault };
            if other.fault.is_none() && other.memory == first.memory {
                continue;
            }
            let mut finding =
                self.dependence(first, &other, &usual.to_string(), &schedule, args)?;
            if let Some(suspected) = watched.found.suspected.first() {
                let dependence = std::mem::replace(&mut finding, suspected.clone());
                finding.facts.push(dependence.message);
                finding.facts.extend(dependence.facts);
                finding.related.push(Related { place: dependence.place, text: dependence.label });
            }
            return Ok(Some(Elsewhere { schedule, finding, fault: None }));
        }
        Ok(None)
    }
}
