//! One instruction: its guard, its form, its operands.

use super::Checker;
use super::names::Symbol;
use crate::catalogue::{self, Matched};
use crate::rules;
use crate::syntax::ScalarType;
use crate::syntax::ast::{Guard, Instruction, Name, Operand, OperandKind};

impl<'a> Checker<'a> {
    pub(super) fn instruction(&mut self, instruction: &'a Instruction) {
        let before = self.found.len();
        let opcode = &instruction.opcode;
        let Some(entry) = catalogue::entry(instruction) else {
            self.unknown.insert(opcode);
            let mut unknown = catalogue::unknown(opcode);
            if unknown.help.is_none() && instruction.suffixes.is_empty() {
                unknown = unknown.help("a label ends in `:`");
            }
            return self.report(unknown);
        };
        if let Some(guard) = &instruction.guard {
            self.guard(guard);
        }
        for operand in &instruction.operands {
            self.declared(operand);
        }
        if entry.forms.is_empty() {
            self.unchecked(instruction, entry.entry);
            return;
        }
        let has_undeclared = self.found.len() > before;
        match catalogue::select(entry, instruction, Some(self.target)) {
            Ok(matched) => {
                if !has_undeclared && self.operands(&matched) {
                    self.advise(&matched);
                }
            }
            // One mistake gives one diagnostic.
            Err(_) if has_undeclared => {}
            Err(miss) => {
                let error = miss.explain(entry, instruction);
                self.report(error);
            }
        }
    }

    fn unchecked(&mut self, instruction: &'a Instruction, entry: &'static catalogue::Entry) {
        if entry.is_call() {
            return self.call(instruction);
        }
        let opcode = &instruction.opcode;
        if self.unchecked.insert(opcode) {
            let message = format!("`{opcode}` is not implemented: its operands are not checked");
            let remark = rules::UNCHECKED.at(opcode.span, message);
            self.report(remark.note(format!("PTX ISA 9.1, {}", entry.section)));
        }
    }

    fn guard(&mut self, guard: &'a Guard) {
        let name = &guard.predicate;
        let message = match self.names.find(name) {
            Some(Symbol::Register(variable)) if variable.ty == ScalarType::Pred => return,
            Some(Symbol::Register(variable)) => {
                format!("a guard must be a predicate: `{name}` is a {} register", variable.ty)
            }
            Some(_) => format!("a guard must be a predicate register; `{name}` is none"),
            None => {
                return self.undeclared(name, "the guard");
            }
        };
        self.report(rules::GUARD.at(name.span, message));
    }

    /// Reports the undeclared names of an operand.
    fn declared(&mut self, operand: &'a Operand) {
        use OperandKind as K;
        match &operand.kind {
            K::Name(name) | K::Component(name, _) | K::NamePlus(name, _) => self.known(name),
            K::Negated(inner) | K::Minus(inner) => self.declared(inner),
            K::Pair(first, second) => {
                self.declared(first);
                self.declared(second);
            }
            K::Vector(all) | K::List(all) => all.iter().for_each(|one| self.declared(one)),
            K::Address(address) => {
                self.declared(&address.base);
                address.rest.iter().for_each(|one| self.declared(one));
            }
            K::Element(name, index) => {
                self.known(name);
                self.declared(index);
            }
            K::Constant(_) | K::Sink => {}
        }
    }

    fn known(&mut self, name: &'a Name) {
        if self.names.find(name).is_none() {
            return self.undeclared(name, "the name");
        }
        self.uses(name);
    }

    /// Checks the operands one by one; false if one is wrong.
    fn operands(&mut self, inst: &Matched<'a>) -> bool {
        let section = inst.form.form.syntax;
        for (pattern, operand) in inst.operands() {
            if let Err(error) = self.operand(inst, pattern, operand) {
                self.blame.reported(self.found.len());
                self.report(error.note(format!("the form is `{section}`")));
                return false;
            }
        }
        true
    }
}
