//! Tells an observer what the group is about to do, and what it has done.

use crate::interp::{Frame, Origin};
use crate::observer::{Arrival, Firing, Observer, Part, View};
use ir::{Inst, Members, Op, WarpRules};
use lanes::{Group, LaneMask, Lanes, WARP, groups};

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
            if let Some(members) = fires_at_once(inst, kernel.rules) {
                fire_at_once(&view, inst, members, observer);
            } else if !inst.op.may_wait() {
                observer.inst(&view, inst);
            }
        }
    }
}

/// Tells of the code that the frame's group has executed. `fired` are the collectives of it at which nobody waited.
pub(super) fn after<O: Observer>(frame: &Frame<'_>, at: usize, fired: &[Fired], observer: &mut O) {
    let Some(inst) = frame.program.source.as_ref().and_then(|source| source.inst(at)) else {
        return;
    };
    let view = View::new(frame);
    if !inst.op.may_wait() {
        observer.after_inst(&view, inst);
    }
    for one in fired {
        one.show(inst, |firing| observer.after_fire(&view, firing));
    }
}

/// Tells what threads have allocated and freed.
pub(super) fn heap<O: Observer>(frame: &mut Frame<'_>, observer: &mut O) {
    let events = std::mem::take(&mut frame.heap_events);
    let view = View::new(frame);
    events.iter().for_each(|event| observer.heap(&view, event));
}

/// A collective at which nobody waited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fired {
    warp: usize,
    group: Group,
    executing: LaneMask,
    guarded_off: LaneMask,
}

impl Fired {
    fn show(&self, inst: &Inst, tell: impl FnOnce(&Firing<'_>)) {
        let Fired { warp, group, executing, guarded_off } = *self;
        let (participants, parts) = (group.participants(), [Part { lanes: group.lanes, inst }]);
        tell(&Firing { warp, participants, executing, guarded_off, parts: &parts });
    }
}

/// The collectives at which nobody waits, which the group is about to execute at a code.
pub(super) fn fired(frame: &Frame<'_>, at: usize) -> Vec<Fired> {
    let Some(source) = &frame.program.source else { return Vec::new() };
    let inst = source.inst(at);
    let members = inst.and_then(|inst| fires_at_once(inst, source.kernel.rules));
    let (Some(inst), Some(members)) = (inst, members) else { return Vec::new() };
    let view = View::new(frame);
    let mut fired = Vec::new();
    for (warp, executing) in view.group() {
        let (masks, guarded_off) = arriving(&view, inst, members, warp);
        let groups = groups(&masks, executing);
        fired.extend(groups.map(|group| Fired { warp, group, executing, guarded_off }));
    }
    fired
}

/// The membermask of a collective at which nobody waits.
fn fires_at_once(inst: &Inst, rules: WarpRules) -> Option<Members> {
    match (&inst.op, rules) {
        (Op::Collective { members: Members::Mask(_), .. }, WarpRules::Independent) => None,
        (Op::Collective { members, .. }, _) => Some(*members),
        _ => None,
    }
}

/// The membermasks of the lanes of a warp, and the lanes whose guard is false.
fn arriving(view: &View<'_>, inst: &Inst, members: Members, warp: usize) -> (Lanes<u32>, LaneMask) {
    let guarded_off = match inst.guard {
        Some(_) => view.guarded_off(warp),
        None => LaneMask::EMPTY,
    };
    let masks = match members {
        Members::Mask(mask) => view.w32(mask, warp),
        Members::Active => [u32::MAX; WARP],
    };
    (masks, guarded_off)
}

/// A collective at which nobody waits: of those who execute it, each membermask's lanes take part together.
fn fire_at_once<O: Observer>(view: &View<'_>, inst: &Inst, members: Members, observer: &mut O) {
    for (warp, executing) in view.group() {
        let (masks, guarded_off) = arriving(view, inst, members, warp);
        for Group { membermask, lanes } in groups(&masks, executing) {
            let membermask = matches!(members, Members::Mask(_)).then_some(membermask);
            observer.arrive(view, &Arrival { warp, lanes, executing, membermask, inst });
        }
        for group in groups(&masks, executing) {
            let fired = Fired { warp, group, executing, guarded_off };
            fired.show(inst, |firing| observer.fire(view, firing));
        }
    }
}
