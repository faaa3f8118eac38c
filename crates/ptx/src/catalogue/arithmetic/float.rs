//! Floating-point arithmetic: the operations of each format, and what `.ftz`, `.sat`, `.relu` and the
//! rounding modifiers put around them.

use crate::catalogue::step::Step;
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{BinaryOp, Round, Src, TernaryOp, UnaryOp};

/// A format of floating-point values, `x2` with one in each half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::catalogue) enum Format {
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
}

impl Format {
    /// The format of the instruction's result.
    pub(in crate::catalogue) fn of(lo: &Lowering, inst: &Inst<'_>) -> Result<Format> {
        match inst.operand_type("d") {
            ScalarType::F16 => Ok(Format::F16),
            ScalarType::F16x2 => Ok(Format::F16x2),
            ScalarType::Bf16 => Ok(Format::Bf16),
            ScalarType::Bf16x2 => Ok(Format::Bf16x2),
            ScalarType::F32 | ScalarType::F32x2 => Ok(Format::F32),
            ScalarType::F64 => Ok(Format::F64),
            other => lo.unsupported(inst, format!("{other} arithmetic is not implemented")),
        }
    }
}

/// Names an operation of each format.
macro_rules! by_format {
    ($enum:ident, $format:expr, $f16:ident, $f16x2:ident, $bf16:ident, $bf16x2:ident, $f32:expr, $f64:expr) => {
        match $format {
            Format::F16 => $enum::$f16,
            Format::F16x2 => $enum::$f16x2,
            Format::Bf16 => $enum::$bf16,
            Format::Bf16x2 => $enum::$bf16x2,
            Format::F32 => $f32,
            Format::F64 => $f64,
        }
    };
}

type Rounded2 = fn(Format, Round) -> BinaryOp;

/// `a + b`.
pub(super) fn add(format: Format, r: Round) -> BinaryOp {
    let (f32, f64) = (BinaryOp::AddF32(r), BinaryOp::AddF64(r));
    by_format!(BinaryOp, format, AddF16, AddF16x2, AddBf16, AddBf16x2, f32, f64)
}

/// `a - b`.
pub(super) fn sub(format: Format, r: Round) -> BinaryOp {
    let (f32, f64) = (BinaryOp::SubF32(r), BinaryOp::SubF64(r));
    by_format!(BinaryOp, format, SubF16, SubF16x2, SubBf16, SubBf16x2, f32, f64)
}

/// `a * b`.
pub(super) fn mul(format: Format, r: Round) -> BinaryOp {
    let (f32, f64) = (BinaryOp::MulF32(r), BinaryOp::MulF64(r));
    by_format!(BinaryOp, format, MulF16, MulF16x2, MulBf16, MulBf16x2, f32, f64)
}

fn fma_op(format: Format, r: Round) -> TernaryOp {
    let (f32, f64) = (TernaryOp::FmaF32(r), TernaryOp::FmaF64(r));
    by_format!(TernaryOp, format, FmaF16, FmaF16x2, FmaBf16, FmaBf16x2, f32, f64)
}

/// `-a`.
pub(super) fn neg(format: Format) -> UnaryOp {
    let (f32, f64) = (UnaryOp::NegF32, UnaryOp::NegF64);
    by_format!(UnaryOp, format, NegF16, NegF16x2, NegBf16, NegBf16x2, f32, f64)
}

/// `|a|`.
pub(super) fn abs(format: Format) -> UnaryOp {
    let (f32, f64) = (UnaryOp::AbsF32, UnaryOp::AbsF64);
    by_format!(UnaryOp, format, AbsF16, AbsF16x2, AbsBf16, AbsBf16x2, f32, f64)
}

/// What `.ftz`, `.sat` and `.relu` apply; `.f64` has none of them.
struct Adjustments {
    flush: UnaryOp,
    saturate: UnaryOp,
    relu: UnaryOp,
}

