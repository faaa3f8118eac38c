//! Functions that are lowered once and called.
//!
//! Such a function has registers of its own. Who calls it passes arguments in them or in its frame, says in a register which of
//! its callers is to go on, and jumps; to return is to branch by that register, so that lanes that were called from one place
//! go on together. The frame of a function that cannot be called again before it has returned has one place in local memory. That
//! of any other is on the stack of the thread; and who calls a function that may lead back to itself saves those of its
//! registers there that it needs behind the call.

use super::errors::Result;
use super::frames::LocalFrame;
use super::layout::{self, GAP, align_up};
use super::lowering::Lowering;
use super::routine::{Passed, Routine, Site};
use super::scope::{Placing, Variable as Placed};
use crate::syntax::Space;
use crate::syntax::ast::{self, Function};
use crate::syntax::call::CallParts;
use crate::types::class_of;
use diag::Diagnostic;
use ir::{
    Access, Address, BinaryOp, BlockId, Class, CompareOp, Op, Ordering, Place, Reg, Src,
    Terminator, UnaryOp,
};
use std::ops::Range;
use std::sync::Arc;

/// What the stack is aligned to, at least.
const STACK_ALIGN: u64 = 16;

impl Lowering {
    /// The function that is lowered once, by its number.
    fn routine(&mut self, function: &Arc<Function>) -> Result<Option<usize>> {
        let Some(once) = self.call_graph.once(&function.name) else { return Ok(None) };
        if let Some(number) = self.routines.by_name.get(function.name.as_str()) {
            return Ok(Some(*number));
        }
        let [entry, body, exit] = [(); 3].map(|()| self.b.block());
        let first = self.b.registers();
        let (base, site) = (self.b.reg(Class::W64), self.b.reg(Class::W32));
        let on_stack = once.cycle.is_some();
        let saves = !on_stack && self.call_graph.allocates(&function.name);
        let stack = saves.then(|| self.b.reg(Class::W64));
        let mut frame = LocalFrame::default();
        let mut align = STACK_ALIGN;
        let mut formals = |lowering: &mut Self, all: &[ast::Variable]| {
            let place = |formal: &ast::Variable| {
                if formal.space == Space::Param {
                    align = align.max(layout::alignment(formal));
                    let (space, offset) = (Space::Local, frame.place(formal)?);
                    return Ok(Passed::At(Placed { space, offset, base: Some(base) }));
                }
                let single = formal.dims.is_empty() && formal.space == Space::Reg;
                match (class_of(formal.ty).filter(|_| single), formal.vector) {
                    (Some(class), None) => Ok(Passed::In(lowering.b.reg(class))),
                    (Some(class), Some(count)) => {
                        Ok(Passed::Each((0..count).map(|_| lowering.b.reg(class)).collect()))
                    }
                    (None, _) => {
                        let message = "parameters of this type are not implemented";
                        Err(Box::new(Diagnostic::unsupported(formal.span, message)))
                    }
                }
            };
            all.iter().map(place).collect::<Result<Vec<_>>>()
        };
        let params = formals(self, &function.params)?;
        let returns = formals(self, &function.returns)?;
        let registers = [first..self.b.registers(), 0..0];
        let number = self.routines.all.len();
        self.routines.by_name.insert(function.name.to_string(), number);
        self.routines.all.push(Routine {
            function: Arc::clone(function),
            once,
            entry,
            body,
            exit,
            base,
            site,
            stack,
            params,
            returns,
            registers,
            frame,
            bytes: 0,
            align,
            place: Place(0),
            frames: 0..0,
            returns_to: Vec::new(),
        });
        Ok(Some(number))
    }

