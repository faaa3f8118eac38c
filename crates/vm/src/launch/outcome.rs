//! How launches end.

use crate::enqueued::Launched;
use crate::fault::{Fault, FaultKind, ThreadId};
use crate::printed::Printed;
use crate::stats::Stats;
use ir::Place;

/// How a launch ended.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What it did. Of a launch on several host threads that was stopped, what the CTA did that stopped it: how far others
    /// had got is chance.
    pub stats: Stats,
    /// What it printed; CTAs behind the one that stopped the launch do not count.
    pub printed: Printed,
    /// What it launched, which is yet to be done.
    pub launched: Launched,
    /// Why it was stopped, if it was. Of several faults, that of the lowest CTA. A step limit that several host threads
    /// reach together has no place.
    pub fault: Option<Fault>,
}

impl Outcome {
    /// Leaves out what depends on the pace of the host's threads. `failed` is the cluster that stopped the launch, each of
    /// which has so many CTAs.
    pub(super) fn forget_chance(&mut self, failed: u64, ctas: u64) {
        let Some(fault) = &mut self.fault else { return };
        if let FaultKind::StepLimit { .. } = fault.kind {
            let nobody = ThreadId { cta: [0; 3], thread: [0; 3], warp: 0, lane: 0 };
            (fault.place, fault.thread) = (Place::default(), nobody);
            self.stats = Stats::default();
        }
        if failed != u64::MAX {
            self.printed.forget_behind(failed.saturating_mul(ctas).saturating_add(ctas - 1));
        }
    }
}
