//! Shows an observer what an engine does with the frame's group.

use super::barriers::BARRIERS;
use crate::engine::Watch;
use crate::frame::Frame;
use crate::observer::{
    Arrival, BarrierArrival, BarrierPart, Firing, Observer, Part, Straight, View, each_meeting,
};
use crate::plan::Pc;
use ir::{Inst, Members, Op, Place, Pred, Terminator, WarpRules};
use lanes::{Group, LaneMask, Lanes, WARP, groups};
use smallvec::SmallVec;

/// An observer, as engines know it.
pub(super) struct Shown<'o, O> {
    observer: &'o mut O,
    /// The collectives that the group executes just now and at which nobody waits.
    fired: Vec<Fired>,
    at_once: AtOnce<'o>,
}

impl<'o, O: Observer> Shown<'o, O> {
    pub(super) fn new(observer: &'o mut O, at_once: AtOnce<'o>) -> Self {
        Shown { observer, fired: Vec::new(), at_once }
    }

    /// The turns that have ended meanwhile.
    pub(super) fn ended(self) -> Option<Ended> {
        self.at_once.ended
    }
}

/// Whether a group may go on where its turn ends: behind a collective for which all lanes are there, and where lanes part that meet
/// again at once. The next turn has begun then, because the scheduler would choose as much: so nobody can tell whether it was asked.
pub(super) struct AtOnce<'o> {
    /// Turns that may end so.
    pub(super) turns: u64,
    /// Where the earliest of the splits stands that can run and are not in the group.
    pub(super) others: Pc,
    /// What a turn begins with.
    pub(super) fuel: i64,
    /// Set when the launch must stop.
    pub(super) stop: &'o dyn Fn() -> bool,
    pub(super) ended: Option<Ended>,
}

/// Turns that have ended so, and where the last one began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) turns: u64,
    pub(super) begun: Pc,
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

    fn straight(&mut self, frame: &mut Frame<'_>, straight: &Straight<'_>, behind: Pc) -> bool {
        let meets = straight.meetings > 0;
        if meets && !(is_whole(frame) && self.may_go_on(straight.meetings, behind)) {
            return true;
        }
        let each = self.observer.straight(&View::new(frame), straight);
        if meets && !each {
            self.goes_on(frame, straight.meetings, behind);
        }
        each
    }

    fn meets_at_once(&mut self, frame: &mut Frame<'_>, inst: &Inst, at: Pc) -> bool {
        if !all_are_here(frame, at) || !self.may_go_on(1, at.next()) {
            return false;
        }
        let op = frame.plan.collective(at);
        // SAFETY: the operation belongs to the frame's program.
        let membermask = |warp| LaneMask(unsafe { op.membermask(frame, warp) });
        each_meeting(self.observer, &View::new(frame), inst, membermask);
        self.goes_on(frame, 1, at.next());
        true
    }

    fn passes_barrier(&mut self, frame: &mut Frame<'_>, inst: &Inst, at: Pc) -> bool {
        let op = frame.plan.barrier(at);
        if !op.nobody_waits(frame) || !self.may_go_on(1, at.next()) {
            return false;
        }
        // SAFETY: the operation belongs to the frame's program, and its row is of 32-bit values.
        let id = unsafe { (*frame.row::<u32>(op.id, frame.first))[0] };
        if id as usize >= BARRIERS {
            return false;
        }
        let view = View::new(frame);
        for (warp, lanes) in view.group() {
            let (executing, threads) = (lanes, None);
            let arrival = BarrierArrival { warp, lanes, executing, id, threads, inst };
            self.observer.arrive_at_barrier(&view, &arrival);
        }
        let parts = view.group().map(|(warp, lanes)| BarrierPart { warp, lanes, inst });
        self.observer.complete_barrier(&view, id, &parts.collect::<SmallVec<[_; WARP]>>());
        self.goes_on(frame, 1, at.next());
        true
    }

    fn may_go_on(&self, turns: u64, at: Pc) -> bool {
        let AtOnce { turns: left, others, stop, .. } = self.at_once;
        !O::EFFECTS && turns <= left && others > at && !stop()
    }

    fn goes_on(&mut self, frame: &mut Frame<'_>, turns: u64, at: Pc) {
        let ended = self.at_once.ended.map_or(0, |ended| ended.turns);
        self.at_once.ended = Some(Ended { turns: ended + turns, begun: at });
        self.at_once.turns -= turns;
        frame.begin_turn();
        frame.fuel = self.at_once.fuel;
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

/// Whether the group consists of whole warps.
fn is_whole(frame: &Frame<'_>) -> bool {
    let group = &frame.exec[frame.first..frame.first + frame.count];
    group.iter().all(|lanes| matches!(*lanes, 0 | u32::MAX))
}

/// Whether all lanes of the group execute the collective at which they stand, and in each warp name the same lanes, which all are there.
fn all_are_here(frame: &Frame<'_>, at: Pc) -> bool {
    let group = frame.first..frame.first + frame.count;
    let (exec, unguarded) = (&frame.exec[group.clone()], &frame.unguarded[group]);
    let nobody_passes = exec.iter().zip(unguarded).all(|(exec, unguarded)| exec == unguarded);
    // SAFETY: the operation belongs to the frame's program.
    nobody_passes && unsafe { frame.plan.collective(at).nobody_waits(frame) }
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
