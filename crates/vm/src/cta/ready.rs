//! The splits that can run, by where they stand.

use crate::interp::MAX_WARPS;
use std::ops::Range;

/// Splits of one or more warps that can run and stand at the same instruction.
#[derive(Clone, Debug)]
pub(super) struct Front {
    pub(super) at: usize,
    /// When the one of them ran that has waited longest.
    pub(super) ran: u64,
    /// The warps are among these.
    pub(super) warps: Range<usize>,
    /// Per warp of `warps`, the lanes of its split; others mean nothing.
    pub(super) lanes: [u32; MAX_WARPS],
}

impl Front {
    const EMPTY: Front = Front { at: 0, ran: 0, warps: 0..0, lanes: [0; MAX_WARPS] };

    /// The splits, each with its warp.
    pub(super) fn splits(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.warps.clone().map(|warp| (warp, self.lanes[warp])).filter(|(_, lanes)| *lanes != 0)
    }

    /// Adds splits that stand at the same instruction.
    fn join(&mut self, ran: u64, warps: Range<usize>, lanes: impl Fn(usize) -> u32) {
        let both = self.warps.start.min(warps.start)..self.warps.end.max(warps.end);
        for warp in both.clone() {
            let there = if self.warps.contains(&warp) { self.lanes[warp] } else { 0 };
            let more = if warps.contains(&warp) { lanes(warp) } else { 0 };
            self.lanes[warp] = there | more;
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
    fronts: Vec<Front>,
    count: usize,
}

impl Ready {
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// The fronts, in no order that means anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Front> {
        self.fronts[..self.count].iter()
    }

    /// Adds the splits of the given warps that have lanes. They join those that stand at the same instruction.
    pub(super) fn add(
        &mut self,
        at: usize,
        ran: u64,
        warps: Range<usize>,
        lanes: impl Fn(usize) -> u32,
    ) {
        let mut has_lanes = warps.clone().filter(|warp| lanes(*warp) != 0);
        let Some(first) = has_lanes.next() else { return };
        let warps = first..has_lanes.next_back().unwrap_or(first) + 1;
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
        if place < self.count {
            self.fronts[place..=self.count].rotate_right(1);
        }
        self.count += 1;
    }

    /// The first place behind `at` where splits stand.
    pub(super) fn next_behind(&self, at: usize) -> Option<usize> {
        let places = self.fronts[..self.count].iter().rev().map(|front| front.at);
        places.into_iter().find(|other| *other > at)
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

    /// When the splits ran that have waited longest.
    pub(super) fn longest_waiting(&self) -> Option<u64> {
        self.iter().map(|front| front.ran).min()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes these lanes of one warp's split at a place, and leaves its others there.
    pub(super) fn take_split(&mut self, warp: usize, at: usize, lanes: u32) -> Option<&Front> {
        let place = self.iter().position(|front| front.at == at)?;
        let front = &mut self.fronts[place];
        let (_, all) = front.splits().find(|(other, _)| *other == warp)?;
        let (lanes, rest) = (all & lanes, all & !lanes);
        if rest == 0 && front.splits().count() == 1 {
            return self.take(place);
        }
        front.lanes[warp] = rest;
        let ran = front.ran;
        let taken = self.spare();
        (taken.at, taken.ran, taken.warps) = (at, ran, warp..warp + 1);
        taken.lanes[warp] = lanes;
        Some(taken)
    }

    /// Removes a front; it stays in the first spare place.
    fn take(&mut self, nth: usize) -> Option<&Front> {
        self.count -= 1;
        if nth < self.count {
            self.fronts[nth..=self.count].rotate_left(1);
        }
        self.fronts.get(self.count)
    }

    /// The first spare place.
    fn spare(&mut self) -> &mut Front {
        if self.fronts.len() == self.count {
            self.fronts.push(Front::EMPTY);
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
        ready.add(4, 3, 0..1, |_| 0x0f);
        ready.add(9, 1, 0..1, |_| 0xf0);
        ready.add(2, 2, 2..3, |_| 1);
        ready.add(4, 5, 0..2, |warp| [0x100, 7][warp]);
        ready
    }

    fn taken(front: Option<&Front>) -> Option<(usize, Vec<(usize, u32)>)> {
        front.map(|front| (front.at, front.splits().collect()))
    }

    #[test]
    fn the_earliest_goes_first_and_splits_at_one_place_join() {
        let mut ready = ready();
        assert_eq!(ready.next_behind(2), Some(4));
        assert_eq!(taken(ready.take_earliest()), Some((2, vec![(2, 1)])));
        assert_eq!(taken(ready.take_earliest()), Some((4, vec![(0, 0x10f), (1, 7)])));
        assert_eq!(ready.next_behind(4), Some(9));
        assert_eq!(taken(ready.take_earliest()), Some((9, vec![(0, 0xf0)])));
        assert_eq!(taken(ready.take_earliest()), None);
    }

    #[test]
    fn who_has_waited_longest_is_known() {
        let mut ready = ready();
        let mut places = Vec::new();
        while let Some(front) = ready.take_longest_waiting() {
            places.push(front.at);
        }
        assert_eq!(places, [9, 2, 4]);
    }

    #[test]
    fn each_split_can_be_taken_alone() {
        for (at, warp, lanes) in [(2, 2, 1), (4, 0, 0x10f), (4, 1, 7), (9, 0, 0xf0)] {
            let mut ready = ready();
            assert_eq!(taken(ready.take_split(warp, at, !0)), Some((at, vec![(warp, lanes)])));
            let left: usize = ready.iter().map(|front| front.splits().count()).sum();
            assert_eq!(left, 3);
            assert_eq!(taken(ready.take_split(warp, at, !0)), None);
        }
    }

    #[test]
    fn some_lanes_can_leave_others_behind() {
        for (at, warp, lanes, rest) in [(9, 0, 0x50, 0xa0), (4, 0, 1, 0x10e), (4, 1, 6, 1)] {
            let mut ready = ready();
            assert_eq!(taken(ready.take_split(warp, at, lanes)), Some((at, vec![(warp, lanes)])));
            assert_eq!(taken(ready.take_split(warp, at, !0)), Some((at, vec![(warp, rest)])));
        }
    }
}