impl Adjustments {
    fn of(format: Format) -> Option<Adjustments> {
        macro_rules! adjustments {
            ($flush:ident, $saturate:ident, $relu:ident) => {
                Some(Adjustments {
                    flush: UnaryOp::$flush,
                    saturate: UnaryOp::$saturate,
                    relu: UnaryOp::$relu,
                })
            };
        }
        match format {
            Format::F16 => adjustments!(FlushF16, SaturateF16, ReluF16),
            Format::F16x2 => adjustments!(FlushF16x2, SaturateF16x2, ReluF16x2),
            Format::Bf16 => adjustments!(FlushBf16, SaturateBf16, ReluBf16),
            Format::Bf16x2 => adjustments!(FlushBf16x2, SaturateBf16x2, ReluBf16x2),
            Format::F32 => adjustments!(FlushF32, SaturateF32, ReluF32),
            Format::F64 => None,
        }
    }
}

/// Operations that flush by themselves.
const FUSED: [(BinaryOp, BinaryOp); 3] = [
    (BinaryOp::AddF32(Round::NearestEven), BinaryOp::AddFtzF32),
    (BinaryOp::SubF32(Round::NearestEven), BinaryOp::SubFtzF32),
    (BinaryOp::MulF32(Round::NearestEven), BinaryOp::MulFtzF32),
];

/// The rounding mode of the instruction.
pub(in crate::catalogue) fn round(inst: &Inst<'_>) -> Round {
    match inst.word("rnd") {
        Some("rz") => Round::TowardZero,
        Some("rm") => Round::Down,
        Some("rp") => Round::Up,
        _ => Round::NearestEven,
    }
}

/// What `.ftz` puts around an operation, when it is there.
fn flush(inst: &Inst<'_>, format: Format) -> Option<UnaryOp> {
    Adjustments::of(format).filter(|_| inst.has("ftz")).map(|adjustments| adjustments.flush)
}

fn flushed(lo: &mut Lowering, value: Src, flush: Option<UnaryOp>) -> Src {
    Step::Value(value).then_maybe(lo, flush).value(lo)
}

/// `op(a, b)`, flushed as `flush` says.
fn compute2(lo: &mut Lowering, op: BinaryOp, flush: Option<UnaryOp>, a: Src, b: Src) -> Step {
    if flush.is_none() {
        return Step::Binary(op, a, b);
    }
    if let Some((_, fused)) = FUSED.iter().find(|(plain, _)| *plain == op) {
        return Step::Binary(*fused, a, b);
    }
    let (a, b) = (flushed(lo, a, flush), flushed(lo, b, flush));
    Step::Binary(op, a, b).then_maybe(lo, flush)
}

/// `a * b + c`, flushed as `flush` says.
fn compute3(lo: &mut Lowering, op: TernaryOp, flush: Option<UnaryOp>, [a, b, c]: [Src; 3]) -> Step {
    if flush.is_none() {
        return Step::Ternary(op, a, b, c);
    }
    if op == TernaryOp::FmaF32(Round::NearestEven) {
        return Step::Ternary(TernaryOp::FmaFtzF32, a, b, c);
    }
    let (a, b, c) = (flushed(lo, a, flush), flushed(lo, b, flush), flushed(lo, c, flush));
    Step::Ternary(op, a, b, c).then_maybe(lo, flush)
}

/// Applies `.sat` and `.relu` and writes the result.
fn finish(lo: &mut Lowering, inst: &Inst<'_>, format: Format, step: Step) -> Result {
    let adjustments = Adjustments::of(format);
    let adjust = adjustments.and_then(|adjustments| {
        if inst.has("sat") {
            Some(adjustments.saturate)
        } else {
            inst.has("relu").then_some(adjustments.relu)
        }
    });
    step.then_maybe(lo, adjust).write(lo, inst)
}

/// `abs`, `neg`.
pub(super) fn unary(lo: &mut Lowering, inst: &Inst<'_>, op: fn(Format) -> UnaryOp) -> Result {
    let format = Format::of(lo, inst)?;
    let a = lo.value(inst, "a")?;
    let a = flushed(lo, a, flush(inst, format));
    Step::Unary(op(format), a).write(lo, inst)
}

