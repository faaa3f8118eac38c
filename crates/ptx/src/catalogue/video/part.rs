//! The bytes and halfwords of operands.

use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use crate::syntax::ast::{Operand, OperandKind};
use ir::{Reg, Src, TernaryOp};

/// A source operand without its sign and selector.
pub(super) struct Selected {
    pub(super) value: Src,
    pub(super) negated: bool,
    /// The width of its parts in bits, and which of them it is.
    pub(super) selector: Option<(u32, u32)>,
}

/// A source operand: `a`, `-a`, `a.b0`, `-a.h1`.
pub(super) fn selected(lo: &mut Lowering, inst: &Inst<'_>, name: &str) -> Result<Selected> {
    let operand = lo.operand(inst, name)?;
    let (operand, negated) = match &operand.kind {
        OperandKind::Minus(inner) => (&**inner, true),
        _ => (operand, false),
    };
    let value = lo.value_of(&whole(operand), inst.operand_type(name))?;
    Ok(Selected { value, negated, selector: selector(operand) })
}

/// The register that receives `d`, and the part of it.
pub(super) fn result(lo: &mut Lowering, inst: &Inst<'_>) -> Result<(Reg, Option<(u32, u32)>)> {
    let operand = lo.operand(inst, "d")?;
    Ok((result_of(lo, operand, inst.operand_type("d"))?, selector(operand)))
}

pub(super) fn result_of(lo: &mut Lowering, operand: &Operand, ty: ScalarType) -> Result<Reg> {
    lo.result_of(&whole(operand), ty)
}

/// An operand without its selector.
fn whole(operand: &Operand) -> Operand {
    let kind = match &operand.kind {
        OperandKind::Component(name, _) => OperandKind::Name(name.clone()),
        other => other.clone(),
    };
    Operand { kind, span: operand.span }
}

/// The selector of an operand without its letter: `3210` of `.b3210`.
pub(super) fn digits(operand: &Operand) -> Option<&str> {
    match &operand.kind {
        OperandKind::Component(_, selector) => selector.get(1..),
        _ => None,
    }
}

/// The one part that an operand selects: its width in bits, and its number.
fn selector(operand: &Operand) -> Option<(u32, u32)> {
    let OperandKind::Component(_, selector) = &operand.kind else { return None };
    let bits = if selector.starts_with('h') { 16 } else { 8 };
    let digit = digits(operand)?.parse::<u32>().ok()?;
    Some((bits, digit % (32 / bits)))
}

/// Part number `at` of `bits` bits of a word, extended to 32 bits.
pub(super) fn part(lo: &mut Lowering, word: Src, (bits, at): (u32, u32), signed: bool) -> Src {
    let op = if signed { TernaryOp::BfeS32 } else { TernaryOp::BfeU32 };
    let (start, length) = (Src::Imm((bits * at).into()), Src::Imm(bits.into()));
    lo.b.ternary(op, word, start, length).into()
}
