//! Calls: the body of the function takes the place of the call.
//!
//! The formal parameters of a `.param` space stand for the caller's variables, which lie in local memory; those in
//! registers are copied. `ret` goes to the code behind the call.

use super::errors::{Result, too_deep};
use super::frames::Call;
use super::lowering::Lowering;
use super::routine::Passed;
use super::scope::{DeclaredFunction, Entity, Placing, Variable as Placed};
use super::service;
use crate::catalogue::access;
use crate::syntax::ast::{self, Function, Instruction, Operand, OperandKind};
use crate::syntax::call::CallParts;
use crate::syntax::{ScalarType, Space};
use crate::types::class_of;
use diag::Diagnostic;
use ir::{Address, BlockId, CompareOp, Op, Ordering, Reg, Service, Src, Terminator, UnaryOp};
use std::sync::Arc;

/// Instructions of a kernel with all functions that it calls, at most.
const MAX_INSTRUCTIONS: usize = 1 << 20;

impl Lowering {
    /// Where `ret` leads.
    pub fn return_to(&self) -> Terminator {
        let routine = || self.routines.current.map(|number| self.routines.all[number].exit);
        let to = self.calls.last().map(|call| call.resume).or_else(routine);
        to.map_or(Terminator::Exit, Terminator::Jump)
    }

    /// Whether the code belongs to a function and not to the kernel itself.
    pub fn is_called(&self) -> bool {
        !self.calls.is_empty() || self.routines.current.is_some()
    }

    pub(super) fn call(&mut self, instruction: &Instruction) -> Result {
        let Some(parts) = CallParts::of(instruction) else {
            let message = "a call names a function";
            return Err(Box::new(Diagnostic::error(instruction.span, message)));
        };
        let entity = match &parts.callee.kind {
            OperandKind::Name(name) => self.scopes.find(name)?,
            _ => return self.reject(parts.callee, "a call names a function"),
        };
        let behind = self.b.block();
        if let Some(p) = self.b.guard() {
            let body = self.b.block();
            self.b.terminate(Terminator::Branch { p, then: body, otherwise: behind });
            self.b.switch_to(body);
            self.b.set_guard(None);
        }
        match entity {
            Entity::Function(index) => {
                let function = Arc::clone(&self.scopes.functions[index].function);
                self.call_function(&function, &parts)?;
            }
            Entity::Register(_) => self.call_through(&parts, behind)?,
            Entity::Variable(_) | Entity::Vector(_) | Entity::Label(_) | Entity::Special => {
                return self.reject(parts.callee, "a call names a function");
            }
        }
        self.enter(behind);
        Ok(())
    }

    /// Calls the function whose address a register holds: one after another is tried.
    fn call_through(&mut self, parts: &CallParts<'_>, behind: BlockId) -> Result {
        let targets = match parts.table.map(|table| &table.kind) {
            Some(OperandKind::Name(name)) => self.targets.get(name.as_str()).cloned(),
            _ => None,
        };
        let Some(targets) = targets else {
            let message = "a call through a register names a prototype or a table of functions";
            return self.reject(parts.table.unwrap_or(parts.callee), message);
        };
        let address = self.value_of(parts.callee, ScalarType::U64)?;
        let place = self.b.place();
        let candidates: Vec<_> = self
            .scopes
            .functions
            .iter()
            .filter(|declared| declared.can_be(Some(&targets)))
            .filter_map(|DeclaredFunction { function, address }| {
                Some((Arc::clone(function), (*address)?))
            })
            .collect();
        for (function, entry) in candidates {
            let (body, next) = (self.b.block(), self.b.block());
            let p = self.b.compare(CompareOp::EqI64, address, Src::Imm(entry)).into();
            self.b.terminate(Terminator::Branch { p, then: body, otherwise: next });
            self.b.switch_to(body);
            self.call_function(&function, parts)?;
            self.b.terminate(Terminator::Jump(behind));
            self.b.switch_to(next);
        }
        // Behind the bodies of functions that took the place of the call.
        self.b.set_place(place);
        let service = Service::NoFunction;
        self.b.push(Op::Host { service, d: None, operands: vec![address] });
        self.b.terminate(Terminator::Trap);
        Ok(())
    }

