//! Runs a program: the interpreter's loop, and the same with somebody who watches.

use super::handler::STOP;
use super::program::Program;
use super::source::Origin;
use super::straight::Stretch;
use crate::engine::{Code, Step, Watch};
use crate::exit::{Exit, Stop};
use crate::frame::Frame;
use crate::observer::Straight;
use crate::plan::Pc;
use ir::Inst;

/// Instructions of warps whose results the nearest cache of a core holds: a row of each, and half as much room for what they read.
const CLOSE: usize = 160;

impl Code for Program {
    fn register_words(&self) -> usize {
        self.rows.words()
    }

    unsafe fn fill(&self, registers: *mut u32) {
        for (at, value) in self.rows.constants().iter().flat_map(|constant| constant.words()) {
            // SAFETY: rows of constants lie inside the register file.
            unsafe { *registers.add(at) = value };
        }
    }

    fn sites(&self) -> &[bool] {
        &self.sites
    }

    fn prologue(&self, frame: &mut Frame<'_>) {
        for code in &self.prologue {
            // SAFETY: the handler was selected for this machine, and the code belongs to the program.
            unsafe { (code.run)(self, frame, code, 0) };
        }
    }

    fn run(&self, frame: &mut Frame<'_>, from: Pc, until: Pc) -> Exit {
        let mut at = self.begin(frame, from, until);
        while let Some(code) = self.codes.get(at) {
            // SAFETY: the handler was selected for this machine, and the code belongs to the program, which was made of the
            // frame's plan.
            at = unsafe { (code.run)(self, frame, code, at) };
        }
        debug_assert_eq!(at, STOP);
        self.exit(frame)
    }

    fn show(
        &self,
        frame: &mut Frame<'_>,
        from: Pc,
        until: Pc,
        mut step: Option<Step>,
        watch: &mut dyn Watch,
    ) -> Exit {
        let effects = watch.wants_effects();
        let kernel = &*self.plan.shown;
        let mut at = self.begin(frame, from, until);
        // The end of straight codes each of which is to be shown.
        let mut each_until = 0;
        // Where lanes meet again that have parted.
        let mut join = None;
        while let (Some(code), Some(origin)) = (self.codes.get(at), self.origins.get(at)) {
            if step == Some(Step::GoesOn) && origin.begins_step(kernel) {
                frame.stop = Some(Stop::Limit(at));
                break;
            }
            // A loop may come back to the first instruction.
            step = step.map(|_| Step::GoesOn);
            let mut performed: Option<&Inst> = None;
            match *origin {
                Origin::Unguard => {}
                Origin::Meeting(block, nth) | Origin::Inst(block, nth) => {
                    let insts = &kernel.blocks[block.0 as usize].insts;
                    if at >= each_until && !effects {
                        if let Some(behind) = self.go_straight(frame, at, &insts[nth..], watch) {
                            at = behind;
                            continue;
                        }
                        each_until = at + self.straight.at(at)[0].codes as usize;
                    }
                    let inst = &insts[nth];
                    if let Origin::Meeting(..) = *origin {
                        if !watch.meets_at_once(frame, inst, self.places[at]) {
                            frame.stop = Some(Stop::Collective(at));
                            break;
                        }
                        frame.write_executing();
                        // SAFETY: as above.
                        at = unsafe { (code.run)(self, frame, code, at) };
                        frame.write_nonexistent();
                        continue;
                    }
                    watch.inst(frame, inst);
                    performed = Some(inst);
                }
                Origin::Barrier(block, nth) => {
                    let inst = &kernel.blocks[block.0 as usize].insts[nth];
                    if !watch.passes_barrier(frame, inst, self.places[at]) {
                        frame.stop = Some(Stop::Barrier(at));
                        break;
                    }
                }
                Origin::Guard(block, nth) => {
                    let inst = &kernel.blocks[block.0 as usize].insts[nth];
                    if let Some(guard) = inst.guard {
                        watch.guard(frame, guard, inst.place);
                    }
                }
                Origin::Terminator(block) => {
                    let block = &kernel.blocks[block.0 as usize];
                    watch.leave(frame, &block.terminator, block.place);
                    each_until = 0;
                }
            }
            // SAFETY: as above.
            at = unsafe { (code.run)(self, frame, code, at) };
            if let (STOP, Some(Stop::Diverge(branch))) = (at, &frame.stop) {
                let branch = *branch;
                if let Some((body, behind)) = self.enter_body(frame, branch, watch) {
                    (at, join) = (body, Some(behind));
                }
            } else if Some(at) == join.take_if(|join| *join == at) {
                self.leave_body(frame, at, watch);
            }
            if !frame.heap_events.is_empty() {
                watch.heap(frame);
            }
            if let Some(inst) = performed.filter(|_| effects)
                && !(at == STOP && matches!(frame.stop, Some(Stop::Fault(_))))
            {
                watch.after(frame, inst);
            }
        }
        self.exit(frame)
    }
}

