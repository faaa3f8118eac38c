//! Scalar video instructions: one byte, halfword or word of each operand.
//!
//! Intermediate results are exact integers, here of 64 bits; `.sat` and the secondary operation see all of them.

use super::part::{part, result, selected};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, Class, CompareOp, Src, TernaryOp, UnaryOp};

/// The operation on the two parts.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Add,
    Sub,
    AbsDiff,
    Min,
    Max,
}

/// `vadd` and the like.
pub(super) fn arithmetic(lo: &mut Lowering, inst: &Inst<'_>, operation: Operation) -> Result {
    let (a, b) = (value(lo, inst, "a")?, value(lo, inst, "b")?);
    let op = match operation {
        Operation::Add => BinaryOp::AddI64,
        Operation::Sub | Operation::AbsDiff => BinaryOp::SubI64,
        Operation::Min => BinaryOp::MinS64,
        Operation::Max => BinaryOp::MaxS64,
    };
    let found = lo.b.binary(op, a, b);
    let found = match operation {
        Operation::AbsDiff => lo.b.unary(UnaryOp::AbsS64, found),
        Operation::Add | Operation::Sub | Operation::Min | Operation::Max => found,
    };
    finish(lo, inst, found.into())
}

/// `vshl` and `vshr`.
pub(super) fn shift(lo: &mut Lowering, inst: &Inst<'_>, op: BinaryOp) -> Result {
    let (a, b) = (value(lo, inst, "a")?, value(lo, inst, "b")?);
    let amount = lo.b.unary(UnaryOp::Low32, b);
    let amount = match inst.word("mode") {
        Some("clamp") => lo.b.binary(BinaryOp::MinU32, amount, Src::Imm(32)),
        _ => lo.b.binary(BinaryOp::And32, amount, Src::Imm(31)),
    };
    let mut found = lo.b.binary(op, a, amount);
    if op == BinaryOp::Shl64 {
        // A word with its highest bit set, shifted by 32, needs more than 63 bits. Its low bits are 0.
        let negative = lo.b.compare(CompareOp::LtS64, found, Src::Imm(0));
        let positive = lo.b.compare(CompareOp::LeS64, Src::Imm(0), a);
        let large = lo.b.logic(AND, negative, positive);
        found = lo.b.select(Class::W64, large, Src::Imm(1 << 62), found);
    }
    finish(lo, inst, found.into())
}

/// The truth table of "and" (see [`ir::Op::Logic`]).
const AND: u8 = 0b1000;

/// `vset`.
pub(super) fn set(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b) = (value(lo, inst, "a")?, value(lo, inst, "b")?);
    let p = match inst.word("cmp") {
        Some("eq") => lo.b.compare(CompareOp::EqI64, a, b),
        Some("ne") => lo.b.compare(CompareOp::NeI64, a, b),
        Some("lt") => lo.b.compare(CompareOp::LtS64, a, b),
        Some("le") => lo.b.compare(CompareOp::LeS64, a, b),
        Some("gt") => lo.b.compare(CompareOp::LtS64, b, a),
        _ => lo.b.compare(CompareOp::LeS64, b, a),
    };
    let found = lo.b.select(Class::W64, p, Src::Imm(1), Src::Imm(0));
    finish(lo, inst, found.into())
}

