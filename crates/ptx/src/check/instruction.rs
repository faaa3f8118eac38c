//! One instruction: its guard, its form, its operands.

use super::Checker;
use super::names::Symbol;
use super::wanted::Verdict;
use crate::catalogue::{self, CompiledEntry, Matched, Miss};
use crate::rules;
use crate::syntax::ScalarType;
use crate::syntax::ast::{Guard, Instruction, Name, Operand, OperandKind};
use diag::{Diagnostic, Span};

impl<'a> Checker<'a> {
    pub(super) fn instruction(&mut self, instruction: &'a Instruction) {
        let before = self.found.len();
        self.parts(instruction);
        if self.found.len() == before {
            return;
        }
        let Some(entry) = catalogue::entry(instruction) else { return };
        for found in &mut self.found[before..] {
            rules::in_section(found, entry.entry.section);
        }
    }

    fn parts(&mut self, instruction: &'a Instruction) {
        let before = self.found.len();
        let opcode = &instruction.opcode;
        let Some(entry) = catalogue::entry(instruction) else {
            if let Some(error) = self.bare_guard(instruction) {
                return self.report(error);
            }
            self.unknown.insert(opcode);
            self.received(&instruction.operands);
            let mut unknown = catalogue::unknown(opcode);
            if unknown.help.is_none() && instruction.suffixes.is_empty() {
                unknown = unknown.help("a label ends in `:`");
            }
            return self.report(unknown);
        };
        if let Some(guard) = &instruction.guard {
            self.guard(guard);
        }
        if let Some(error) = self.unended(instruction) {
            return self.report(error);
        }
        let mut declared = true;
        for operand in &instruction.operands {
            declared &= self.declared(operand);
        }
        if entry.entry.is_call() {
            return self.call(instruction);
        }
        // One mistake gives one diagnostic.
        if declared && self.found.len() == before {
            self.forms(entry, instruction);
        } else if let Some(miss) = catalogue::foreign_word(entry, instruction) {
            self.report(miss.explain(entry, instruction, |_, _, _| true));
        }
    }

    /// Checks the operands against each form that the words fit, until they agree with one.
    fn forms(&mut self, entry: &'static CompiledEntry, instruction: &'a Instruction) {
        let (mut nearest, mut first_error) = (None, None);
        for matched in catalogue::candidates(entry, instruction, Some(self.target), &mut nearest) {
            let before = self.found.len();
            match self.operands(&matched) {
                Ok(()) => return self.advise(&matched),
                Err(error) if first_error.is_none() => {
                    let advice = self.found.split_off(before);
                    first_error = Some((error, advice, self.blame.take()));
                }
                Err(_) => {
                    self.found.truncate(before);
                    self.blame.take();
                }
            }
        }
        if let Some((error, advice, blame)) = first_error {
            self.found.extend(advice);
            self.blame.reported(blame, self.found.len());
            return self.report(*error);
        }
        let miss = nearest.map_or(Miss::NoForm, |(_, miss)| miss);
        let before = self.found.len();
        let fits = |matched: &Matched<'a>, pattern, operand| {
            let fits = self.operand(matched, pattern, operand).is_ok();
            self.found.truncate(before);
            self.blame.take();
            fits
        };
        let error = miss.explain(entry, instruction, fits);
        self.report(error);
    }

    fn guard(&mut self, guard: &'a Guard) {
        let name = &guard.predicate;
        let message = match self.names.find(name) {
            Some(Symbol::Register(variable)) if variable.ty == ScalarType::Pred => {
                return self.blame.fits(variable);
            }
            Some(Symbol::Register(variable)) => {
                self.blame.differs(variable, ScalarType::Pred);
                let blame = self.blame.take();
                self.blame.reported(blame, self.found.len());
                format!("a guard must be a predicate: `{name}` is a {} register", variable.ty)
            }
            Some(_) => format!("a guard must be a predicate register; `{name}` is none"),
            None => {
                return self.undeclared(name, "the guard");
            }
        };
        self.report(rules::GUARD.at(name.span, message));
    }

    /// `@ bra L`: what reads as the guard is the instruction.
    fn bare_guard(&self, instruction: &Instruction) -> Option<Diagnostic> {
        let guard = instruction.guard.as_ref()?;
        let name = &guard.predicate;
        let is_instruction = catalogue::is_opcode(name) && self.names.find(name).is_none();
        is_instruction.then(|| {
            let at = Span { end: name.span.start, ..name.span };
            let message = "a predicate register is missing after `@`";
            rules::GUARD.at(at, message).label(name.span, "this is the instruction")
        })
    }

    /// An instruction without its semicolon before one that is a single word.
    fn unended(&self, instruction: &Instruction) -> Option<Diagnostic> {
        let [Operand { kind: OperandKind::Name(name), .. }] = instruction.operands.as_slice()
        else {
            return None;
        };
        let is_next = catalogue::is_opcode(name) && self.names.find(name).is_none();
        is_next.then(|| {
            let last = instruction.suffixes.last().unwrap_or(&instruction.opcode).span;
            let end = Span { start: last.end, ..last };
            rules::SYNTAX
                .at(end, "`;` is missing at the end of this statement")
                .label(name.span, "the next instruction")
                .help("end the statement with `;`")
                .fix(end, ";")
        })
    }

    /// Reports the undeclared names of an operand; whether it has none.
    fn declared(&mut self, operand: &'a Operand) -> bool {
        use OperandKind as K;
        match &operand.kind {
            K::Name(name) | K::Component(name, _) | K::NamePlus(name, _) => self.known(name),
            K::Negated(inner) | K::Minus(inner) => self.declared(inner),
            K::Pair(first, second) => self.all_declared([&**first, &**second]),
            K::Vector(all) | K::List(all) => self.all_declared(all),
            K::Address(address) => {
                self.all_declared([&*address.base].into_iter().chain(&address.rest))
            }
            K::Element(name, index) => self.known(name) & self.declared(index),
            K::Constant(_) | K::Sink => true,
        }
    }

    fn all_declared(&mut self, operands: impl IntoIterator<Item = &'a Operand>) -> bool {
        operands.into_iter().fold(true, |all, operand| self.declared(operand) & all)
    }

    fn known(&mut self, name: &'a Name) -> bool {
        match self.names.find(name) {
            Some(Symbol::Register(_)) => true,
            Some(_) => {
                self.misspelt.used(name);
                self.uses(name);
                true
            }
            None => {
                self.undeclared(name, "the name");
                false
            }
        }
    }

    /// Checks the operands one by one, up to the first that is wrong.
    fn operands(&mut self, inst: &Matched<'a>) -> Verdict {
        self.samplers(inst)?;
        for (pattern, operand) in inst.operands() {
            self.operand(inst, pattern, operand).map_err(|error| {
                let error = match inst.length_word(pattern) {
                    Some(word) if error.code == rules::VECTOR.code && error.labels.len() == 1 => {
                        error.label(word, "this says how many")
                    }
                    Some(_) | None => *error,
                };
                Box::new(error.note(format!("the form is `{}`", inst.form.form.syntax)))
            })?;
        }
        Ok(())
    }
}
