//! One step of one split, for schedules that choose each.

use super::{Cta, Ended, LOOK_UP, Limits, Turn};
use crate::engine::Step;
use crate::observer::Observer;
use crate::plan::Pc;
use crate::schedule::Candidate;
use crate::stats::Stats;
use ir::{Tells, WarpRules};
use lanes::LaneMask;

impl Cta<'_> {
    /// The CTA's number in the grid.
    pub(crate) fn number(&self) -> u64 {
        self.frame.specials.cta_number
    }

    /// What the CTA did so far.
    pub(crate) fn stats(&self) -> &Stats {
        &self.frame.stats
    }

    /// Adds the splits that can run next, warp by warp. In lockstep only the earliest split of a warp can.
    pub(crate) fn candidates(&self, found: &mut Vec<Candidate>) {
        let start = found.len();
        for front in self.ready.iter() {
            let tells = self.tells(front.at);
            for (warp, lanes) in front.splits() {
                let split = LaneMask(lanes);
                found.push(Candidate {
                    cta: self.number(),
                    warp: warp as u32,
                    lanes: split,
                    split,
                    place: self.place(front.at),
                    tells,
                    at: front.at,
                });
            }
        }
        found[start..].sort_by_key(|candidate| (candidate.warp, candidate.at));
        if self.frame.plan.kernel.rules == WarpRules::Lockstep {
            let mut earlier = None;
            let mut at = start;
            while at < found.len() {
                if earlier.replace(found[at].warp) == Some(found[at].warp) {
                    found.remove(at);
                } else {
                    at += 1;
                }
            }
        }
    }

    /// What the step that begins at a place shows of the lanes that take it together, if they need not.
    fn tells(&self, at: Pc) -> Tells {
        let plan = self.frame.plan;
        match plan.kernel.rules {
            WarpRules::Independent => plan.inst(at).map_or(Tells::Nothing, |inst| inst.op.tells()),
            WarpRules::Lockstep => Tells::Nothing,
        }
    }

    /// Runs a candidate for one step.
    pub(crate) fn step<O: Observer>(
        &mut self,
        candidate: &Candidate,
        limits: &Limits<'_>,
        observer: &mut O,
    ) -> Turn {
        let warp = candidate.warp as usize;
        self.clock += 1;
        let Some(front) = self.ready.take_split(warp, candidate.at, candidate.lanes.0) else {
            return Turn::Yielded;
        };
        let frame = &mut self.frame;
        frame.set_group(front.warps.clone(), &front.lanes);
        // Splits of the warp may meet at every block, so a step ends there.
        let alone = self.ready.iter().all(|front| front.splits().all(|(other, _)| other != warp));
        self.until = if alone { Pc::NEVER } else { Pc::START };
        let (_, exit) = self.take_turn(candidate.at, Some(Step::Begins), limits, observer);
        match self.end_turn(exit, candidate.at, limits, observer) {
            Ended::Turn(turn) => turn,
            Ended::Progress | Ended::Yield if self.ready.is_empty() => self.end(observer),
            Ended::Progress | Ended::Yield
                if self.clock.is_multiple_of(LOOK_UP) || (limits.stop)() =>
            {
                if let Some(kind) = self.check(limits) {
                    return self.stopped(kind, candidate.at);
                }
                let known = if O::OBSERVES { self.look_up(candidate.at, observer) } else { None };
                known.unwrap_or(Turn::Yielded)
            }
            Ended::Progress | Ended::GoesOn | Ended::Yield => Turn::Yielded,
        }
    }
}