    /// Lowers a function in the place of its call. What follows comes after it has returned.
    fn call_function(&mut self, function: &Arc<Function>, parts: &CallParts<'_>) -> Result {
        let callee = parts.callee;
        let Some(body) = &function.body else {
            if let Some(service) = service::find(&function.name) {
                return self.ask(function, service, parts);
            }
            let name = &function.name;
            let message = match service::unsupported(name) {
                Some(what) => format!("`{name}` is not implemented: {what}"),
                None => format!("`{name}` is defined in another module, which is not linked"),
            };
            let error = Diagnostic::unsupported(callee.span, message);
            return Err(Box::new(error.label(name.span, "declared here")));
        };
        if !self.has_depth() {
            return Err(Box::new(too_deep(callee.span)));
        }
        if self.places.len() > MAX_INSTRUCTIONS {
            let message = "the kernel, with every call replaced by the function, is too large";
            return Err(Box::new(Diagnostic::unsupported(callee.span, message)));
        }
        let (given, wanted) = (parts.arguments.unwrap_or_default(), &function.params);
        let (taken, returned) = (parts.results.unwrap_or_default(), &function.returns);
        // A linker lets a function without a result pass where one is expected: nobody writes it then.
        let returns = taken.len() == returned.len() || returned.is_empty();
        if given.len() != wanted.len() || !returns {
            return self.reject(callee, "the call does not fit the function's parameters");
        }
        if self.call_routine(function, parts)? {
            return Ok(());
        }
        let callee_frame = self.frame.called(self.places.len() - 1);
        let caller = std::mem::replace(&mut self.frame, callee_frame);
        let mut passed = Vec::with_capacity(given.len());
        for (operand, formal) in given.iter().zip(wanted) {
            passed.push(self.pass(operand, formal)?);
        }
        let mut results = Vec::with_capacity(taken.len());
        for (operand, formal) in taken.iter().zip(returned) {
            results.push(self.make_way(operand, formal)?);
        }

        let resume = self.b.block();
        let scopes = self.scopes.enter_function();
        let call_site = self.lines.call(function.name.as_str());
        self.calls.push(Call { resume });
        let stack = self.stack.filter(|_| self.call_graph.allocates(&function.name));
        let top = stack.map(|stack| self.b.unary(UnaryOp::Mov64, stack.top));
        self.frame.open(body);
        self.local_bytes = self.local_bytes.max(self.frame.bytes());
        let formals = wanted.iter().zip(&passed).chain(returned.iter().zip(&results));
        for (formal, passed) in formals {
            self.declare_formal(formal, passed)?;
        }
        self.depth += 1;
        self.statements(body);
        self.depth -= 1;
        self.enter(resume);
        if let (Some(stack), Some(top)) = (stack, top) {
            self.b.unary_to(stack.top, UnaryOp::Mov64, top);
        }
        self.calls.pop();
        self.lines.go_back(call_site);
        self.scopes.leave_function(scopes);
        let frame = std::mem::replace(&mut self.frame, caller);
        self.frames.push(frame.closed(self.places.len()));
        for ((operand, formal), passed) in taken.iter().zip(returned).zip(results) {
            self.receive(operand, formal, passed)?;
        }
        Ok(())
    }

    /// Asks something of the host.
    fn ask(&mut self, function: &Function, service: Service, parts: &CallParts<'_>) -> Result {
        let arguments = parts.arguments.unwrap_or_default();
        let classes = service.operands();
        let fits = arguments.len() >= classes.len() && arguments.len() == function.params.len();
        if !fits {
            return self.reject(parts.callee, "the call does not fit the function's parameters");
        }
        let mut operands = Vec::with_capacity(classes.len());
        for ((operand, formal), class) in arguments.iter().zip(&function.params).zip(classes) {
            let value = match self.variable(operand)? {
                Some(placed) => self.fetch(placed, formal).into(),
                None => self.value_of(operand, formal.ty)?,
            };
            if class_of(formal.ty) != Some(*class) {
                return self.reject(operand, "the function is declared with another parameter");
            }
            operands.push(value);
        }
        let result = parts.results.unwrap_or_default().first().zip(function.returns.first());
        let d = service.result().map(|class| self.b.reg(class));
        self.b.push(Op::Host { service, d, operands });
        let (Some((operand, formal)), Some(d)) = (result, d) else { return Ok(()) };
        match self.variable(operand)? {
            Some(placed) => self.put(placed, formal, d.into()),
            None if matches!(operand.kind, OperandKind::Sink) => {}
            None => self.write_to(operand, d.into(), formal.ty)?,
        }
        Ok(())
    }

