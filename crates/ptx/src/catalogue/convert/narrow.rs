//! Conversions to and from packed and narrow floating-point formats, and `cvt.pack`.

use super::super::compare::halves;
use super::super::step::Step;
use super::share::{clamp, rounding, to_float};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ScalarType as T;
use UnaryOp as U;
use ir::{BinaryOp, Round, Src, UnaryOp};

/// The largest finite value of a format, as `f32`.
fn largest(ty: ScalarType) -> u32 {
    match ty {
        T::F16 | T::F16x2 => 0x477f_e000,
        T::Bf16 | T::Bf16x2 => 0x7f7f_0000,
        T::Ue8m0x2 => 0x7f00_0000,
        _ => 0x7f7f_e000,
    }
}

/// `.relu` and `.satfinite` of a single-precision value that becomes `ty`. Both may come before the
/// conversion: their bounds are values of either type.
pub(super) fn bound(lo: &mut Lowering, inst: &Inst<'_>, value: Step, ty: ScalarType) -> Step {
    let mut value = value.then_maybe(lo, inst.has("relu").then_some(U::ReluF32));
    if inst.has("satfinite") {
        let largest = largest(ty);
        let below = value.value(lo);
        let below = lo.b.binary(BinaryOp::MinNanF32, below, Src::Imm(u64::from(largest)));
        let negative = Src::Imm(u64::from(largest | 1 << 31));
        value = Step::Binary(BinaryOp::MaxNanF32, below.into(), negative);
    }
    value
}

/// Both operands converted by `op`, `a` in front of the lowest `shift` bits, which are `b`'s.
fn pair(lo: &mut Lowering, inst: &Inst<'_>, [a, b]: [Step; 2], op: UnaryOp, shift: u32) -> Result {
    let a = a.then(lo, op).value(lo);
    let b = b.then(lo, op).value(lo);
    join(lo, a, b, shift).write(lo, inst)
}

/// `a << shift | b`.
fn join(lo: &mut Lowering, a: Src, b: Src, shift: u32) -> Step {
    if shift == 16 {
        return Step::Binary(BinaryOp::Pack32, b, a);
    }
    let a = lo.b.binary(BinaryOp::Shl32, a, Src::Imm(u64::from(shift)));
    Step::Binary(BinaryOp::Or32, a.into(), b)
}

pub(super) fn halves_from_f32(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let dtype = inst.operand_type("d");
    let half = if dtype == T::F16x2 { T::F16 } else { T::Bf16 };
    let (round, _) = rounding(inst).unwrap_or((Round::NearestEven, false));
    let Some(op) = to_float(false, half, round) else {
        return not_implemented(lo, inst);
    };
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let operands = [a, b].map(|value| bound(lo, inst, Step::Value(value), dtype));
    pair(lo, inst, operands, op, 16)
}

pub(super) fn tf32(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let a = lo.value(inst, "a")?;
    let a = bound(lo, inst, Step::Value(a), T::Tf32);
    let op = rounding(inst).map_or(U::F32ToTf32Rna, |(round, _)| U::F32ToTf32(round));
    a.then(lo, op).write(lo, inst)
}

/// The conversions of one element of a format of at most 8 bits, from `f32` and to `f16`, and the bits
/// that it takes in a pair.
fn tiny(ty: ScalarType) -> (UnaryOp, UnaryOp, u32) {
    match ty {
        T::E4m3x2 => (U::F32ToE4m3, U::E4m3ToF16, 8),
        T::E5m2x2 => (U::F32ToE5m2, U::E5m2ToF16, 8),
        T::E2m3x2 => (U::F32ToE2m3, U::E2m3ToF16, 8),
        T::E3m2x2 => (U::F32ToE3m2, U::E3m2ToF16, 8),
        _ => (U::F32ToE2m1, U::E2m1ToF16, 4),
    }
}

fn relu(lo: &mut Lowering, inst: &Inst<'_>, value: Step) -> Step {
    value.then_maybe(lo, inst.has("relu").then_some(U::ReluF32))
}

pub(super) fn tiny_from_f32(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (op, _, bits) = tiny(inst.ty("dtype"));
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let operands = [a, b].map(|value| relu(lo, inst, Step::Value(value)));
    pair(lo, inst, operands, op, bits)
}

pub(super) fn tiny_from_halves(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (op, _, bits) = tiny(inst.ty("dtype"));
    let a = lo.value(inst, "a")?;
    let [low, high] = halves(lo, a);
    let bf16 = inst.operand_type("a") == T::Bf16x2;
    let widen = if bf16 { U::Bf16ToF32 } else { U::F16ToF32 };
    let operands = [high, low].map(|half| relu(lo, inst, Step::Unary(widen, half)));
    pair(lo, inst, operands, op, bits)
}

pub(super) fn halves_from_tiny(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (_, op, bits) = tiny(inst.ty("atype"));
    let a = lo.value(inst, "a")?;
    let high = lo.b.binary(BinaryOp::ShrU32, a, Src::Imm(u64::from(bits)));
    let bf16 = inst.operand_type("d") == T::Bf16x2;
    // The conversion ignores the bits above its element. All these values are bf16, too.
    let [low, high] = [a, high.into()].map(|element| {
        let half = Step::Unary(op, element);
        let half = half.then_maybe(lo, inst.has("relu").then_some(U::ReluF16));
        match bf16 {
            true => half.then(lo, U::F16ToF32).then(lo, U::F32ToBf16(Round::NearestEven)).value(lo),
            false => half.value(lo),
        }
    });
    Step::Binary(BinaryOp::Pack32, low, high).write(lo, inst)
}

/// The conversion to a power of two.
fn power(inst: &Inst<'_>) -> UnaryOp {
    if inst.word("rnd") == Some("rp") { U::F32ToUe8m0Rp } else { U::F32ToUe8m0Rz }
}

pub(super) fn powers_from_f32(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let operands = [a, b].map(|value| bound(lo, inst, Step::Value(value), T::Ue8m0x2));
    pair(lo, inst, operands, power(inst), 8)
}

pub(super) fn powers_from_halves(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let a = lo.value(inst, "a")?;
    let [low, high] = halves(lo, a);
    let operands =
        [high, low].map(|half| bound(lo, inst, Step::Unary(U::Bf16ToF32, half), T::Ue8m0x2));
    pair(lo, inst, operands, power(inst), 8)
}

pub(super) fn halves_from_powers(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let a = lo.value(inst, "a")?;
    let high = lo.b.binary(BinaryOp::ShrU32, a, Src::Imm(8));
    // The conversion ignores the bits above its element.
    let [low, high] =
        [a, high.into()].map(|element| Step::Unary(U::Ue8m0ToBf16, element).value(lo));
    Step::Binary(BinaryOp::Pack32, low, high).write(lo, inst)
}

/// `cvt.pack`: both operands clamped, `a` above `b`, and `c` above both.
pub(super) fn pack(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let dtype = inst.ty("dtype");
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let cut = if dtype.bits() == 8 { U::ZeroExtend8 } else { U::ZeroExtend16 };
    let [a, b] = [a, b].map(|value| {
        let clamped = clamp(lo, Step::Value(value), T::S32, dtype);
        clamped.then(lo, cut).value(lo)
    });
    let packed = join(lo, a, b, dtype.bits());
    match inst.operand("c") {
        None => packed.write(lo, inst),
        Some(_) => {
            let (c, packed) = (lo.value(inst, "c")?, packed.value(lo));
            join(lo, c, packed, 2 * dtype.bits()).write(lo, inst)
        }
    }
}

pub(super) fn not_implemented(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.unsupported(inst, "this conversion is not implemented")
}
