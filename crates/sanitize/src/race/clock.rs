//! Clocks of the threads of a CTA.
//!
//! A CTA has one clock. Every access carries the time of its thread's last step of synchronisation (its *stamp*), and what a
//! thread knows is a set of statements "everything that these threads did with stamps below this time happened before".
//! Two kinds of statement cover nearly all code and have a word of their own per lane: about the whole CTA (`floor`, after
//! barriers) and about the thread's warp (`warp_floor`, after `bar.warp.sync`). The rest is a [`Known`].

use super::known::{Group, Known};
use super::line::Order;
use lanes::{LaneMask, Lanes, WARP};
use std::rc::Rc;

/// Barriers of a CTA.
const BARRIERS: usize = 16;

/// A thread of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Thread {
    /// The CTA's number in the grid.
    pub(super) cta: u32,
    pub(super) warp: u8,
    pub(super) lane: u8,
}

impl Thread {
    pub(super) fn new(cta: u64, warp: usize, lane: u32) -> Thread {
        Thread { cta: cta as u32, warp: warp as u8, lane: lane as u8 }
    }
}

/// What lanes of a warp did at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The CTA's number in the grid.
    pub(super) cta: u32,
    pub(super) warp: u8,
    pub(super) lanes: u32,
    pub(super) stamp: u32,
}

impl Step {
    /// One of its threads; the lowest of some lanes.
    pub(super) fn thread(&self, lanes: u32) -> Thread {
        Thread { cta: self.cta, warp: self.warp, lane: lanes.trailing_zeros() as u8 % WARP as u8 }
    }

    /// The lanes that a thread is among.
    pub(super) fn itself(&self, thread: Thread) -> u32 {
        match (self.cta, self.warp) == (thread.cta, thread.warp) {
            true => self.lanes & 1 << thread.lane,
            false => 0,
        }
    }
}

/// A fence that a lane has executed: accesses with stamps below `before` are released by its next strong write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fenced {
    pub(super) before: u32,
    pub(super) wide: bool,
}

/// The clocks of the lanes of a warp.
#[derive(Clone, Debug)]
struct Warp {
    /// Stamps of the accesses that come next.
    now: Lanes<u32>,
    floor: Lanes<u32>,
    warp_floor: Lanes<u32>,
    /// Whether all lanes have the same clocks and know nothing else.
    uniform: bool,
    known: Lanes<Option<Rc<Known>>>,
    fenced: Lanes<Option<Fenced>>,
    /// What strong reads have seen, to be known after the next fence or barrier.
    seen: Lanes<Option<Rc<Known>>>,
    /// What strong reads have seen, to be known after the next fence that reaches beyond the CTA.
    far: Lanes<Option<Rc<Known>>>,
}

/// What makes a thread know what it has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// A fence, or a barrier.
    Sync,
    /// A fence that reaches beyond the CTA.
    WideFence,
}

impl Warp {
    fn new() -> Warp {
        Warp {
            now: [1; WARP],
            floor: [1; WARP],
            warp_floor: [1; WARP],
            uniform: true,
            known: [const { None }; WARP],
            fenced: [None; WARP],
            seen: [const { None }; WARP],
            far: [const { None }; WARP],
        }
    }
}

/// Clocks that all lanes of a warp share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uniform {
    pub(super) floor: u32,
    pub(super) warp_floor: u32,
    pub(super) lockstep: bool,
}

/// The clocks of a CTA.
#[derive(Debug)]
pub(super) struct Clocks {
    cta: u32,
    lockstep: bool,
    time: u32,
    warps: Vec<Warp>,
    /// Per barrier, what those who arrived without waiting brought.
    arrived: [Option<Known>; BARRIERS],
}

impl Clocks {
    pub(super) fn new(cta: u32, warps: usize, lockstep: bool) -> Clocks {
        let arrived = [const { None }; BARRIERS];
        Clocks { cta, lockstep, time: 1, warps: vec![Warp::new(); warps], arrived }
    }

    pub(super) fn restart(&mut self, cta: u32) {
        (self.cta, self.time) = (cta, 1);
        self.warps.fill_with(Warp::new);
        self.arrived = [const { None }; BARRIERS];
    }

    fn tick(&mut self) -> u32 {
        self.time = self.time.saturating_add(1);
        self.time
    }

