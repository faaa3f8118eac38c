//! Tells an observer what the group is about to do.

use crate::interp::{Frame, Origin};
use crate::observer::{Arrival, Firing, Observer, Part, View};
use ir::{Inst, Members, Op, WarpRules};
use lanes::{Group, LaneMask, WARP, groups};

/// Tells of the code that the frame's group is about to execute. Those that wait are told of when they meet.
pub(super) fn step<O: Observer>(frame: &Frame<'_>, at: usize, observer: &mut O) {
    let Some(source) = &frame.program.source else { return };
    let view = View::new(frame);
    let kernel = &source.kernel;
    match source.origins[at] {
        Origin::Unguard => {}
        Origin::Guard(block, nth) => {
            let inst = &kernel.blocks[block.0 as usize].insts[nth];
            if let Some(guard) = inst.guard {
                observer.guard(&view, guard, inst.place);
            }
        }
        Origin::Terminator(block) => {
            let block = &kernel.blocks[block.0 as usize];
            observer.leave(&view, &block.terminator, block.place);
        }
        Origin::Inst(block, nth) => {
            let inst = &kernel.blocks[block.0 as usize].insts[nth];
            if let Op::Collective { members, .. } = &inst.op {
                match (members, kernel.rules) {
                    (Members::Mask(_), WarpRules::Independent) => {}
                    (Members::Active, _) | (_, WarpRules::Lockstep) => {
                        fire_at_once(&view, inst, *members, observer);
                    }
                }
            } else if !inst.op.may_wait() {
                observer.inst(&view, inst);
            }
        }
    }
}

/// A collective at which nobody waits: of those who execute it, each membermask's lanes take part together.
fn fire_at_once<O: Observer>(view: &View<'_>, inst: &Inst, members: Members, observer: &mut O) {
    for (warp, executing) in view.group() {
        let guarded_off = match inst.guard {
            Some(_) => view.guarded_off(warp),
            None => LaneMask::EMPTY,
        };
        let (named, masks) = match members {
            Members::Mask(mask) => (true, view.w32(mask, warp)),
            Members::Active => (false, [u32::MAX; WARP]),
        };
        for Group { membermask, lanes } in groups(&masks, executing) {
            let membermask = named.then_some(membermask);
            observer.arrive(view, &Arrival { warp, lanes, executing, membermask, inst });
        }
        for group in groups(&masks, executing) {
            let (participants, parts) = (group.participants(), [Part { lanes: group.lanes, inst }]);
            observer
                .fire(view, &Firing { warp, participants, executing, guarded_off, parts: &parts });
        }
    }
}
