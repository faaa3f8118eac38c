//! The functions that pseudo-code can call.

use super::ast::Expr;
use super::compiler::Compiler;
use super::value::Value;
use crate::codes;
use crate::operand::Lowered;
use diag::Span;
use ir::{
    Access, BinaryOp, Class, Collective, CompareOp, Pred, Reg, Round, Src, TernaryOp, UnaryOp,
};
use lanes::VoteMode;

/// A function: its name, its parameters, and how it computes.
struct Function {
    name: &'static str,
    parameters: &'static [&'static str],
    body: Body,
}

/// How a function computes. Numbers have 64 bits; floats are binary32 in the low 32 bits.
enum Body {
    /// Of 64 bits.
    Wide(UnaryOp),
    /// Of the low 32 bits, with a result of 32 bits.
    Narrow(UnaryOp),
    /// The low 32 bits through the operation, and on as a signed number.
    Signed(Option<UnaryOp>),
    /// The low 32 bits through the operation, and on as an unsigned number.
    Unsigned(Option<UnaryOp>),
    /// Bits counted in 64.
    Count(UnaryOp),
    Wide2(BinaryOp),
    Narrow2(BinaryOp),
    Narrow3(TernaryOp),
    Compare(CompareOp),
    /// A vote of the lanes that execute the statement.
    Vote(VoteMode),
    /// The mask of the lanes that execute the statement and whose argument is not 0.
    Ballot,
    Load(Access),
    /// A statement.
    Store(Access),
    /// A statement: waits for the lanes of a mask.
    Sync,
}

const fn function(name: &'static str, parameters: &'static [&'static str], body: Body) -> Function {
    Function { name, parameters, body }
}

const NEAREST: Round = Round::NearestEven;

const FUNCTIONS: &[Function] = &[
    function("min", &["a", "b"], Body::Wide2(BinaryOp::MinS64)),
    function("max", &["a", "b"], Body::Wide2(BinaryOp::MaxS64)),
    function("abs", &["a"], Body::Wide(UnaryOp::AbsS64)),
    function("popc", &["a"], Body::Count(UnaryOp::Popc64)),
    function("clz", &["a"], Body::Count(UnaryOp::Clz64)),
    function("u8", &["a"], Body::Unsigned(Some(UnaryOp::ZeroExtend8))),
    function("u16", &["a"], Body::Unsigned(Some(UnaryOp::ZeroExtend16))),
    function("u32", &["a"], Body::Unsigned(None)),
    function("s8", &["a"], Body::Signed(Some(UnaryOp::SignExtend8))),
    function("s16", &["a"], Body::Signed(Some(UnaryOp::SignExtend16))),
    function("s32", &["a"], Body::Signed(None)),
    function("fadd", &["a", "b"], Body::Narrow2(BinaryOp::AddF32(NEAREST))),
    function("fmul", &["a", "b"], Body::Narrow2(BinaryOp::MulF32(NEAREST))),
    function("ffma", &["a", "b", "c"], Body::Narrow3(TernaryOp::FmaF32(NEAREST))),
    function("fmin", &["a", "b"], Body::Narrow2(BinaryOp::MinF32)),
    function("fmax", &["a", "b"], Body::Narrow2(BinaryOp::MaxF32)),
    function("fabs", &["a"], Body::Narrow(UnaryOp::AbsF32)),
    function("fneg", &["a"], Body::Narrow(UnaryOp::NegF32)),
    function("feq", &["a", "b"], Body::Compare(CompareOp::EqF32)),
    function("flt", &["a", "b"], Body::Compare(CompareOp::LtF32)),
    function("fle", &["a", "b"], Body::Compare(CompareOp::LeF32)),
    function("all", &["p"], Body::Vote(VoteMode::All)),
    function("any", &["p"], Body::Vote(VoteMode::Any)),
    function("ballot", &["p"], Body::Ballot),
    function("load8", &["address"], Body::Load(Access::U8)),
    function("load16", &["address"], Body::Load(Access::U16)),
    function("load32", &["address"], Body::Load(Access::B32)),
    function("load64", &["address"], Body::Load(Access::B64)),
    function("store8", &["address", "value"], Body::Store(Access::U8)),
    function("store16", &["address", "value"], Body::Store(Access::U16)),
    function("store32", &["address", "value"], Body::Store(Access::B32)),
    function("store64", &["address", "value"], Body::Store(Access::B64)),
    function("sync", &["mask"], Body::Sync),
];

/// Every function as it is called, such as `min(a, b)`.
pub fn signatures() -> impl Iterator<Item = String> {
    FUNCTIONS.iter().map(Function::signature)
}

impl Function {
    fn signature(&self) -> String {
        format!("{}({})", self.name, self.parameters.join(", "))
    }
}

/// The function of a name, called with as many arguments as it has parameters.
fn find(
    c: &Compiler<'_, '_, '_>,
    name: &str,
    arguments: &[Expr],
    span: Span,
) -> Lowered<&'static Function> {
    let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) else {
        let known: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        let message = format!("there is no function `{name}`");
        let help = format!("there are {}", known.join(", "));
        return Err(c.error(span, codes::NAME, message, help));
    };
    if function.parameters.len() != arguments.len() {
        let message = format!("`{name}` does not take {} arguments", arguments.len());
        let help = format!("call it as `{}`", function.signature());
        return Err(c.error(span, codes::MEANING, message, help));
    }
    Ok(function)
}

