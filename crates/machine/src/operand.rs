//! One instruction while it is lowered: its operands, modifiers and guard.

use crate::codes;
use crate::emit::Emitter;
use crate::register::{File, Named, Register, named};
use diag::{Class as Blame, Diagnostic, Severity, Span};
use ir::{BinaryOp, Class, CompareOp, Pred, Reg, Src, UnaryOp};
use isa::{Field, Instruction, TypeKind};

/// What cannot be lowered, and why.
pub(crate) type Lowered<T = ()> = Result<T, Box<Diagnostic>>;

/// Where control goes after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Lanes where the predicate is true go on at the address, the others behind the instruction.
    Jump(Pred, i128),
    /// Lanes where the predicate is true end their program.
    Exit(Pred),
}

/// An instruction and the kernel that it becomes a part of.
pub(crate) struct Lane<'a, 'd> {
    pub(crate) e: &'a mut Emitter,
    pub(crate) instruction: &'a Instruction<'d>,
    /// The address of its word in bytes.
    pub(crate) address: u64,
    /// Where it stands in the program.
    pub(crate) span: Span,
    /// The lanes that execute it; `None`: all that are there.
    pub(crate) guard: Option<Pred>,
    /// What it does to control.
    pub(crate) flow: Option<Flow>,
}

impl<'a, 'd> Lane<'a, 'd> {
    /// Begins an instruction. From here to [`Lane::end`] everything happens under its guard.
    pub(crate) fn begin(
        e: &'a mut Emitter,
        instruction: &'a Instruction<'d>,
        address: u64,
        span: Span,
    ) -> Lowered<Self> {
        let mut lane = Lane { e, instruction, address, span, guard: None, flow: None };
        let opcode = instruction.opcode();
        if let Some(guard) = opcode.guard {
            let pred = lane.predicate(&opcode.fields[guard])?;
            // The instruction may write its own guard.
            lane.guard = match pred {
                Pred::Const(true) => None,
                Pred::Const(false) => Some(pred),
                Pred::Is(_) | Pred::Not(_) => {
                    let copy = lane.e.b.reg(Class::Pred);
                    lane.e.b.pred_to(copy, pred);
                    Some(Pred::Is(copy))
                }
            };
        }
        lane.e.b.set_guard(lane.guard);
        Ok(lane)
    }

    /// Ends the instruction; returns what it does to control.
    pub(crate) fn end(self) -> Option<Flow> {
        self.e.b.set_guard(None);
        self.flow
    }

    /// The guard as a predicate.
    pub(crate) fn executes(&self) -> Pred {
        self.guard.unwrap_or(Pred::Const(true))
    }

    /// An instruction that has no meaning here.
    pub(crate) fn unsupported(&self, why: impl Into<String>) -> Box<Diagnostic> {
        let diagnostic = Diagnostic::new(Severity::Error, Blame::Unsupported, why);
        Box::new(diagnostic.label(self.span, "").code(codes::NO_MEANING))
    }