/// `vmad`.
pub(super) fn multiply_add(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b) = (value(lo, inst, "a")?, value(lo, inst, "b")?);
    let c = selected(lo, inst, "c")?;
    let negated = selected(lo, inst, "a")?.negated != selected(lo, inst, "b")?.negated;
    let unsigned = inst.ty("atype") == ScalarType::U32 && inst.ty("btype") == ScalarType::U32;
    let signed_final = !unsigned || negated || c.negated;
    let mut product: Src = lo.b.binary(BinaryOp::MulLo64, a, b).into();
    if unsigned && signed_final && inst.has("sat") {
        // Saturates in any case, and leaves room for the sign.
        product = lo.b.binary(BinaryOp::MinU64, product, Src::Imm(1 << 62)).into();
    }
    let (mut addend, mut carry) = (c.value, 0);
    if inst.has("po") {
        carry = 1;
    } else if negated {
        product = lo.b.unary(UnaryOp::Not64, product).into();
        carry = 1;
    } else if c.negated {
        addend = lo.b.unary(UnaryOp::Not32, addend).into();
        carry = 1;
    }
    let extend = if signed_final { UnaryOp::SignExtend32 } else { UnaryOp::ZeroExtend32 };
    let addend = lo.b.unary(extend, addend);
    let sum = lo.b.binary(BinaryOp::AddI64, product, addend);
    let mut found = lo.b.binary(BinaryOp::AddI64, sum, Src::Imm(carry));
    let scale = match inst.word("scale") {
        Some("shr7") => 7,
        Some(_) => 15,
        None => 0,
    };
    if scale > 0 {
        let op = if signed_final { BinaryOp::ShrS64 } else { BinaryOp::ShrU64 };
        found = lo.b.binary(op, found, Src::Imm(scale));
    }
    if inst.has("sat") && signed_final {
        found = clamp(lo, found.into(), 32, true);
    } else if inst.has("sat") {
        found = lo.b.binary(BinaryOp::MinU64, found, Src::Imm(u32::MAX.into()));
    }
    let d = lo.result(inst, "d")?;
    lo.b.unary_to(d, UnaryOp::Low32, found);
    Ok(())
}

/// The selected part of an operand in 64 bits.
fn value(lo: &mut Lowering, inst: &Inst<'_>, name: &str) -> Result<Src> {
    let signed = inst.operand_type(name) == ScalarType::S32;
    let operand = selected(lo, inst, name)?;
    let part = match operand.selector {
        Some((bits, nth)) => part(lo, operand.value, (bits, nth), signed),
        None => operand.value,
    };
    let extend = if signed { UnaryOp::SignExtend32 } else { UnaryOp::ZeroExtend32 };
    Ok(lo.b.unary(extend, part).into())
}

/// The range of a type of so many bits.
fn clamp(lo: &mut Lowering, value: Src, bits: u32, signed: bool) -> ir::Reg {
    let (low, high) = match signed {
        true => (-1_i64 << (bits - 1), (1_i64 << (bits - 1)) - 1),
        false => (0, (1_i64 << bits) - 1),
    };
    let value = lo.b.binary(BinaryOp::MaxS64, value, Src::Imm(low.cast_unsigned()));
    lo.b.binary(BinaryOp::MinS64, value, Src::Imm(high.cast_unsigned()))
}

/// Saturates, combines with `c` as the instruction says, and writes `d`.
fn finish(lo: &mut Lowering, inst: &Inst<'_>, mut found: Src) -> Result {
    let (d, selector) = result(lo, inst)?;
    let signed = inst.operand_type("d") == ScalarType::S32;
    if inst.has("sat") {
        found = clamp(lo, found, selector.map_or(32, |(bits, _)| bits), signed).into();
    }
    if let Some(word) = inst.word("op") {
        let c = lo.value(inst, "c")?;
        let extend = if signed { UnaryOp::SignExtend32 } else { UnaryOp::ZeroExtend32 };
        let c = lo.b.unary(extend, c);
        let op = match word {
            "add" => BinaryOp::AddI64,
            "min" => BinaryOp::MinS64,
            _ => BinaryOp::MaxS64,
        };
        found = lo.b.binary(op, found, c).into();
    }
    let Some((bits, nth)) = selector else {
        lo.b.unary_to(d, UnaryOp::Low32, found);
        return Ok(());
    };
    let c = lo.value(inst, "c")?;
    let low = lo.b.unary(UnaryOp::Low32, found);
    let placed = lo.b.binary(BinaryOp::Shl32, low, Src::Imm((bits * nth).into()));
    let mask = Src::Imm(((1_u64 << bits) - 1) << (bits * nth));
    lo.b.ternary_to(d, TernaryOp::BitSelect32, mask, c, placed);
    Ok(())
}