/// A call as a value.
pub(super) fn call(
    c: &mut Compiler<'_, '_, '_>,
    name: &str,
    arguments: &[Expr],
    span: Span,
) -> Lowered<Value> {
    let function = find(c, name, arguments, span)?;
    let narrow = |c: &mut Compiler<'_, '_, '_>, nth: usize| c.value32(&arguments[nth]);
    let wide = |c: &mut Compiler<'_, '_, '_>, nth: usize| c.value(&arguments[nth]);
    let result = match function.body {
        Body::Wide(op) => {
            let a = wide(c, 0)?;
            c.lane.e.b.unary(op, a)
        }
        Body::Narrow(op) => {
            let a = narrow(c, 0)?;
            let d = c.lane.e.b.unary(op, a);
            c.lane.e.b.unary(UnaryOp::ZeroExtend32, d)
        }
        Body::Signed(op) => {
            let d = through(c, op, &arguments[0])?;
            c.lane.e.b.unary(UnaryOp::SignExtend32, d)
        }
        Body::Unsigned(op) => {
            let d = through(c, op, &arguments[0])?;
            c.lane.e.b.unary(UnaryOp::ZeroExtend32, d)
        }
        Body::Count(op) => {
            let a = wide(c, 0)?;
            let d = c.lane.e.b.unary(op, a);
            c.lane.e.b.unary(UnaryOp::ZeroExtend32, d)
        }
        Body::Wide2(op) => {
            let (a, b) = (wide(c, 0)?, wide(c, 1)?);
            c.lane.e.b.binary(op, a, b)
        }
        Body::Narrow2(op) => {
            let (a, b) = (narrow(c, 0)?, narrow(c, 1)?);
            let d = c.lane.e.b.binary(op, a, b);
            c.lane.e.b.unary(UnaryOp::ZeroExtend32, d)
        }
        Body::Narrow3(op) => {
            let (a, b, addend) = (narrow(c, 0)?, narrow(c, 1)?, narrow(c, 2)?);
            let d = c.lane.e.b.ternary(op, a, b, addend);
            c.lane.e.b.unary(UnaryOp::ZeroExtend32, d)
        }
        Body::Compare(op) => {
            let (a, b) = (narrow(c, 0)?, narrow(c, 1)?);
            return Ok(Value::Truth(Pred::Is(c.lane.e.b.compare(op, a, b))));
        }
        Body::Vote(mode) => {
            let a = c.truth(&arguments[0])?;
            let d = c.lane.temporary(Class::Pred);
            c.lane.e.collective(Collective::Vote { mode, d, a });
            return Ok(Value::Truth(Pred::Is(d)));
        }
        Body::Ballot => {
            let a = c.truth(&arguments[0])?;
            let d = c.lane.temporary(Class::W32);
            c.lane.e.collective(Collective::Ballot { d, a });
            c.lane.e.b.unary(UnaryOp::ZeroExtend32, d)
        }
        Body::Load(access) => load(c, access, &arguments[0])?,
        Body::Store(_) | Body::Sync => {
            let message = format!("`{name}` gives no value");
            let help = format!("write it as a statement: `{};`", function.signature());
            return Err(c.error(span, codes::MEANING, message, help));
        }
    };
    Ok(Value::Number(result))
}

/// The low 32 bits of an argument through an operation.
fn through(c: &mut Compiler<'_, '_, '_>, op: Option<UnaryOp>, argument: &Expr) -> Lowered<Src> {
    let a = c.value32(argument)?;
    Ok(op.map_or(a, |op| c.lane.e.b.unary(op, a).into()))
}

fn load(c: &mut Compiler<'_, '_, '_>, access: Access, address: &Expr) -> Lowered<Reg> {
    let address = c.value(address)?;
    let address = c.lane.e.memory_address(address);
    let class = ir::Builder::class_of(access);
    let d = c.lane.temporary(class);
    c.lane.e.load(d, access, address);
    Ok(match class {
        Class::W64 => d,
        Class::W32 | Class::Pred => c.lane.e.b.unary(UnaryOp::ZeroExtend32, d),
    })
}

/// A call as a statement.
pub(super) fn procedure(
    c: &mut Compiler<'_, '_, '_>,
    name: &str,
    arguments: &[Expr],
    span: Span,
) -> Lowered {
    let function = find(c, name, arguments, span)?;
    match function.body {
        Body::Store(access) => {
            let address = c.value(&arguments[0])?;
            let address = c.lane.e.memory_address(address);
            let value = match access {
                Access::B64 => c.value(&arguments[1])?,
                Access::U8 | Access::S8 | Access::U16 | Access::S16 | Access::B32 => {
                    c.value32(&arguments[1])?
                }
            };
            c.lane.e.store(vec![value], access, address);
            Ok(())
        }
        Body::Sync => {
            let mask = c.value32(&arguments[0])?;
            c.lane.e.rendezvous(mask);
            Ok(())
        }
        Body::Wide(_)
        | Body::Narrow(_)
        | Body::Signed(_)
        | Body::Unsigned(_)
        | Body::Count(_)
        | Body::Wide2(_)
        | Body::Narrow2(_)
        | Body::Narrow3(_)
        | Body::Compare(_)
        | Body::Vote(_)
        | Body::Ballot
        | Body::Load(_) => {
            let message = format!("the value of `{name}` is dropped");
            let help = format!("assign it: `x = {};`", function.signature());
            Err(c.error(span, codes::MEANING, message, help))
        }
    }
}
