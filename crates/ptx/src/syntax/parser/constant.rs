//! Constant expressions (PTX ISA 9.1, constant expressions), evaluated while they are read.
//!
//! Integers are 64 bits wide and wrap. Where the manual's table of result types and NVIDIA's
//! assembler differ, the assembler is followed: `&`, `|` and `^` keep a signed type, `%` yields
//! `.u64`, and shift counts count modulo 64.

use super::{Parse, Parser};
use crate::syntax::ast::Constant;
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::literal;
use diag::{Diagnostic, Span};

/// Threads of a warp, the value of `WARP_SZ`.
const WARP_SIZE: i64 = 32;

/// A value on the way through an expression.
#[derive(Clone, Copy)]
enum Value {
    Int(Int),
    Float(f64),
    /// A `0f` literal, which takes part in no operation.
    Single(u32),
}

#[derive(Clone, Copy)]
struct Int {
    bits: u64,
    unsigned: bool,
}

impl Int {
    fn truth(value: bool) -> Value {
        Value::Int(Int { bits: u64::from(value), unsigned: false })
    }
}

/// A binary operator: how tightly it binds, and what it does.
#[derive(Clone, Copy)]
struct Binary {
    precedence: u8,
    operator: Operator,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    LogicalOr,
    LogicalAnd,
    Or,
    Xor,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// The operator that a token is, with the precedence of C.
fn binary(kind: TokenKind) -> Option<Binary> {
    let (precedence, operator) = match kind {
        TokenKind::OrOr => (1, Operator::LogicalOr),
        TokenKind::AndAnd => (2, Operator::LogicalAnd),
        TokenKind::Or => (3, Operator::Or),
        TokenKind::Caret => (4, Operator::Xor),
        TokenKind::And => (5, Operator::And),
        TokenKind::EqualEqual => (6, Operator::Equal),
        TokenKind::BangEqual => (6, Operator::NotEqual),
        TokenKind::Less => (7, Operator::Less),
        TokenKind::LessEqual => (7, Operator::LessEqual),
        TokenKind::Greater => (7, Operator::Greater),
        TokenKind::GreaterEqual => (7, Operator::GreaterEqual),
        TokenKind::Shl => (8, Operator::Shl),
        TokenKind::Shr => (8, Operator::Shr),
        TokenKind::Plus => (9, Operator::Add),
        TokenKind::Minus => (9, Operator::Sub),
        TokenKind::Star => (10, Operator::Mul),
        TokenKind::Slash => (10, Operator::Div),
        TokenKind::Percent => (10, Operator::Rem),
        _ => return None,
    };
    Some(Binary { precedence, operator })
}

/// Why an operation has no value.
const FLOAT_OPERAND: &str = "this operator takes integers only";
const MIXED_OPERANDS: &str = "one operand is an integer and the other a float";
const SINGLE_OPERAND: &str = "a `0f` literal stands alone: it takes part in no expression";
const DIVISION_BY_ZERO: &str = "this expression divides by zero";

impl Parser<'_> {
    /// Whether the token and the one after it begin a constant expression.
    pub(super) fn starts_constant(&self) -> bool {
        starts_constant(self.token, self.token_text())
    }

    /// Whether the token after the current one begins a constant expression.
    pub(super) fn next_starts_constant(&self) -> bool {
        starts_constant(self.next, &self.text[self.next.start..self.next.end])
    }

    /// A constant expression.
    pub(super) fn constant(&mut self) -> Parse<Constant> {
        Ok(match self.conditional()? {
            Value::Int(Int { bits, unsigned }) => Constant::Int { bits, unsigned },
            Value::Float(value) => Constant::F64(value.to_bits()),
            Value::Single(bits) => Constant::F32(bits),
        })
    }

    /// A constant expression that is an integer, wrapped to 64 bits.
    pub(super) fn integer_constant(&mut self, what: &str) -> Parse<i64> {
        let start = self.token.start;
        match self.constant()? {
            Constant::Int { bits, .. } => Ok(bits.cast_signed()),
            Constant::F32(_) | Constant::F64(_) => {
                Err(self.error(self.span_from(start), format!("{what} is an integer, not a float")))
            }
        }
    }

