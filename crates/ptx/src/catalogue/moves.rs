//! `mov`: copies, addresses, and packing and unpacking of vectors.

use super::{Entry, Form, Need, Role};
use crate::lower::{Inst, Lowering, Result};
use crate::special;
use crate::syntax::ScalarType;
use crate::syntax::ast::{Name, Operand, OperandKind};
use ir::{BinaryOp, Src, UnaryOp};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "mov",
    section: "9.7.9.3 mov, 9.7.9.4 mov",
    forms: &[
        Form::new(
            "mov.type d, {%}{&}a; .type = { .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 }",
            (1, 0),
            10,
            copy,
        )
        .role(Role::Copy),
        Form::new("mov.type d+, {%}{&}a+; .type = { .b16, .b32, .b64, .b128 }", (1, 0), 10, bits)
            .role(Role::Copy)
            .needs(&[Need::new("b128", (8, 3), 70)]),
        Form::new("mov.pred d, {%}{!}a:pred", (1, 0), 10, predicate),
        Form::new(
            "mov.vec.type d*, a*; .vec = { .v2 }; .type = { .b64, .u64, .s64, .f64 }",
            (1, 0),
            10,
            vectors,
        ),
        Form::new(
            "mov.vec.type d*, a*; .vec = { .v2, .v4 }; \
             .type = { .b16, .b32, .u16, .u32, .s16, .s32, .f32 }",
            (1, 0),
            10,
            vectors,
        ),
        // One value for all elements, or the vector that a special register is.
        Form::new(
            "mov.vec.type d*, int {%}{&}a; .vec = { .v2 }; .type = { .b64, .u64, .s64, .f64 }",
            (1, 0),
            10,
            vectors,
        ),
        Form::new(
            "mov.vec.type d*, int {%}{&}a; .vec = { .v2 }; \
             .type = { .b16, .b32, .u16, .u32, .s16, .s32, .f32 }",
            (1, 0),
            10,
            vectors,
        ),
        Form::new(
            "mov.vec.type d*, int {%}{&}tuple; .vec = { .v4 }; \
             .type = { .b16, .b32, .u16, .u32, .s16, .s32, .f32 }",
            (1, 0),
            10,
            vectors,
        ),
    ],
}];

fn copy(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let a = lo.value(inst, "a")?;
    let d = lo.result(inst, "d")?;
    lo.b.copy_to(d, a);
    Ok(())
}

fn predicate(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let a = lo.predicate(inst, "a")?;
    let d = lo.result(inst, "d")?;
    lo.b.pred_to(d, a);
    Ok(())
}

fn bits(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (d, a) = (lo.operand(inst, "d")?, lo.operand(inst, "a")?);
    let bits = inst.ty("type").bits();
    if bits == 128 {
        return wide(lo, d, a);
    }
    match (&d.kind, &a.kind) {
        (OperandKind::Vector(_), OperandKind::Vector(_)) => {
            lo.reject(a, "only one side of `mov` can be a vector")
        }
        (_, OperandKind::Vector(elements)) => {
            let ty = element_type(lo, a, bits, elements.len())?;
            let values = elements
                .iter()
                .map(|element| lo.value_of(element, ty))
                .collect::<Result<Vec<Src>>>()?;
            let d = lo.result(inst, "d")?;
            let packed = pack(lo, &values, bits);
            lo.b.copy_to(d, packed);
            Ok(())
        }
        (OperandKind::Vector(elements), _) => {
            let ty = element_type(lo, d, bits, elements.len())?;
            let a = lo.value(inst, "a")?;
            unpack(lo, elements, a, bits, ty)
        }
        _ => copy(lo, inst),
    }
}

/// 128 bits, of which no register of the machine has more than half.
fn wide(lo: &mut Lowering, d: &Operand, a: &Operand) -> Result {
    match (&d.kind, &a.kind) {
        (OperandKind::Vector(_), OperandKind::Vector(_)) => {
            lo.reject(a, "only one side of `mov` can be a vector")
        }
        (_, OperandKind::Vector(elements)) => {
            let ty = element_type(lo, a, 128, elements.len())?;
            let values = elements.iter().map(|element| lo.value_of(element, ty));
            let values = values.collect::<Result<Vec<Src>>>()?;
            let d = lo.halves(d)?;
            for (d, values) in d.into_iter().zip(values.chunks(values.len() / 2)) {
                let packed = pack(lo, values, 64);
                lo.b.copy_to(d, packed);
            }
            Ok(())
        }
        (OperandKind::Vector(elements), _) => {
            let ty = element_type(lo, d, 128, elements.len())?;
            let a = lo.halves(a)?;
            let mut parts = a.into_iter().zip(elements.chunks(elements.len() / 2));
            parts.try_for_each(|(half, elements)| unpack(lo, elements, half.into(), 64, ty))
        }
        _ => {
            let (a, d) = (lo.halves(a)?, lo.halves(d)?);
            a.into_iter().zip(d).for_each(|(a, d)| lo.b.copy_to(d, a));
            Ok(())
        }
    }
}

