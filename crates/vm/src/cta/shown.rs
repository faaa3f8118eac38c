//! Shows an observer what an engine does with the frame's group.

use crate::engine::Watch;
use crate::frame::Frame;
use crate::observer::{Arrival, Firing, Observer, Part, View};
use ir::{Inst, Members, Op, Place, Pred, Terminator, WarpRules};
use lanes::{Group, LaneMask, Lanes, WARP, groups};

/// An observer, as engines know it.
pub(super) struct Shown<'o, O> {
    observer: &'o mut O,
    /// The collectives that the group executes just now and at which nobody waits.
    fired: Vec<Fired>,
}

impl<'o, O: Observer> Shown<'o, O> {
    pub(super) fn new(observer: &'o mut O) -> Self {
        Shown { observer, fired: Vec::new() }
    }
}

impl<O: Observer> Watch for Shown<'_, O> {
    fn wants_effects(&self) -> bool {
        O::EFFECTS
    }

    fn guard(&mut self, frame: &Frame<'_>, guard: Pred, place: Place) {
        self.observer.guard(&View::new(frame), guard, place);
    }

    /// Those that wait are told of when they meet.
    fn inst(&mut self, frame: &Frame<'_>, inst: &Inst) {
        let view = View::new(frame);
        if let Some(members) = fires_at_once(inst, frame.plan.kernel.rules) {
            if O::EFFECTS {
                self.fired = fired(&view, inst, members);
            }
            fire_at_once(&view, inst, members, self.observer);
        } else if !inst.op.may_wait() {
            self.observer.inst(&view, inst);
        }
    }

    fn leave(&mut self, frame: &Frame<'_>, terminator: &Terminator, place: Place) {
        self.observer.leave(&View::new(frame), terminator, place);
    }

    fn heap(&mut self, frame: &mut Frame<'_>) {
        let events = std::mem::take(&mut frame.heap_events);
        let view = View::new(frame);
        events.iter().for_each(|event| self.observer.heap(&view, event));
    }

    fn after(&mut self, frame: &Frame<'_>, inst: &Inst) {
        let view = View::new(frame);
        if !inst.op.may_wait() {
            self.observer.after_inst(&view, inst);
        }
        for one in std::mem::take(&mut self.fired) {
            one.show(inst, |firing| self.observer.after_fire(&view, firing));
        }
    }
}

/// A collective at which nobody waited.
#[derive(Clone, Copy, Debug)]
struct Fired {
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

/// The collectives at which nobody waits, which the group is about to execute.
fn fired(view: &View<'_>, inst: &Inst, members: Members) -> Vec<Fired> {
    let mut fired = Vec::new();
    for (warp, executing) in view.group() {
        let (masks, guarded_off) = arriving(view, inst, members, warp);
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