    /// The stamps of a warp's next accesses.
    pub(super) fn stamps(&self, warp: usize) -> &Lanes<u32> {
        &self.warps[warp].now
    }

    /// The clocks of a warp whose lanes all have the same ones and know nothing else.
    pub(super) fn uniform(&self, warp: usize) -> Option<Uniform> {
        let (clocks, lockstep) = (&self.warps[warp], self.lockstep);
        clocks.uniform.then(|| Uniform {
            floor: clocks.floor[0],
            warp_floor: clocks.warp_floor[0],
            lockstep,
        })
    }

    /// The lanes whose step happened before what `thread` does now.
    #[inline]
    pub(super) fn known(&self, thread: Thread, by: &Step) -> u32 {
        let (warp, lane) = (&self.warps[usize::from(thread.warp)], usize::from(thread.lane));
        if by.cta == thread.cta {
            let same_warp = by.warp == thread.warp;
            let met = same_warp && (self.lockstep || by.stamp < warp.warp_floor[lane]);
            if met || by.stamp < warp.floor[lane] {
                return by.lanes;
            }
        }
        let others = warp.known[lane].as_ref().map_or(0, |known| known.lanes(by));
        others | by.itself(thread)
    }

    /// How an earlier step stands to one that begins now.
    #[inline]
    pub(super) fn order(&self, by: &Step, new: &Step) -> Order {
        let lowest = new.thread(new.lanes);
        let known = self.known(lowest, by);
        let others = new.lanes & new.lanes.wrapping_sub(1);
        if others == 0 {
            return Order { some: known, all: known };
        }
        if self.warps[usize::from(new.warp)].uniform {
            // All know the same, and each itself: two of them tell.
            let all = known & self.known(new.thread(others), by);
            let itself = (by.cta, by.warp) == (new.cta, new.warp);
            return Order { some: all | if itself { by.lanes & new.lanes } else { 0 }, all };
        }
        LaneMask(others).iter().fold(Order { some: known, all: known }, |order, lane| {
            let known = self.known(Thread { lane: lane as u8, ..lowest }, by);
            Order { some: order.some | known, all: order.all & known }
        })
    }

    /// Everything that a lane knows, itself included up to a stamp.
    pub(super) fn knowledge(&self, thread: Thread, before: u32) -> Known {
        let (clocks, lane) = (&self.warps[usize::from(thread.warp)], usize::from(thread.lane));
        let mut known = clocks.known[lane].as_deref().cloned().unwrap_or_default();
        known.add(self.cta, Group::All, clocks.floor[lane]);
        let itself = if self.lockstep { u32::MAX } else { 1 << lane };
        known.add(self.cta, Group::Lanes(thread.warp, u32::MAX), clocks.warp_floor[lane]);
        known.add(self.cta, Group::Lanes(thread.warp, itself), before);
        known
    }

    /// A lane releases what it did so far: the stamp below which that is, and what it knows.
    pub(super) fn release(&mut self, thread: Thread) -> Known {
        let time = self.tick();
        let clocks = &mut self.warps[usize::from(thread.warp)];
        clocks.now[usize::from(thread.lane)] = time;
        clocks.uniform = false;
        self.knowledge(thread, time)
    }

    /// The fence that a lane executed last.
    pub(super) fn fenced(&self, thread: Thread) -> Option<Fenced> {
        self.warps[usize::from(thread.warp)].fenced[usize::from(thread.lane)]
    }

    /// A lane learns something.
    pub(super) fn learn(&mut self, thread: Thread, news: &Rc<Known>) {
        let clocks = &mut self.warps[usize::from(thread.warp)];
        clocks.uniform = false;
        merge(&mut clocks.known[usize::from(thread.lane)], news);
    }

    /// A lane has seen something that it does not know yet.
    pub(super) fn see(&mut self, thread: Thread, news: &Rc<Known>, until: Until) {
        let clocks = &mut self.warps[usize::from(thread.warp)];
        clocks.uniform = false;
        let seen = match until {
            Until::Sync => &mut clocks.seen,
            Until::WideFence => &mut clocks.far,
        };
        merge(&mut seen[usize::from(thread.lane)], news);
    }

