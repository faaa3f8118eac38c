//! Expressions of pseudo-code → IR.

use super::ast::{Binary, Bits, Expr, Node, Special, Unary};
use super::compiler::Compiler;
use super::functions;
use super::value::Value;
use crate::codes;
use crate::operand::Lowered;
use diag::Span;
use ir::{BinaryOp, Class, Collective, CompareOp, Op, Pred, Reg, Src, UnaryOp};
use isa::{Field, TypeKind};
use lanes::ShflMode;

/// How an operator computes.
enum Operation {
    Compute(BinaryOp),
    /// The shift amount has 32 bits.
    Shift(BinaryOp),
    /// Operands swapped if the flag is set.
    Compare(CompareOp, bool),
    /// A truth table over both operands.
    Logic(u8),
}

fn operation(op: Binary) -> Operation {
    match op {
        Binary::Multiply => Operation::Compute(BinaryOp::MulLo64),
        Binary::Divide => Operation::Compute(BinaryOp::DivS64),
        Binary::Remainder => Operation::Compute(BinaryOp::RemS64),
        Binary::Add => Operation::Compute(BinaryOp::AddI64),
        Binary::Subtract => Operation::Compute(BinaryOp::SubI64),
        Binary::BitAnd => Operation::Compute(BinaryOp::And64),
        Binary::BitXor => Operation::Compute(BinaryOp::Xor64),
        Binary::BitOr => Operation::Compute(BinaryOp::Or64),
        Binary::ShiftLeft => Operation::Shift(BinaryOp::Shl64),
        Binary::ShiftRight => Operation::Shift(BinaryOp::ShrS64),
        Binary::Less => Operation::Compare(CompareOp::LtS64, false),
        Binary::LessEqual => Operation::Compare(CompareOp::LeS64, false),
        Binary::Greater => Operation::Compare(CompareOp::LtS64, true),
        Binary::GreaterEqual => Operation::Compare(CompareOp::LeS64, true),
        Binary::Equal => Operation::Compare(CompareOp::EqI64, false),
        Binary::NotEqual => Operation::Compare(CompareOp::NeI64, false),
        Binary::And => Operation::Logic(0b1000),
        Binary::Or => Operation::Logic(0b1110),
    }
}

