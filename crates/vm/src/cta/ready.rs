//! The ready splits, by program counter.

use crate::plan::Pc;
use crate::threads::MAX_WARPS;
use std::ops::Range;

/// Splits of one or more warps that can run and stand at the same instruction.
#[derive(Clone, Debug)]
pub(super) struct Front {
    pub(super) at: Pc,
    /// When the one of them ran that has waited longest.
    pub(super) ran: u64,
    /// The warps are among these.
    pub(super) warps: Range<usize>,
    /// Per warp of `warps`, the lanes of its split; others mean nothing.
    pub(super) lanes: [u32; MAX_WARPS],
}

impl Front {
    const EMPTY: Front = Front { at: Pc::START, ran: 0, warps: 0..0, lanes: [0; MAX_WARPS] };

    /// The splits, each with its warp.
    pub(super) fn splits(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.warps.clone().map(|warp| (warp, self.lanes[warp])).filter(|(_, lanes)| *lanes != 0)
    }

    /// Whether a split of a warp is among them.
    fn has(&self, warp: usize) -> bool {
        self.warps.contains(&warp) && self.lanes[warp] != 0
    }

    /// Adds splits that stand at the same instruction.
    fn join(&mut self, ran: u64, warps: Range<usize>, lanes: impl Fn(usize) -> u32) {
        let both = self.warps.start.min(warps.start)..self.warps.end.max(warps.end);
        self.lanes[both.start..self.warps.start].fill(0);
        self.lanes[self.warps.end..both.end].fill(0);
        for warp in warps {
            self.lanes[warp] |= lanes(warp);
        }
        self.warps = both;
        self.ran = self.ran.min(ran);
    }
}

/// The splits that can run. Splits of one warp that stand at the same instruction are one split.
#[derive(Clone, Debug, Default)]
pub(super) struct Ready {
    /// The latest instruction first, so that the earliest is taken from the end. Fronts behind `count` are
    /// spare: a front is large, and its place is used again without moving it.
    #[expect(
        clippy::vec_box,
        reason = "a front has hundreds of bytes, and they change places all the time"
    )]
    fronts: Vec<Box<Front>>,
    count: usize,
}