    /// Passes an operand as a formal parameter.
    fn pass(&mut self, operand: &Operand, formal: &ast::Variable) -> Result<Passed> {
        if let (Space::Param, Some(placed)) = (formal.space, self.variable(operand)?) {
            return Ok(Passed::At(placed));
        }
        let elements = self.elements(operand);
        let values = elements.iter().map(|element| self.value_of(element, formal.ty));
        let values = values.collect::<Result<Vec<Src>>>()?;
        let passed = self.make_way(operand, formal)?;
        match (&passed, values.as_slice()) {
            (Passed::At(placed), [value]) => self.put(*placed, formal, *value),
            (Passed::In(reg), [value]) => self.b.copy_to(*reg, *value),
            (Passed::Each(regs), values) if regs.len() == values.len() => {
                for (reg, value) in regs.iter().zip(values) {
                    self.b.copy_to(*reg, *value);
                }
            }
            _ => return self.reject(operand, "this differs in shape from the parameter"),
        }
        Ok(passed)
    }

    /// Where a formal result, or a parameter, stands: the variable that the caller names, or a place of its own.
    fn make_way(&mut self, operand: &Operand, formal: &ast::Variable) -> Result<Passed> {
        if formal.space == Space::Param {
            let placed = match self.variable(operand)? {
                Some(placed) => placed,
                None => self.place_local(formal)?,
            };
            return Ok(Passed::At(placed));
        }
        let single = formal.dims.is_empty() && formal.space == Space::Reg;
        match (class_of(formal.ty).filter(|_| single), formal.vector) {
            (Some(class), None) => Ok(Passed::In(self.b.reg(class))),
            (Some(class), Some(count)) => {
                Ok(Passed::Each((0..count).map(|_| self.b.reg(class)).collect()))
            }
            (None, _) => {
                let message = "parameters of this type are not implemented";
                let error = Diagnostic::unsupported(operand.span, message);
                Err(Box::new(error.label(formal.span, "the parameter")))
            }
        }
    }

    /// The place of the variable that an operand names.
    pub(super) fn variable(&mut self, operand: &Operand) -> Result<Option<Placed>> {
        let OperandKind::Name(name) = &operand.kind else { return Ok(None) };
        let Entity::Variable(index) = self.scopes.find(name)? else { return Ok(None) };
        match self.scopes.variables[index] {
            Placing::At(placed) if matches!(placed.space, Space::Local | Space::Param) => {
                Ok(Some(placed))
            }
            _ => Ok(None),
        }
    }

    /// Gives the caller a result that it wants in a register.
    pub(super) fn receive(
        &mut self,
        operand: &Operand,
        formal: &ast::Variable,
        passed: Passed,
    ) -> Result {
        if matches!(operand.kind, OperandKind::Sink) || self.variable(operand)?.is_some() {
            return Ok(());
        }
        let values = match passed {
            Passed::In(reg) => vec![reg],
            Passed::At(placed) => vec![self.fetch(placed, formal)],
            Passed::Each(regs) => regs,
        };
        let elements = self.elements(operand);
        if elements.len() != values.len() {
            return self.reject(operand, "this differs in shape from the result");
        }
        elements
            .iter()
            .zip(values)
            .filter(|(element, _)| !matches!(element.kind, OperandKind::Sink))
            .try_for_each(|(element, value)| self.write_to(element, value.into(), formal.ty))
    }

    /// Loads the scalar that a variable holds.
    fn fetch(&mut self, placed: Placed, formal: &ast::Variable) -> Reg {
        self.load(placed, access(formal.ty))
    }

    pub(super) fn load(&mut self, placed: Placed, access: ir::Access) -> Reg {
        let d = self.b.reg(ir::Builder::class_of(access));
        let (space, address, ordering) = (space(placed), address(placed), Ordering::Weak);
        self.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
        d
    }

    /// Stores a scalar in a variable.
    pub(super) fn put(&mut self, placed: Placed, formal: &ast::Variable, value: Src) {
        self.store(placed, access(formal.ty), value);
    }

    pub(super) fn store(&mut self, placed: Placed, access: ir::Access, value: Src) {
        let values = vec![value];
        let (space, address, ordering) = (space(placed), address(placed), Ordering::Weak);
        self.b.push(Op::Store { values, space, access, address, ordering });
    }
}

/// The space of a variable that is passed.
fn space(placed: Placed) -> ir::Space {
    if placed.space == Space::Param { ir::Space::Param } else { ir::Space::Local }
}

/// The address of a variable in its space.
fn address(placed: Placed) -> Address {
    match placed.base {
        Some(base) => Address { base: base.into(), offset: placed.offset.cast_signed() },
        None => Address { base: Src::Imm(placed.offset), offset: 0 },
    }
}
