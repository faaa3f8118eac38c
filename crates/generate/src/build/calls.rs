//! Statements that are called from several places, and perhaps call themselves: a register says where to go on, as in what the front end
//! makes of functions, and a stack in local memory keeps what a call inside would overwrite.

use super::generator::{Generator, LOCAL};
use super::region::{Region, Together};
use ir::{
    Access, Address, BinaryOp, BlockId, Class, CompareOp, Op, Ordering, Pred, Reg, Space, Src,
    Terminator,
};

/// Calls of a routine by itself, at most, for a lane.
const DEEPEST: u64 = 3;
/// Bytes that each needs of the stack: where to go on, and the mask of its lanes.
const FRAME: u64 = 8;

/// A routine.
struct Routine {
    /// Where it begins, and where it returns.
    entry: BlockId,
    exit: BlockId,
    /// Which call it is.
    which: Reg,
    /// The mask of the lanes that were called together.
    mask: Reg,
    /// How often it may still call itself.
    left: Reg,
    /// What follows a call, by its number.
    after: Vec<BlockId>,
    /// Whether the order of blocks knows that it is one.
    is_told: bool,
}

impl Generator<'_> {
    pub(super) fn calls(&mut self, region: &Region) {
        let routine = Routine {
            entry: self.b.block(),
            exit: self.b.block(),
            which: self.b.reg(Class::W32),
            mask: self.b.reg(Class::W32),
            left: self.b.reg(Class::W32),
            after: Vec::new(),
            is_told: self.choices.one_in(2),
        };
        match self.choices.one_in(2) {
            true => self.called_from_two_sides(region, routine),
            false => self.called_twice(region, routine),
        }
    }

    /// The lanes of a region call, and go on.
    fn call(&mut self, routine: &mut Routine, mask: Src, left: Src) {
        let after = self.b.block();
        let nth = routine.after.len() as u64;
        for (d, value) in
            [(routine.which, Src::Imm(nth)), (routine.mask, mask), (routine.left, left)]
        {
            self.b.copy_to(d, value);
        }
        let here = self.b.current();
        self.b.terminate(Terminator::Jump(routine.entry));
        if routine.is_told {
            self.b.flows(here, vec![after]);
        }
        routine.after.push(after);
        self.b.switch_to(after);
    }

    /// One call after the other, with something in between.
    fn called_twice(&mut self, region: &Region, mut routine: Routine) {
        let left = self.how_deep();
        self.call(&mut routine, region.mask, left);
        self.statements(region.inner(region.mask, region.who), 2);
        let again = if self.choices.one_in(2) { Src::Imm(0) } else { left };
        self.call(&mut routine, region.mask, again);
        let behind = self.b.current();
        // Lanes that call themselves part, whichever of the calls it is.
        let who = if left == Src::Imm(0) { region.who } else { Together::Some };
        self.routine(region, routine, who);
        self.b.switch_to(behind);
    }

    /// Lanes that have parted call the same.
    fn called_from_two_sides(&mut self, region: &Region, mut routine: Routine) {
        let p = self.kept_pred();
        self.on_two_sides(region, p, |g, mask| {
            g.statements(region.inner(mask, Together::Some), 2);
            let left = g.how_deep();
            g.call(&mut routine, mask, left);
            g.statements(region.inner(mask, Together::Some), 2);
        });
        let behind = self.b.current();
        self.routine(region, routine, Together::Some);
        self.b.switch_to(behind);
    }

    /// How often a routine calls itself: never, or as often as a lane says.
    fn how_deep(&mut self) -> Src {
        if self.choices.one_in(2) {
            return Src::Imm(0);
        }
        let word = self.word();
        self.b.binary(BinaryOp::And32, word, Src::Imm(DEEPEST)).into()
    }

    /// What is called.
    fn routine(&mut self, region: &Region, routine: Routine, who: Together) {
        let Routine { entry, exit, which, mask, left, after, is_told } = routine;
        let stack = self.stack;
        self.stack += FRAME * DEEPEST;
        self.b.switch_to(entry);
        self.statements(region.inner(mask.into(), who), 4);
        let goes_deeper = self.b.compare(CompareOp::NeI32, left, Src::Imm(0));
        let deeper_mask = self.ballot(goes_deeper.into(), mask.into());
        let (deeper, resume) = (self.b.block(), self.b.block());
        self.b.terminate(Terminator::Branch {
            p: goes_deeper.into(),
            then: deeper,
            otherwise: exit,
        });
        // It calls itself: the frame keeps what is needed behind the call.
        self.b.switch_to(deeper);
        let (space, access, ordering) = (Space::Local, Access::B32, Ordering::Weak);
        for (kept, address) in [which, mask].into_iter().zip(self.frame(stack, left)) {
            let values = vec![kept.into()];
            self.b.push(Op::Store { values, space, access, address, ordering });
        }
        self.b.copy_to(which, Src::Imm(after.len() as u64));
        self.b.copy_to(mask, deeper_mask);
        self.b.binary_to(left, BinaryOp::SubI32, left, Src::Imm(1));
        let here = self.b.current();
        self.b.terminate(Terminator::Jump(entry));
        if is_told {
            self.b.flows(here, vec![resume]);
        }
        self.b.switch_to(resume);
        self.b.binary_to(left, BinaryOp::AddI32, left, Src::Imm(1));
        for (kept, address) in [which, mask].into_iter().zip(self.frame(stack, left)) {
            let d = vec![Some(kept)];
            self.b.push(Op::Load { d, space, access, address, ordering });
        }
        self.perhaps_guarded(Self::compute);
        self.b.terminate(Terminator::Jump(exit));
        // It returns.
        self.b.switch_to(exit);
        let targets: Vec<BlockId> = after.into_iter().chain([resume]).collect();
        self.go_on_by(which, &targets, is_told);
        if is_told {
            self.routines.push(entry);
        }
    }

    /// The two words of a frame of the stack that begins there: that of who may still call so often.
    fn frame(&mut self, stack: u64, left: Reg) -> [Address; 2] {
        let base = self.b.binary(BinaryOp::MulLo32, left, Src::Imm(FRAME)).into();
        let first = (LOCAL + stack) as i64 - FRAME as i64;
        [first, first + 4].map(|offset| Address { base, offset })
    }

    /// A chain of branches by a number, from the current block on.
    fn go_on_by(&mut self, which: Reg, targets: &[BlockId], is_told: bool) {
        let Some((last, others)) = targets.split_last() else { return };
        for (nth, then) in (0..).zip(others) {
            let here = self.b.current();
            let p = Pred::Is(self.b.compare(CompareOp::EqI32, which, Src::Imm(nth)));
            let otherwise = self.b.block();
            self.b.terminate(Terminator::Branch { p, then: *then, otherwise });
            if is_told {
                self.b.flows(here, vec![otherwise]);
            }
            self.b.switch_to(otherwise);
        }
        let here = self.b.current();
        self.b.terminate(Terminator::Jump(*last));
        if is_told {
            self.b.flows(here, Vec::new());
        }
    }
}
