//! Tells an observer what the group is about to do.

use super::Cta;
use crate::interp::{Frame, Origin, Program};
use crate::observer::{Arrival, Firing, Observer, Part, View};
use ir::{Inst, Members, Op, WarpRules};
use lanes::LaneMask;

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

/// A collective at which nobody waits: whoever executes it takes part.
fn fire_at_once<O: Observer>(view: &View<'_>, inst: &Inst, members: Members, observer: &mut O) {
    for (warp, executing) in view.group() {
        let masks = match members {
            Members::Mask(mask) => Some(view.w32(mask, warp)),
            Members::Active => None,
        };
        let mut left = executing.0;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let membermask = masks.map(|masks| LaneMask(masks[first]));
            let same = masks
                .map_or(u32::MAX, |masks| LaneMask::from_fn(|lane| masks[lane] == masks[first]).0);
            let lanes = LaneMask(same & left);
            observer.arrive(view, &Arrival { warp, lanes, executing, membermask, inst });
            left &= !same;
        }
        let parts = [Part { lanes: executing, inst }];
        observer.fire(view, &Firing { warp, participants: executing, parts: &parts });
    }
}

impl Cta<'_> {
    /// The instruction of the kernel that a code performs; `None` in programs that nobody observes.
    pub(super) fn inst(program: &Program, at: usize) -> Option<&Inst> {
        let source = program.source.as_ref()?;
        match source.origins[at] {
            Origin::Inst(block, nth) => source.kernel.blocks[block.0 as usize].insts.get(nth),
            Origin::Guard(..) | Origin::Unguard | Origin::Terminator(_) => None,
        }
    }
}