impl Program {
    /// Performs the instruction at a place for the frame's group. Says whether that was all: else it stopped, or would have.
    pub(crate) fn perform(&self, frame: &mut Frame<'_>, place: Pc) -> bool {
        let code = |at: Pc| self.entries.get(at.0 as usize).map_or(usize::MAX, |at| *at as usize);
        let (mut at, end) = (code(place), code(place.next()));
        frame.stop = None;
        // SAFETY: the handler was selected for this machine; it does not look at the code.
        unsafe { (self.begin_group.run)(self, frame, &self.begin_group, 0) };
        while at < end {
            let Some(code) = self.codes.get(at) else { return false };
            // SAFETY: as above, and the code belongs to the program, which was made of the frame's plan.
            at = unsafe { (code.run)(self, frame, code, at) };
        }
        at == end
    }

    /// Lanes of the group part at a branch over the next block: those that want it execute it, and the others wait behind it. Returns
    /// where the block begins and where all meet; `None` if the scheduler must decide.
    fn enter_body(
        &self,
        frame: &mut Frame<'_>,
        branch: usize,
        watch: &mut dyn Watch,
    ) -> Option<(usize, usize)> {
        let branch = &self.branches[self.codes[branch].x as usize];
        let (body, join) = match branch.over? {
            true => (branch.then, branch.otherwise),
            false => (branch.otherwise, branch.then),
        };
        if join >= frame.limit || !watch.may_go_on(2, self.places[join]) {
            return None;
        }
        frame.stop = None;
        for warp in frame.first..frame.first + frame.count {
            let (exec, taken) = (frame.exec[warp], frame.taken[warp]);
            frame.outside[warp] = exec;
            frame.stats.divergences += u64::from(taken != 0 && taken != exec);
            frame.exec[warp] = if body == branch.then { taken } else { exec & !taken };
        }
        self.begin_part(frame);
        // A turn does not end before the block does.
        frame.fuel = i64::MAX / 2;
        Some((body, join))
    }

    /// Lanes that have parted meet.
    fn leave_body(&self, frame: &mut Frame<'_>, join: usize, watch: &mut dyn Watch) {
        for warp in frame.first..frame.first + frame.count {
            frame.exec[warp] = frame.outside[warp];
        }
        self.begin_part(frame);
        watch.goes_on(frame, 2, self.places[join]);
    }

    /// Other lanes of the group execute from now on.
    fn begin_part(&self, frame: &mut Frame<'_>) {
        frame.begin_turn();
        // SAFETY: the handler was selected for this machine; it does not look at the code.
        unsafe { (self.begin_group.run)(self, frame, &self.begin_group, 0) };
    }

    /// Executes as many codes from one on as nobody has to be shown, and says which comes behind them. `insts` are those of the codes.
    fn go_straight(
        &self,
        frame: &mut Frame<'_>,
        from: usize,
        insts: &[Inst],
        watch: &mut dyn Watch,
    ) -> Option<usize> {
        let [computes, either] = self.straight.at(from);
        if either.meetings > 0 && self.skips(frame, (from, either), insts, watch) {
            return Some(from + either.codes as usize);
        }
        let skips = computes.codes > 0 && self.skips(frame, (from, computes), insts, watch);
        skips.then_some(from + computes.codes as usize)
    }

    /// Performs a stretch that begins at a code, if nobody has to be shown what it does one by one.
    fn skips(
        &self,
        frame: &mut Frame<'_>,
        (from, stretch): (usize, &Stretch),
        insts: &[Inst],
        watch: &mut dyn Watch,
    ) -> bool {
        let Stretch { codes, meetings, last, .. } = *stretch;
        let number = 2 * self.places[from].0 as usize + usize::from(meetings > 0);
        let insts = &insts[..codes as usize];
        let straight = Straight { insts, number, meetings: meetings.into() };
        if watch.straight(frame, &straight, self.places[last as usize].next()) {
            return false;
        }
        let performed = self.straight.performed(stretch);
        // As many warps at once as keep their registers in the nearest cache.
        let (first, count) = (frame.first, frame.count);
        let together = (CLOSE / performed.len().max(1)).max(1);
        for start in (first..first + count).step_by(together) {
            (frame.first, frame.count) = (start, together.min(first + count - start));
            for code in performed {
                // SAFETY: as above, and the code belongs to the program, which was made of the frame's plan.
                unsafe { (code.run)(self, frame, code, from) };
            }
        }
        (frame.first, frame.count) = (first, count);
        true
    }

    /// Prepares the frame's group, and says at which code it begins.
    fn begin(&self, frame: &mut Frame<'_>, from: Pc, until: Pc) -> usize {
        let code = |at: Pc| self.entries.get(at.0 as usize).map_or(usize::MAX, |at| *at as usize);
        frame.limit = code(until);
        frame.stop = None;
        // SAFETY: the handler was selected for this machine; it does not look at the code.
        unsafe { (self.begin_group.run)(self, frame, &self.begin_group, 0) };
        code(from)
    }

    /// Why the group stopped, in terms of the plan.
    fn exit(&self, frame: &mut Frame<'_>) -> Exit {
        let place = |code: usize| self.places.get(code).copied().unwrap_or(Pc::NEVER);
        // Whoever runs out of codes has nothing left to do.
        frame.stop.take().unwrap_or(Stop::Exit).map(place)
    }
}
