//! Integer arithmetic: the operations of each width, and what 16-bit and packed types need around them.

use crate::catalogue::step::Step;
use crate::lower::{Extend, Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, CompareOp, Src, TernaryOp, UnaryOp};

/// An operation for each width and signedness. 16-bit types use the 32-bit operations on extended
/// operands; the low half of the result is theirs.
#[derive(Clone, Copy)]
pub(in crate::catalogue) struct ByType<T> {
    u32: T,
    s32: T,
    u64: T,
    s64: T,
}

impl<T: Copy> ByType<T> {
    const fn signless(narrow: T, wide: T) -> Self {
        ByType { u32: narrow, s32: narrow, u64: wide, s64: wide }
    }

    pub(in crate::catalogue) fn of(&self, ty: ScalarType) -> T {
        match (ty.bits() == 64, is_signed(ty)) {
            (false, false) => self.u32,
            (false, true) => self.s32,
            (true, false) => self.u64,
            (true, true) => self.s64,
        }
    }
}

type Binary = ByType<BinaryOp>;

macro_rules! by_type {
    ($enum:ident: $u32:ident, $s32:ident, $u64:ident, $s64:ident) => {
        ByType { u32: $enum::$u32, s32: $enum::$s32, u64: $enum::$u64, s64: $enum::$s64 }
    };
}

pub(in crate::catalogue) const ADD: Binary = ByType::signless(BinaryOp::AddI32, BinaryOp::AddI64);
pub(in crate::catalogue) const SUB: Binary = ByType::signless(BinaryOp::SubI32, BinaryOp::SubI64);
pub(super) const MUL_LO: Binary = ByType::signless(BinaryOp::MulLo32, BinaryOp::MulLo64);
pub(super) const MUL_HI: Binary = by_type!(BinaryOp: MulHiU32, MulHiS32, MulHiU64, MulHiS64);
pub(super) const DIV: Binary = by_type!(BinaryOp: DivU32, DivS32, DivU64, DivS64);
pub(super) const REM: Binary = by_type!(BinaryOp: RemU32, RemS32, RemU64, RemS64);
pub(super) const MIN: Binary = by_type!(BinaryOp: MinU32, MinS32, MinU64, MinS64);
pub(super) const MAX: Binary = by_type!(BinaryOp: MaxU32, MaxS32, MaxU64, MaxS64);
pub(in crate::catalogue) const LESS: ByType<CompareOp> =
    ByType::signless(CompareOp::LtU32, CompareOp::LtU64);
pub(in crate::catalogue) const LESS_EQUAL: ByType<CompareOp> =
    ByType::signless(CompareOp::LeU32, CompareOp::LeU64);
pub(super) const ABS: ByType<UnaryOp> = ByType::signless(UnaryOp::AbsS32, UnaryOp::AbsS64);
pub(super) const NEG: ByType<UnaryOp> = ByType::signless(UnaryOp::NegI32, UnaryOp::NegI64);
const MAD_LO: ByType<TernaryOp> = ByType::signless(TernaryOp::MadLo32, TernaryOp::MadLo64);

/// Whether the type is a signed integer, or two of them.
fn is_signed(ty: ScalarType) -> bool {
    ty == ScalarType::S16x2 || Extend::of(ty) == Extend::Sign
}

/// The extension that a 16-bit result needs in its register.
fn narrow(ty: ScalarType) -> Option<UnaryOp> {
    (ty.bits() == 16).then_some(UnaryOp::ZeroExtend16)
}

/// A result of the instruction's type, cut to its width.
fn finish(lo: &mut Lowering, inst: &Inst<'_>, step: Step) -> Result {
    step.then_maybe(lo, narrow(inst.ty("type"))).write(lo, inst)
}

/// `op a` in type `.type`.
pub(super) fn unary(lo: &mut Lowering, inst: &Inst<'_>, ops: &ByType<UnaryOp>) -> Result {
    let a = lo.extended(inst, "a")?;
    finish(lo, inst, Step::Unary(ops.of(inst.ty("type")), a))
}

/// `a op b` in type `.type`.
pub(super) fn binary(lo: &mut Lowering, inst: &Inst<'_>, ops: &Binary) -> Result {
    let (a, b) = (lo.extended(inst, "a")?, lo.extended(inst, "b")?);
    finish(lo, inst, Step::Binary(ops.of(inst.ty("type")), a, b))
}

/// `add.sat.s32` and `sub.sat.s32`.
pub(super) fn saturating(lo: &mut Lowering, inst: &Inst<'_>, op: BinaryOp) -> Result {
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    Step::Binary(op, a, b).write(lo, inst)
}

/// `a op b` in each half of `.u16x2` or `.s16x2`, perhaps with `.relu`.
pub(super) fn packed(lo: &mut Lowering, inst: &Inst<'_>, ops: &Binary) -> Result {
    let ty = inst.ty("type");
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let (a, b) = (halves(lo, a, ty), halves(lo, b, ty));
    let mut half = |nth: usize| {
        let value = Step::Binary(ops.of(ty), a[nth], b[nth]).value(lo);
        if inst.has("relu") { relu_of(value).value(lo) } else { value }
    };
    let (low, high) = (half(0), half(1));
    Step::Binary(BinaryOp::Pack32, low, high).write(lo, inst)
}