    /// Whether the function is lowered once: then it is called here. What follows comes after it has returned.
    pub(super) fn call_routine(
        &mut self,
        function: &Arc<Function>,
        parts: &CallParts<'_>,
    ) -> Result<bool> {
        let Some(callee) = self.routine(function)? else { return Ok(false) };
        let caller = self.routines.current;
        let routine = &self.routines.all[callee];
        let (own_base, which, site) = (routine.base, routine.returns_to.len(), routine.site);
        let (params, returns) = (routine.params.clone(), routine.returns.clone());
        let again = self.calls_again(caller, callee);
        let (given, taken) =
            (parts.arguments.unwrap_or_default(), parts.results.unwrap_or_default());

        // What is passed in registers is read before the caller's are saved, and those of the callee written: they may be the same.
        let mut values = Vec::with_capacity(given.len());
        for (operand, formal) in given.iter().zip(&function.params) {
            let source = match formal.space {
                Space::Param => self.variable(operand)?,
                _ => None,
            };
            values.push(match source {
                Some(placed) => Given::Variable(placed),
                None => Given::Values(self.values(operand, formal)?),
            });
        }
        let [push, pass, enter, resume, pop, next] = [(); 6].map(|()| self.b.block());
        let on_stack = self.routines.all[callee].once.cycle.is_some();
        let base = if on_stack { self.b.reg(Class::W64) } else { own_base };
        self.b.terminate(Terminator::Jump(push));
        // They are written last ([`Lowering::push_and_pop`]).
        self.b.flows(push, vec![pass]);
        self.b.flows(pop, vec![next]);

        self.b.switch_to(pass);
        if let (Some(stack), true) = (self.stack, on_stack) {
            self.b.unary_to(base, UnaryOp::Mov64, stack.top);
        }
        let mut registers = Vec::new();
        for ((given, formal), passed) in values.iter().zip(&function.params).zip(&params) {
            match (given, passed) {
                (Given::Variable(from), Passed::At(to)) => {
                    self.copy_variable(*from, on(*to, base), formal)?;
                }
                (Given::Values(values), Passed::At(to)) => match values.as_slice() {
                    [value] => self.put(on(*to, base), formal, *value),
                    _ => return Err(shape(parts)),
                },
                (Given::Values(values), Passed::In(reg)) if values.len() == 1 => {
                    registers.extend(values.iter().map(|value| (*reg, *value)));
                }
                (Given::Values(values), Passed::Each(regs)) if values.len() == regs.len() => {
                    registers.extend(regs.iter().copied().zip(values.iter().copied()));
                }
                _ => return Err(shape(parts)),
            }
        }
        self.b.terminate(Terminator::Jump(enter));
        // What is written from here on is no loss for the caller: it has saved what it needs.
        self.b.flows(pass, vec![resume]);
        self.b.switch_to(enter);
        for (reg, value) in registers {
            self.b.copy_to(reg, value);
        }
        if on_stack {
            self.b.unary_to(own_base, UnaryOp::Mov64, base);
        }
        self.b.unary_to(site, UnaryOp::Mov32, Src::Imm(which as u64));
        let entry = self.routines.all[callee].entry;
        self.b.terminate(Terminator::Jump(entry));
        self.b.flows(enter, vec![resume]);

        // What is returned in registers is read before the caller's own are loaded again.
        self.b.switch_to(resume);
        let after = if again { self.b.unary(UnaryOp::Mov64, own_base) } else { own_base };
        let mut results = Vec::with_capacity(taken.len());
        for passed in &returns {
            let mut copy = |reg: Reg| {
                let class = self.b.class(reg);
                let copy = self.b.reg(class);
                self.b.copy_to(copy, reg);
                copy
            };
            results.push(match passed {
                Passed::At(from) => Passed::At(on(*from, after)),
                Passed::In(reg) if again => Passed::In(copy(*reg)),
                Passed::Each(regs) if again => {
                    Passed::Each(regs.iter().map(|reg| copy(*reg)).collect())
                }
                same => same.clone(),
            });
        }
        self.b.terminate(Terminator::Jump(pop));
        self.b.switch_to(next);
        for ((operand, formal), passed) in taken.iter().zip(&function.returns).zip(results) {
            match (&passed, self.variable(operand)?) {
                (Passed::At(from), Some(to)) => self.copy_variable(*from, to, formal)?,
                (Passed::In(reg), Some(to)) => self.put(to, formal, (*reg).into()),
                _ => self.receive(operand, formal, passed)?,
            }
        }
        let place = self.b.place();
        let site = Site { caller, callee, place, push, pass, enter, resume, pop, next };
        self.routines.sites.push(site);
        self.routines.all[callee].returns_to.push(resume);
        Ok(true)
    }