/// A function of one operand, flushed on both sides by `.ftz`.
pub(in crate::catalogue) fn function(lo: &mut Lowering, inst: &Inst<'_>, op: UnaryOp) -> Result {
    let flush = flush(inst, Format::of(lo, inst)?);
    let a = lo.value(inst, "a")?;
    let a = flushed(lo, a, flush);
    Step::Unary(op, a).then_maybe(lo, flush).write(lo, inst)
}

/// `add`, `sub`, `mul`, `div` with all modifiers.
pub(super) fn binary(lo: &mut Lowering, inst: &Inst<'_>, op: Rounded2) -> Result {
    let format = Format::of(lo, inst)?;
    fixed(lo, inst, op(format, round(inst)))
}

/// `op(a, b)` with all modifiers but the rounding mode.
pub(super) fn fixed(lo: &mut Lowering, inst: &Inst<'_>, op: BinaryOp) -> Result {
    let format = Format::of(lo, inst)?;
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let step = compute2(lo, op, flush(inst, format), a, b);
    finish(lo, inst, format, step)
}

/// `fma`, and `mad` of floats.
pub(super) fn fma(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let format = Format::of(lo, inst)?;
    let values = [lo.value(inst, "a")?, lo.value(inst, "b")?, lo.value(inst, "c")?];
    let step = compute3(lo, fma_op(format, round(inst)), flush(inst, format), values);
    finish(lo, inst, format, step)
}

/// A `.f16` or `.bf16` operand as `.f32`.
fn converted(lo: &mut Lowering, inst: &Inst<'_>, name: &str) -> Result<Src> {
    let op = match inst.ty("atype") {
        ScalarType::Bf16 => UnaryOp::Bf16ToF32,
        _ => UnaryOp::F16ToF32,
    };
    let value = lo.value(inst, name)?;
    Ok(lo.b.unary(op, value).into())
}

/// `add.f32.atype`, `sub.f32.atype`: the first operand is narrow.
pub(super) fn mixed(lo: &mut Lowering, inst: &Inst<'_>, op: Rounded2) -> Result {
    let (a, b) = (converted(lo, inst, "a")?, lo.value(inst, "b")?);
    finish(lo, inst, Format::F32, Step::Binary(op(Format::F32, round(inst)), a, b))
}

/// `fma.f32.atype`: the factors are narrow.
pub(super) fn mixed_fma(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b) = (converted(lo, inst, "a")?, converted(lo, inst, "b")?);
    let c = lo.value(inst, "c")?;
    finish(lo, inst, Format::F32, Step::Ternary(TernaryOp::FmaF32(round(inst)), a, b, c))
}

/// The halves of an `.f32x2` operand, the low one first.
fn halves(lo: &mut Lowering, inst: &Inst<'_>, name: &str) -> Result<[Src; 2]> {
    let value = lo.value(inst, name)?;
    Ok([UnaryOp::Low32, UnaryOp::High32].map(|half| lo.b.unary(half, value).into()))
}

/// `add.f32x2`, `sub.f32x2`, `mul.f32x2`.
pub(super) fn packed(lo: &mut Lowering, inst: &Inst<'_>, op: Rounded2) -> Result {
    let (a, b) = (halves(lo, inst, "a")?, halves(lo, inst, "b")?);
    let (op, flush) = (op(Format::F32, round(inst)), flush(inst, Format::F32));
    let [low, high] = [0, 1].map(|at| compute2(lo, op, flush, a[at], b[at]).value(lo));
    Step::Binary(BinaryOp::Pack64, low, high).write(lo, inst)
}

/// `fma.f32x2`.
pub(super) fn packed_fma(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b, c) = (halves(lo, inst, "a")?, halves(lo, inst, "b")?, halves(lo, inst, "c")?);
    let (op, flush) = (TernaryOp::FmaF32(round(inst)), flush(inst, Format::F32));
    let [low, high] = [0, 1].map(|at| compute3(lo, op, flush, [a[at], b[at], c[at]]).value(lo));
    Step::Binary(BinaryOp::Pack64, low, high).write(lo, inst)
}

