//! Lanes that wait at later places while others of their warps run, and that an engine wants along.

use super::Cta;
use crate::plan::Pc;
use crate::threads::MAX_WARPS;

impl Cta<'_> {
    /// If the engine wants it, takes along with the group, which stands at a place, all other lanes of its warps, and of those that run
    /// together with them: if they wait where the engine can have them wait.
    pub(super) fn take_along(&mut self, at: Pc) {
        let live = &self.frame.threads.live;
        if self.group().all(|warp| self.frame.exec[warp] == live[warp]) {
            return;
        }
        let Some(gang) = self.code.wants_along(at) else { return };
        let group = self.group();
        let warps = group.start - group.start % gang..group.end.next_multiple_of(gang);
        if warps.end > self.frame.threads.warps {
            return;
        }
        let exec = |warp: usize| if group.contains(&warp) { self.frame.exec[warp] } else { 0 };
        let mut missing = [0; MAX_WARPS];
        for first in warps.clone().step_by(gang) {
            // A gang of which nobody is here stays where it is.
            if (first..first + gang).any(|warp| exec(warp) != 0) {
                (first..first + gang).for_each(|warp| missing[warp] = live[warp] & !exec(warp));
            }
        }
        let mut along = Vec::new();
        for front in self.ready.iter().filter(|front| front.at > at) {
            let wanted = front.splits().map(|(warp, lanes)| (warp, lanes & missing[warp]));
            let mut wanted = wanted.filter(|(_, lanes)| *lanes != 0).peekable();
            if wanted.peek().is_some() && self.code.takes_along(at, front.at) {
                along.extend(wanted.map(|(warp, lanes)| (warp, lanes, front.at)));
            }
        }
        along.iter().for_each(|(warp, lanes, _)| missing[*warp] &= !lanes);
        if missing.iter().any(|lanes| *lanes != 0) {
            return;
        }
        for (warp, lanes, at) in &along {
            let _ = self.ready.take_split(*warp, *at, *lanes);
        }
        for warp in warps.clone().filter(|warp| !group.contains(warp)) {
            self.frame.exec[warp] = 0;
        }
        (self.frame.first, self.frame.count) = (warps.start, warps.len());
        self.frame.along = along;
    }

    /// Lanes that were taken along and are not part of the group can run again where they wait.
    pub(super) fn let_go(&mut self) {
        for (warp, lanes, at) in std::mem::take(&mut self.frame.along) {
            self.release(warp, lanes, at);
        }
    }
}