impl<'d> Compiler<'_, '_, 'd> {
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Lowered<Value> {
        self.spend(expr.span)?;
        match &expr.node {
            Node::Number(number) => Ok(Value::Constant(*number)),
            Node::Name(name) => self.name(name, expr.span),
            Node::Dot(name) => self.modifier(name, expr.span),
            Node::Special(special) => Ok(self.special(*special)),
            Node::Element(name, index) => self.element(name, index, expr.span),
            Node::Slice(whole, bits) => {
                let whole = self.evaluate(whole)?;
                Ok(self.slice(whole, *bits))
            }
            Node::Unary(op, operand) => self.unary(*op, operand),
            Node::Binary(op @ (Binary::Equal | Binary::NotEqual), left, right) => {
                let equal = self.equal(left, right)?;
                Ok(Value::Truth(if *op == Binary::Equal { equal } else { equal.negated() }))
            }
            Node::Binary(op, left, right) => {
                let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
                Ok(self.binary(*op, left, right))
            }
            Node::Choose(condition, then, otherwise) => {
                let condition = self.truth(condition)?;
                if let Pred::Const(taken) = condition {
                    return self.evaluate(if taken { then } else { otherwise });
                }
                let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
                Ok(Value::Number(self.lane.e.b.select(Class::W64, condition, then, otherwise)))
            }
            Node::Call(name, arguments) => functions::call(self, name, arguments, expr.span),
        }
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
    pub(super) fn constant(&mut self, expr: &Expr) -> Lowered<i64> {
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

    fn name(&mut self, name: &str, span: Span) -> Lowered<Value> {
        if let Some(count) = self.counters.get(name) {
            return Ok(Value::Constant(*count));
        }
        if let Some(field) = self.operand(name) {
            let assigned = self.variables.contains_key(&field.name.text);
            let address = self.lane.address;
            let shown = self.lane.instruction.shown_value(&field.name.text, address);
            if let Some(shown) = shown.filter(|_| !assigned) {
                return Ok(Value::Constant(shown as i64));
            }
            return Ok(Value::Number(self.operand_variable(field)?));
        }
        if let Some(variable) = self.variables.get(name) {
            return Ok(Value::Number(*variable));
        }
        let (message, help) = match self.arrays.contains_key(name) {
            true => {
                let help = format!("read the element of one lane: `{name}[lane]`");
                (format!("`{name}` is an array of lanes"), help)
            }
            false => {
                let help = "it is neither an operand nor a variable that has been assigned above";
                (format!("`{name}` has no value here"), help.to_owned())
            }
        };
        Err(self.error(span, codes::NAME, message, help))
    }

    /// The field of a modifier: not an operand, and visible in the text.
    fn modifier_field(&self, name: &str) -> Option<&'d Field> {
        let opcode = self.lane.instruction.opcode();
        opcode.field(name).or_else(|| {
            opcode.fields.iter().find(|field| field.name.text.eq_ignore_ascii_case(name))
        })
    }

    fn modifier(&mut self, name: &str, span: Span) -> Lowered<Value> {
        match self.modifier_field(name) {
            Some(field) => {
                let number = self.lane.instruction.value(&field.name.text).unwrap_or(0);
                Ok(Value::Constant(number as i64))
            }
            None => {
                let message = format!("`.{name}` is no modifier of this instruction");
                let help = "values such as `.UP` stand beside their modifier: `.mode == .UP`";
                Err(self.error(span, codes::NAME, message, help))
            }
        }
    }

    /// Whether two expressions are equal. Beside a modifier, `.NAME` is a value of it.
    pub(super) fn equal(&mut self, left: &Expr, right: &Expr) -> Lowered<Pred> {
        let pairs = [(left, right), (right, left)];
        for (subject, label) in pairs {
            if let (Node::Dot(subject), Node::Dot(value)) = (&subject.node, &label.node)
                && let Some(field) = self.modifier_field(subject)
            {
                let number = self.lane.instruction.value(&field.name.text).unwrap_or(0);
                if let Some(wanted) = value_of(field, value) {
                    return Ok(Pred::Const(number == wanted));
                }
                if self.modifier_field(value).is_none() {
                    let message = format!("`.{subject}` has no value `.{value}`");
                    let known = values_of(field);
                    let help = format!("its values are {known}");
                    return Err(self.error(label.span, codes::NAME, message, help));
                }
            }
        }
        let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
        match self.binary(Binary::Equal, left, right) {
            Value::Truth(truth) => Ok(truth),
            Value::Constant(number) => Ok(Pred::Const(number != 0)),
            Value::Number(_) => Ok(Pred::Const(false)),
        }
    }

    fn special(&mut self, special: Special) -> Value {
        let narrow = match special {
            Special::LaneId => self.lane.e.laneid(),
            Special::Active => self.for_participants(|lane| {
                let d = lane.temporary(Class::W32);
                lane.e.b.push(Op::ActiveMask { d });
                d
            }),
        };
        Value::Number(self.lane.e.b.unary(UnaryOp::ZeroExtend32, narrow))
    }

    /// Whether an expression is the lane's own number: `[Thread].laneid`, or a variable that holds it.
    pub(super) fn is_own_lane(&self, index: &Expr) -> bool {
        match &index.node {
            Node::Special(Special::LaneId) => true,
            Node::Name(name) => self.lane_numbers.contains(name),
            // Five bits hold every lane's number.
            Node::Slice(whole, bits) => bits.high >= 4 && bits.low == 0 && self.is_own_lane(whole),
            Node::Special(_)
            | Node::Number(_)
            | Node::Dot(_)
            | Node::Element(..)
            | Node::Unary(..)
            | Node::Binary(..)
            | Node::Choose(..)
            | Node::Call(..) => false,
        }
    }

    /// An element of an array, or a bit of a value.
    fn element(&mut self, name: &str, index: &Expr, span: Span) -> Lowered<Value> {
        let Some(own) = self.arrays.get(name).copied() else {
            let whole = self.name(name, span)?;
            let index = self.evaluate(index)?;
            let moved = self.binary(Binary::ShiftRight, whole, index);
            return Ok(self.binary(Binary::BitAnd, moved, Value::Constant(1)));
        };
        let from = self.value32(index)?;
        // Lanes that are not on the path offer their elements too.
        let (low, high) = (self.lane.temporary(Class::W32), self.lane.temporary(Class::W32));
        self.lane.everywhere(|lane| {
            lane.e.b.unary_to(low, UnaryOp::Low32, own);
            lane.e.b.unary_to(high, UnaryOp::High32, own);
        });
        let (low, high) = (self.read_lane(low, from), self.read_lane(high, from));
        Ok(Value::Number(self.lane.e.b.binary(BinaryOp::Pack64, low, high)))
    }

    /// The value of another lane. Of the lane's number bits 4:0 count.
    fn read_lane(&mut self, a: Reg, from: Src) -> Reg {
        // Segments of all 32 lanes, and no clamp.
        const WHOLE_WARP: Src = Src::Imm(0x1f);
        let d = self.lane.temporary(Class::W32);
        let (mode, a, b, c) = (ShflMode::Idx, a.into(), from, WHOLE_WARP);
        // All lanes that execute the instruction offer a value, whichever way they take through its pseudo-code.
        let taken = self.lane.e.b.guard();
        self.lane.e.b.set_guard(self.lane.guard);
        self.lane.e.collective(Collective::Shfl { mode, d, p: None, a, b, c });
        self.lane.e.b.set_guard(taken);
        d
    }

    fn slice(&mut self, whole: Value, bits: Bits) -> Value {
        let amount = Value::Constant(bits.low.into());
        let mask = Value::Constant(bits.mask().cast_signed());
        let moved = self.binary(Binary::ShiftRight, whole, amount);
        self.binary(Binary::BitAnd, moved, mask)
    }

    fn unary(&mut self, op: Unary, operand: &Expr) -> Lowered<Value> {
        if op == Unary::Not {
            return Ok(Value::Truth(self.truth(operand)?.negated()));
        }
        let op = if op == Unary::Negate { UnaryOp::NegI64 } else { UnaryOp::Not64 };
        Ok(match self.value(operand)? {
            Src::Imm(number) => Value::Constant(op.eval([number]).cast_signed()),
            Src::Reg(reg) => Value::Number(self.lane.e.b.unary(op, reg)),
        })
    }

    fn source(&mut self, value: Value) -> Src {
        match value {
            Value::Constant(number) => Src::Imm(number.cast_unsigned()),
            Value::Number(reg) => reg.into(),
            Value::Truth(truth) => self.number(truth),
        }
    }

    fn truth_of(&mut self, value: Value) -> Pred {
        match value {
            Value::Constant(number) => Pred::Const(number != 0),
            Value::Number(reg) => {
                Pred::Is(self.lane.e.b.compare(CompareOp::NeI64, reg, Src::Imm(0)))
            }
            Value::Truth(truth) => truth,
        }
    }

    pub(super) fn binary(&mut self, op: Binary, left: Value, right: Value) -> Value {
        match operation(op) {
            Operation::Compute(op) => {
                let (a, b) = (self.source(left), self.source(right));
                self.compute(op, a, b)
            }
            Operation::Shift(op) => {
                let (a, b) = (self.source(left), self.source(right));
                let amount = self.amount(b);
                self.compute(op, a, amount)
            }
            Operation::Compare(op, swapped) => {
                let (a, b) = (self.source(left), self.source(right));
                let (a, b) = if swapped { (b, a) } else { (a, b) };
                Value::Truth(match (a, b) {
                    (Src::Imm(a), Src::Imm(b)) => Pred::Const(op.eval([a, b]) != 0),
                    _ => Pred::Is(self.lane.e.b.compare(op, a, b)),
                })
            }
            Operation::Logic(table) => {
                let (a, b) = (self.truth_of(left), self.truth_of(right));
                Value::Truth(match (a, b) {
                    (Pred::Const(a), Pred::Const(b)) => {
                        Pred::Const(table >> (2 * u8::from(a) + u8::from(b)) & 1 != 0)
                    }
                    _ => Pred::Is(self.lane.e.b.logic(table, a, b)),
                })
            }
        }
    }

    fn compute(&mut self, op: BinaryOp, a: Src, b: Src) -> Value {
        match (a, b) {
            (Src::Imm(a), Src::Imm(b)) => Value::Constant(op.eval([a, b]).cast_signed()),
            _ => Value::Number(self.lane.e.b.binary(op, a, b)),
        }
    }

    /// A shift amount as 32 bits: amounts beyond 64, negative ones too, count as 64.
    fn amount(&mut self, amount: Src) -> Src {
        const MOST: u64 = 64;
        match amount {
            Src::Imm(amount) => Src::Imm(amount.min(MOST)),
            Src::Reg(amount) => {
                let amount = self.lane.e.b.binary(BinaryOp::MinU64, amount, Src::Imm(MOST));
                self.lane.e.b.unary(UnaryOp::Low32, amount).into()
            }
        }
    }
}

/// The number of a value of a modifier.
fn value_of(field: &Field, name: &str) -> Option<u128> {
    match &field.ty.kind {
        TypeKind::Enumeration(values) => {
            let by_spelling = || values.values.iter().find(|value| value.spelling == name);
            values.by_name(name).or_else(by_spelling)?.number
        }
        TypeKind::Register(_) | TypeKind::Immediate(_) => None,
    }
}

fn values_of(field: &Field) -> String {
    match &field.ty.kind {
        TypeKind::Enumeration(values) => {
            let names: Vec<String> =
                values.values.iter().map(|value| format!("`.{}`", value.name)).collect();
            names.join(", ")
        }
        TypeKind::Register(_) | TypeKind::Immediate(_) => "numbers".to_owned(),
    }
}
