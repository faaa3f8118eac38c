//! Runs a program: the interpreter's loop, and the same with somebody who watches.

use super::handler::STOP;
use super::program::Program;
use super::source::Origin;
use crate::engine::{Code, Step, Watch};
use crate::exit::{Exit, Stop};
use crate::frame::Frame;
use crate::plan::Pc;
use ir::Inst;

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
        let kernel = &*self.plan.kernel;
        let mut at = self.begin(frame, from, until);
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
                Origin::Guard(block, nth) => {
                    let inst = &kernel.blocks[block.0 as usize].insts[nth];
                    if let Some(guard) = inst.guard {
                        watch.guard(frame, guard, inst.place);
                    }
                }
                Origin::Terminator(block) => {
                    let block = &kernel.blocks[block.0 as usize];
                    watch.leave(frame, &block.terminator, block.place);
                }
                Origin::Inst(block, nth) => {
                    let inst = &kernel.blocks[block.0 as usize].insts[nth];
                    watch.inst(frame, inst);
                    performed = Some(inst);
                }
            }
            // SAFETY: as above.
            at = unsafe { (code.run)(self, frame, code, at) };
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
