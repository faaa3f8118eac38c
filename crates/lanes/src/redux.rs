//! Redux: a reduction of one 32-bit register over the participants.
//!
//! Source: PTX ISA 9.1, `redux.sync`. Every participant receives the one result.

use crate::{LaneMask, Lanes, select, splat};

/// The canonical NaN of `.f32` results (PTX ISA 9.1, floating-point instructions).
const CANONICAL_NAN: u32 = 0x7fff_ffff;

/// Integer and bitwise reductions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReduxOp {
    /// Sum modulo 2³² (`.add.u32` and `.add.s32`).
    Add,
    /// Least value as unsigned (`.min.u32`).
    MinU32,
    /// Greatest value as unsigned (`.max.u32`).
    MaxU32,
    /// Least value as two's complement (`.min.s32`).
    MinS32,
    /// Greatest value as two's complement (`.max.s32`).
    MaxS32,
    /// Bitwise and (`.and.b32`).
    And,
    /// Bitwise or (`.or.b32`).
    Or,
    /// Bitwise exclusive or (`.xor.b32`).
    Xor,
}

impl ReduxOp {
    /// All operations.
    pub const ALL: [Self; 8] = [
        Self::Add,
        Self::MinU32,
        Self::MaxU32,
        Self::MinS32,
        Self::MaxS32,
        Self::And,
        Self::Or,
        Self::Xor,
    ];

    /// The value that changes no result; the result if nobody takes part.
    #[inline]
    pub const fn identity(self) -> u32 {
        match self {
            Self::Add | Self::MaxU32 | Self::Or | Self::Xor => 0,
            Self::MinU32 | Self::And => u32::MAX,
            Self::MinS32 => i32::MAX as u32,
            Self::MaxS32 => i32::MIN as u32,
        }
    }
}

/// Which extreme a floating-point reduction finds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MinMax {
    /// The least value.
    Min,
    /// The greatest value.
    Max,
}

/// A floating-point reduction: `redux.sync.{min,max}{.abs}{.NaN}.f32`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReduxF32 {
    /// `.min` or `.max`.
    pub op: MinMax,
    /// `.abs`: reduce absolute values.
    pub abs: bool,
    /// `.NaN`: any NaN input makes the result NaN.
    pub propagate_nan: bool,
}

/// The reduction of the participants' values; [`ReduxOp::identity`] if nobody takes part.
#[inline]
pub fn redux(op: ReduxOp, a: &Lanes<u32>, participants: LaneMask) -> u32 {
    let identity = op.identity();
    let values = select(participants, a, &splat(identity));
    let signed = |f: fn(i32, i32) -> i32| {
        values.iter().fold(identity, |x, &y| f(x.cast_signed(), y.cast_signed()).cast_unsigned())
    };
    let unsigned = |f: fn(u32, u32) -> u32| values.iter().fold(identity, |x, &y| f(x, y));
    match op {
        ReduxOp::Add => unsigned(u32::wrapping_add),
        ReduxOp::MinU32 => unsigned(u32::min),
        ReduxOp::MaxU32 => unsigned(u32::max),
        ReduxOp::MinS32 => signed(i32::min),
        ReduxOp::MaxS32 => signed(i32::max),
        ReduxOp::And => unsigned(|x, y| x & y),
        ReduxOp::Or => unsigned(|x, y| x | y),
        ReduxOp::Xor => unsigned(|x, y| x ^ y),
    }
}

/// The reduction of the participants' values; operands and result are the bits of an `.f32`.
///
/// `.abs` is applied first. `+0.0` is greater than `-0.0`; subnormals keep their value. Without
/// `.NaN`, NaN inputs are skipped, and the result is NaN only if there is nothing else, which
/// includes the case that nobody takes part. A NaN result is `0x7fffffff`.
#[inline]
pub fn redux_f32(mode: ReduxF32, a: &Lanes<u32>, participants: LaneMask) -> u32 {
    let kept = if mode.abs { 0x7fff_ffff } else { u32::MAX };
    let values: Lanes<u32> = core::array::from_fn(|lane| a[lane] & kept);
    let nans = LaneMask::from_fn(|lane| is_nan(values[lane])) & participants;
    let numbers = participants - nans;
    if numbers.is_empty() || (mode.propagate_nan && !nans.is_empty()) {
        return CANONICAL_NAN;
    }
    let op = match mode.op {
        MinMax::Min => ReduxOp::MinS32,
        MinMax::Max => ReduxOp::MaxS32,
    };
    let keys: Lanes<u32> = core::array::from_fn(|lane| sort_key(values[lane]));
    sort_key(redux(op, &keys, numbers))
}

#[inline(always)]
const fn is_nan(bits: u32) -> bool {
    bits & 0x7fff_ffff > 0x7f80_0000
}

/// Turns float bits into a two's complement integer of the same order, and back.
///
/// Floats are sign and magnitude: flipping the magnitude bits of negative values gives the integer
/// order, with `-0.0` just below `+0.0`.
#[inline(always)]
const fn sort_key(bits: u32) -> u32 {
    let sign = (bits.cast_signed() >> 31).cast_unsigned();
    bits ^ (sign >> 1)
}
