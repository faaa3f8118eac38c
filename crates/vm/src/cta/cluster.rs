//! The barrier of a cluster, as each of its CTAs sees it (PTX ISA 9.1, `barrier.cluster`).
//!
//! A thread arrives, and later waits. When all threads of the cluster that have not exited have arrived, the barrier is
//! complete and begins anew: those who wait go on, and the others need not wait when they come to that.

use super::{Cta, Split, State};
use crate::fault::{FaultKind, WaitingFor};
use crate::observer::{BarrierPart, ClusterArrival, Observer, View};
use crate::plan::Pc;
use crate::threads::MAX_WARPS;
use ir::{ClusterHalf, Op};
use lanes::LaneMask;

impl<'l> Cta<'l> {
    /// The group's lanes come to a half of the barrier.
    pub(super) fn come_to_cluster<O: Observer>(
        &mut self,
        at: Pc,
        observer: &mut O,
    ) -> Result<(), FaultKind> {
        let plan = self.frame.plan;
        let Some(inst) = plan.inst(at) else { return Ok(()) };
        let Op::ClusterBarrier { half, .. } = inst.op else { return Ok(()) };
        for warp in self.group() {
            let lanes = self.frame.exec[warp];
            let passing = self.frame.unguarded[warp] & !lanes;
            self.release(warp, passing, at.next());
            if lanes == 0 {
                continue;
            }
            if O::OBSERVES {
                let arrival = ClusterArrival { warp, lanes: LaneMask(lanes), half, inst };
                observer.come_to_cluster(&View::new(&self.frame), &arrival);
            }
            let barrier = &mut self.cluster;
            match half {
                ClusterHalf::Arrive { .. } => {
                    let again = lanes & (barrier.arrived[warp] | barrier.passes[warp]);
                    if again != 0 {
                        return Err(FaultKind::ArrivedTwice { lanes: LaneMask(again) });
                    }
                    barrier.arrived[warp] |= lanes;
                    barrier.any = true;
                    self.release(warp, lanes, at.next());
                }
                ClusterHalf::Wait => {
                    let passes = lanes & barrier.passes[warp];
                    barrier.passes[warp] &= !passes;
                    if passes != 0 {
                        self.pass_cluster(&[(warp, passes, at)], observer);
                    }
                    if lanes != passes {
                        let (lanes, state) = (lanes & !passes, State::Cluster);
                        self.waiting.push(Split { warp, lanes, at, state });
                    }
                }
            }
        }
        Ok(())
    }

    /// Lanes, by warp and place, go on behind the barrier.
    fn pass_cluster<O: Observer>(&mut self, splits: &[(usize, u32, Pc)], observer: &mut O) {
        if O::OBSERVES {
            let part = |(warp, lanes, at): &(usize, u32, Pc)| {
                let inst = self.frame.plan.inst(*at)?;
                Some(BarrierPart { warp: *warp, lanes: LaneMask(*lanes), inst })
            };
            let parts: Vec<BarrierPart<'_>> = splits.iter().filter_map(part).collect();
            observer.pass_cluster(&View::new(&self.frame), &parts);
        }
        for (warp, lanes, at) in splits {
            self.release(*warp, *lanes, at.next());
        }
    }

    /// Whether a thread of the CTA waits at the barrier.
    pub(super) fn waits_for_cluster(&self) -> bool {
        self.waiting.iter().any(|split| split.state == State::Cluster)
    }

    /// Threads that have arrived and not exited, and threads that have not exited.
    pub(super) fn arrivals(&self) -> (u32, u32) {
        let live = &self.frame.threads.live;
        let here = live.iter().zip(&self.cluster.arrived).map(|(live, arrived)| live & arrived);
        (here.map(u32::count_ones).sum(), self.frame.threads.live_count())
    }

    /// Lets threads go on if all threads of the cluster have arrived. `ctas` are its CTAs.
    pub(crate) fn complete_cluster<O: Observer>(ctas: &mut [Cta<'l>], observer: &mut O) {
        let all_here = |cta: &Cta<'_>| {
            let (arrived, live) = cta.arrivals();
            arrived == live
        };
        if !ctas.iter().any(|cta| cta.cluster.any) || !ctas.iter().all(all_here) {
            return;
        }
        if O::OBSERVES {
            let views: Vec<View<'_>> = ctas.iter().map(|cta| View::new(&cta.frame)).collect();
            observer.complete_cluster(&views);
        }
        for cta in ctas {
            let barrier = &mut cta.cluster;
            barrier.passes.iter_mut().zip(barrier.arrived).for_each(|(all, new)| *all |= new);
            (barrier.arrived, barrier.any) = ([0; MAX_WARPS], false);
            let waits = |split: &&Split| split.state == State::Cluster;
            let place = |split: &Split| (split.warp, split.lanes, split.at);
            let released: Vec<_> = cta.waiting.iter().filter(waits).map(place).collect();
            cta.waiting.retain(|split| !waits(&split));
            for (warp, lanes, _) in &released {
                cta.cluster.passes[*warp] &= !lanes;
            }
            if !released.is_empty() {
                cta.pass_cluster(&released, observer);
            }
        }
    }

    /// Nobody in a cluster can go on: who waits where, for whom.
    pub(crate) fn cluster_deadlock(ctas: &[Cta<'l>]) -> Option<crate::Fault> {
        let (mut arrived, mut expected) = (0, 0);
        for (here, live) in ctas.iter().map(Cta::arrivals) {
            (arrived, expected) = (arrived + here, expected + live);
        }
        let first = ctas.iter().find(|cta| !cta.waiting.is_empty())?;
        let mut waiting: Vec<_> = ctas.iter().flat_map(Cta::who_waits).collect();
        for group in &mut waiting {
            if let WaitingFor::Cluster { .. } = group.waiting_for {
                group.waiting_for = WaitingFor::Cluster { arrived, expected };
            }
        }
        Some(first.deadlock(waiting))
    }
}