/// `mov.v2` and `mov.v4`: vectors, or one value for all elements, or the vector that a special register is.
fn vectors(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let ty = inst.ty("type");
    let [d, a] = inst.instruction.operands.as_slice() else {
        return lo.unsupported(inst, "this `mov` is not implemented");
    };
    let results = lo.elements(d);
    let values = match &a.kind {
        OperandKind::Vector(elements) => {
            elements.iter().map(|element| lo.value_of(element, ty)).collect::<Result<Vec<Src>>>()?
        }
        OperandKind::Name(name) if special::find(name).is_some_and(|it| it.is_vector()) => {
            let component = |part| Operand {
                kind: OperandKind::Component(name.clone(), Box::new(Name::new(part, a.span))),
                span: a.span,
            };
            let parts = ["x", "y", "z", "w"].map(component);
            let parts = parts.iter().take(results.len());
            parts.map(|part| lo.value_of(part, ty)).collect::<Result<Vec<Src>>>()?
        }
        _ => vec![lo.value_of(a, ty)?; results.len()],
    };
    if results.len() != values.len() {
        return lo.reject(a, format!("{} elements are wanted", results.len()));
    }
    // An element that is written may be one that is still to be read.
    let values: Vec<Src> = values
        .into_iter()
        .map(|value| match (value, ty.bits()) {
            (Src::Reg(reg), 64) => lo.b.unary(UnaryOp::Mov64, reg).into(),
            (Src::Reg(reg), _) => lo.b.unary(UnaryOp::Mov32, reg).into(),
            (Src::Imm(_), _) => value,
        })
        .collect();
    results
        .iter()
        .zip(values)
        .filter(|(result, _)| !matches!(result.kind, OperandKind::Sink))
        .try_for_each(|(result, value)| lo.write_to(result, value, ty))
}

/// The type of each of `count` elements that make up `bits` bits.
fn element_type(lo: &Lowering, vector: &Operand, bits: u32, count: usize) -> Result<ScalarType> {
    match (bits, count) {
        (16, 2) | (32, 4) => Ok(ScalarType::B8),
        (32, 2) | (64, 4) => Ok(ScalarType::B16),
        (64, 2) => Ok(ScalarType::B32),
        (128, 4) => Ok(ScalarType::B32),
        (128, 2) => Ok(ScalarType::B64),
        _ => lo.reject(vector, format!("{count} elements do not make up {bits} bits")),
    }
}

/// The `bits` bits that `values` make up, the first in the lowest.
pub(super) fn pack(lo: &mut Lowering, values: &[Src], bits: u32) -> Src {
    if let [value] = values {
        return *value;
    }
    let (low, high) = values.split_at(values.len() / 2);
    let (low, high) = (pack(lo, low, bits / 2), pack(lo, high, bits / 2));
    match bits {
        64 => lo.b.binary(BinaryOp::Pack64, low, high).into(),
        32 => lo.b.binary(BinaryOp::Pack32, low, high).into(),
        _ => {
            let high = lo.b.binary(BinaryOp::Shl32, high, Src::Imm(u64::from(bits / 2)));
            lo.b.binary(BinaryOp::Or32, low, high).into()
        }
    }
}

/// Writes the `bits` bits of `value` to `elements` of type `ty`, the lowest to the first.
fn unpack(
    lo: &mut Lowering,
    elements: &[Operand],
    value: Src,
    bits: u32,
    ty: ScalarType,
) -> Result {
    if let [element] = elements {
        return match element.kind {
            OperandKind::Sink => Ok(()),
            _ => lo.write_to(element, value, ty),
        };
    }
    let half = bits / 2;
    let (low, high): (Src, Src) = match bits {
        64 => (lo.b.unary(UnaryOp::Low32, value).into(), lo.b.unary(UnaryOp::High32, value).into()),
        _ => {
            let op = if half == 16 { UnaryOp::ZeroExtend16 } else { UnaryOp::ZeroExtend8 };
            let high = lo.b.binary(BinaryOp::ShrU32, value, Src::Imm(u64::from(half)));
            (lo.b.unary(op, value).into(), high.into())
        }
    };
    let (first, second) = elements.split_at(elements.len() / 2);
    unpack(lo, first, low, half, ty)?;
    unpack(lo, second, high, half, ty)
}