    /// `a ? b : c`, or anything that binds tighter.
    fn conditional(&mut self) -> Parse<Value> {
        let start = self.token.start;
        let condition = self.binary_chain(1)?;
        if !self.at(TokenKind::Question) {
            return Ok(condition);
        }
        let Value::Int(condition) = condition else {
            return Err(self.error(self.span_from(start), "a condition is an integer"));
        };
        self.bump();
        let then = self.nested(Self::conditional)?;
        self.expect(TokenKind::Colon, "`:` and the other value of `?`")?;
        let otherwise = self.nested(Self::conditional)?;
        let chosen = |then, otherwise| if condition.bits != 0 { then } else { otherwise };
        match (then, otherwise) {
            (Value::Int(a), Value::Int(b)) => {
                let unsigned = a.unsigned || b.unsigned;
                Ok(Value::Int(Int { bits: chosen(a.bits, b.bits), unsigned }))
            }
            (Value::Float(a), Value::Float(b)) => {
                Ok(Value::Float(if condition.bits != 0 { a } else { b }))
            }
            (Value::Single(_), _) | (_, Value::Single(_)) => {
                Err(self.error(self.span_from(start), SINGLE_OPERAND))
            }
            (Value::Int(_), Value::Float(_)) | (Value::Float(_), Value::Int(_)) => {
                Err(self.error(self.span_from(start), MIXED_OPERANDS))
            }
        }
    }

    /// Operators that bind at least as tightly as `lowest`, from left to right.
    fn binary_chain(&mut self, lowest: u8) -> Parse<Value> {
        let start = self.token.start;
        let mut left = self.unary()?;
        while let Some(Binary { precedence, operator }) = binary(self.token.kind) {
            if precedence < lowest {
                break;
            }
            self.bump();
            let right = self.nested(|parser| parser.binary_chain(precedence + 1))?;
            left = apply(operator, left, right)
                .map_err(|problem| self.bad_operation(self.span_from(start), problem))?;
        }
        Ok(left)
    }

    fn bad_operation(&mut self, span: Span, problem: &'static str) -> super::Reported {
        self.error(span, problem)
    }

    /// A literal, a name of a constant, parentheses, a cast or a prefix operator.
    fn unary(&mut self) -> Parse<Value> {
        let start = self.token.start;
        match self.token.kind {
            TokenKind::Number => self.literal(),
            TokenKind::Word if self.token_text() == "WARP_SZ" => {
                self.bump();
                Ok(Value::Int(Int { bits: WARP_SIZE.cast_unsigned(), unsigned: false }))
            }
            TokenKind::LParen if self.next.kind == TokenKind::Dot => {
                let unsigned = self.cast()?;
                match self.nested(Self::unary)? {
                    Value::Int(Int { bits, .. }) => Ok(Value::Int(Int { bits, unsigned })),
                    Value::Float(_) | Value::Single(_) => {
                        Err(self.error(self.span_from(start), "only integers can be cast"))
                    }
                }
            }
            TokenKind::LParen => {
                self.bump();
                let value = self.nested(Self::conditional)?;
                self.expect(TokenKind::RParen, "an operator or `)`")?;
                Ok(value)
            }
            TokenKind::Plus | TokenKind::Minus | TokenKind::Bang | TokenKind::Tilde => {
                let operator = self.token.kind;
                self.bump();
                let value = self.nested(Self::unary)?;
                prefix(operator, value)
                    .map_err(|problem| self.bad_operation(self.span_from(start), problem))
            }
            TokenKind::Word => {
                let diagnostic = self
                    .expected_diagnostic("a number")
                    .help("a name takes part in a constant only as `name+offset`");
                Err(self.report(diagnostic))
            }
            _ => Err(self.expected("a number")),
        }
    }

    /// `(.s64)` or `(.u64)`; true when unsigned.
    fn cast(&mut self) -> Parse<bool> {
        self.bump();
        let unsigned = match self.dot_word() {
            "u64" => true,
            "s64" => false,
            _ => {
                let diagnostic = self
                    .expected_diagnostic("`.u64` or `.s64`")
                    .help("constants have 64 bits and are cast to these two types only");
                return Err(self.report(diagnostic));
            }
        };
        self.bump();
        self.expect(TokenKind::RParen, "`)` after the type of the cast")?;
        Ok(unsigned)
    }

    fn literal(&mut self) -> Parse<Value> {
        Ok(match self.plain_number()? {
            Constant::Int { bits, unsigned } => Value::Int(Int { bits, unsigned }),
            Constant::F32(bits) => Value::Single(bits),
            Constant::F64(bits) => Value::Float(f64::from_bits(bits)),
        })
    }

    /// A number that is no expression. The token is one.
    pub(super) fn plain_number(&mut self) -> Parse<Constant> {
        let span = self.token_span();
        match literal::parse(self.token_text()) {
            Ok(constant) => {
                self.bump();
                Ok(constant)
            }
            Err(bad) => {
                let diagnostic = Diagnostic::error(span, format!("bad literal {}", self.found()))
                    .label(span, bad.problem)
                    .help(bad.help);
                Err(self.report(diagnostic))
            }
        }
    }
}

fn starts_constant(token: Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Number
        | TokenKind::LParen
        | TokenKind::Plus
        | TokenKind::Minus
        | TokenKind::Bang
        | TokenKind::Tilde => true,
        TokenKind::Word => text == "WARP_SZ",
        _ => false,
    }
}

