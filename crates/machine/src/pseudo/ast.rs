//! The syntax tree of pseudo-code.

use diag::Span;

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) node: Node,
    pub(crate) span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Number(i64),
    /// A variable or operand.
    Name(String),
    /// `.name`: a modifier, or a value of one.
    Dot(String),
    /// `[Thread].laneid` and its like.
    Special(Special),
    /// `name[index]`: an element of a cross-lane array, or a bit.
    Element(String, Box<Expr>),
    /// `value[high:low]`.
    Slice(Box<Expr>, Bits),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`.
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
}

/// What the code can ask about its thread and warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// `[Thread].laneid`.
    LaneId,
    /// `[Warp].active`: the mask of the lanes that execute the instruction together.
    Active,
}

/// A range of bits, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    pub(crate) high: u32,
    pub(crate) low: u32,
}

impl Bits {
    /// As many ones as the range has bits, at the low end.
    pub(crate) fn mask(self) -> u64 {
        let width = self.high - self.low + 1;
        if width >= 64 { u64::MAX } else { (1 << width) - 1 }
    }
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Negate,
    /// `!`.
    Not,
    /// `~`.
    Invert,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

/// A statement and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) action: Action,
    pub(crate) span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// `target = value;`
    Assign(Target, Expr),
    /// `name(arguments);`
    Call(String, Vec<Expr>),
    /// `goto address;`
    Goto(Expr),
    /// `exit;`
    Exit,
    If(Expr, Vec<Statement>, Vec<Statement>),
    Switch(Expr, Vec<Case>),
    For(Box<Loop>),
}

/// What an assignment writes.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Name(String),
    /// `name[high:low]`.
    Bits(String, Bits),
    /// `name[lane]`: the lane's own element of a cross-lane array.
    Element(String, Expr),
}

/// `case label: … break;`
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The labels; empty for `default`.
    pub(crate) labels: Vec<Expr>,
    pub(crate) body: Vec<Statement>,
}

/// `for (name = from; condition; name = step) body`.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) name: String,
    pub(crate) from: Expr,
    pub(crate) condition: Expr,
    pub(crate) step: Expr,
    pub(crate) body: Vec<Statement>,
}
