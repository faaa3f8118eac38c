//! Video instructions: bytes and halfwords of registers.

mod scalar;
mod simd;

use super::{Entry, Form};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use crate::syntax::ast::{Operand, OperandKind};
use ir::{BinaryOp, Reg, Src, TernaryOp};
use scalar::Operation as One;
use simd::Operation as Each;

/// One operation on a byte or halfword of each operand, perhaps with a second one on the result.
macro_rules! scalar {
    ($name:literal, $operation:expr) => {
        Entry {
            name: $name,
            section: "9.7.18.1.1 vadd, vsub, vabsdiff, vmin, vmax",
            forms: &[
                Form::new(concat!($name, ".dtype.atype.btype{.sat} d:dtype, plain {.}a:atype, plain {.}b:btype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (2, 0), 20, |lo, inst| scalar::arithmetic(lo, inst, $operation)),
                Form::new(concat!($name, ".dtype.atype.btype{.sat}.op d:dtype, plain {.}a:atype, plain {.}b:btype, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .op = { .add, .min, .max }"), (2, 0), 20, |lo, inst| scalar::arithmetic(lo, inst, $operation)),
                Form::new(concat!($name, ".dtype.atype.btype{.sat} {.}d:dtype, plain {.}a:atype, plain {.}b:btype, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (2, 0), 20, |lo, inst| scalar::arithmetic(lo, inst, $operation)),
            ],
        }
    };
}

macro_rules! shift {
    ($name:literal, $op:expr) => {
        Entry {
            name: $name,
            section: "9.7.18.1.2 vshl, vshr",
            forms: &[
                Form::new(concat!($name, ".dtype.atype.u32{.sat}.mode d:dtype, plain {.}a:atype, plain {.}b:u32; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .mode = { .clamp, .wrap }"), (2, 0), 20, |lo, inst| scalar::shift(lo, inst, $op)),
                Form::new(concat!($name, ".dtype.atype.u32{.sat}.mode.op d:dtype, plain {.}a:atype, plain {.}b:u32, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .mode = { .clamp, .wrap }; .op = { .add, .min, .max }"), (2, 0), 20, |lo, inst| scalar::shift(lo, inst, $op)),
                Form::new(concat!($name, ".dtype.atype.u32{.sat}.mode {.}d:dtype, plain {.}a:atype, plain {.}b:u32, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .mode = { .clamp, .wrap }"), (2, 0), 20, |lo, inst| scalar::shift(lo, inst, $op)),
            ],
        }
    };
}

/// The operation on every byte or halfword.
macro_rules! simd {
    ($name:literal, $lanes:literal, $operation:expr) => {
        Entry {
            name: $name,
            section: "9.7.18.2 SIMD Video Instructions",
            forms: &[
                Form::new(concat!($name, ".dtype.atype.btype{.sat} {.}d:dtype, plain reg {.}a:atype, plain reg {.}b:btype, plain reg c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (3, 0), 30, |lo, inst| simd::lower::<$lanes>(lo, inst, $operation)),
                Form::new(concat!($name, ".dtype.atype.btype.add {.}d:dtype, plain reg {.}a:atype, plain reg {.}b:btype, plain reg c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (3, 0), 30, |lo, inst| simd::lower::<$lanes>(lo, inst, $operation)),
            ],
        }
    };
}

macro_rules! simd_compare {
    ($name:literal, $lanes:literal) => {
        Entry {
            name: $name,
            section: "9.7.18.2 SIMD Video Instructions",
            forms: &[Form::new(concat!($name, ".atype.btype.cmp{.add} {.}d:u32, plain reg {.}a:atype, plain reg {.}b:btype, plain reg c:u32; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }"), (3, 0), 30, |lo, inst| simd::lower::<$lanes>(lo, inst, Each::Set))],
        }
    };
}

pub(super) const ENTRIES: &[Entry] = &[
    scalar!("vadd", One::Add),
    scalar!("vsub", One::Sub),
    scalar!("vabsdiff", One::AbsDiff),
    scalar!("vmin", One::Min),
    scalar!("vmax", One::Max),
    shift!("vshl", BinaryOp::Shl64),
    shift!("vshr", BinaryOp::ShrS64),
    Entry {
        name: "vmad",
        section: "9.7.18.1.3 vmad",
        forms: &[
            Form::new("vmad.dtype.atype.btype{.sat}{.scale} d:dtype, plain {.}{-}a:atype, plain {.}{-}b:btype, {-}c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .scale = { .shr7, .shr15 }", (2, 0), 20, scalar::multiply_add),
            Form::new("vmad.dtype.atype.btype.po{.sat}{.scale} d:dtype, plain {.}a:atype, plain {.}b:btype, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .scale = { .shr7, .shr15 }", (2, 0), 20, scalar::multiply_add),
        ],
    },
    Entry {
        name: "vset",
        section: "9.7.18.1.4 vset",
        forms: &[
            Form::new("vset.atype.btype.cmp d:u32, plain {.}a:atype, plain {.}b:btype; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }", (2, 0), 20, scalar::set),
            Form::new("vset.atype.btype.cmp.op d:u32, plain {.}a:atype, plain {.}b:btype, c:u32; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }; .op = { .add, .min, .max }", (2, 0), 20, scalar::set),
            Form::new("vset.atype.btype.cmp {.}d:u32, plain {.}a:atype, plain {.}b:btype, c:u32; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }", (2, 0), 20, scalar::set),
        ],
    },
    simd!("vadd2", 2, Each::Add),
    simd!("vsub2", 2, Each::Sub),
    simd!("vavrg2", 2, Each::Average),
    simd!("vabsdiff2", 2, Each::AbsDiff),
    simd!("vmin2", 2, Each::Min),
    simd!("vmax2", 2, Each::Max),
    simd_compare!("vset2", 2),
    simd!("vadd4", 4, Each::Add),
    simd!("vsub4", 4, Each::Sub),
    simd!("vavrg4", 4, Each::Average),
    simd!("vabsdiff4", 4, Each::AbsDiff),
    simd!("vmin4", 4, Each::Min),
    simd!("vmax4", 4, Each::Max),
    simd_compare!("vset4", 4),
];

/// A source operand without its sign and selector.
struct Selected {
    value: Src,
    negated: bool,
    /// The width of its parts in bits, and which of them it is.
    selector: Option<(u32, u32)>,
}

/// A source operand: `a`, `-a`, `a.b0`, `-a.h1`.
fn selected(lo: &mut Lowering, inst: &Inst<'_>, name: &str) -> Result<Selected> {
    let operand = lo.operand(inst, name)?;
    let (operand, negated) = match &operand.kind {
        OperandKind::Minus(inner) => (&**inner, true),
        _ => (operand, false),
    };
    let value = lo.value_of(&whole(operand), inst.operand_type(name))?;
    Ok(Selected { value, negated, selector: selector(operand) })
}

/// The register that receives `d`, and the part of it.
fn result(lo: &mut Lowering, inst: &Inst<'_>) -> Result<(Reg, Option<(u32, u32)>)> {
    let operand = lo.operand(inst, "d")?;
    Ok((result_of(lo, operand, inst.operand_type("d"))?, selector(operand)))
}

fn result_of(lo: &mut Lowering, operand: &Operand, ty: ScalarType) -> Result<Reg> {
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
fn digits(operand: &Operand) -> Option<&str> {
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
fn part(lo: &mut Lowering, word: Src, (bits, at): (u32, u32), signed: bool) -> Src {
    let op = if signed { TernaryOp::BfeS32 } else { TernaryOp::BfeU32 };
    let (start, length) = (Src::Imm((bits * at).into()), Src::Imm(bits.into()));
    lo.b.ternary(op, word, start, length).into()
}