impl Ready {
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// The fronts, in no order that means anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Front> {
        self.fronts[..self.count].iter().map(Box::as_ref)
    }

    /// Adds the splits of the given warps that have lanes. They join those that stand at the same instruction.
    pub(super) fn add(
        &mut self,
        at: Pc,
        ran: u64,
        warps: Range<usize>,
        lanes: impl Fn(usize) -> u32,
    ) {
        let (mut first, mut end) = (None, 0);
        for warp in warps {
            if lanes(warp) != 0 {
                (first, end) = (first.or(Some(warp)), warp + 1);
            }
        }
        let Some(first) = first else { return };
        let warps = first..end;
        let mut place = self.count;
        while place > 0 && self.fronts[place - 1].at < at {
            place -= 1;
        }
        if let Some(there) = self.fronts[..place].last_mut()
            && there.at == at
        {
            return there.join(ran, warps, lanes);
        }
        let front = self.spare();
        (front.at, front.ran, front.warps) = (at, ran, warps.clone());
        for warp in warps {
            front.lanes[warp] = lanes(warp);
        }
        for behind in (place..self.count).rev() {
            self.fronts.swap(behind, behind + 1);
        }
        self.count += 1;
    }

    /// The first place behind `at` where splits stand.
    pub(super) fn next_behind(&self, at: Pc) -> Option<Pc> {
        let places = self.fronts[..self.count].iter().rev().map(|front| front.at);
        places.into_iter().find(|other| *other > at)
    }

    /// The earliest place where splits stand.
    pub(super) fn earliest(&self) -> Option<Pc> {
        Some(self.fronts[..self.count].last()?.at)
    }

    /// Takes the splits that stand earliest.
    pub(super) fn take_earliest(&mut self) -> Option<&Front> {
        self.take(self.count.checked_sub(1)?)
    }

    /// Takes the splits that have waited longest; of several, those that stand earliest.
    pub(super) fn take_longest_waiting(&mut self) -> Option<&Front> {
        let key = |nth: &usize| (self.fronts[*nth].ran, self.fronts[*nth].at);
        let nth = (0..self.count).min_by_key(key)?;
        self.take(nth)
    }

    /// As [`Ready::take_longest_waiting`], where the lanes of a warp are in lockstep: of its splits only the earliest can run.
    pub(super) fn take_longest_waiting_in_lockstep(&mut self) -> Option<&Front> {
        // Earlier instructions come later in the list.
        let earliest = |nth: usize| {
            let earlier = &self.fronts[nth + 1..self.count];
            let is_earliest = |warp: usize| !earlier.iter().any(|front| front.has(warp));
            let splits = self.fronts[nth].splits();
            splits.filter(move |(warp, _)| is_earliest(*warp))
        };
        let key = |nth: &usize| (self.fronts[*nth].ran, self.fronts[*nth].at);
        let can_run = |nth: &usize| earliest(*nth).next().is_some();
        let nth = (0..self.count).filter(can_run).min_by_key(key)?;
        let mut run = [0; MAX_WARPS];
        earliest(nth).for_each(|(warp, lanes)| run[warp] = lanes);
        self.take_part(nth, |warp| run[warp])
    }

    /// When the splits ran that have waited longest.
    pub(super) fn longest_waiting(&self) -> Option<u64> {
        self.iter().map(|front| front.ran).min()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes these lanes of one warp's split at a place, and leaves its others there.
    pub(super) fn take_split(&mut self, warp: usize, at: Pc, lanes: u32) -> Option<&Front> {
        let nth = self.iter().position(|front| front.at == at && front.has(warp))?;
        self.take_part(nth, |other| if other == warp { lanes } else { 0 })
    }

    /// Takes some lanes of a front's splits, and leaves the others there.
    fn take_part(&mut self, nth: usize, lanes: impl Fn(usize) -> u32) -> Option<&Front> {
        let front = &mut self.fronts[nth];
        if front.splits().all(|(warp, all)| all & !lanes(warp) == 0) {
            return self.take(nth);
        }
        let mut part = Front { lanes: [0; MAX_WARPS], ..Front::clone(front) };
        for warp in front.warps.clone() {
            part.lanes[warp] = front.lanes[warp] & lanes(warp);
            front.lanes[warp] &= !lanes(warp);
        }
        let taken = self.spare();
        *taken = part;
        Some(taken)
    }

    /// Removes a front; it stays in the first spare place.
    fn take(&mut self, nth: usize) -> Option<&Front> {
        self.count -= 1;
        for behind in nth..self.count {
            self.fronts.swap(behind, behind + 1);
        }
        self.fronts.get(self.count).map(Box::as_ref)
    }

    /// The first spare place.
    fn spare(&mut self) -> &mut Front {
        if self.fronts.len() == self.count {
            self.fronts.push(Box::new(Front::EMPTY));
        }
        &mut self.fronts[self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two warps at 4, one of them also at 9, and a third warp at 2.
    fn ready() -> Ready {
        let mut ready = Ready::default();
        ready.add(Pc(4), 3, 0..1, |_| 0x0f);
        ready.add(Pc(9), 1, 0..1, |_| 0xf0);
        ready.add(Pc(2), 2, 2..3, |_| 1);
        ready.add(Pc(4), 5, 0..2, |warp| [0x100, 7][warp]);
        ready
    }

    fn taken(front: Option<&Front>) -> Option<(u32, Vec<(usize, u32)>)> {
        front.map(|front| (front.at.0, front.splits().collect()))
    }

    #[test]
    fn the_earliest_goes_first_and_splits_at_one_place_join() {
        let mut ready = ready();
        assert_eq!(ready.next_behind(Pc(2)), Some(Pc(4)));
        assert_eq!(taken(ready.take_earliest()), Some((2, vec![(2, 1)])));
        assert_eq!(taken(ready.take_earliest()), Some((4, vec![(0, 0x10f), (1, 7)])));
        assert_eq!(ready.next_behind(Pc(4)), Some(Pc(9)));
        assert_eq!(taken(ready.take_earliest()), Some((9, vec![(0, 0xf0)])));
        assert_eq!(taken(ready.take_earliest()), None);
    }

    #[test]
    fn who_has_waited_longest_is_known() {
        let mut ready = ready();
        let mut places = Vec::new();
        while let Some(front) = ready.take_longest_waiting() {
            places.push(front.at.0);
        }
        assert_eq!(places, [9, 2, 4]);
    }

    #[test]
    fn in_lockstep_a_warp_waits_for_its_earliest_split() {
        let mut ready = ready();
        // The first warp's split at 9 has waited longest, and another one of it stands at 4.
        let mut next = || taken(ready.take_longest_waiting_in_lockstep());
        assert_eq!(next(), Some((2, vec![(2, 1)])));
        assert_eq!(next(), Some((4, vec![(0, 0x10f), (1, 7)])));
        assert_eq!(next(), Some((9, vec![(0, 0xf0)])));
        assert_eq!(next(), None);
        ready.add(Pc(9), 1, 0..3, |_| 1);
        ready.add(Pc(4), 2, 1..2, |_| 2);
        let mut next = || taken(ready.take_longest_waiting_in_lockstep());
        assert_eq!(next(), Some((9, vec![(0, 1), (2, 1)])));
        assert_eq!(next(), Some((4, vec![(1, 2)])));
        assert_eq!(next(), Some((9, vec![(1, 1)])));
    }

    #[test]
    fn each_split_can_be_taken_alone() {
        for (at, warp, lanes) in [(2, 2, 1), (4, 0, 0x10f), (4, 1, 7), (9, 0, 0xf0)] {
            let mut ready = ready();
            assert_eq!(taken(ready.take_split(warp, Pc(at), !0)), Some((at, vec![(warp, lanes)])));
            let left: usize = ready.iter().map(|front| front.splits().count()).sum();
            assert_eq!(left, 3);
            assert_eq!(taken(ready.take_split(warp, Pc(at), !0)), None);
        }
    }

    #[test]
    fn some_lanes_can_leave_others_behind() {
        for (at, warp, lanes, rest) in [(9, 0, 0x50, 0xa0), (4, 0, 1, 0x10e), (4, 1, 6, 1)] {
            let mut ready = ready();
            assert_eq!(
                taken(ready.take_split(warp, Pc(at), lanes)),
                Some((at, vec![(warp, lanes)]))
            );
            assert_eq!(taken(ready.take_split(warp, Pc(at), !0)), Some((at, vec![(warp, rest)])));
        }
    }
}
