//! What conversions share: rounding modes, ranges of integers, clamping.

use crate::catalogue::step::Step;
use crate::lower::{Extend, Inst, Lowering};
use crate::syntax::ScalarType;
use ScalarType as T;
use UnaryOp as U;
use ir::{BinaryOp, Round, Src, UnaryOp};

/// Whether a type is a signed integer.
pub(super) fn is_signed(ty: ScalarType) -> bool {
    Extend::of(ty) == Extend::Sign
}

/// The rounding mode, and whether it rounds to integral values.
pub(super) fn rounding(inst: &Inst<'_>) -> Option<(Round, bool)> {
    Some(match inst.word("rnd")? {
        "rn" => (Round::NearestEven, false),
        "rz" => (Round::TowardZero, false),
        "rm" => (Round::Down, false),
        "rp" => (Round::Up, false),
        "rni" => (Round::NearestEven, true),
        "rzi" => (Round::TowardZero, true),
        "rmi" => (Round::Down, true),
        _ => (Round::Up, true),
    })
}

/// The least and the greatest value of an integer type.
pub(super) fn range(ty: ScalarType) -> (i128, i128) {
    if is_signed(ty) {
        let half = 1i128 << (ty.bits() - 1);
        (-half, half - 1)
    } else {
        (0, (1i128 << ty.bits()) - 1)
    }
}

/// A value of type `from`, which fills its register, clamped to the range of `to`.
pub(super) fn clamp(lo: &mut Lowering, value: Step, from: ScalarType, to: ScalarType) -> Step {
    let ((least, greatest), (low, high)) = (range(from), range(to));
    let wide = from.bits() == 64;
    let bound = |bound: i128| Src::Imm(if wide { bound as u64 } else { u64::from(bound as u32) });
    let mut value = value;
    if low > least {
        let op = if wide { BinaryOp::MaxS64 } else { BinaryOp::MaxS32 };
        value = Step::Binary(op, value.value(lo), bound(low));
    }
    if high < greatest {
        let op = match (is_signed(from), wide) {
            (true, true) => BinaryOp::MinS64,
            (true, false) => BinaryOp::MinS32,
            (false, true) => BinaryOp::MinU64,
            (false, false) => BinaryOp::MinU32,
        };
        value = Step::Binary(op, value.value(lo), bound(high));
    }
    value
}

/// The conversion to a floating-point type from double precision (`wide`) or single precision.
pub(super) fn to_float(wide: bool, ty: ScalarType, round: Round) -> Option<UnaryOp> {
    match (wide, ty) {
        (false, T::F16) => Some(U::F32ToF16(round)),
        (false, T::Bf16) => Some(U::F32ToBf16(round)),
        (false, T::F64) => Some(U::F32ToF64),
        (true, T::F16) => Some(U::F64ToF16(round)),
        (true, T::Bf16) => Some(U::F64ToBf16(round)),
        (true, T::F32) => Some(U::F64ToF32(round)),
        (_, _) => None,
    }
}