    /// Lanes execute a fence.
    pub(super) fn fence(&mut self, warp: usize, lanes: LaneMask, wide: bool) {
        let time = self.tick();
        let clocks = &mut self.warps[warp];
        for lane in lanes {
            let lane = lane as usize;
            clocks.now[lane] = time;
            clocks.fenced[lane] = Some(Fenced { before: time, wide });
            let far = if wide { clocks.far[lane].take() } else { None };
            for seen in [clocks.seen[lane].take(), far].into_iter().flatten() {
                clocks.uniform = false;
                merge(&mut clocks.known[lane], &seen);
            }
        }
        clocks.uniform &= lanes.is_full();
    }

    /// Lanes of a warp meet at `bar.warp.sync`.
    pub(super) fn warp_sync(&mut self, warp: usize, lanes: LaneMask, live: LaneMask) {
        let time = self.tick();
        let clocks = &mut self.warps[warp];
        let whole = lanes == live;
        let most =
            |row: &Lanes<u32>| lanes.iter().map(|lane| row[lane as usize]).max().unwrap_or(0);
        let (floor, warp_floor) = (most(&clocks.floor), most(&clocks.warp_floor));
        let (mut known, mut far) = (None, None);
        for lane in lanes {
            let lane = lane as usize;
            clocks.far[lane].iter().for_each(|from| merge(&mut far, from));
            for from in [&clocks.known[lane], &clocks.seen[lane]].into_iter().flatten() {
                merge(&mut known, from);
            }
        }
        if !whole {
            let mut more = Known::new();
            more.add(self.cta, Group::Lanes(warp as u8, lanes.0), time);
            merge(&mut known, &Rc::new(more));
        }
        for lane in lanes.iter().map(|lane| lane as usize) {
            clocks.now[lane] = time;
            clocks.floor[lane] = floor;
            clocks.warp_floor[lane] = if whole { time } else { warp_floor };
            clocks.known[lane].clone_from(&known);
            clocks.far[lane].clone_from(&far);
        }
        clocks.uniform = whole && known.is_none() && far.is_none() && lanes.is_full();
    }

    /// Lanes arrive at a barrier and go on.
    pub(super) fn arrive(&mut self, id: usize, warp: usize, lanes: LaneMask) {
        let mut brought = self.arrived.get_mut(id).and_then(Option::take).unwrap_or_default();
        for lane in lanes {
            let thread = Thread { cta: self.cta, warp: warp as u8, lane: lane as u8 };
            brought.join(&self.release(thread));
        }
        if let Some(arrived) = self.arrived.get_mut(id) {
            *arrived = Some(brought);
        }
    }

    /// A barrier is complete. `all` says that every live thread of the CTA waits there.
    pub(super) fn barrier(&mut self, id: usize, waiting: &[LaneMask], all: bool) {
        let time = self.tick();
        let nobody_arrived = self.arrived.get(id).is_none_or(Option::is_none);
        let uniform = |(clocks, lanes): (&Warp, &LaneMask)| clocks.uniform && lanes.is_full();
        if all && nobody_arrived && self.warps.iter().zip(waiting).all(uniform) {
            for clocks in &mut self.warps {
                clocks.now = [time; WARP];
                clocks.floor = [time; WARP];
                clocks.warp_floor = [time; WARP];
            }
            return;
        }
        let mut joined = self.arrived.get_mut(id).and_then(Option::take).unwrap_or_default();
        let (mut floor, mut far) = (0, None);
        for (warp, lanes) in waiting.iter().enumerate() {
            for lane in *lanes {
                let at = lane as usize;
                let clocks = &self.warps[warp];
                clocks.far[at].iter().for_each(|from| merge(&mut far, from));
                floor = floor.max(clocks.floor[at]);
                if all && clocks.known[at].is_none() && clocks.seen[at].is_none() {
                    continue;
                }
                if let Some(known) = &clocks.known[at] {
                    joined.join(known);
                }
                // A barrier is no fence for what an atomic saw of other CTAs, but code relies on it as on one: the last CTA
                // to take a ticket works with the results of the others.
                if let Some(seen) = &clocks.seen[at] {
                    joined.join(seen);
                }
                if !all {
                    joined.add(self.cta, Group::Lanes(warp as u8, u32::MAX), clocks.warp_floor[at]);
                }
            }
            if !all && !lanes.is_empty() {
                joined.add(self.cta, Group::Lanes(warp as u8, lanes.0), time);
            }
        }
        if all {
            joined.forget(self.cta);
        }
        let known = (!joined.is_empty()).then(|| Rc::new(joined));
        for (warp, lanes) in waiting.iter().enumerate() {
            let clocks = &mut self.warps[warp];
            for lane in lanes.iter().map(|lane| lane as usize) {
                clocks.now[lane] = time;
                clocks.floor[lane] = if all { time } else { floor };
                clocks.known[lane].clone_from(&known);
                clocks.seen[lane] = None;
                clocks.far[lane].clone_from(&far);
            }
            if all {
                clocks.uniform = known.is_none() && far.is_none() && lanes.is_full();
                if clocks.uniform {
                    clocks.warp_floor = [time; WARP];
                }
            } else if !lanes.is_empty() {
                clocks.uniform = false;
            }
        }
    }
}