fn prefix(operator: TokenKind, value: Value) -> Result<Value, &'static str> {
    match (operator, value) {
        (_, Value::Single(_)) => Err(SINGLE_OPERAND),
        (TokenKind::Plus, value) => Ok(value),
        (TokenKind::Minus, Value::Int(Int { bits, unsigned })) => {
            Ok(Value::Int(Int { bits: bits.wrapping_neg(), unsigned }))
        }
        (TokenKind::Minus, Value::Float(value)) => Ok(Value::Float(-value)),
        (TokenKind::Bang, Value::Int(Int { bits, .. })) => Ok(Int::truth(bits == 0)),
        (_, Value::Int(Int { bits, .. })) => Ok(Value::Int(Int { bits: !bits, unsigned: true })),
        (_, Value::Float(_)) => Err(FLOAT_OPERAND),
    }
}

fn apply(operator: Operator, left: Value, right: Value) -> Result<Value, &'static str> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => integers(operator, left, right),
        (Value::Float(left), Value::Float(right)) => floats(operator, left, right),
        (Value::Single(_), _) | (_, Value::Single(_)) => Err(SINGLE_OPERAND),
        (Value::Int(_), Value::Float(_)) | (Value::Float(_), Value::Int(_)) => Err(MIXED_OPERANDS),
    }
}

fn integers(operator: Operator, left: Int, right: Int) -> Result<Value, &'static str> {
    let (a, b) = (left.bits, right.bits);
    let (sa, sb) = (a.cast_signed(), b.cast_signed());
    // The usual conversions: one unsigned operand makes the operation unsigned.
    let unsigned = left.unsigned || right.unsigned;
    let usual = |bits| Ok(Value::Int(Int { bits, unsigned }));
    let less = if unsigned { a < b } else { sa < sb };
    let divides = matches!(operator, Operator::Div | Operator::Rem);
    if divides && b == 0 {
        return Err(DIVISION_BY_ZERO);
    }
    match operator {
        Operator::LogicalOr => Ok(Int::truth(a != 0 || b != 0)),
        Operator::LogicalAnd => Ok(Int::truth(a != 0 && b != 0)),
        Operator::Or => usual(a | b),
        Operator::Xor => usual(a ^ b),
        Operator::And => usual(a & b),
        Operator::Equal => Ok(Int::truth(a == b)),
        Operator::NotEqual => Ok(Int::truth(a != b)),
        Operator::Less => Ok(Int::truth(less)),
        Operator::LessEqual => Ok(Int::truth(less || a == b)),
        Operator::Greater => Ok(Int::truth(!less && a != b)),
        Operator::GreaterEqual => Ok(Int::truth(!less)),
        Operator::Shl => {
            Ok(Value::Int(Int { bits: a.wrapping_shl(b as u32), unsigned: left.unsigned }))
        }
        Operator::Shr => {
            let count = b as u32;
            let signed = sa.wrapping_shr(count).cast_unsigned();
            let bits = if left.unsigned { a.wrapping_shr(count) } else { signed };
            Ok(Value::Int(Int { bits, unsigned: left.unsigned }))
        }
        Operator::Add => usual(a.wrapping_add(b)),
        Operator::Sub => usual(a.wrapping_sub(b)),
        Operator::Mul => usual(a.wrapping_mul(b)),
        Operator::Div if unsigned => usual(a / b),
        Operator::Div => usual(sa.wrapping_div(sb).cast_unsigned()),
        Operator::Rem => Ok(Value::Int(Int { bits: a % b, unsigned: true })),
    }
}

fn floats(operator: Operator, a: f64, b: f64) -> Result<Value, &'static str> {
    match operator {
        Operator::Add => Ok(Value::Float(a + b)),
        Operator::Sub => Ok(Value::Float(a - b)),
        Operator::Mul => Ok(Value::Float(a * b)),
        Operator::Div if b == 0.0 => Err(DIVISION_BY_ZERO),
        Operator::Div => Ok(Value::Float(a / b)),
        Operator::Equal => Ok(Int::truth(a == b)),
        Operator::NotEqual => Ok(Int::truth(a != b)),
        Operator::Less => Ok(Int::truth(a < b)),
        Operator::LessEqual => Ok(Int::truth(a <= b)),
        Operator::Greater => Ok(Int::truth(a > b)),
        Operator::GreaterEqual => Ok(Int::truth(a >= b)),
        Operator::LogicalOr
        | Operator::LogicalAnd
        | Operator::Or
        | Operator::Xor
        | Operator::And
        | Operator::Shl
        | Operator::Shr
        | Operator::Rem => Err(FLOAT_OPERAND),
    }
}
