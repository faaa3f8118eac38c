//! Which registers and constants agree with which types (PTX ISA 9.1, 9.2 "Type Information for
//! Instructions and Operands", and what NVIDIA's assembler makes of it).

use crate::syntax::ScalarType;
use crate::syntax::ast::Constant;
use ir::Class;

/// How closely a register must fit the type that an operand wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The type is the operand's own: integers are 32-bit counts, masks and positions.
    Strict,
    /// The type is a word of the instruction.
    Instruction,
    /// As before, and the register may be wider (`ld`, `st`, `cvt`).
    Wider,
}

/// What values of a type are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Untyped bits.
    Bits,
    /// Integers.
    Integer,
    /// Floats that registers can be declared as.
    Float,
    /// Two values in one register, which the assembler also takes for an integer.
    Pair,
    /// Formats that live in registers of untyped bits.
    Format,
    /// Predicates.
    Predicate,
    /// Textures, samplers and surfaces.
    Opaque,
}

/// What values of a type are.
pub(crate) fn kind(ty: ScalarType) -> Kind {
    use ScalarType as T;
    match ty {
        T::B8 | T::B16 | T::B32 | T::B64 | T::B128 => Kind::Bits,
        T::U8 | T::U16 | T::U32 | T::U64 | T::S8 | T::S16 | T::S32 | T::S64 => Kind::Integer,
        T::F16 | T::F32 | T::F64 => Kind::Float,
        T::F16x2 | T::U16x2 | T::S16x2 => Kind::Pair,
        T::Bf16 | T::Bf16x2 | T::Tf32 | T::F32x2 => Kind::Format,
        T::E4m3 | T::E4m3x2 | T::E4m3x4 | T::E5m2 | T::E5m2x2 | T::E5m2x4 => Kind::Format,
        T::E2m3 | T::E2m3x2 | T::E2m3x4 | T::E3m2 | T::E3m2x2 | T::E3m2x4 => Kind::Format,
        T::E2m1 | T::E2m1x2 | T::E2m1x4 | T::Ue8m0 | T::Ue8m0x2 | T::Ue4m3 => Kind::Format,
        T::U4 | T::S4 | T::B1 => Kind::Format,
        T::Pred => Kind::Predicate,
        T::TexRef | T::SamplerRef | T::SurfRef => Kind::Opaque,
    }
}

/// Whether a register declared as `declared` may stand where an instruction wants `wanted`.
pub fn agrees(declared: ScalarType, wanted: ScalarType, fit: Fit) -> bool {
    let (have, want) = (kind(declared), kind(wanted));
    let widths = match fit {
        Fit::Strict | Fit::Instruction => declared.bits() == wanted.bits(),
        Fit::Wider => declared.bits() >= wanted.bits(),
    };
    let kinds = match want {
        Kind::Bits => !matches!(have, Kind::Predicate | Kind::Opaque),
        Kind::Integer => match have {
            Kind::Bits | Kind::Integer => true,
            Kind::Pair => fit != Fit::Strict,
            Kind::Float | Kind::Format | Kind::Predicate | Kind::Opaque => false,
        },
        // A float is not a float of another format.
        Kind::Float => have == Kind::Bits || declared == wanted,
        Kind::Pair => matches!(have, Kind::Bits | Kind::Pair),
        Kind::Format => return have == Kind::Bits && declared.bits() == wanted.bits().max(8),
        Kind::Predicate => have == Kind::Predicate,
        Kind::Opaque => declared == wanted,
    };
    widths && kinds
}

