//! SIMD video instructions: all halfwords or bytes of the operands.

use super::part::{part, result_of, selected};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, Class, CompareOp, Reg, Src, TernaryOp, UnaryOp};

/// What is done with each pair of elements.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Add,
    Sub,
    Average,
    AbsDiff,
    Min,
    Max,
    /// 1 where the relation `cmp` holds.
    Set,
}

/// An instruction on `N` elements.
pub(super) fn lower<const N: u32>(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    operation: Operation,
) -> Result {
    let bits = 32 / N;
    let sources = [selected(lo, inst, "a")?, selected(lo, inst, "b")?];
    let chosen = |name: &str, default: u32, nth: u32| {
        let digits = inst.operand(name).and_then(super::part::digits);
        let digit = digits.and_then(|digits| digits.bytes().rev().nth(nth as usize));
        digit.map_or(default, |digit| u32::from(digit.wrapping_sub(b'0'))) % (2 * N)
    };
    let c = lo.value(inst, "c")?;
    let operand = lo.operand(inst, "d")?;
    let mask = super::part::digits(operand);
    let is_masked =
        |nth: u32| mask.is_none_or(|mask| mask.bytes().any(|digit| digit == b'0' + nth as u8));
    let mut total = c;
    for nth in (0..N).filter(|nth| is_masked(*nth)) {
        let element = |lo: &mut Lowering, name: &str, default| {
            let signed = inst.operand_type(name) == ScalarType::S32;
            let at = chosen(name, default, nth);
            let source = sources[(at / N) as usize % 2].value;
            part(lo, source, (bits, at % N), signed)
        };
        let (a, b) = (element(lo, "a", nth), element(lo, "b", N + nth));
        let mut found = apply(lo, inst, operation, a, b);
        if inst.has("sat") {
            found = clamp(lo, found, bits, inst.operand_type("d") == ScalarType::S32);
        }
        total = if inst.has("add") {
            lo.b.binary(BinaryOp::AddI32, total, found).into()
        } else {
            let placed = lo.b.binary(BinaryOp::Shl32, found, Src::Imm((bits * nth).into()));
            let mask = Src::Imm(((1_u64 << bits) - 1) << (bits * nth));
            lo.b.ternary(TernaryOp::BitSelect32, mask, total, placed).into()
        };
    }
    let d = result_of(lo, operand, inst.operand_type("d"))?;
    lo.b.copy_to(d, total);
    Ok(())
}

/// The operation on two elements that were extended to 32 bits.
fn apply(lo: &mut Lowering, inst: &Inst<'_>, operation: Operation, a: Src, b: Src) -> Reg {
    match operation {
        Operation::Add => lo.b.binary(BinaryOp::AddI32, a, b),
        Operation::Sub => lo.b.binary(BinaryOp::SubI32, a, b),
        Operation::Average => {
            // Halves are rounded up where the sum is not negative, else down.
            let sum = lo.b.binary(BinaryOp::AddI32, a, b);
            let not = lo.b.unary(UnaryOp::Not32, sum);
            let one = lo.b.binary(BinaryOp::ShrU32, not, Src::Imm(31));
            let sum = lo.b.binary(BinaryOp::AddI32, sum, one);
            lo.b.binary(BinaryOp::ShrS32, sum, Src::Imm(1))
        }
        Operation::AbsDiff => {
            let difference = lo.b.binary(BinaryOp::SubI32, a, b);
            lo.b.unary(UnaryOp::AbsS32, difference)
        }
        Operation::Min => lo.b.binary(BinaryOp::MinS32, a, b),
        Operation::Max => lo.b.binary(BinaryOp::MaxS32, a, b),
        Operation::Set => {
            let p = match inst.word("cmp") {
                Some("eq") => lo.b.compare(CompareOp::EqI32, a, b),
                Some("ne") => lo.b.compare(CompareOp::NeI32, a, b),
                Some("lt") => lo.b.compare(CompareOp::LtS32, a, b),
                Some("le") => lo.b.compare(CompareOp::LeS32, a, b),
                Some("gt") => lo.b.compare(CompareOp::LtS32, b, a),
                _ => lo.b.compare(CompareOp::LeS32, b, a),
            };
            lo.b.select(Class::W32, p, Src::Imm(1), Src::Imm(0))
        }
    }
}

/// The range of a type of so many bits, in 32.
fn clamp(lo: &mut Lowering, value: Reg, bits: u32, signed: bool) -> Reg {
    let (low, high) = match signed {
        true => (-1_i32 << (bits - 1), (1_i32 << (bits - 1)) - 1),
        false => (0, (1_i32 << bits) - 1),
    };
    let value = lo.b.binary(BinaryOp::MaxS32, value, Src::Imm(low.cast_unsigned().into()));
    lo.b.binary(BinaryOp::MinS32, value, Src::Imm(high.cast_unsigned().into()))
}
