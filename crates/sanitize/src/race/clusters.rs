//! What the barriers of clusters order: all that threads did before they arrived, unless they arrive `.relaxed`, comes before
//! what threads do that have waited. Who arrives `.relaxed` brings what a fence of its own covers.

use super::clock::Clocks;
use super::happens_before::HappensBefore;
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
    /// CTAs that have exited.
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
        clocks.begin();
        for lane in lanes {
            let thread = Thread::new(view.cta(), warp, lane);
            let brought = match releases {
                true => Some(clocks.release(thread)),
                false => clocks.fenced(thread).filter(|(_, wide)| *wide).map(|(known, _)| known),
            };
            brought.iter().for_each(|known| barrier.brought.join(known));
        }
        clocks.sum_up(&mut barrier.brought);
    }

    /// All have arrived.
    pub(super) fn complete(&mut self, view: &View<'_>) {
        let barrier = self.barrier(view);
        barrier.complete = Rc::new(std::mem::take(&mut barrier.brought));
    }

    /// Lanes go on that have waited.
    pub(super) fn pass(&mut self, view: &View<'_>, clocks: &mut Clocks, parts: &[BarrierPart<'_>]) {
        let complete = Rc::clone(&self.barrier(view).complete);
        for part in parts {
            for lane in part.lanes {
                clocks.learn(Thread::new(view.cta(), part.warp, lane), &complete);
            }
        }
    }

    /// A CTA has exited.
    pub(super) fn end(&mut self, view: &View<'_>) {
        let all = view.cluster_ctas();
        let Some(barrier) = self.barriers.get_mut(&all.start) else { return };
        barrier.exited += 1;
        if barrier.exited == all.end - all.start {
            self.barriers.remove(&all.start);
        }
    }
}
