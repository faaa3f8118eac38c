//! `cvt`: conversions between integers and floating-point formats.

mod narrow;
mod share;

use share::{clamp, is_signed, range, rounding, to_float};

use super::step::Step;
use super::{Entry, Form, Need};
use crate::lower::{Entity, Inst, Lowering, Result};
use crate::syntax::ScalarType;
use crate::syntax::ast::OperandKind;
use diag::Diagnostic;
use ir::{BinaryOp, Round, Src, UnaryOp};

macro_rules! integers {
    () => {
        "{ .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 }"
    };
}

/// Flushing came after these conversions.
const FTZ: &[Need] = &[Need::new("ftz", (1, 5), 10)];

/// `.satfinite` came after the conversions.
const SATFINITE: &[Need] = &[Need::new("satfinite", (8, 1), 80)];

/// The architectures with formats below 8 bits.
const BLACKWELL: &[u32] = &[100, 101, 103, 107, 110, 120, 121];

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "cvt",
    section: "9.7.9.21 cvt, 9.7.9.22 cvt.pack",
    forms: &[
        Form::new(
            concat!("cvt.dtype.atype d:dtype~, {%}a:atype~; .dtype = ", integers!(), "; .atype = ", integers!()),
            (1, 0),
            10,
            integer_to_integer,
        ),
        Form::new("cvt.sat.s8.atype d:s8~, {%}a:atype~; .atype = { .s16, .s32, .s64, .u8, .u16, .u32, .u64 }", (1, 0), 10, integer_to_integer),
        Form::new("cvt.sat.u8.atype d:u8~, {%}a:atype~; .atype = { .s8, .s16, .s32, .s64, .u16, .u32, .u64 }", (1, 0), 10, integer_to_integer),
        Form::new("cvt.sat.s16.atype d:s16~, {%}a:atype~; .atype = { .s32, .s64, .u16, .u32, .u64 }", (1, 0), 10, integer_to_integer),
        Form::new("cvt.sat.u16.atype d:u16~, {%}a:atype~; .atype = { .s8, .s16, .s32, .s64, .u32, .u64 }", (1, 0), 10, integer_to_integer),
        Form::new("cvt.sat.s32.atype d:s32~, {%}a:atype~; .atype = { .s64, .u32, .u64 }", (1, 0), 10, integer_to_integer),
        Form::new("cvt.sat.u32.atype d:u32~, {%}a:atype~; .atype = { .s8, .s16, .s32, .s64, .u64 }", (1, 0), 10, integer_to_integer),
        Form::new("cvt.sat.s64.atype d:s64~, {%}a:atype~; .atype = { .u64 }", (1, 0), 10, integer_to_integer),
        Form::new("cvt.sat.u64.atype d:u64~, {%}a:atype~; .atype = { .s8, .s16, .s32, .s64 }", (1, 0), 10, integer_to_integer),
        Form::new(concat!("cvt.rnd{.ftz}{.sat}.dtype.f32 d:dtype~, a:f32~; .rnd = { .rni, .rzi, .rmi, .rpi }; .dtype = ", integers!()), (1, 0), 10, float_to_integer),
        Form::new(concat!("cvt.rnd{.sat}.dtype.atype d:dtype~, a:atype~; .rnd = { .rni, .rzi, .rmi, .rpi }; .atype = { .f16, .f64 }; .dtype = ", integers!()), (1, 0), 10, float_to_integer),
        Form::new("cvt.rnd.dtype.bf16 d:dtype, a:bf16; .rnd = { .rni, .rzi, .rmi, .rpi }; .dtype = { .u16, .u32, .u64, .s16, .s32, .s64 }", (7, 8), 90, float_to_integer),
        Form::new(concat!("cvt.rnd{.ftz}{.sat}.f32.atype d:f32~, a:atype~; .rnd = { .rn, .rz, .rm, .rp }; .atype = ", integers!()), (1, 0), 10, integer_to_float).needs(FTZ),
        Form::new(concat!("cvt.rnd{.sat}.dtype.atype d:dtype~, a:atype~; .rnd = { .rn, .rz, .rm, .rp }; .dtype = { .f16, .f64 }; .atype = ", integers!()), (1, 0), 10, integer_to_float),
        Form::new("cvt.rnd.bf16.atype d:bf16, a:atype; .rnd = { .rn, .rz, .rm, .rp }; .atype = { .u16, .u32, .u64, .s16, .s32, .s64 }", (7, 8), 90, integer_to_float),
        Form::new("cvt{.rnd}{.ftz}{.sat}.f32.f32 d:f32~, a:f32~; .rnd = { .rni, .rzi, .rmi, .rpi }", (1, 0), 10, float_to_float),
        Form::new("cvt{.rnd}{.sat}.f16.f16 d:f16~, a:f16~; .rnd = { .rni, .rzi, .rmi, .rpi }", (1, 0), 10, float_to_float),
        Form::new("cvt{.rnd}{.sat}.f64.f64 d:f64~, a:f64~; .rnd = { .rni, .rzi, .rmi, .rpi }", (1, 0), 10, float_to_float),
        Form::new("cvt{.ftz}{.sat}.f32.f16 d:f32~, a:f16~", (1, 0), 10, float_to_float),
        Form::new("cvt{.ftz}{.sat}.f64.f32 d:f64~, a:f32~", (1, 0), 10, float_to_float).needs(FTZ),
        Form::new("cvt{.sat}.f64.f16 d:f64~, a:f16~", (1, 0), 10, float_to_float),
        Form::new("cvt.rnd{.ftz}{.sat}.f32.f64 d:f32~, a:f64~; .rnd = { .rn, .rz, .rm, .rp }", (1, 0), 10, float_to_float),
        Form::new("cvt.rnd{.ftz}{.sat}.f16.f32 d:f16~, a:f32~; .rnd = { .rn, .rz, .rm, .rp }", (1, 0), 10, float_to_float),
        Form::new("cvt.rnd{.sat}.f16.f64 d:f16~, a:f64~; .rnd = { .rn, .rz, .rm, .rp }", (1, 0), 10, float_to_float),
        Form::new("cvt.rnd{.relu}{.satfinite}.f16.f32 d:f16~, a:f32~; .rnd = { .rn, .rz }", (7, 0), 80, float_to_float).needs(SATFINITE),
        Form::new("cvt.rnd{.relu}{.satfinite}.bf16.f32 d:bf16, a:f32; .rnd = { .rn, .rz }", (7, 0), 80, float_to_float).needs(SATFINITE),
        Form::new("cvt.rnd{.ftz}.bf16.f32 d:bf16, a:f32; .rnd = { .rn, .rz, .rm, .rp }", (7, 0), 80, float_to_float),
        Form::new("cvt.rnd.bf16.f64 d:bf16, a:f64; .rnd = { .rn, .rz, .rm, .rp }", (7, 8), 90, float_to_float),
        Form::new("cvt{.rnd}.bf16.f16 d:bf16, a:f16; .rnd = { .rn, .rz, .rm, .rp }", (7, 8), 90, float_to_float),
        Form::new("cvt{.rnd}.bf16.bf16 d:bf16, a:bf16; .rnd = { .rni, .rzi, .rmi, .rpi }", (7, 8), 90, float_to_float),
        Form::new("cvt{.rnd}{.ftz}.f32.bf16 d:f32~, a:bf16; .rnd = { .rn, .rz, .rm, .rp }", (7, 1), 80, float_to_float).needs(&[Need::new("ftz", (7, 8), 90)]),
        Form::new("cvt{.rnd}.dtype.bf16 d:dtype~, a:bf16; .rnd = { .rn, .rz, .rm, .rp }; .dtype = { .f16, .f64 }", (7, 8), 90, float_to_float),
        Form::new("cvt.rnd{.relu}{.satfinite}.f16x2.f32 d:f16x2~, a:f32, b:f32; .rnd = { .rn, .rz }", (7, 0), 80, narrow::halves_from_f32).needs(SATFINITE),
        Form::new("cvt.rnd{.relu}{.satfinite}.bf16x2.f32 d:bf16x2, a:f32, b:f32; .rnd = { .rn, .rz }", (7, 0), 80, narrow::halves_from_f32).needs(SATFINITE),
        Form::new("cvt.rna{.satfinite}.tf32.f32 d:tf32, a:f32", (7, 0), 80, narrow::tf32).needs(SATFINITE),
        Form::new("cvt.rnd{.relu}{.satfinite}.tf32.f32 d:tf32, a:f32; .rnd = { .rn, .rz }", (7, 8), 90, narrow::tf32).needs(&[Need::new("satfinite", (8, 6), 100)]),
        Form::new("cvt.rn.satfinite{.relu}.dtype.f32 d:dtype, a:f32, b:f32; .dtype = { .e4m3x2, .e5m2x2 }", (8, 1), 89, narrow::tiny_from_f32),
        Form::new("cvt.rn.satfinite{.relu}.dtype.f16x2 d:dtype, plain a:f16x2; .dtype = { .e4m3x2, .e5m2x2 }", (8, 1), 89, narrow::tiny_from_halves),
        Form::new("cvt.rn{.relu}.f16x2.atype d:f16x2, plain a:atype; .atype = { .e4m3x2, .e5m2x2 }", (8, 1), 89, narrow::halves_from_tiny),
        Form::new("cvt.rn.satfinite{.relu}.dtype.f32 d:dtype, a:f32, b:f32; .dtype = { .e4m3x2, .e5m2x2 }", (7, 8), 90, narrow::tiny_from_f32),
        Form::new("cvt.rn.satfinite{.relu}.dtype.f16x2 d:dtype, plain a:f16x2; .dtype = { .e4m3x2, .e5m2x2 }", (7, 8), 90, narrow::tiny_from_halves),
        Form::new("cvt.rn{.relu}.f16x2.atype d:f16x2, plain a:atype; .atype = { .e4m3x2, .e5m2x2 }", (7, 8), 90, narrow::halves_from_tiny),
        Form::new("cvt.rn.satfinite{.relu}.dtype.bf16x2 d:dtype, plain a:bf16x2; .dtype = { .e4m3x2, .e5m2x2 }", (9, 1), 100, narrow::tiny_from_halves).family(BLACKWELL),
        Form::new("cvt.rn.satfinite{.relu}.dtype.f32 d:dtype, a:f32, b:f32; .dtype = { .e2m1x2, .e2m3x2, .e3m2x2 }", (8, 6), 100, narrow::tiny_from_f32).family(BLACKWELL),
        Form::new("cvt.rn{.relu}.f16x2.atype d:f16x2, plain a:atype; .atype = { .e2m1x2, .e2m3x2, .e3m2x2 }", (8, 6), 100, narrow::halves_from_tiny).family(BLACKWELL),
        Form::new("cvt.rn.satfinite{.relu}.dtype.atype d:dtype, plain a:atype; .dtype = { .e2m1x2, .e2m3x2, .e3m2x2 }; .atype = { .f16x2, .bf16x2 }", (9, 1), 100, narrow::tiny_from_halves).family(BLACKWELL),
        Form::new("cvt.rnd{.satfinite}.ue8m0x2.f32 d:ue8m0x2, a:f32, b:f32; .rnd = { .rz, .rp }", (8, 6), 100, narrow::powers_from_f32).family(BLACKWELL),
        Form::new("cvt.rnd{.satfinite}.ue8m0x2.bf16x2 d:ue8m0x2, plain a:bf16x2; .rnd = { .rz, .rp }", (8, 6), 100, narrow::powers_from_halves).family(BLACKWELL),
        Form::new("cvt.rn.bf16x2.ue8m0x2 d:bf16x2, plain a:ue8m0x2", (8, 6), 100, narrow::halves_from_powers).family(BLACKWELL),
        Form::new("cvt.rn{.relu}.bf16x2.atype d:bf16x2, plain a:atype; .atype = { .e4m3x2, .e5m2x2, .e2m1x2, .e2m3x2, .e3m2x2 }", (9, 2), 100, narrow::halves_from_tiny).family(BLACKWELL),
        Form::new("cvt.rs{.relu}{.satfinite}.dtype.f32 d:dtype, a:f32, b:f32, plain reg rbits:b32; .dtype = { .f16x2, .bf16x2 }", (8, 7), 100, narrow::not_implemented).architecture(&[100, 103, 107]),
        Form::new("cvt.rs{.relu}.satfinite.dtype.f32 d:dtype, a{4}:f32, plain reg rbits:b32; .dtype = { .e4m3x4, .e5m2x4, .e2m3x4, .e3m2x4, .e2m1x4 }", (8, 7), 100, narrow::not_implemented).architecture(&[100, 103, 107]),
        Form::new("cvt.pack!.sat.dtype.s32 d:u32~, a:s32~, b:s32~; .dtype = { .u16, .s16 }", (6, 5), 72, narrow::pack),
        Form::new("cvt.pack!.sat.dtype.s32.b32 d:u32~, a:s32~, b:s32~, c:b32~; .dtype = { .u8, .s8 }", (6, 5), 72, narrow::pack),
        Form::new("cvt.pack!.sat.dtype.s32.b32 d:u32~, a:s32~, b:s32~, c:b32~; .dtype = { .u4, .s4, .u2, .s2 }", (6, 5), 75, narrow::not_implemented),
    ],
}];