/// The halves of a packed value, extended to 32 bits, the low one first.
fn halves(lo: &mut Lowering, value: Src, ty: ScalarType) -> [Src; 2] {
    let (low, high) = if is_signed(ty) {
        (UnaryOp::SignExtend16, BinaryOp::ShrS32)
    } else {
        (UnaryOp::ZeroExtend16, BinaryOp::ShrU32)
    };
    [lo.b.unary(low, value).into(), lo.b.binary(high, value, Src::Imm(16)).into()]
}

fn relu_of(value: Src) -> Step {
    Step::Binary(BinaryOp::MaxS32, value, Src::Imm(0))
}

/// `min.relu.s32` and `max.relu.s32`.
pub(super) fn relu(lo: &mut Lowering, inst: &Inst<'_>, op: BinaryOp) -> Result {
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let value = Step::Binary(op, a, b).value(lo);
    relu_of(value).write(lo, inst)
}

/// The low or high half of a product of `.type`, by `.mode`; uncut for 16-bit types.
pub(in crate::catalogue) fn product(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Step> {
    let ty = inst.ty("type");
    let (a, b) = (lo.extended(inst, "a")?, lo.extended(inst, "b")?);
    Ok(match (inst.word("mode"), ty.bits()) {
        (Some("hi"), 16) => {
            let product = lo.b.binary(BinaryOp::MulLo32, a, b);
            Step::Binary(BinaryOp::ShrU32, product.into(), Src::Imm(16))
        }
        (Some("hi"), _) => Step::Binary(MUL_HI.of(ty), a, b),
        _ => Step::Binary(MUL_LO.of(ty), a, b),
    })
}

/// `mul.lo` and `mul.hi`.
pub(super) fn mul(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let product = product(lo, inst)?;
    finish(lo, inst, product)
}

/// `mul.wide`.
pub(super) fn mul_wide(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b) = (lo.extended(inst, "a")?, lo.extended(inst, "b")?);
    let op = match inst.ty("type") {
        ScalarType::U32 => BinaryOp::MulWideU32,
        ScalarType::S32 => BinaryOp::MulWideS32,
        _ => BinaryOp::MulLo32,
    };
    Step::Binary(op, a, b).write(lo, inst)
}

/// `mad.lo` and `mad.hi`.
pub(super) fn mad(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let ty = inst.ty("type");
    let step = if inst.word("mode") == Some("lo") {
        let (a, b) = (lo.extended(inst, "a")?, lo.extended(inst, "b")?);
        Step::Ternary(MAD_LO.of(ty), a, b, lo.extended(inst, "c")?)
    } else {
        let product = product(lo, inst)?.value(lo);
        Step::Binary(ADD.of(ty), product, lo.extended(inst, "c")?)
    };
    finish(lo, inst, step)
}

/// `mad.hi.sat.s32`.
pub(super) fn mad_hi_sat(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let product = lo.b.binary(BinaryOp::MulHiS32, a, b);
    let c = lo.value(inst, "c")?;
    Step::Binary(BinaryOp::AddSatS32, product.into(), c).write(lo, inst)
}

/// `mad.wide`.
pub(super) fn mad_wide(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b) = (lo.extended(inst, "a")?, lo.extended(inst, "b")?);
    let c = lo.value(inst, "c")?;
    let op = match inst.ty("type") {
        ScalarType::U32 => TernaryOp::MadWideU32,
        ScalarType::S32 => TernaryOp::MadWideS32,
        _ => TernaryOp::MadLo32,
    };
    Step::Ternary(op, a, b, c).write(lo, inst)
}

/// `mul24` by `.mode`: bits 31..0 or 47..16 of the product of the low 24 bits.
fn product24(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Step> {
    let signed = is_signed(inst.ty("type"));
    let (mul, shift) = if signed {
        (BinaryOp::MulWideS32, BinaryOp::ShrS32)
    } else {
        (BinaryOp::MulWideU32, BinaryOp::ShrU32)
    };
    let mut low24 = |name| -> Result<Src> {
        let value = lo.value(inst, name)?;
        let high = lo.b.binary(BinaryOp::Shl32, value, Src::Imm(8));
        Ok(lo.b.binary(shift, high, Src::Imm(8)).into())
    };
    let (a, b) = (low24("a")?, low24("b")?);
    let product = lo.b.binary(mul, a, b).into();
    let product = match inst.word("mode") {
        Some("hi") => lo.b.binary(BinaryOp::ShrU64, product, Src::Imm(16)).into(),
        _ => product,
    };
    Ok(Step::Unary(UnaryOp::Low32, product))
}

/// `mul24`.
pub(super) fn mul24(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    product24(lo, inst)?.write(lo, inst)
}

/// `mad24`, with `add` for the sum.
pub(super) fn mad24(lo: &mut Lowering, inst: &Inst<'_>, add: BinaryOp) -> Result {
    let product = product24(lo, inst)?.value(lo);
    let c = lo.value(inst, "c")?;
    Step::Binary(add, product, c).write(lo, inst)
}

/// `sad`: `c + |a - b|`.
pub(super) fn sad(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let ty = inst.ty("type");
    let (a, b) = (lo.extended(inst, "a")?, lo.extended(inst, "b")?);
    let c = lo.extended(inst, "c")?;
    let (larger, smaller) = (lo.b.binary(MAX.of(ty), a, b), lo.b.binary(MIN.of(ty), a, b));
    let distance = lo.b.binary(SUB.of(ty), larger, smaller);
    finish(lo, inst, Step::Binary(ADD.of(ty), c, distance.into()))
}
