//! The stack of a thread: what `alloca` gives out, and what functions need that may call themselves.

use super::errors::Result;
use super::lowering::Lowering;
use super::routine::Stack;
use crate::catalogue::Matched;
use diag::{Class, Diagnostic, Severity};
use ir::{BinaryOp, CompareOp, Op, Reg, Service, Special, Src, Terminator, UnaryOp};

/// The bits of a predicate's truth table (`ir::Op::Logic`) that is true where either operand is.
const OR: u8 = 0b1110;

impl Lowering {
    /// The registers of the stack. They get their values when the kernel begins ([`Lowering::begin_stack`]).
    pub(super) fn open_stack(&mut self) {
        let mut reg = || self.b.reg(ir::Class::W64);
        let (top, end, align_less_1, mask) = (reg(), reg(), reg(), reg());
        self.stack = Some(Stack { top, end, align_less_1, mask });
    }

    /// Code that makes the stack empty: it begins at an address, and frames in it at multiples of `align`.
    pub(super) fn begin_stack(&mut self, start: u64, align: u64) {
        let Some(stack) = self.stack else { return };
        self.b.unary_to(stack.top, UnaryOp::Mov64, Src::Imm(start));
        self.b.push(Op::Special { d: stack.end, what: Special::StackEnd });
        self.b.unary_to(stack.align_less_1, UnaryOp::Mov64, Src::Imm(align - 1));
        self.b.unary_to(stack.mask, UnaryOp::Mov64, Src::Imm(!(align - 1)));
    }

    fn stack(&self, inst: &Matched<'_>) -> Result<Stack> {
        self.stack.ok_or_else(|| {
            let message = "this instruction was not seen in the kernel's functions";
            let bug = Diagnostic::new(Severity::Error, Class::Bug, message);
            Box::new(bug.label(inst.instruction.span, ""))
        })
    }

    /// The register that holds where the stack ends now.
    pub fn stack_top(&mut self, inst: &Matched<'_>) -> Result<Reg> {
        Ok(self.stack(inst)?.top)
    }

    /// Takes so many bytes from the stack, aligned to a power of two, and returns where they begin in local memory.
    pub fn allocate(&mut self, inst: &Matched<'_>, size: Src, align: u64) -> Result<Reg> {
        let stack = self.stack(inst)?;
        let guard = self.b.guard();
        let behind = self.b.block();
        if let Some(p) = guard {
            let body = self.b.block();
            self.b.terminate(Terminator::Branch { p, then: body, otherwise: behind });
            self.b.switch_to(body);
            self.b.set_guard(None);
        }
        let above = self.b.binary(BinaryOp::AddI64, stack.top, Src::Imm(align - 1));
        let start = self.b.binary(BinaryOp::And64, above, Src::Imm(!(align - 1)));
        let room = self.b.binary(BinaryOp::SubI64, stack.end, start);
        let beyond = self.b.compare(CompareOp::LtU64, stack.end, start);
        let large = self.b.compare(CompareOp::LtU64, room, size);
        let p = self.b.logic(OR, beyond, large).into();
        let (none, some) = (self.b.block(), self.b.block());
        self.b.terminate(Terminator::Branch { p, then: none, otherwise: some });
        self.b.switch_to(none);
        self.overflow(size, Service::ALLOCATION);
        self.b.switch_to(some);
        self.begin_frame(start, size);
        let end = self.b.binary(BinaryOp::AddI64, start, size);
        let end = self.b.binary(BinaryOp::AddI64, end, stack.align_less_1);
        self.b.binary_to(stack.top, BinaryOp::And64, end, stack.mask);
        self.enter(behind);
        self.b.set_guard(guard);
        Ok(start)
    }

    /// Stops the kernel, for want of room on the stack.
    pub(super) fn overflow(&mut self, needed: Src, function: u64) {
        if let Some(stack) = self.stack {
            let left = self.b.binary(BinaryOp::SubI64, stack.end, stack.top);
            let operands = vec![needed, left.into(), Src::Imm(function)];
            self.b.push(Op::Host { service: Service::StackOverflow, d: None, operands });
        }
        self.b.terminate(Terminator::Trap);
    }

    /// These bytes of local memory are new.
    pub(super) fn begin_frame(&mut self, start: Reg, bytes: Src) {
        let operands = vec![start.into(), bytes];
        self.b.push(Op::Host { service: Service::BeginFrame, d: None, operands });
    }
}