use ScalarType as T;
use UnaryOp as U;

fn wrong<T>(inst: &Inst<'_>, what: impl Into<String>) -> Result<T> {
    Err(Box::new(Diagnostic::error(inst.instruction.span, what)))
}

/// The destination and the source type. Words that a form fixes are its operands' types.
fn types(inst: &Inst<'_>) -> (ScalarType, ScalarType) {
    (inst.operand_type("d"), inst.operand_type("a"))
}

/// Whether `.ftz` is there. It flushes single-precision operands and results only.
fn ftz(inst: &Inst<'_>) -> Result<bool> {
    let (dtype, atype) = types(inst);
    if inst.has("ftz") && dtype != T::F32 && atype != T::F32 {
        return wrong(inst, "`.ftz` applies to .f32 operands and results only");
    }
    Ok(inst.has("ftz"))
}

/// Writes a result of type `ty`, extended to the width of its register.
fn finish(lo: &mut Lowering, inst: &Inst<'_>, step: Step, ty: ScalarType) -> Result {
    let declared = match &lo.operand(inst, "d")?.kind {
        OperandKind::Name(name) => match lo.entity(name)? {
            Entity::Register(index) => Some(lo.declared(index).bits()),
            Entity::Vector(_)
            | Entity::Special
            | Entity::Variable(_)
            | Entity::Function(_)
            | Entity::Label(_) => None,
        },
        _ => None,
    };
    let fits = declared == Some(ty.bits());
    lo.relaxed = ty != T::Bf16;
    match ty {
        // Narrow registers hold integers of either sign zero-extended.
        T::U8 | T::S8 if fits => step.then(lo, U::ZeroExtend8).write(lo, inst),
        T::U16 | T::S16 if fits => step.then(lo, U::ZeroExtend16).write(lo, inst),
        _ if fits => step.write(lo, inst),
        _ => {
            let value = step.value(lo);
            let value = lo.extend(value, ty);
            lo.write(inst, "d", value, ty)
        }
    }
}

