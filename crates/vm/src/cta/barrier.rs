//! Arrival at CTA barriers, and release of the waiting threads.

use super::barriers::{BARRIERS, Barrier};
use super::{Cta, Split, State};
use crate::fault::FaultKind;
use crate::observer::{BarrierArrival, BarrierPart, Observer, View};
use crate::plan::Pc;
use crate::threads::MAX_WARPS;
use lanes::{LaneMask, WARP};

impl Cta<'_> {
    /// The group's lanes arrive at the barrier at a code.
    pub(super) fn arrive_at_barrier<O: Observer>(
        &mut self,
        at: Pc,
        observer: &mut O,
    ) -> Result<(), FaultKind> {
        let plan = self.frame.plan;
        let op = plan.barrier(at);
        let inst = if O::OBSERVES { plan.inst(at) } else { None };
        for warp in self.group() {
            let exec = self.frame.exec[warp];
            let passing = self.frame.unguarded[warp] & !exec;
            self.release(warp, passing, at.next());
            // Lanes may name different barriers, each with its own count.
            let mut left = exec;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                // SAFETY: the operation belongs to the frame's program, and its rows are 32-bit values.
                let (ids, counts) = unsafe {
                    let ids: &[u32; WARP] = &*self.frame.row(op.id, warp);
                    (ids, op.threads.map(|threads| &*self.frame.row::<u32>(threads, warp)))
                };
                let id = ids[lane];
                let expected = counts.map(|counts| counts[lane]);
                let same = |other: usize| {
                    ids[other] == id && counts.is_none_or(|counts| Some(counts[other]) == expected)
                };
                let lanes = match op.is_uniform() {
                    true => left,
                    false => LaneMask::from_fn(same).0 & left,
                };
                left &= !lanes;
                if id as usize >= BARRIERS || expected == Some(0) {
                    return Err(FaultKind::BadBarrier { id, threads: expected });
                }
                if let Some(inst) = inst {
                    let (lanes, executing) = (LaneMask(lanes), LaneMask(exec));
                    let threads = expected;
                    let arrival = BarrierArrival { warp, lanes, executing, id, threads, inst };
                    observer.arrive_at_barrier(&View::new(&self.frame), &arrival);
                }
                let barrier = &mut self.barriers.barriers[id as usize];
                barrier.arrived += lanes.count_ones();
                barrier.pending[warp] |= lanes;
                self.frame.arrivals += lanes.count_ones();
                barrier.expected = expected;
                if let Some(reduction) = op.reduction {
                    let flip = if reduction.negated { u32::MAX } else { 0 };
                    // SAFETY: as above.
                    let p = unsafe { *self.frame.pred(reduction.p, warp) } ^ flip;
                    barrier.trues += (p & lanes).count_ones();
                }
                if op.arrive_only {
                    self.release(warp, lanes, at.next());
                } else {
                    self.waiting.push(Split { warp, lanes, at, state: State::Barrier(id) });
                }
                // Who comes after the last that is expected waits for the next ones.
                if expected.is_some() {
                    self.complete_barriers(observer);
                }
            }
        }
        self.complete_barriers(observer);
        Ok(())
    }

    /// Takes those out who wait for something.
    fn take_waiting(&mut self, state: State) -> Vec<Split> {
        if self.waiting.iter().all(|split| split.state == state) {
            return std::mem::take(&mut self.waiting);
        }
        self.waiting.extract_if(.., |split| split.state == state).collect()
    }

    /// Splits go on behind where they have waited: those that stand together in one step.
    fn release_all(&mut self, mut splits: &[Split]) {
        while let Some(first) = splits.first() {
            let mut lanes = [0; MAX_WARPS];
            let together = splits.iter().take_while(|split| split.at == first.at);
            let count = together.map(|split| lanes[split.warp] |= split.lanes).count();
            let warps = 0..self.frame.threads.warps;
            self.ready.add(first.at.next(), self.clock, warps, |warp| lanes[warp]);
            splits = &splits[count..];
        }
    }

    /// Lets go the threads at every barrier at which all expected threads have arrived.
    pub(super) fn complete_barriers<O: Observer>(&mut self, observer: &mut O) {
        let live = self.frame.threads.live_count();
        for id in 0..BARRIERS {
            let barrier = &mut self.barriers.barriers[id];
            if barrier.arrived == 0 || !barrier.is_complete(&self.frame.threads.live, live) {
                continue;
            }
            let barrier = *barrier;
            self.barriers.barriers[id] = Barrier::default();
            self.frame.arrivals -= barrier.arrived;
            let state = State::Barrier(id as u32);
            let mut released = self.take_waiting(state);
            let plan = self.frame.plan;
            // Most stand at one instruction.
            let mut last = None;
            let part = |split: &Split| {
                let (_, inst) = last
                    .filter(|(at, _)| *at == split.at)
                    .or_else(|| Some((split.at, plan.inst(split.at)?)))?;
                last = Some((split.at, inst));
                Some(BarrierPart { warp: split.warp, lanes: LaneMask(split.lanes), inst })
            };
            let mut parts = Vec::new();
            if O::OBSERVES {
                parts.reserve(released.len());
                parts.extend(released.iter().filter_map(part));
            }
            if O::OBSERVES {
                observer.complete_barrier(&View::new(&self.frame), id as u32, &parts);
            }
            for split in &released {
                let op = plan.barrier(split.at);
                if let Some(reduction) = op.reduction {
                    // SAFETY: the operation belongs to the frame's program.
                    unsafe {
                        reduction.write(
                            &self.frame,
                            split.warp,
                            split.lanes,
                            barrier.trues,
                            barrier.arrived,
                        );
                    }
                }
            }
            self.release_all(&released);
            if O::EFFECTS {
                observer.after_barrier(&View::new(&self.frame), id as u32, &parts);
            }
            if self.waiting.is_empty() {
                // Its room is used again.
                released.clear();
                self.waiting = released;
            }
        }
    }
}
