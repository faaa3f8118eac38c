//! Collectives whose lanes have to wait for each other.

use super::{Cta, Split, State};
use crate::interp::{Gathered, evaluate};
use crate::observer::{Arrival, Firing, Observer, Part, View};
use crate::plan::Pc;
use lanes::{Group, LaneMask, groups};

impl Cta<'_> {
    /// The group's lanes arrive at the collective at a code. Lanes that name different membermasks wait
    /// apart; lanes whose guard is false go on.
    pub(super) fn arrive_at_collective<O: Observer>(&mut self, at: Pc, observer: &mut O) {
        let plan = self.frame.plan;
        let op = plan.collective(at);
        for warp in self.group() {
            let executing = LaneMask(self.frame.exec[warp]);
            let passing = self.frame.unguarded[warp] & !executing.0;
            self.release(warp, passing, at.next());
            // SAFETY: the operation belongs to the frame's program.
            let masks = unsafe { op.membermasks(&self.frame, warp) };
            for Group { membermask, lanes } in groups(&masks, executing) {
                if O::OBSERVES
                    && let Some(inst) = plan.inst(at)
                {
                    let membermask = Some(membermask);
                    let arrival = Arrival { warp, lanes, executing, membermask, inst };
                    observer.arrive(&View::new(&self.frame), &arrival);
                }
                let state = State::Collective(membermask.0);
                self.waiting.push(Split { warp, lanes: lanes.0, at, state });
            }
            self.fire(warp, observer);
        }
    }

    /// Fires every collective of a warp for which all live lanes of the membermask have arrived. They may
    /// stand at different instructions of the same kind.
    pub(super) fn fire<O: Observer>(&mut self, warp: usize, observer: &mut O) {
        let waiting: Vec<Split> = self
            .waiting
            .iter()
            .filter(|split| split.warp == warp && matches!(split.state, State::Collective(_)))
            .copied()
            .collect();
        let plan = self.frame.plan;
        let op_at = |at: Pc| plan.collective(at);
        let mut fired = 0;
        for first in &waiting {
            let State::Collective(members) = first.state else { continue };
            let kind = op_at(first.at).kind;
            let together: Vec<Split> = waiting
                .iter()
                .filter(|split| split.state == first.state && op_at(split.at).kind == kind)
                .copied()
                .collect();
            let arrived = together.iter().fold(0, |lanes, split| lanes | split.lanes);
            let missing = members & self.frame.threads.live[warp] & !arrived;
            if missing != 0 || arrived & fired != 0 {
                continue;
            }
            fired |= arrived;
            let group = Group { membermask: LaneMask(members), lanes: LaneMask(arrived) };
            let participants = group.participants();
            let parts: Vec<Part<'_>> = match O::OBSERVES {
                true => together
                    .iter()
                    .filter_map(|split| {
                        let inst = plan.inst(split.at)?;
                        Some(Part { lanes: LaneMask(split.lanes), inst })
                    })
                    .collect(),
                false => Vec::new(),
            };
            let (executing, guarded_off) = (group.lanes, LaneMask::EMPTY);
            let firing = Firing { warp, participants, executing, guarded_off, parts: &parts };
            if O::OBSERVES {
                observer.fire(&View::new(&self.frame), &firing);
            }
            if let Some(product) = &op_at(first.at).product {
                let mut parts = Vec::with_capacity(together.len());
                for split in &together {
                    let part = op_at(split.at).product.as_deref();
                    parts.extend(part.map(|part| (part, split.lanes)));
                }
                // SAFETY: the operations belong to the frame's program.
                unsafe { product.meet(&self.frame, warp, &parts) };
                if O::EFFECTS {
                    observer.after_fire(&View::new(&self.frame), &firing);
                }
                continue;
            }
            let read = |split: &Split| {
                // SAFETY: the operation belongs to the frame's program.
                unsafe { op_at(split.at).read(&self.frame, warp) }
            };
            let mut gathered;
            let operands = match together.as_slice() {
                [alone] => read(alone),
                splits => {
                    gathered = Gathered::new();
                    for split in splits {
                        // Lanes that are not here are read as their registers stand.
                        let idle = if split.at == first.at { !arrived } else { 0 };
                        gathered.take(read(split), split.lanes | idle);
                    }
                    gathered.operands()
                }
            };
            let results = evaluate(kind, operands, participants);
            for split in &together {
                // SAFETY: the operation belongs to the frame's program.
                unsafe { op_at(split.at).write(&self.frame, warp, &results, split.lanes) };
            }
            if O::EFFECTS {
                observer.after_fire(&View::new(&self.frame), &firing);
            }
        }
        if fired == 0 {
            return;
        }
        self.waiting.retain(|split| {
            let waits = matches!(split.state, State::Collective(_));
            split.warp != warp || !waits || split.lanes & fired == 0
        });
        for split in waiting.iter().filter(|split| split.lanes & fired != 0) {
            self.release(warp, split.lanes, split.at.next());
        }
    }
}
