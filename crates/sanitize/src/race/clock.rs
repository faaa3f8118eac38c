//! Clocks of the threads of a CTA.
//!
//! A CTA has one clock. Every access carries the time of its thread's last step of synchronisation (its *stamp*), and what a
//! thread knows is a set of statements "everything that these threads did with stamps below this time happened before".
//! Two kinds of statement cover nearly all code and have a field of their own per lane: about the whole CTA (`floor`, after
//! barriers) and about the thread's warp (`warp_floor`, after `bar.warp.sync`). The rest is a [`HappensBefore`].

use super::fence::Fenced;
use super::happens_before::{Group, HappensBefore};
use super::joint_collectives::JointCollectives;
use super::step::{Order, Step, Thread, Uniform};
use crate::alike::Alike;
use crate::anew::Anew;
use lanes::{LaneMask, Lanes};
use std::rc::Rc;
use vm::BARRIERS;

/// The clocks of the lanes of a warp.
#[derive(Clone, Debug)]
struct Warp {
    /// Stamps of the accesses that come next.
    now: Alike<u32>,
    floor: Alike<u32>,
    warp_floor: Alike<u32>,
    /// Whether all lanes have the same clocks and know nothing else.
    uniform: bool,
    known: Anew<Lanes<Option<Rc<HappensBefore>>>>,
    fenced: Anew<Lanes<Option<Fenced>>>,
    /// The lanes that have executed a fence and told no barrier of it.
    fences: LaneMask,
    /// Who took part in collectives, which order no memory.
    joint: JointCollectives,
    /// What strong reads have seen and the lane does not know yet, by what it waits for.
    seen: Anew<[Lanes<Option<Rc<HappensBefore>>>; 3]>,
    /// What strong reads found last, those of the CTA's own releases and those of all, and when the lane knows it: nothing that it learns is forgotten, so that a loop which finds the same
    /// again and again has nothing to learn.
    found: Anew<Lanes<[Option<Found>; 2]>>,
}

/// What a strong read has found, and what makes the lane know it; at once if that is nothing.
type Found = (Rc<HappensBefore>, Option<Until>);

/// What makes a thread know what it has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Any fence or barrier.
    Fence,
    /// A barrier, or a fence that reaches beyond the CTA.
    Barrier,
    /// A fence that reaches beyond the CTA.
    WideFence,
}

impl Warp {
    fn new() -> Warp {
        Warp {
            now: Alike::new(1),
            floor: Alike::new(1),
            warp_floor: Alike::new(1),
            uniform: true,
            known: Anew::default(),
            fenced: Anew::default(),
            fences: LaneMask::EMPTY,
            joint: JointCollectives::default(),
            seen: Anew::default(),
            found: Anew::default(),
        }
    }

    /// The same for the next CTA.
    fn restart(&mut self) {
        let Warp { now, floor, warp_floor, uniform, known, fenced, fences, joint, seen, found } =
            self;
        [now, floor, warp_floor].into_iter().for_each(|times| times.set_all(1));
        *uniform = true;
        *fences = LaneMask::EMPTY;
        joint.forget();
        known.restart(|known| *known = Lanes::default());
        fenced.restart(|fenced| *fenced = Lanes::default());
        seen.restart(|seen| *seen = <[Lanes<_>; 3]>::default());
        found.restart(|found| *found = Lanes::default());
    }

    /// Whether a lane's last strong reads found the same. Its next ones have found this.
    fn finds_again(&mut self, lane: usize, news: &Rc<HappensBefore>, until: Option<Until>) -> bool {
        let is_same = |(known, when): &Found| Rc::ptr_eq(known, news) && *when == until;
        if self.found[lane].iter().flatten().any(is_same) {
            return true;
        }
        let [last, before] = &mut self.found[lane];
        *before = last.replace((Rc::clone(news), until));
        false
    }

    /// What a lane knows after a barrier.
    fn after_barrier(&self, lane: usize) -> [Option<&Rc<HappensBefore>>; 3] {
        let [fence, barrier, _] = &*self.seen;
        [&self.known[lane], &fence[lane], &barrier[lane]].map(Option::as_ref)
    }

    /// What a lane has seen that no barrier lets it know.
    fn far(&self, lane: usize) -> &Option<Rc<HappensBefore>> {
        &self.seen[Until::WideFence as usize][lane]
    }