    /// The first field that has one of the names.
    pub(crate) fn find(&self, names: &[&str]) -> Option<&'d Field> {
        let opcode = self.instruction.opcode();
        names.iter().find_map(|name| opcode.field(name))
    }

    /// The field that has one of the names.
    pub(crate) fn field(&self, names: &[&str]) -> Lowered<&'d Field> {
        self.find(names).ok_or_else(|| {
            let opcode = self.instruction.opcode();
            let message = format!("`{}` has no field `{}`", opcode.name, names.join("` or `"));
            let diagnostic = self.unsupported(message);
            Box::new(diagnostic.help("give the instruction this field, or its meaning as pseudo-code under `__Semantics` and another name"))
        })
    }

    /// The name of the value of a modifier: the first field that has one of the names.
    pub(crate) fn modifier(&self, names: &[&str]) -> Option<String> {
        let field = self.find(names)?;
        self.instruction.value_name(&field.name.text)
    }

    fn number(&self, field: &Field) -> u128 {
        self.instruction.value(&field.name.text).unwrap_or(0)
    }

    /// What a register field names.
    pub(crate) fn named(&self, field: &Field) -> Lowered<Named> {
        named(field, self.number(field)).ok_or_else(|| {
            let message = format!(
                "`{}` is of type `{}`, whose registers the machine does not have",
                field.name.text, field.ty.name
            );
            let diagnostic = self.unsupported(message);
            Box::new(
                diagnostic.help("give the type `File<GPR>`, `File<UR>`, `File<PR>` or `File<UPR>`"),
            )
        })
    }

    /// The spellings of the attributes that are set on an operand, such as `!` or `~`.
    fn attributes(&self, operand: &Field) -> Vec<&'d str> {
        let opcode = self.instruction.opcode();
        let own = |field: &&Field| {
            field.name.attribute().is_some() && field.name.base() == operand.name.text
        };
        opcode
            .fields
            .iter()
            .filter(own)
            .filter_map(|field| match &field.ty.kind {
                TypeKind::Enumeration(values) => values.by_number(self.number(field)),
                TypeKind::Register(_) | TypeKind::Immediate(_) => None,
            })
            .map(|value| value.spelling.as_str())
            .filter(|spelling| !spelling.is_empty())
            .collect()
    }

    /// The value of a predicate operand, negation applied.
    pub(crate) fn predicate(&mut self, field: &Field) -> Lowered<Pred> {
        let plain = match self.named(field)? {
            Named::Constant(File::Predicate | File::UniformPredicate) => Pred::Const(true),
            Named::Register(register) if register.file == File::Predicate => {
                Pred::Is(self.e.held(register))
            }
            Named::Register(register) if register.file == File::UniformPredicate => {
                let word = self.e.load_uniform(register);
                Pred::Is(self.e.b.compare(CompareOp::NeI32, word, Src::Imm(0)))
            }
            Named::Constant(_) | Named::Register(_) => {
                return Err(self.unsupported(format!("`{}` is no predicate", field.name.text)));
            }
        };
        let mut value = plain;
        for spelling in self.attributes(field) {
            value = match spelling {
                "!" => value.negated(),
                other => return Err(self.unknown_attribute(field, other)),
            };
        }
        Ok(value)
    }

    fn unknown_attribute(&self, field: &Field, spelling: &str) -> Box<Diagnostic> {
        let message =
            format!("the machine does not know `{spelling}` before `{}`", field.name.text);
        let diagnostic = self.unsupported(message);
        Box::new(
            diagnostic.help("it knows `!` before predicates, and `~` and `-` before registers"),
        )
    }

    /// The bits of a data operand: 32, or 64 for a pair. The description says so in `Bitwidth`.
    pub(crate) fn bits(&self, field: &Field) -> Lowered<u32> {
        if !matches!(field.ty.kind, TypeKind::Register(_)) {
            return Ok(64);
        }
        match self.instruction.operand_bits(&field.name.text) {
            None | Some(32) => Ok(32),
            Some(64) => Ok(64),
            Some(bits) => Err(self.unsupported(format!(
                "`{}` has {bits} bits; the machine's registers have 32 and its pairs 64",
                field.name.text
            ))),
        }
    }

    /// The low 32 bits of a data operand, attributes applied.
    pub(crate) fn value32(&mut self, field: &Field) -> Lowered<Src> {
        let plain = self.plain32(field, 0)?;
        let mut value = plain;
        for spelling in self.attributes(field) {
            value = match spelling {
                "~" => self.e.b.unary(UnaryOp::Not32, value).into(),
                "-" => self.e.b.unary(UnaryOp::NegI32, value).into(),
                other => return Err(self.unknown_attribute(field, other)),
            };
        }
        Ok(value)
    }

    /// A data operand as 64 bits: immediates with their sign, single registers with zeros above, pairs.
    pub(crate) fn value64(&mut self, field: &Field) -> Lowered<Src> {
        if let Some(shown) = self.instruction.shown_value(&field.name.text, self.address) {
            return Ok(Src::Imm(shown as u64));
        }
        let value = if self.bits(field)? == 64 {
            let (low, high) = (self.plain32(field, 0)?, self.plain32(field, 1)?);
            let pair = self.e.b.binary(BinaryOp::Pack64, low, high);
            let mut value = pair;
            for spelling in self.attributes(field) {
                value = match spelling {
                    "~" => self.e.b.unary(UnaryOp::Not64, value),
                    "-" => self.e.b.unary(UnaryOp::NegI64, value),
                    other => return Err(self.unknown_attribute(field, other)),
                };
            }
            value
        } else {
            let single = self.value32(field)?;
            self.e.b.unary(UnaryOp::ZeroExtend32, single)
        };
        Ok(value.into())
    }

    /// A register, or the one `next` places behind it.
    fn plain32(&mut self, field: &Field, next: u16) -> Lowered<Src> {
        if let Some(shown) = self.instruction.shown_value(&field.name.text, self.address) {
            return Ok(Src::Imm(u64::from(shown as u32)));
        }
        match self.named(field)? {
            Named::Constant(File::General | File::Uniform) => Ok(Src::Imm(0)),
            Named::Register(Register { file: File::General, number }) => {
                let number = number.saturating_add(next);
                Ok(self.e.held(Register { file: File::General, number }).into())
            }
            Named::Register(Register { file: File::Uniform, number }) => {
                let number = number.saturating_add(next);
                Ok(self.e.load_uniform(Register { file: File::Uniform, number }).into())
            }
            Named::Constant(_) | Named::Register(_) => {
                Err(self.unsupported(format!("`{}` is a predicate, not a value", field.name.text)))
            }
        }
    }

    /// Writes a register, in the lanes that execute the instruction.
    pub(crate) fn write32(&mut self, field: &Field, value: impl Into<Src>) -> Lowered {
        self.write_word(field, 0, value.into())
    }

    /// Writes a register pair, or the low half to a single register.
    pub(crate) fn write64(&mut self, field: &Field, value: impl Into<Src>) -> Lowered {
        let value = value.into();
        let low = self.e.b.unary(UnaryOp::Low32, value);
        self.write_word(field, 0, low.into())?;
        if self.bits(field)? == 64 {
            let high = self.e.b.unary(UnaryOp::High32, value);
            self.write_word(field, 1, high.into())?;
        }
        Ok(())
    }

    fn write_word(&mut self, field: &Field, next: u16, value: Src) -> Lowered {
        match self.named(field)? {
            Named::Constant(_) => {}
            Named::Register(register) => {
                let number = register.number.saturating_add(next);
                let register = Register { number, ..register };
                match register.file {
                    File::General => {
                        let d = self.e.held(register);
                        self.e.b.copy_to(d, value);
                    }
                    File::Uniform => self.e.store_uniform(register, value),
                    File::Predicate | File::UniformPredicate => {
                        let message =
                            format!("`{}` is a predicate, not a register", field.name.text);
                        return Err(self.unsupported(message));
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes a predicate, in the lanes that execute the instruction.
    pub(crate) fn write_predicate(&mut self, field: &Field, value: impl Into<Pred>) -> Lowered {
        let value = value.into();
        match self.named(field)? {
            Named::Constant(_) => {}
            Named::Register(register) => match register.file {
                File::Predicate => {
                    let d = self.e.held(register);
                    self.e.b.pred_to(d, value);
                }
                File::UniformPredicate => {
                    let word = self.e.b.select(Class::W32, value, Src::Imm(1), Src::Imm(0));
                    self.e.store_uniform(register, word.into());
                }
                File::General | File::Uniform => {
                    let message = format!("`{}` is no predicate", field.name.text);
                    return Err(self.unsupported(message));
                }
            },
        }
        Ok(())
    }

    /// A new register of the IR.
    pub(crate) fn temporary(&mut self, class: Class) -> Reg {
        self.e.b.reg(class)
    }

    /// A new register with a value in every lane, whether or not it executes the instruction.
    pub(crate) fn preset(&mut self, class: Class, value: u64) -> Reg {
        let d = self.e.b.reg(class);
        self.everywhere(|lane| lane.e.b.copy_to(d, Src::Imm(value)));
        d
    }

    /// Emits something without the guard.
    pub(crate) fn everywhere(&mut self, emit: impl FnOnce(&mut Self)) {
        let guard = self.e.b.guard();
        self.e.b.set_guard(None);
        emit(self);
        self.e.b.set_guard(guard);
    }

    /// Whether both predicates are true, in every lane.
    pub(crate) fn both(&mut self, a: Pred, b: Pred) -> Pred {
        const AND: u8 = 0b1000;
        match (a, b) {
            (Pred::Const(true), other) | (other, Pred::Const(true)) => other,
            (Pred::Const(false), _) | (_, Pred::Const(false)) => Pred::Const(false),
            _ => {
                let mut both = None;
                self.everywhere(|lane| both = Some(lane.e.b.logic(AND, a, b)));
                both.map_or(Pred::Const(false), Pred::Is)
            }
        }
    }
}