/// Whether `register + constant` may stand where `wanted` is wanted. The assembler computes the sum in
/// 64 bits and cuts it, so that only what kind of value the register holds counts.
pub(crate) fn sum_agrees(declared: ScalarType, wanted: ScalarType, fit: Fit) -> bool {
    let (have, want) = (kind(declared), kind(wanted));
    if fit == Fit::Strict && declared.bits() != wanted.bits() {
        return false;
    }
    match (have, want) {
        (Kind::Predicate | Kind::Opaque, _) | (_, Kind::Predicate | Kind::Opaque) => false,
        (Kind::Bits, _) | (_, Kind::Bits) => fit != Fit::Strict || have != Kind::Float,
        (Kind::Integer, Kind::Integer) => true,
        (Kind::Pair, Kind::Integer) => fit != Fit::Strict,
        (Kind::Float, Kind::Float) => true,
        (Kind::Pair, Kind::Pair) => true,
        (Kind::Integer | Kind::Float | Kind::Pair | Kind::Format, _) => false,
    }
}

/// Whether a constant may stand where `wanted` is wanted.
pub(crate) fn constant_agrees(constant: Constant, wanted: ScalarType, fit: Fit) -> bool {
    match (constant, kind(wanted)) {
        (Constant::Int { .. }, Kind::Bits | Kind::Integer | Kind::Predicate) => true,
        (Constant::F32(_), Kind::Bits) => wanted.bits() == 32 && fit != Fit::Strict,
        (Constant::F64(_), Kind::Bits) => wanted.bits() == 64 && fit != Fit::Strict,
        (Constant::F32(_) | Constant::F64(_), Kind::Float) => wanted.bits() >= 32,
        (Constant::Int { .. } | Constant::F32(_) | Constant::F64(_), _) => false,
    }
}

/// The class of register that holds a declared type; `None` where no register can.
pub fn class_of(ty: ScalarType) -> Option<Class> {
    match ty.bits() {
        1 => Some(Class::Pred),
        2..=32 => Some(Class::W32),
        64 => Some(Class::W64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ScalarType as T;

    /// The types of registers that the assembler (13.5) takes as source operands.
    #[test]
    fn registers_agree_as_the_assembler_says() {
        let declarable =
            || T::ALL.iter().copied().filter(|ty| ty.is_declarable() && ty.bits() <= 128);
        let taken = |wanted, fit| -> Vec<&str> {
            declarable().filter(|ty| agrees(*ty, wanted, fit)).map(T::word).collect()
        };
        for (wanted, fit, words) in [
            (T::U32, Fit::Instruction, "b32 u32 s32 f16x2"),
            (T::U32, Fit::Strict, "b32 u32 s32"),
            (T::B32, Fit::Instruction, "b32 u32 s32 f16x2 f32"),
            (T::B16, Fit::Instruction, "b16 u16 s16 f16"),
            (T::S64, Fit::Instruction, "b64 u64 s64"),
            (T::B64, Fit::Instruction, "b64 u64 s64 f64"),
            (T::F32, Fit::Instruction, "b32 f32"),
            (T::F16, Fit::Instruction, "b16 f16"),
            (T::F16x2, Fit::Instruction, "b32 f16x2"),
            (T::Bf16, Fit::Wider, "b16"),
            (T::Bf16x2, Fit::Instruction, "b32"),
            (T::Tf32, Fit::Instruction, "b32"),
            (T::F32x2, Fit::Instruction, "b64"),
            (T::E4m3x2, Fit::Wider, "b16"),
            (T::Pred, Fit::Instruction, "pred"),
            (T::U32, Fit::Wider, "b32 b64 b128 u32 u64 s32 s64 f16x2"),
            (T::B32, Fit::Wider, "b32 b64 b128 u32 u64 s32 s64 f16x2 f32 f64"),
            (T::F32, Fit::Wider, "b32 b64 b128 f32"),
            (T::F16, Fit::Wider, "b16 b32 b64 b128 f16"),
            (T::F16x2, Fit::Wider, "b32 b64 b128 f16x2"),
            (T::B128, Fit::Wider, "b128"),
        ] {
            assert_eq!(taken(wanted, fit).join(" "), words, "{wanted} {fit:?}");
        }
    }
}