    /// Whether a call may come back to its caller before it returns.
    fn calls_again(&self, caller: Option<usize>, callee: usize) -> bool {
        let cycle = |number: usize| self.routines.all[number].once.cycle;
        caller.is_some_and(|caller| cycle(caller).is_some() && cycle(caller) == cycle(callee))
    }

    /// The elements of an operand, in registers that nobody else writes.
    fn values(&mut self, operand: &ast::Operand, formal: &ast::Variable) -> Result<Vec<Src>> {
        let elements = self.elements(operand);
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            values.push(match self.value_of(element, formal.ty)? {
                Src::Reg(reg) => {
                    let class = self.b.class(reg);
                    let copy = self.b.reg(class);
                    self.b.copy_to(copy, reg);
                    copy.into()
                }
                constant => constant,
            });
        }
        Ok(values)
    }

    /// Copies what a variable holds, as the type of `formal`.
    fn copy_variable(&mut self, from: Placed, to: Placed, formal: &ast::Variable) -> Result {
        let bytes = layout::size(formal)?;
        let align = [from.offset, to.offset, layout::alignment(formal), 8]
            .into_iter()
            .fold(8, |align, part| align.min(1 << part.trailing_zeros().min(3)));
        let mut at = 0;
        while at < bytes {
            let mut width = align;
            while at + width > bytes {
                width /= 2;
            }
            let access = match width {
                8 => Access::B64,
                4 => Access::B32,
                2 => Access::U16,
                _ => Access::U8,
            };
            let place = |placed: Placed| Placed { offset: placed.offset + at, ..placed };
            let value = self.load(place(from), access);
            self.store(place(to), access, value.into());
            at += width;
        }
        Ok(())
    }

    /// Lowers the functions that have been called, and those that they call.
    pub(super) fn lower_routines(&mut self) {
        let mut next = 0;
        while next < self.routines.all.len() && !self.errors.is_full() {
            self.lower_routine(next);
            next += 1;
        }
    }

    fn lower_routine(&mut self, number: usize) {
        let routine = &mut self.routines.all[number];
        let function = Arc::clone(&routine.function);
        let (params, returns) = (routine.params.clone(), routine.returns.clone());
        let (base, body, exit) = (routine.base, routine.body, routine.exit);
        let start = self.places.len();
        self.frame = LocalFrame { start, ..std::mem::take(&mut routine.frame) };
        let statements = function.body.as_deref().unwrap_or_default();
        let (registers, frames) = (self.b.registers(), self.frames.len());
        (self.base, self.carry, self.routines.current) = (Some(base), None, Some(number));
        let scopes = self.scopes.enter_function();
        self.lines.begin(function.name.as_str());
        self.frame.open(statements);
        self.local_bytes = self.frame.bytes();
        self.align = STACK_ALIGN;
        let formals = function.params.iter().zip(&params);
        for (formal, passed) in formals.chain(function.returns.iter().zip(&returns)) {
            let declared = self.declare_formal(formal, passed);
            self.report(declared);
        }
        self.b.switch_to(body);
        self.statements(statements);
        self.enter(exit);
        self.scopes.leave_function(scopes);
        let end = self.places.len();
        let frame = std::mem::take(&mut self.frame);
        self.frames.push(frame.closed(end));
        let routine = &mut self.routines.all[number];
        routine.place = Place(end.saturating_sub(1) as u32);
        routine.bytes = self.local_bytes;
        routine.align = routine.align.max(self.align);
        routine.registers[1] = registers..self.b.registers();
        routine.frames = frames..self.frames.len();
        (self.base, self.routines.current) = (None, None);
    }

    /// Once all is lowered: what returns and calls do, and where frames are. `first` is where control enters, `kernel` where the
    /// kernel's own code begins, and `bytes` are those that its variables need.
    pub(super) fn finish_routines(&mut self, [first, kernel]: [BlockId; 2], bytes: u64) {
        let align =
            |routine: &Routine| if routine.once.cycle.is_some() { routine.align } else { 0 };
        let stack_align = self.routines.all.iter().map(align).fold(STACK_ALIGN, u64::max);
        let all = std::mem::take(&mut self.routines.all);
        for routine in &all {
            self.begin_and_end(routine, stack_align);
        }
        let saved = self.saved(&all);
        for (site, saved) in std::mem::take(&mut self.routines.sites).iter().zip(saved) {
            self.push_and_pop(site, &all[site.callee], &saved, stack_align);
        }
        // Control enters here, before the kernel's own code.
        self.b.set_place(Place(0));
        self.b.switch_to(first);
        let mut end = bytes;
        let behind = |end: u64, align| match end {
            0 => 0,
            _ => align_up(end.saturating_add(GAP), align),
        };
        let mut bases = vec![0; all.len()];
        for (base, routine) in bases.iter_mut().zip(&all) {
            if routine.once.cycle.is_none() && routine.bytes > 0 {
                *base = behind(end, routine.align);
                end = base.saturating_add(routine.bytes);
            }
            if routine.once.cycle.is_none() {
                self.b.unary_to(routine.base, UnaryOp::Mov64, Src::Imm(*base));
            }
        }
        let end = if self.stack.is_some() { behind(end, stack_align) } else { end };
        self.begin_stack(end, stack_align);
        self.b.terminate(Terminator::Jump(kernel));
        self.b.flows(first, Vec::new());
        let mut order: Vec<_> =
            all.iter().map(|routine| (routine.once.order, routine.entry)).collect();
        order.sort_unstable();
        self.b.lay_out(order.into_iter().map(|(_, entry)| entry).chain([kernel]).collect());
        self.local_bytes = end;
        self.place_frames(&all, &bases, end);
        self.routines.all = all;
    }

    /// What a function does before its statements and when it returns.
    fn begin_and_end(&mut self, routine: &Routine, stack_align: u64) {
        let on_stack = routine.once.cycle.is_some();
        self.b.set_place(routine.place);
        self.b.switch_to(routine.entry);
        if let (Some(stack), true) = (self.stack, on_stack) {
            let bytes = Src::Imm(align_up(routine.bytes, stack_align));
            self.b.binary_to(stack.top, BinaryOp::AddI64, routine.base, bytes);
        }
        if let (Some(stack), Some(saved)) = (self.stack, routine.stack) {
            self.b.unary_to(saved, UnaryOp::Mov64, stack.top);
        }
        self.b.terminate(Terminator::Jump(routine.body));
        self.b.switch_to(routine.exit);
        if let (Some(stack), true) = (self.stack, on_stack) {
            self.b.unary_to(stack.top, UnaryOp::Mov64, routine.base);
        }
        if let (Some(stack), Some(saved)) = (self.stack, routine.stack) {
            self.b.unary_to(stack.top, UnaryOp::Mov64, saved);
        }
        self.return_to_site(routine, 0..routine.returns_to.len());
    }

    /// Goes back to one of some sites, from the block that is being written.
    fn return_to_site(&mut self, routine: &Routine, sites: Range<usize>) {
        let here = self.b.current();
        let to = &routine.returns_to[sites.clone()];
        match to {
            [] => self.b.terminate(Terminator::Trap),
            [only] => self.b.terminate(Terminator::Jump(*only)),
            _ => {
                let middle = sites.start + sites.len() / 2;
                let p = self.b.compare(CompareOp::LtU32, routine.site, Src::Imm(middle as u64));
                let halves = [sites.start..middle, middle..sites.end];
                let blocks = halves.clone().map(|half| match &routine.returns_to[half.clone()] {
                    [only] => *only,
                    _ => self.b.block(),
                });
                let [then, otherwise] = blocks;
                self.b.terminate(Terminator::Branch { p: p.into(), then, otherwise });
                let deeper = blocks.into_iter().zip(halves).filter(|(_, half)| half.len() > 1);
                let deeper: Vec<_> = deeper.collect();
                self.b.flows(here, deeper.iter().map(|(block, _)| *block).collect());
                for (block, half) in deeper {
                    self.b.switch_to(block);
                    self.return_to_site(routine, half);
                }
                return;
            }
        }
        self.b.flows(here, Vec::new());
    }

    /// Per site, the registers of the caller that are needed behind the call and that the call may overwrite.
    fn saved(&self, all: &[Routine]) -> Vec<Vec<Reg>> {
        let sites = &self.routines.sites;
        // The registers of a function's parameters come into being where it is first called, in the body of another.
        let mut owners = vec![None; self.b.registers()];
        for part in [1, 0] {
            for (number, routine) in all.iter().enumerate() {
                owners[routine.registers[part].clone()].fill(Some(number));
            }
        }
        let mut saved = vec![Vec::new(); sites.len()];
        for (number, routine) in all.iter().enumerate() {
            let calls_again = |site: &Site| {
                let cycle = all[site.callee].once.cycle;
                site.caller == Some(number) && cycle.is_some() && cycle == routine.once.cycle
            };
            let again: Vec<_> = (0..sites.len()).filter(|nth| calls_again(&sites[*nth])).collect();
            if again.is_empty() {
                continue;
            }
            let is_own = |reg: &Reg| owners.get(reg.0 as usize) == Some(&Some(number));
            let blocks: Vec<_> = again.iter().map(|nth| sites[*nth].resume).collect();
            let live = self.b.live_in(routine.entry, &blocks);
            for (at, nth) in again.into_iter().enumerate() {
                let mut regs: Vec<Reg> = match live.as_ref().and_then(|live| live.get(at)) {
                    Some(live) => live.iter().copied().filter(is_own).collect(),
                    None => (0..owners.len() as u32).map(Reg).filter(is_own).collect(),
                };
                let order = |reg: &Reg| match self.b.class(*reg) {
                    Class::W64 => 0,
                    Class::W32 => 1,
                    Class::Pred => 2,
                };
                regs.sort_unstable_by_key(|reg| (order(reg), reg.0));
                saved[nth] = regs;
            }
        }
        saved
    }

    /// What a call does before it passes arguments, and after the function has returned.
    fn push_and_pop(&mut self, site: &Site, callee: &Routine, saved: &[Reg], stack_align: u64) {
        self.b.set_place(site.place);
        let mut slots = Vec::with_capacity(saved.len());
        let mut end = 0;
        for reg in saved {
            let access = match self.b.class(*reg) {
                Class::W64 => Access::B64,
                Class::W32 => Access::B32,
                Class::Pred => Access::U8,
            };
            slots.push((*reg, access, end as i64));
            end += u64::from(access.bytes());
        }
        let pushed = align_up(end, stack_align);
        self.b.switch_to(site.push);
        self.b.flows_as_it_ends(site.push);
        self.b.flows(site.pass, vec![site.enter]);
        if let (Some(stack), Some(_)) = (self.stack, callee.once.cycle) {
            let needed = pushed.saturating_add(align_up(callee.bytes, stack_align));
            let top = self.b.binary(BinaryOp::AddI64, stack.top, Src::Imm(needed));
            let p = self.b.compare(CompareOp::LtU64, stack.end, top).into();
            let (none, some) = (self.b.block(), self.b.block());
            self.b.terminate(Terminator::Branch { p, then: none, otherwise: some });
            self.b.switch_to(none);
            self.overflow(Src::Imm(needed), site.callee as u64);
            self.b.switch_to(some);
            for (reg, access, offset) in &slots {
                let value = match access {
                    Access::U8 => self.b.select(Class::W32, *reg, Src::Imm(1), Src::Imm(0)),
                    _ => *reg,
                };
                self.save(stack.top, *offset, *access, value);
            }
            if pushed > 0 {
                self.b.binary_to(stack.top, BinaryOp::AddI64, stack.top, Src::Imm(pushed));
            }
        }
        if callee.bytes > 0 {
            let top = self.stack.filter(|_| callee.once.cycle.is_some()).map(|stack| stack.top);
            self.begin_frame(top.unwrap_or(callee.base), Src::Imm(callee.bytes));
        }
        self.b.terminate(Terminator::Jump(site.pass));
        self.b.switch_to(site.pop);
        self.b.flows_as_it_ends(site.pop);
        if let (Some(stack), true) = (self.stack, pushed > 0) {
            let less = Src::Imm(pushed.wrapping_neg());
            self.b.binary_to(stack.top, BinaryOp::AddI64, stack.top, less);
            for (reg, access, offset) in slots {
                match access {
                    Access::U8 => {
                        let value = self.b.reg(Class::W32);
                        self.restore(value, stack.top, offset, access);
                        let p = self.b.compare(CompareOp::NeI32, value, Src::Imm(0));
                        self.b.pred_to(reg, p);
                    }
                    _ => self.restore(reg, stack.top, offset, access),
                }
            }
        }
        self.b.terminate(Terminator::Jump(site.next));
    }

    fn save(&mut self, base: Reg, offset: i64, access: Access, value: Reg) {
        let (address, ordering) = (Address { base: base.into(), offset }, Ordering::Weak);
        let (space, values) = (ir::Space::Local, vec![value.into()]);
        self.b.push(Op::Store { values, space, access, address, ordering });
    }

    fn restore(&mut self, reg: Reg, base: Reg, offset: i64, access: Access) {
        let (address, ordering) = (Address { base: base.into(), offset }, Ordering::Weak);
        let (space, d) = (ir::Space::Local, vec![Some(reg)]);
        self.b.push(Op::Load { d, space, access, address, ordering });
    }

    /// Tells where the variables of functions stand. A function that is called from several places may have been given the
    /// address of any variable: a frame around all such functions has them all. What is on the stack belongs to any function.
    fn place_frames(&mut self, all: &[Routine], bases: &[u64], end: u64) {
        for (routine, base) in all.iter().zip(bases) {
            for frame in &mut self.frames[routine.frames.clone()] {
                if routine.once.cycle.is_some() {
                    frame.variables.clear();
                }
                for variable in &mut frame.variables {
                    let base = *base as u32;
                    *variable =
                        variable.start.saturating_add(base)..variable.end.saturating_add(base);
                }
            }
        }
        let stack = self.stack.map(|_| end as u32..u32::MAX);
        // Who calls writes parameters and reads results.
        let mut passed: Vec<_> = stack.into_iter().collect();
        for routine in all {
            if let Some(frame) = self.frames[routine.frames.clone()].last() {
                let formals = routine.params.iter().chain(&routine.returns);
                let count = formals.filter(|formal| matches!(formal, Passed::At(_))).count();
                passed.extend(frame.variables.iter().take(count).cloned());
            }
        }
        let Some(frame) = self.frames.get_mut(self.routines.kernel_frame) else { return };
        frame.variables.extend(passed);
        let places = frame.places.end..self.places.len() as u32;
        let variables = self.frames.iter().flat_map(|frame| frame.variables.iter().cloned());
        let mut variables: Vec<_> = variables.collect();
        variables.sort_unstable_by_key(|variable| (variable.start, variable.end));
        variables.dedup();
        self.frames.push(ir::Frame { places, variables });
    }

    /// Declares a formal parameter or result.
    pub(super) fn declare_formal(&mut self, formal: &ast::Variable, passed: &Passed) -> Result {
        match passed {
            Passed::At(placed) => self.scopes.declare_variable(formal, Placing::At(*placed)),
            Passed::In(reg) => self.scopes.declare_register_in(&formal.name, formal.ty, *reg),
            Passed::Each(regs) => self.scopes.declare_vector(formal, regs.len() as u8, regs),
        }
    }
}

/// An argument.
enum Given {
    /// What a variable holds.
    Variable(Placed),
    /// A value, or the elements of a vector.
    Values(Vec<Src>),
}

/// The same variable of the frame that begins at another place.
fn on(placed: Placed, base: Reg) -> Placed {
    Placed { base: Some(base), ..placed }
}

fn shape(parts: &CallParts<'_>) -> Box<Diagnostic> {
    let message = "an argument differs in shape from the parameter";
    Box::new(Diagnostic::error(parts.callee.span, message))
}
