//! Statements of pseudo-code → IR.

use super::ast::{Action, Bits, Case, Expr, Loop, Statement, Target};
use super::expr::Value;
use super::functions;
use crate::codes;
use crate::operand::{Flow, Lane, Lowered};
use crate::register::file_of;
use diag::{Diagnostic, Span};
use ir::{BinaryOp, Class, CompareOp, Pred, Reg, Src, UnaryOp};
use isa::Field;
use std::collections::{HashMap, HashSet};

/// Code of one instruction while it is compiled. Variables have 64 bits in every lane.
pub(crate) struct Compiler<'l, 'a, 'd> {
    pub(super) lane: &'l mut Lane<'a, 'd>,
    /// Variables, and operands that have been read or written, by the name of the field.
    pub(super) variables: HashMap<String, Reg>,
    /// Cross-lane arrays: each lane's own element.
    pub(super) arrays: HashMap<String, Reg>,
    /// Counters of the loops around the current statement.
    pub(super) counters: HashMap<String, i64>,
    /// Variables that hold the lane's own number.
    pub(super) lane_numbers: HashSet<String>,
    /// The lanes that execute the current statement.
    path: Pred,
    /// Output operands that the code has assigned, in the order in which it did.
    assigned: Vec<&'d Field>,
}

impl<'l, 'a, 'd> Compiler<'l, 'a, 'd> {
    pub(crate) fn new(lane: &'l mut Lane<'a, 'd>) -> Self {
        let path = lane.executes();
        Compiler {
            lane,
            variables: HashMap::new(),
            arrays: HashMap::new(),
            counters: HashMap::new(),
            lane_numbers: HashSet::new(),
            path,
            assigned: Vec::new(),
        }
    }

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

    /// An error in the code, labelled with the instruction that uses it.
    pub(super) fn error(
        &self,
        span: Span,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Box<Diagnostic> {
        let diagnostic = Diagnostic::error(span, message).help(help).code(code);
        Box::new(diagnostic.label(self.lane.span, "needed by this instruction"))
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

    /// Counts the work, so that a short program cannot ask for endless code.
    pub(super) fn spend(&mut self, span: Span) -> Lowered {
        if self.lane.e.spend() {
            return Ok(());
        }
        let message = "the program's pseudo-code unfolds to too many operations";
        Err(self.error(span, codes::LIMIT, message, "shorten its loops, or the program"))
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

    /// Emits something for all lanes that execute the instruction, whatever the path.
    pub(super) fn for_participants<T>(&mut self, emit: impl FnOnce(&mut Lane<'a, 'd>) -> T) -> T {
        let inner = self.lane.e.b.guard();
        self.lane.e.b.set_guard(self.lane.guard);
        let emitted = emit(self.lane);
        self.lane.e.b.set_guard(inner);
        emitted
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

    /// The variable of an operand. It begins as the operand's value before the instruction.
    pub(super) fn operand_variable(&mut self, field: &'d Field) -> Lowered<Reg> {
        if let Some(d) = self.variables.get(&field.name.text) {
            return Ok(*d);
        }
        let d = self.for_participants(|lane| -> Lowered<Reg> {
            let d = lane.temporary(Class::W64);
            if file_of(field).is_some_and(|file| file.is_predicate()) {
                let truth = lane.predicate(field)?;
                let number = lane.e.b.select(Class::W64, truth, Src::Imm(1), Src::Imm(0));
                lane.e.b.copy_to(d, number);
            } else {
                let value = lane.value64(field)?;
                lane.e.b.copy_to(d, value);
            }
            Ok(d)
        })?;
        self.variables.insert(field.name.text.clone(), d);
        Ok(d)
    }

    /// `old` with some bits replaced.
    fn insert(&mut self, old: Reg, value: Src, bits: Bits) -> Src {
        let mask = mask_of(bits);
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

    /// The operand that the code means by a name: a field of the operand lists or the word of the syntax
    /// line, capitals or not, `Src` before the latter left out or not.
    pub(super) fn operand(&self, name: &str) -> Option<&'d Field> {
        let opcode = self.lane.instruction.opcode();
        let listed = opcode.order.iter().chain(&opcode.inputs).chain(&opcode.outputs);
        let mut fields = listed.map(|index| &opcode.fields[*index]);
        fields.find(|field| field.name.text.eq_ignore_ascii_case(name)).or_else(|| {
            let shown = |word: &str| {
                let short = word.strip_prefix("Src").filter(|rest| !rest.is_empty());
                word.eq_ignore_ascii_case(name)
                    || short.is_some_and(|short| short.eq_ignore_ascii_case(name))
            };
            opcode.operand_names().find(|(word, _)| shown(word)).map(|(_, field)| field)
        })
    }

    /// A number in the variables' class, from a truth value.
    pub(super) fn number(&mut self, truth: Pred) -> Src {
        match truth {
            Pred::Const(value) => Src::Imm(value.into()),
            Pred::Is(_) | Pred::Not(_) => {
                self.lane.e.b.select(Class::W64, truth, Src::Imm(1), Src::Imm(0)).into()
            }
        }
    }

    /// The value of an expression as a number of 64 bits.
    pub(super) fn value(&mut self, expr: &Expr) -> Lowered<Src> {
        Ok(match self.evaluate(expr)? {
            Value::Constant(number) => Src::Imm(number.cast_unsigned()),
            Value::Number(reg) => reg.into(),
            Value::Truth(truth) => self.number(truth),
        })
    }

    /// The low 32 bits of an expression.
    pub(super) fn value32(&mut self, expr: &Expr) -> Lowered<Src> {
        Ok(match self.value(expr)? {
            Src::Imm(number) => Src::Imm(number & u64::from(u32::MAX)),
            Src::Reg(reg) => self.lane.e.b.unary(UnaryOp::Low32, reg).into(),
        })
    }

    /// Whether an expression is not 0.
    pub(super) fn truth(&mut self, expr: &Expr) -> Lowered<Pred> {
        Ok(match self.evaluate(expr)? {
            Value::Constant(number) => Pred::Const(number != 0),
            Value::Number(reg) => {
                Pred::Is(self.lane.e.b.compare(CompareOp::NeI64, reg, Src::Imm(0)))
            }
            Value::Truth(truth) => truth,
        })
    }

    /// The value of an expression that is the same in every run.
    fn constant(&mut self, expr: &Expr) -> Lowered<i64> {
        match self.evaluate(expr)? {
            Value::Constant(number) => Ok(number),
            Value::Truth(Pred::Const(value)) => Ok(value.into()),
            Value::Truth(_) | Value::Number(_) => {
                let message = "this depends on registers, and a constant is needed";
                let help = "numbers, modifiers, immediates and counters of loops are constants";
                Err(self.error(expr.span, codes::MEANING, message, help))
            }
        }
    }
}

/// Ones for the bits of a range, at the low end.
pub(super) fn mask_of(bits: Bits) -> u64 {
    let width = bits.high - bits.low + 1;
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}