/// Adds statements to a set that may be shared.
fn merge(to: &mut Option<Rc<Known>>, from: &Rc<Known>) {
    match to {
        None => *to = Some(Rc::clone(from)),
        Some(known) if Rc::ptr_eq(known, from) => {}
        Some(known) => Rc::make_mut(known).join(from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: LaneMask = LaneMask::FULL;

    fn thread(warp: usize, lane: u32) -> Thread {
        Thread::new(0, warp, lane)
    }

    /// Whether what `other` did just now happened before what `thread` does from here on, after `sync`.
    fn ordered(
        clocks: &mut Clocks,
        other: Thread,
        thread: Thread,
        sync: impl FnOnce(&mut Clocks),
    ) -> bool {
        let stamp = clocks.stamps(usize::from(other.warp))[usize::from(other.lane)];
        sync(clocks);
        let Thread { cta, warp, lane } = other;
        clocks.known(thread, &Step { cta, warp, lanes: 1 << lane, stamp }) != 0
    }

    #[test]
    fn barriers_order_those_who_take_part() {
        let mut clocks = Clocks::new(0, 2, false);
        let (a, b, far) = (thread(0, 0), thread(0, 1), thread(1, 0));
        assert!(ordered(&mut clocks, a, a, |_| ()));
        assert!(!ordered(&mut clocks, a, b, |_| ()));
        assert!(ordered(&mut clocks, a, b, |clocks| clocks.warp_sync(0, FULL, FULL)));
        assert!(!ordered(&mut clocks, a, far, |clocks| clocks.warp_sync(0, FULL, FULL)));
        let low = LaneMask(0xffff);
        assert!(ordered(&mut clocks, a, b, |clocks| clocks.warp_sync(0, low, FULL)));
        let high = thread(0, 16);
        assert!(!ordered(&mut clocks, a, high, |clocks| clocks.warp_sync(0, low, FULL)));
        assert!(ordered(&mut clocks, a, far, |clocks| clocks.barrier(0, &[FULL, FULL], true)));
        // A barrier of some threads, after which the others still know nothing.
        let some = [low, low];
        assert!(ordered(&mut clocks, a, far, |clocks| clocks.barrier(1, &some, false)));
        assert!(!ordered(&mut clocks, a, high, |clocks| clocks.barrier(1, &some, false)));
    }

    #[test]
    fn order_is_transitive() {
        let mut clocks = Clocks::new(0, 2, false);
        let (a, far) = (thread(0, 0), thread(1, 0));
        // The lanes of a warp meet, then one of them alone meets the other warp.
        assert!(ordered(&mut clocks, a, far, |clocks| {
            clocks.warp_sync(0, FULL, FULL);
            clocks.barrier(1, &[LaneMask::single(20), FULL], false);
        }));
    }

    #[test]
    fn who_arrives_without_waiting_releases_and_does_not_acquire() {
        let mut clocks = Clocks::new(0, 2, false);
        let (producer, consumer) = (thread(0, 3), thread(1, 3));
        let hand_over = |clocks: &mut Clocks| {
            clocks.arrive(1, 0, FULL);
            clocks.barrier(1, &[LaneMask::EMPTY, FULL], false);
        };
        assert!(ordered(&mut clocks, producer, consumer, hand_over));
        assert!(!ordered(&mut clocks, consumer, producer, hand_over));
    }

    #[test]
    fn lockstep_orders_the_lanes_of_a_warp() {
        let mut clocks = Clocks::new(0, 2, true);
        assert!(ordered(&mut clocks, thread(0, 0), thread(0, 1), |_| ()));
        assert!(!ordered(&mut clocks, thread(0, 0), thread(1, 0), |_| ()));
    }
}
