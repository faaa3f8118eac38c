//! What the barriers of clusters order: all that threads did before they arrived, unless they arrive `.relaxed`, comes before
//! what threads do that have waited. Who arrives `.relaxed` brings what a fence of its own covers. Who has exited counts as having
//! arrived.

use super::clock::Clocks;
use super::happens_before::{Group, HappensBefore};
use super::step::Thread;
use foldhash::HashMap;
use lanes::LaneMask;
use std::rc::Rc;
use vm::{BarrierPart, View};

/// The barriers of the clusters that run, by the number of their first CTA.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    barriers: HashMap<u64, Barrier>,
}

#[derive(Debug, Default)]
struct Barrier {
    /// What threads have brought that have arrived since it was complete.
    brought: HappensBefore,
    /// What they had brought when it was complete.
    complete: Rc<HappensBefore>,
    /// What CTAs have done that have exited, and how many they are.
    before_exits: HappensBefore,
    exited: u64,
}

impl Clusters {
    fn barrier(&mut self, view: &View<'_>) -> &mut Barrier {
        self.barriers.entry(view.cluster_ctas().start).or_default()
    }

    /// Lanes of a warp arrive.
    pub(super) fn arrive(
        &mut self,
        view: &View<'_>,
        clocks: &mut Clocks,
        (warp, lanes): (usize, LaneMask),
        releases: bool,
    ) {
        let barrier = self.barrier(view);
        if releases {
            barrier.brought.join(&clocks.release_together(warp, lanes));
        } else {
            let fenced = |lane| clocks.fenced(Thread::new(view.cta(), warp, lane));
            let wide = lanes.iter().filter_map(fenced).filter(|(_, wide)| *wide);
            wide.for_each(|(known, _)| barrier.brought.join(&known));
        }
        // Who has arrived has begun, even if that is all that others know.
        barrier.brought.add(view.cta() as u32, Group::All, 1);
        clocks.sum_up(&mut barrier.brought);
    }

    /// All threads of these CTAs have arrived, or exited.
    pub(super) fn complete(&mut self, ctas: &[View<'_>]) {
        let Some(first) = ctas.first() else { return };
        let barrier = self.barrier(first);
        let mut complete = std::mem::take(&mut barrier.brought);
        complete.join(&barrier.before_exits);
        for view in ctas {
            for warp in 0..view.warps() {
                let gone = view.existing(warp) - view.live(warp);
                if !gone.is_empty() {
                    complete.add(view.cta() as u32, Group::Lanes(warp as u8, gone.0), u32::MAX);
                }
            }
        }
        barrier.complete = Rc::new(complete);
    }

    /// Lanes go on that have waited.
    pub(super) fn pass(&mut self, view: &View<'_>, clocks: &mut Clocks, parts: &[BarrierPart<'_>]) {
        let complete = Rc::clone(&self.barrier(view).complete);
        for part in parts {
            clocks.learn_together(part.warp, part.lanes, &complete);
        }
    }

    /// A CTA has exited.
    pub(super) fn end(&mut self, view: &View<'_>) {
        let all = view.cluster_ctas();
        let Some(barrier) = self.barriers.get_mut(&all.start) else { return };
        barrier.before_exits.add(view.cta() as u32, Group::All, u32::MAX);
        barrier.exited += 1;
        if barrier.exited == all.end - all.start {
            self.barriers.remove(&all.start);
        }
    }
}