/// The variants of `min` or `max` in one format.
pub(super) struct Extremum {
    plain: BinaryOp,
    nan: BinaryOp,
    xorsign: BinaryOp,
    nan_xorsign: BinaryOp,
}

macro_rules! extremum {
    ($name:ident, $doc:literal, $plain64:ident:
     $($format:ident $plain:ident $nan:ident $xorsign:ident $nan_xorsign:ident;)*) => {
        #[doc = $doc]
        pub(super) fn $name(format: Format) -> Extremum {
            match format {
                $(Format::$format => Extremum {
                    plain: BinaryOp::$plain,
                    nan: BinaryOp::$nan,
                    xorsign: BinaryOp::$xorsign,
                    nan_xorsign: BinaryOp::$nan_xorsign,
                },)*
                // No form of `.f64` has modifiers.
                Format::F64 => Extremum {
                    plain: BinaryOp::$plain64,
                    nan: BinaryOp::$plain64,
                    xorsign: BinaryOp::$plain64,
                    nan_xorsign: BinaryOp::$plain64,
                },
            }
        }
    };
}

extremum! { min, "The smaller.", MinF64:
    F16 MinF16 MinNanF16 MinXorsignAbsF16 MinNanXorsignAbsF16;
    F16x2 MinF16x2 MinNanF16x2 MinXorsignAbsF16x2 MinNanXorsignAbsF16x2;
    Bf16 MinBf16 MinNanBf16 MinXorsignAbsBf16 MinNanXorsignAbsBf16;
    Bf16x2 MinBf16x2 MinNanBf16x2 MinXorsignAbsBf16x2 MinNanXorsignAbsBf16x2;
    F32 MinF32 MinNanF32 MinXorsignAbsF32 MinNanXorsignAbsF32;
}

extremum! { max, "The larger.", MaxF64:
    F16 MaxF16 MaxNanF16 MaxXorsignAbsF16 MaxNanXorsignAbsF16;
    F16x2 MaxF16x2 MaxNanF16x2 MaxXorsignAbsF16x2 MaxNanXorsignAbsF16x2;
    Bf16 MaxBf16 MaxNanBf16 MaxXorsignAbsBf16 MaxNanXorsignAbsBf16;
    Bf16x2 MaxBf16x2 MaxNanBf16x2 MaxXorsignAbsBf16x2 MaxNanXorsignAbsBf16x2;
    F32 MaxF32 MaxNanF32 MaxXorsignAbsF32 MaxNanXorsignAbsF32;
}

type ExtremumOf = fn(Format) -> Extremum;

/// `min` and `max` of two.
pub(super) fn extremum(lo: &mut Lowering, inst: &Inst<'_>, of: ExtremumOf) -> Result {
    let format = Format::of(lo, inst)?;
    let ops = of(format);
    let op = match (inst.has("NaN"), inst.has("xorsign")) {
        (false, false) => ops.plain,
        (true, false) => ops.nan,
        (false, true) => ops.xorsign,
        (true, true) => ops.nan_xorsign,
    };
    let flush = flush(inst, format);
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let (a, b) = (flushed(lo, a, flush), flushed(lo, b, flush));
    Step::Binary(op, a, b).write(lo, inst)
}

/// `min` and `max` of three `.f32`; `.abs` takes magnitudes.
pub(super) fn extremum3(lo: &mut Lowering, inst: &Inst<'_>, of: ExtremumOf) -> Result {
    let ops = of(Format::F32);
    let op = if inst.has("NaN") { ops.nan } else { ops.plain };
    let flush = flush(inst, Format::F32);
    let magnitude = inst.has("abs").then_some(UnaryOp::AbsF32);
    let mut operand = |name| -> Result<Src> {
        let value = lo.value(inst, name)?;
        Ok(Step::Value(value).then_maybe(lo, flush).then_maybe(lo, magnitude).value(lo))
    };
    let (a, b, c) = (operand("a")?, operand("b")?, operand("c")?);
    let two = Step::Binary(op, a, b).value(lo);
    Step::Binary(op, two, c).write(lo, inst)
}
