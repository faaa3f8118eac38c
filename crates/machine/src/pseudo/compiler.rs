//! The code of one instruction while it becomes IR.

use crate::codes;
use crate::operand::{Lane, Lowered};
use crate::register::file_of;
use diag::{Diagnostic, Span};
use ir::{Class, Pred, Reg, Src};
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
    pub(super) path: Pred,
    /// Output operands that the code has assigned, in the order in which it did.
    pub(super) assigned: Vec<&'d Field>,
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

    /// Counts the work, so that a short program cannot ask for endless code.
    pub(super) fn spend(&mut self, span: Span) -> Lowered {
        if self.lane.e.spend() {
            return Ok(());
        }
        let message = "the program's pseudo-code unfolds to too many operations";
        Err(self.error(span, codes::LIMIT, message, "shorten its loops, or the program"))
    }

    /// Emits something for all lanes that execute the instruction, whatever the path.
    pub(super) fn for_participants<T>(&mut self, emit: impl FnOnce(&mut Lane<'a, 'd>) -> T) -> T {
        let inner = self.lane.e.b.guard();
        self.lane.e.b.set_guard(self.lane.guard);
        let emitted = emit(self.lane);
        self.lane.e.b.set_guard(inner);
        emitted
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
}