    /// A lane knows what it has seen, but for this.
    fn forget_seen(&mut self, lane: usize, far: &Option<Rc<HappensBefore>>) {
        let [fence, barrier, wide_fence] = &mut *self.seen;
        (fence[lane], barrier[lane]) = (None, None);
        wide_fence[lane].clone_from(far);
    }

    /// What a lane's fence holds.
    fn fence(&self, lane: usize, before: u32, wide: bool) -> Fenced {
        let (floor, warp_floor) = (self.floor.of(lane), self.warp_floor.of(lane));
        Fenced { before, floor, warp_floor, known: self.known[lane].clone(), wide }
    }
}

/// The clocks of a CTA.
#[derive(Debug)]
pub(super) struct Clocks {
    cta: u32,
    lockstep: bool,
    time: u32,
    /// The time of the releases of this instruction, if there were any.
    releases_at: Option<u32>,
    /// The lanes of each warp that exist.
    existing: Vec<LaneMask>,
    warps: Vec<Warp>,
    /// Per barrier, what those who arrived without waiting brought.
    arrived: Anew<[Option<HappensBefore>; BARRIERS]>,
}

impl Clocks {
    /// Those of a CTA whose warps have such lanes.
    pub(super) fn new(cta: u32, existing: Vec<LaneMask>, lockstep: bool) -> Clocks {
        let warps = vec![Warp::new(); existing.len()];
        let arrived = Anew::default();
        Clocks { cta, lockstep, time: 1, releases_at: None, existing, warps, arrived }
    }

    pub(super) fn restart(&mut self, cta: u32) {
        (self.cta, self.time) = (cta, 1);
        self.warps.iter_mut().for_each(Warp::restart);
        self.arrived.restart(|arrived| *arrived = Default::default());
    }

    fn tick(&mut self) -> u32 {
        self.time = self.time.saturating_add(1);
        self.time
    }

    /// The stamps of a warp's next accesses.
    pub(super) fn stamps(&self, warp: usize) -> &Alike<u32> {
        &self.warps[warp].now
    }

    /// What the CTA's threads did before this time, all of its threads know that still run, as far as a lane knows.
    pub(super) fn floor(&self, warp: usize, lane: u32) -> u32 {
        self.warps[warp].floor.of(lane as usize)
    }

    /// The clocks of a warp whose lanes all have the same ones and know nothing else.
    pub(super) fn uniform(&self, warp: usize) -> Option<Uniform> {
        let (clocks, lockstep) = (&self.warps[warp], self.lockstep);
        clocks.uniform.then(|| Uniform {
            floor: clocks.floor.of(0),
            warp_floor: clocks.warp_floor.of(0),
            lockstep,
        })
    }

    /// The lanes whose step happened before what `thread` does now.
    #[inline]
    pub(super) fn known(&self, thread: Thread, by: &Step) -> u32 {
        let (warp, lane) = (&self.warps[usize::from(thread.warp)], usize::from(thread.lane));
        if by.cta == thread.cta {
            let same_warp = by.warp == thread.warp;
            let ordered = same_warp && (self.lockstep || by.stamp < warp.warp_floor.of(lane));
            if ordered || by.stamp < warp.floor.of(lane) {
                return by.lanes;
            }
        }
        let others = warp.known[lane].as_ref().map_or(0, |known| known.lanes(by));
        others | by.itself(thread)
    }