fn integer_to_integer(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (dtype, atype) = types(inst);
    let ((least, greatest), (low, high)) = (range(atype), range(dtype));
    if inst.has("sat") && low <= least && greatest <= high {
        return wrong(inst, format!("`.sat` has no use here: {dtype} holds every {atype} value"));
    }
    lo.relaxed = true;
    let mut value = Step::Value(lo.extended(inst, "a")?);
    if inst.has("sat") {
        value = clamp(lo, value, atype, dtype);
    }
    let value = match (atype.bits() == 64, dtype.bits() == 64) {
        (true, false) => value.then(lo, U::Low32),
        (false, true) if is_signed(atype) => value.then(lo, U::SignExtend32),
        (false, true) => value.then(lo, U::ZeroExtend32),
        (true, true) | (false, false) => value,
    };
    finish(lo, inst, value, dtype)
}

/// A floating-point operand: half precision as single precision, or as double precision if that is the result, which are exact.
fn float_operand(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Step> {
    let flush = ftz(inst)?;
    let (dtype, atype) = types(inst);
    // The assembler wants registers of just 16 bits for bf16.
    lo.relaxed = atype != T::Bf16;
    let a = lo.value(inst, "a")?;
    Ok(match (dtype, atype) {
        // Double precision keeps what a NaN holds.
        (T::F64, T::F16) => Step::Unary(U::F16ToF64, a),
        (_, T::F16) => Step::Unary(U::F16ToF32, a),
        (_, T::Bf16) => Step::Unary(U::Bf16ToF32, a),
        // An H100 does not flush what it rounds to f16.
        (T::F16, T::F32) => Step::Value(a),
        (T::F64, T::F32) if flush => flushed(lo, Step::Value(a)),
        (_, T::F32) if flush => Step::Unary(U::FlushF32, a),
        _ => Step::Value(a),
    })
}

/// A value of single precision with `.ftz` on an H100, where a NaN becomes canonical, too: what adding -0 makes of it.
fn flushed(lo: &mut Lowering, value: Step) -> Step {
    Step::Binary(BinaryOp::AddFtzF32, value.value(lo), Src::Imm((-0f32).to_bits().into()))
}

fn float_to_integer(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (dtype, atype) = types(inst);
    let Some((round, _)) = rounding(inst) else {
        return wrong(inst, "a conversion to an integer needs a rounding mode like `.rzi`");
    };
    let a = float_operand(lo, inst)?;
    // 8- and 16-bit results come from 32 bits by clamping, except where a NaN makes a difference.
    let (op, holder) = match (atype == T::F64, dtype) {
        (false, T::U64) => (U::F32ToU64(round), T::U64),
        (false, T::S64) => (U::F32ToS64(round), T::S64),
        (false, T::U8 | T::U16 | T::U32) => (U::F32ToU32(round), T::U32),
        (false, _) => (U::F32ToS32(round), T::S32),
        (true, T::U64) => (U::F64ToU64(round), T::U64),
        (true, T::S64) => (U::F64ToS64(round), T::S64),
        (true, T::U8) => (U::F64ToU8(round), T::U8),
        (true, T::U16) => (U::F64ToU16(round), T::U16),
        (true, T::U32) => (U::F64ToU32(round), T::U32),
        (true, _) => (U::F64ToS32(round), T::S32),
    };
    let integer = a.then(lo, op);
    let integer = clamp(lo, integer, holder, dtype);
    finish(lo, inst, integer, dtype)
}

fn integer_to_float(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (dtype, atype) = types(inst);
    let Some((round, _)) = rounding(inst) else {
        return wrong(inst, "a conversion of an integer needs a rounding mode like `.rn`");
    };
    ftz(inst)?;
    lo.relaxed = true;
    let mut a = Step::Value(lo.extended(inst, "a")?);
    let (signed, mut wide) = (is_signed(atype), atype.bits() == 64);
    if !wide && matches!(dtype, T::F16 | T::Bf16) {
        a = a.then(lo, if signed { U::SignExtend32 } else { U::ZeroExtend32 });
        wide = true;
    }
    let op: fn(Round) -> UnaryOp = match (dtype, signed, wide) {
        (T::F16, true, _) => U::S64ToF16,
        (T::F16, false, _) => U::U64ToF16,
        (T::Bf16, true, _) => U::S64ToBf16,
        (T::Bf16, false, _) => U::U64ToBf16,
        (T::F64, true, true) => U::S64ToF64,
        (T::F64, true, false) => U::S32ToF64,
        (T::F64, false, true) => U::U64ToF64,
        (T::F64, false, false) => U::U32ToF64,
        (_, true, true) => U::S64ToF32,
        (_, true, false) => U::S32ToF32,
        (_, false, true) => U::U64ToF32,
        (_, false, false) => U::U32ToF32,
    };
    let float = a.then(lo, op(round));
    let float = saturate(lo, inst, float, dtype);
    finish(lo, inst, float, dtype)
}

/// `.sat`: clamps to 0..1, NaN becomes +0.
fn saturate(lo: &mut Lowering, inst: &Inst<'_>, value: Step, ty: ScalarType) -> Step {
    if !inst.has("sat") {
        return value;
    }
    match ty {
        T::F16 => value.then(lo, U::SaturateF16),
        T::Bf16 => value.then(lo, U::SaturateBf16),
        T::F64 => {
            let floor = Step::Binary(BinaryOp::MaxF64, value.value(lo), Src::Imm(0)).value(lo);
            Step::Binary(BinaryOp::MinF64, floor, Src::Imm(1f64.to_bits()))
        }
        _ => value.then(lo, U::SaturateF32),
    }
}

/// Checks the rounding mode of a conversion between floating-point types.
fn float_rounding(inst: &Inst<'_>) -> Result<Option<(Round, bool)>> {
    let (dtype, atype) = types(inst);
    let given = rounding(inst);
    // The assembler leaves the choice where bf16 widens and between the half formats.
    let optional = dtype != atype && (atype == T::Bf16 || dtype == T::Bf16 && atype == T::F16);
    let complaint = match given {
        Some((_, true)) if dtype != atype => "rounding to integral values keeps the type",
        Some((_, false)) if !optional && dtype.bits() >= atype.bits() => {
            "this conversion is exact and takes no rounding mode"
        }
        None if dtype.bits() < atype.bits() => {
            "this conversion needs a rounding mode: add `.rn`, `.rz`, `.rm` or `.rp`"
        }
        Some(_) | None => return Ok(given),
    };
    wrong(inst, complaint)
}

fn float_to_float(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (dtype, atype) = types(inst);
    let given = float_rounding(inst)?;
    let (round, integral) = given.unwrap_or((Round::NearestEven, false));
    let flush = ftz(inst)?;
    if dtype == atype && !integral {
        lo.relaxed = true;
        let a = Step::Value(lo.value(inst, "a")?);
        let a = match dtype {
            T::F32 if flush => flushed(lo, a),
            // A NaN becomes canonical, a number stays what it is.
            T::F16 => a.then(lo, U::F16ToF32).then(lo, U::F32ToF16(round)),
            T::Bf16 => a.then(lo, U::Bf16ToF32).then(lo, U::F32ToBf16(round)),
            _ => a,
        };
        let a = saturate(lo, inst, a, dtype);
        return finish(lo, inst, a, dtype);
    }
    let wide = atype == T::F64 || (dtype, atype) == (T::F64, T::F16);
    let mut value = float_operand(lo, inst)?;
    value = narrow::bound(lo, inst, value, dtype);
    if integral {
        value = value.then(lo, if wide { U::RoundF64(round) } else { U::RoundF32(round) });
    }
    value = value.then_maybe(lo, to_float(wide, dtype, round));
    value = match atype {
        // A NaN keeps what it holds.
        T::F64 if flush && dtype == T::F32 => value.then(lo, U::FlushF32),
        T::F16 | T::Bf16 if flush => flushed(lo, value),
        _ => value,
    };
    value = saturate(lo, inst, value, dtype);
    finish(lo, inst, value, dtype)
}
