//! Statements of pseudo-code → IR.

use super::ast::{Action, Bits, Case, Expr, Loop, Statement, Target};
use super::compiler::Compiler;
use super::functions;
use crate::codes;
use crate::operand::{Flow, Lowered};
use crate::register::file_of;
use diag::Span;
use ir::{BinaryOp, Class, CompareOp, Pred, Reg, Src};

impl Compiler<'_, '_, '_> {
    /// Compiles the code, then writes the output operands.
    pub(crate) fn run(mut self, statements: &[Statement]) -> Lowered {
        self.statements(statements)?;
        for field in std::mem::take(&mut self.assigned) {
            let Some(value) = self.variables.get(&field.name.text).copied() else { continue };
            if file_of(field).is_some_and(|file| file.is_predicate()) {
                let truth = self.lane.e.b.compare(CompareOp::NeI64, value, Src::Imm(0));
                self.lane.write_predicate(field, truth)?;
            } else {
                self.lane.write64(field, value)?;
            }
        }
        Ok(())
    }

    fn statements(&mut self, statements: &[Statement]) -> Lowered {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Lowered {
        self.spend(statement.span)?;
        match &statement.action {
            Action::Assign(target, value) => self.assign(target, value, statement.span),
            Action::Call(name, arguments) => {
                functions::procedure(self, name, arguments, statement.span)
            }
            Action::Goto(target) => self.goto(target),
            Action::Exit => self.flow(Flow::Exit(self.path), statement.span),
            Action::If(condition, then, otherwise) => {
                let condition = self.truth(condition)?;
                self.on_path(condition, then)?;
                self.on_path(condition.negated(), otherwise)
            }
            Action::Switch(subject, cases) => self.switch(subject, cases),
            Action::For(looped) => self.for_loop(looped, statement.span),
        }
    }

    /// Compiles statements for the lanes of the current path where the condition is true.
    fn on_path(&mut self, condition: Pred, statements: &[Statement]) -> Lowered {
        if condition == Pred::Const(false) || statements.is_empty() {
            return Ok(());
        }
        let outer = self.path;
        let inner = self.lane.both(outer, condition);
        self.enter(inner);
        let compiled = self.statements(statements);
        self.enter(outer);
        compiled
    }

    fn enter(&mut self, path: Pred) {
        self.path = path;
        self.lane.e.b.set_guard((path != Pred::Const(true)).then_some(path));
    }

    fn assign(&mut self, target: &Target, value: &Expr, span: Span) -> Lowered {
        let is_lane = self.is_own_lane(value) && self.path == self.lane.executes();
        let value = self.value(value)?;
        match target {
            Target::Name(name) => {
                let d = self.place(name, span)?;
                self.remember(name, is_lane);
                self.lane.e.b.copy_to(d, value);
            }
            Target::Bits(name, bits) => {
                let d = self.place(name, span)?;
                // Five bits hold every lane's number.
                self.remember(name, is_lane && bits.low == 0 && bits.high >= 4);
                let inserted = self.insert(d, value, *bits);
                self.lane.e.b.copy_to(d, inserted);
            }
            Target::Element(name, index) => {
                if self.operand(name).is_some() || self.variables.contains_key(name) {
                    let message = format!("`{name}` holds one value, and is no array of lanes");
                    let help = "assign single bits as `name[bit:bit]`";
                    return Err(self.error(span, codes::MEANING, message, help));
                }
                self.own_lane(index)?;
                let d = match self.arrays.get(name) {
                    Some(d) => *d,
                    None => {
                        let d = self.lane.preset(Class::W64, 0);
                        self.arrays.insert(name.clone(), d);
                        d
                    }
                };
                self.lane.e.b.copy_to(d, value);
            }
        }
        Ok(())
    }

    fn remember(&mut self, name: &str, is_lane: bool) {
        match is_lane {
            true => self.lane_numbers.insert(name.to_owned()),
            false => self.lane_numbers.remove(name),
        };
    }

    /// Checks that the index of an element to write is the lane's own number.
    fn own_lane(&mut self, index: &Expr) -> Lowered {
        if self.is_own_lane(index) {
            return Ok(());
        }
        let message = "a lane writes its own element of an array only";
        let help = "write `name[lane] = …` after `lane = [Thread].laneid;`, and let the other lane read it";
        Err(self.error(index.span, codes::MEANING, message, help))
    }

    /// The variable or output operand to assign to.
    fn place(&mut self, name: &str, span: Span) -> Lowered<Reg> {
        if self.counters.contains_key(name) || self.arrays.contains_key(name) {
            let message = format!("`{name}` cannot be assigned here");
            let help = "counters of loops and arrays of lanes are no plain variables";
            return Err(self.error(span, codes::MEANING, message, help));
        }
        let Some(field) = self.operand(name) else {
            if let Some(d) = self.variables.get(name) {
                return Ok(*d);
            }
            let d = self.lane.preset(Class::W64, 0);
            self.variables.insert(name.to_owned(), d);
            return Ok(d);
        };
        let opcode = self.lane.instruction.opcode();
        let is_output =
            opcode.outputs.iter().any(|index| std::ptr::eq(&opcode.fields[*index], field));
        if !is_output {
            let operand = &field.name.text;
            let message = match operand.eq_ignore_ascii_case(name) {
                true => format!("`{name}` is not an output of `{}`", opcode.name),
                false => {
                    format!("`{name}` is operand `{operand}`, not an output of `{}`", opcode.name)
                }
            };
            let help =
                format!("name it in `OutList<{operand}>`, or give the variable another name");
            return Err(self.error(span, codes::MEANING, message, help));
        }
        let d = self.operand_variable(field)?;
        if !self.assigned.iter().any(|known| std::ptr::eq(*known, field)) {
            self.assigned.push(field);
        }
        Ok(d)
    }

    /// `old` with some bits replaced.
    fn insert(&mut self, old: Reg, value: Src, bits: Bits) -> Src {
        let mask = bits.mask();
        let b = &mut self.lane.e.b;
        let kept = b.binary(BinaryOp::And64, old, Src::Imm(!(mask << bits.low)));
        let cut = b.binary(BinaryOp::And64, value, Src::Imm(mask));
        let moved = b.binary(BinaryOp::Shl64, cut, Src::Imm(bits.low.into()));
        b.binary(BinaryOp::Or64, kept, moved).into()
    }

    fn switch(&mut self, subject: &Expr, cases: &[Case]) -> Lowered {
        let mut rest = Pred::Const(true);
        for Case { labels, body } in cases {
            let mut taken = Pred::Const(labels.is_empty());
            for label in labels {
                let equal = self.equal(subject, label)?;
                taken = self.either(taken, equal);
            }
            let here = self.lane.both(rest, taken);
            self.on_path(here, body)?;
            rest = self.lane.both(rest, taken.negated());
        }
        Ok(())
    }

    /// Whether one of two predicates is true.
    fn either(&mut self, a: Pred, b: Pred) -> Pred {
        self.lane.both(a.negated(), b.negated()).negated()
    }

    fn for_loop(&mut self, looped: &Loop, span: Span) -> Lowered {
        let Loop { name, from, condition, step, body } = looped;
        if self.operand(name).is_some() || self.variables.contains_key(name) {
            let message = format!("`{name}` is used already and cannot count a loop");
            return Err(self.error(span, codes::MEANING, message, "take another name"));
        }
        let mut count = self.constant(from)?;
        loop {
            self.spend(span)?;
            let outer = self.counters.insert(name.clone(), count);
            let more = self.constant(condition)? != 0;
            let next = match more {
                true => self.statements(body).and_then(|()| self.constant(step)),
                false => Ok(count),
            };
            match outer {
                Some(outer) => self.counters.insert(name.clone(), outer),
                None => self.counters.remove(name),
            };
            count = next?;
            if !more {
                return Ok(());
            }
        }
    }

    fn goto(&mut self, target: &Expr) -> Lowered {
        let address = self.constant(target)?;
        self.flow(Flow::Jump(self.path, address.into()), target.span)
    }

    fn flow(&mut self, flow: Flow, span: Span) -> Lowered {
        if self.lane.flow.is_some() {
            let message = "an instruction has one `goto` or `exit` at most";
            let help = "compute the condition first, and leave in one place";
            return Err(self.error(span, codes::MEANING, message, help));
        }
        self.lane.flow = Some(flow);
        Ok(())
    }
}