    /// Whether a thread knows that some thread of another CTA did something before.
    pub(super) fn knows_of(&self, thread: Thread, cta: u32) -> bool {
        let known = &self.warps[usize::from(thread.warp)].known[usize::from(thread.lane)];
        known.as_ref().is_some_and(|known| known.speaks_of(cta))
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

    /// Lanes begin an instruction. What they release in it has one time: so the lanes of a warp keep their stamps in common.
    pub(super) fn begin(&mut self) {
        self.releases_at = None;
    }

    /// A lane releases what it did so far: the stamp below which that is, and what it knows.
    pub(super) fn release(&mut self, thread: Thread) -> HappensBefore {
        let time = self.releases_at.unwrap_or_else(|| self.tick());
        self.releases_at = Some(time);
        let clocks = &mut self.warps[usize::from(thread.warp)];
        let lane = usize::from(thread.lane);
        clocks.now.set(LaneMask::single(thread.lane.into()), time);
        clocks.uniform = false;
        let fence = clocks.fence(lane, time, true);
        self.released(thread, &fence)
    }

    /// Lanes of a warp release what they did so far, all at one time.
    pub(super) fn release_together(&mut self, warp: usize, lanes: LaneMask) -> HappensBefore {
        let time = self.tick();
        let clocks = &mut self.warps[warp];
        clocks.uniform &= lanes.is_full();
        clocks.now.set(lanes, time);
        let mut released = HappensBefore::new();
        // Lanes with the same clocks make one statement.
        let mut last: Option<(usize, u32, Fenced)> = None;
        for lane in lanes {
            let fence = self.warps[warp].fence(lane as usize, time, true);
            match &mut last {
                Some((_, lanes, alike)) if alike.is_alike(&fence) => *lanes |= 1 << lane,
                _ => {
                    let before = last.replace((warp, 1 << lane, fence));
                    let before = before.as_ref().map(|(warp, lanes, fence)| (*warp, *lanes, fence));
                    self.add_fenced(&mut released, before);
                }
            }
        }
        let last = last.as_ref().map(|(warp, lanes, fence)| (*warp, *lanes, fence));
        self.add_fenced(&mut released, last);
        released
    }

    /// Whether lanes took part in a collective with those of an earlier step after that.
    pub(super) fn have_met(&self, by: &Step, new: &Step) -> bool {
        let same_warp = (by.cta, by.warp) == (new.cta, new.warp);
        let both = by.lanes | new.lanes;
        same_warp && self.warps[usize::from(by.warp)].joint.since(by.stamp, both)
    }

    /// What a lane's strong write releases that is no release itself, and whether beyond the CTA.
    pub(super) fn fenced(&self, thread: Thread) -> Option<(HappensBefore, bool)> {
        let warp = &self.warps[usize::from(thread.warp)];
        let fence = warp.fenced[usize::from(thread.lane)].as_ref()?;
        Some((self.released(thread, fence), fence.wide))
    }

    fn released(&self, thread: Thread, fence: &Fenced) -> HappensBefore {
        let mut released = HappensBefore::new();
        let itself = if self.lockstep { u32::MAX } else { 1 << thread.lane };
        fence.add_to(&mut released, (self.cta, thread.warp), itself);
        released
    }

    /// A lane learns something.
    pub(super) fn learn(&mut self, thread: Thread, news: &Rc<HappensBefore>) {
        let clocks = &mut self.warps[usize::from(thread.warp)];
        let lane = usize::from(thread.lane);
        if clocks.finds_again(lane, news, None) {
            return;
        }
        clocks.uniform = false;
        let floor = clocks.floor.of(lane).max(news.floor(thread.cta));
        clocks.floor.set(LaneMask::single(thread.lane.into()), floor);
        merge(&mut clocks.known[lane], news);
    }

    /// Lanes of a warp learn something.
    pub(super) fn learn_together(
        &mut self,
        warp: usize,
        lanes: LaneMask,
        news: &Rc<HappensBefore>,
    ) {
        let (clocks, floor) = (&mut self.warps[warp], news.floor(self.cta));
        clocks.uniform = false;
        // Lanes that know the same go on knowing the same.
        let mut last: Option<[Option<Rc<HappensBefore>>; 2]> = None;
        for (itself, lane) in lanes.iter().map(|lane| (LaneMask::single(lane), lane as usize)) {
            clocks.floor.set(itself, clocks.floor.of(lane).max(floor));
            let before = clocks.known[lane].take();
            let is_same = |known: &Option<Rc<HappensBefore>>| match (known, &before) {
                (Some(known), Some(before)) => Rc::ptr_eq(known, before),
                (known, before) => known.is_none() && before.is_none(),
            };
            let after = match &last {
                Some([known, after]) if is_same(known) => after.clone(),
                _ => {
                    let mut after = before.clone();
                    merge(&mut after, news);
                    after
                }
            };
            clocks.known[lane].clone_from(&after);
            last = Some([before, after]);
        }
    }

    /// Says shorter what was released by threads of this CTA.
    pub(super) fn sum_up(&self, released: &mut HappensBefore) {
        released.sum_up(self.cta, &self.existing);
    }

    /// A lane has seen something that it does not know yet.
    pub(super) fn see(&mut self, thread: Thread, news: &Rc<HappensBefore>, until: Until) {
        let clocks = &mut self.warps[usize::from(thread.warp)];
        let lane = usize::from(thread.lane);
        if clocks.finds_again(lane, news, Some(until)) {
            return;
        }
        clocks.uniform = false;
        merge(&mut clocks.seen[until as usize][lane], news);
    }

    /// Lanes execute a fence.
    pub(super) fn fence(&mut self, warp: usize, lanes: LaneMask, wide: bool) {
        let time = self.tick();
        let clocks = &mut self.warps[warp];
        clocks.now.set(lanes, time);
        for lane in lanes {
            let lane = lane as usize;
            let ends: &[Until] = match wide {
                true => &[Until::Fence, Until::Barrier, Until::WideFence],
                false => &[Until::Fence],
            };
            for until in ends {
                if let Some(seen) = clocks.seen[*until as usize][lane].take() {
                    clocks.uniform = false;
                    merge(&mut clocks.known[lane], &seen);
                }
            }
            clocks.fenced[lane] = Some(clocks.fence(lane, time, wide));
        }
        clocks.fences |= lanes;
        clocks.uniform &= lanes.is_full();
    }

    /// What the lanes of a completed barrier have fenced, all of them may release. `None` if none of them has executed a fence.
    fn meet_fenced(
        &self,
        waited: impl Iterator<Item = (usize, LaneMask)> + Clone,
    ) -> Option<Fenced> {
        if waited.clone().all(|(warp, lanes)| !self.warps[warp].fences.intersects(lanes)) {
            return None;
        }
        let fenced = waited.flat_map(|(warp, lanes)| {
            let of = move |lane: u32| self.warps[warp].fenced[lane as usize].as_ref();
            lanes.iter().filter_map(move |lane| Some((warp, lane, of(lane)?)))
        });
        let wide = fenced.clone().any(|(.., fence)| fence.wide);
        let mut released = HappensBefore::new();
        // Lanes with the same clocks make one statement.
        let mut last: Option<(usize, u32, &Fenced)> = None;
        for (warp, lane, fence) in fenced.filter(|(.., fence)| fence.wide == wide) {
            match &mut last {
                Some((of, lanes, alike)) if *of == warp && alike.is_alike(fence) => {
                    *lanes |= 1 << lane
                }
                _ => {
                    let before = last.replace((warp, 1 << lane, fence));
                    self.add_fenced(&mut released, before);
                }
            }
        }
        self.add_fenced(&mut released, last);
        let known = Some(Rc::new(released));
        Some(Fenced { before: 0, floor: 0, warp_floor: 0, known, wide })
    }

    fn add_fenced(&self, released: &mut HappensBefore, fence: Option<(usize, u32, &Fenced)>) {
        if let Some((warp, lanes, fence)) = fence {
            let lanes = if self.lockstep { u32::MAX } else { lanes };
            fence.add_to(released, (self.cta, warp as u8), lanes);
        }
    }

    /// Lanes of a warp meet at `bar.warp.sync`.
    pub(super) fn warp_sync(&mut self, warp: usize, lanes: LaneMask, live: LaneMask) {
        let time = self.tick();
        let fenced = self.meet_fenced(std::iter::once((warp, lanes)));
        let clocks = &mut self.warps[warp];
        if let Some(fenced) = fenced {
            lanes.iter().for_each(|lane| clocks.fenced[lane as usize] = Some(fenced.clone()));
        }
        let whole = lanes == live;
        let most = |times: &Alike<u32>| {
            lanes.iter().map(|lane| times.of(lane as usize)).max().unwrap_or(0)
        };
        let (floor, warp_floor) = (most(&clocks.floor), most(&clocks.warp_floor));
        let (mut known, mut far) = (None, None);
        for lane in lanes {
            let lane = lane as usize;
            clocks.far(lane).iter().for_each(|from| merge(&mut far, from));
            for from in clocks.after_barrier(lane).into_iter().flatten() {
                merge(&mut known, from);
            }
        }
        if !whole {
            let mut more = HappensBefore::new();
            more.add(self.cta, Group::Lanes(warp as u8, lanes.0), time);
            merge(&mut known, &Rc::new(more));
        }
        clocks.now.set(lanes, time);
        clocks.floor.set(lanes, floor);
        clocks.warp_floor.set(lanes, if whole { time } else { warp_floor });
        for lane in lanes.iter().map(|lane| lane as usize) {
            clocks.known[lane].clone_from(&known);
            clocks.forget_seen(lane, &far);
        }
        clocks.uniform = whole && known.is_none() && far.is_none() && lanes.is_full();
    }

    /// Lanes of a warp tell each other values: what one has acquired or seen, all have, and what they have read is read.
    pub(super) fn tell(&mut self, warp: usize, lanes: LaneMask) {
        let time = self.tick();
        let clocks = &mut self.warps[warp];
        clocks.joint.meet(lanes.0, time);
        // That of lanes that take no part costs nothing, and leaves the clocks of the warp alike.
        clocks.now.set_all(time);
        if clocks.uniform {
            return;
        }
        share(&mut clocks.known, lanes);
        clocks.seen.iter_mut().for_each(|seen| share(seen, lanes));
    }

    /// Lanes arrive at a barrier and go on.
    pub(super) fn arrive(&mut self, id: usize, warp: usize, lanes: LaneMask) {
        let mut brought = self.arrived.get_mut(id).and_then(Option::take).unwrap_or_default();
        self.begin();
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
        let waited = waiting.iter().enumerate().map(|(warp, lanes)| (warp, *lanes));
        if let Some(fenced) = self.meet_fenced(waited) {
            for (clocks, lanes) in self.warps.iter_mut().zip(waiting) {
                clocks.fences -= *lanes;
                lanes.iter().for_each(|lane| clocks.fenced[lane as usize] = Some(fenced.clone()));
            }
        }
        let nobody_arrived = self.arrived.get(id).is_none_or(Option::is_none);
        let uniform = |(clocks, lanes): (&Warp, &LaneMask)| clocks.uniform && lanes.is_full();
        if all && nobody_arrived && self.warps.iter().zip(waiting).all(uniform) {
            for clocks in &mut self.warps {
                clocks.now.set_all(time);
                clocks.floor.set_all(time);
                clocks.warp_floor.set_all(time);
            }
            return;
        }
        let mut joined = match nobody_arrived {
            true => HappensBefore::default(),
            false => self.arrived.get_mut(id).and_then(Option::take).unwrap_or_default(),
        };
        let (mut floor, mut far) = (0, None);
        // Most lanes bring what the lane before them brought.
        let mut last = [None; 3];
        for (warp, lanes) in waiting.iter().enumerate() {
            for lane in *lanes {
                let at = lane as usize;
                let clocks = &self.warps[warp];
                clocks.far(at).iter().for_each(|from| merge(&mut far, from));
                floor = floor.max(clocks.floor.of(at));
                // A barrier is no fence for what an atomic saw of other CTAs, but code relies on it as on one: the last CTA
                // to take a ticket works with the results of the others.
                for (last, brought) in last.iter_mut().zip(clocks.after_barrier(at)) {
                    let Some(brought) = brought else { continue };
                    if last.replace(brought).is_none_or(|last| !Rc::ptr_eq(last, brought)) {
                        joined.join(brought);
                    }
                }
                if !all {
                    joined.add(
                        self.cta,
                        Group::Lanes(warp as u8, u32::MAX),
                        clocks.warp_floor.of(at),
                    );
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
            clocks.now.set(*lanes, time);
            clocks.floor.set(*lanes, if all { time } else { floor });
            for lane in lanes.iter().map(|lane| lane as usize) {
                clocks.known[lane].clone_from(&known);
                clocks.forget_seen(lane, &far);
            }
            if all {
                clocks.uniform = known.is_none() && far.is_none() && lanes.is_full();
                if clocks.uniform {
                    clocks.warp_floor.set_all(time);
                }
            } else if !lanes.is_empty() {
                clocks.uniform = false;
            }
        }
    }
}

/// Gives some lanes what each of them has.
fn share(of: &mut Lanes<Option<Rc<HappensBefore>>>, lanes: LaneMask) {
    let mut all = None;
    for lane in lanes {
        of[lane as usize].iter().for_each(|from| merge(&mut all, from));
    }
    if all.is_some() {
        lanes.iter().for_each(|lane| of[lane as usize].clone_from(&all));
    }
}

/// Adds statements to a set that may be shared.
fn merge(to: &mut Option<Rc<HappensBefore>>, from: &Rc<HappensBefore>) {
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
        let stamp = clocks.stamps(usize::from(other.warp)).of(usize::from(other.lane));
        sync(clocks);
        let Thread { cta, warp, lane } = other;
        clocks.known(thread, &Step { cta, warp, lanes: 1 << lane, stamp }) != 0
    }

    #[test]
    fn barriers_order_those_who_take_part() {
        let mut clocks = Clocks::new(0, vec![FULL; 2], false);
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
    fn fences_release_what_came_before_them_also_through_barriers() {
        let mut clocks = Clocks::new(0, vec![FULL; 2], false);
        let now = |clocks: &Clocks| clocks.stamps(0).of(3);
        let released = |clocks: &Clocks, by: Thread, stamp: u32| {
            let (released, wide) = clocks.fenced(by).unwrap_or_default();
            wide && released.lanes(&Step { cta: 0, warp: 0, lanes: 1 << 3, stamp }) != 0
        };
        let (itself, far) = (thread(0, 3), thread(1, 0));
        let before = now(&clocks);
        clocks.fence(0, FULL, true);
        let behind = now(&clocks);
        assert!(released(&clocks, itself, before) && !released(&clocks, itself, behind));
        assert!(!released(&clocks, far, before), "it has not met the other warp");
        clocks.barrier(0, &[FULL, FULL], true);
        for thread in [itself, far] {
            assert!(released(&clocks, thread, before), "its own fence was before");
            assert!(!released(&clocks, thread, behind), "a barrier is no fence");
        }
        clocks.fence(1, FULL, true);
        assert!(released(&clocks, far, behind), "a fence behind the barrier covers all");
    }

    #[test]
    fn order_is_transitive() {
        let mut clocks = Clocks::new(0, vec![FULL; 2], false);
        let (a, far) = (thread(0, 0), thread(1, 0));
        // The lanes of a warp meet, then one of them alone meets the other warp.
        assert!(ordered(&mut clocks, a, far, |clocks| {
            clocks.warp_sync(0, FULL, FULL);
            clocks.barrier(1, &[LaneMask::single(20), FULL], false);
        }));
    }

    #[test]
    fn who_arrives_without_waiting_releases_and_does_not_acquire() {
        let mut clocks = Clocks::new(0, vec![FULL; 2], false);
        let (producer, consumer) = (thread(0, 3), thread(1, 3));
        let hand_over = |clocks: &mut Clocks| {
            clocks.arrive(1, 0, FULL);
            clocks.barrier(1, &[LaneMask::EMPTY, FULL], false);
        };
        assert!(ordered(&mut clocks, producer, consumer, hand_over));
        assert!(!ordered(&mut clocks, consumer, producer, hand_over));
    }

    #[test]
    fn a_lane_has_seen_what_another_tells_it() {
        let mut clocks = Clocks::new(0, vec![FULL; 2], false);
        let (writer, leader, member) = (thread(0, 3), thread(1, 0), thread(1, 5));
        let stamp = clocks.stamps(0).of(3);
        let released = Rc::new(clocks.release(writer));
        clocks.see(leader, &released, Until::WideFence);
        clocks.tell(1, FULL);
        let knows = |clocks: &Clocks| {
            clocks.known(member, &Step { cta: 0, warp: 0, lanes: 1 << 3, stamp }) != 0
        };
        assert!(!knows(&clocks), "a relaxed read needs a fence");
        clocks.fence(1, FULL, true);
        assert!(knows(&clocks));
    }

    #[test]
    fn lockstep_orders_the_lanes_of_a_warp() {
        let mut clocks = Clocks::new(0, vec![FULL; 2], true);
        assert!(ordered(&mut clocks, thread(0, 0), thread(0, 1), |_| ()));
        assert!(!ordered(&mut clocks, thread(0, 0), thread(1, 0), |_| ()));
    }
}
