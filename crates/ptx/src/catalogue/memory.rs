//! Loads, stores and address conversion.

mod forms;

use super::{Entry, Form, Need, not_implemented};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ast::OperandKind;
use crate::syntax::{ScalarType, Space as Declared};
use ir::{Access, BinaryOp, Class, CompareOp, Op, Ordering, Reg, Scope, Space, Special, Src, UnaryOp};

/// `isspacep` on an address of a width.
macro_rules! is_in_space {
    ($ty:literal) => {
        Form::new(
            concat!(
                "isspacep.space d:pred, a:", $ty, "; .space = { .const, .global, .local, .shared, ",
                ".shared::cta, .shared::cluster, .param, .param::entry }"
            ),
            (2, 0),
            20,
            is_in_space,
        )
        .needs(SPACES)
    };
}

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "ld",
        section: "9.7.9.8 ld, 9.7.9.9 ld.global.nc",
        forms: forms::LOAD,
    },
    Entry {
        name: "ldu",
        section: "9.7.9.10 ldu",
        forms: &[
            Form::new(
                "ldu{.ss}{.vec}.type d*~, [a]; .ss = { .global }; .vec = { .v2, .v4 }; .type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 }",
                (2, 0),
                20,
                load,
            ),
            Form::legal("ldu{.ss}.b128 d, [a]; .ss = { .global }", (8, 3), 70),
        ],
    },
    Entry {
        name: "st",
        section: "9.7.9.11 st",
        forms: forms::STORE,
    },
    Entry {
        name: "cvta",
        section: "9.7.9.20 cvta",
        forms: &[
            Form::new(
                "cvta.space.type d, {&space}a; .space = { .const, .global, .local, .shared, .shared::cta, .shared::cluster, .param, .param::entry }; .type = { .u64 }",
                (2, 0),
                20,
                to_generic,
            )
            .needs(SPACES),
            Form::new(
                "cvta.to!.space.type d, a; .space = { .const, .global, .local, .shared, .shared::cta, .shared::cluster, .param, .param::entry }; .type = { .u64 }",
                (2, 0),
                20,
                from_generic,
            )
            .needs(SPACES),
        ],
    },
    Entry {
        name: "isspacep",
        section: "9.7.9.19 isspacep",
        forms: &[is_in_space!("u32"), is_in_space!("u64")],
    },
];

/// What state spaces need of instructions about addresses.
const SPACES: &[Need] = &[
    Need::new("const", (3, 1), 20),
    Need::new("param", (7, 7), 70),
    Need::new("param::entry", (8, 3), 70),
];

/// The space that a word names; generic without one, or the space of the variable that the address names.
pub(super) fn space(lo: &Lowering, word: Option<&str>, named: Option<Declared>) -> Space {
    match word.and_then(|word| word.split("::").next()) {
        Some("global" | "const") => Space::Global,
        Some("shared") => Space::Shared,
        Some("local") => Space::Local,
        // What functions are passed lies in local memory; only the kernel's own parameters are elsewhere.
        Some("param") => match named {
            Some(Declared::Local) => Space::Local,
            None if lo.is_called() => Space::Local,
            _ => Space::Param,
        },
        _ => match named {
            Some(Declared::Shared) => Space::Shared,
            Some(Declared::Local) => Space::Local,
            Some(Declared::Param) => Space::Param,
            Some(
                Declared::Global | Declared::Const | Declared::Reg | Declared::Sreg | Declared::Tex,
            )
            | None => Space::Generic,
        },
    }
}

/// How an element of a type is accessed.
pub(crate) fn access(ty: ScalarType) -> Access {
    match (ty, ty.bits()) {
        (ScalarType::S8, _) => Access::S8,
        (ScalarType::S16, _) => Access::S16,
        (_, 64) => Access::B64,
        (_, 32) => Access::B32,
        (_, 16) => Access::U16,
        _ => Access::U8,
    }
}

/// The ordering that the words of a load, store or atomic name.
pub(super) fn ordering(inst: &Inst<'_>) -> Ordering {
    let scope = scope(inst.word("scope"));
    match inst.word("sem").or(inst.word("volatile")).or(inst.word("mmio")) {
        Some("volatile" | "mmio") => Ordering::Volatile,
        Some("relaxed") => Ordering::Relaxed(scope),
        Some("acquire") => Ordering::Acquire(scope),
        Some("release") => Ordering::Release(scope),
        Some("acq_rel") => Ordering::AcqRel(scope),
        _ => Ordering::Weak,
    }
}

/// The scope that a word names; without one, the device.
pub(super) fn scope(word: Option<&str>) -> Scope {
    match word {
        Some("cta") => Scope::Cta,
        Some("cluster") => Scope::Cluster,
        Some("sys") => Scope::Sys,
        _ => Scope::Gpu,
    }
}

fn elements(inst: &Inst<'_>) -> usize {
    match inst.word("vec") {
        Some("v2") => 2,
        Some("v4") => 4,
        Some("v8") => 8,
        _ => 1,
    }
}

fn load(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.relaxed = true;
    let ty = inst.ty("type");
    let (address, named) = lo.address(inst, "a")?;
    let operand = lo.operand(inst, "d")?;
    let operands = lo.elements(operand);
    if operands.len() != elements(inst) {
        let message = format!("{} elements are loaded into {}", elements(inst), operands.len());
        return lo.reject(operand, message);
    }
    let mut d = Vec::with_capacity(operands.len());
    let mut late = Vec::new();
    for operand in operands {
        if matches!(operand.kind, OperandKind::Sink) {
            d.push(None);
            continue;
        }
        let reg = lo.result_of(operand, ty)?;
        let declared = lo.declared_bits(operand).unwrap_or(ty.bits());
        let signed = matches!(ty, ScalarType::S8 | ScalarType::S16);
        if declared == ty.bits() && !signed || declared == 32 || declared < 32 && !signed {
            d.push(Some(reg));
        } else {
            // The register is wider than a load fills it, or narrower than a load extends to.
            let value = lo.b.reg(ir::Builder::class_of(access(ty)));
            d.push(Some(value));
            late.push((operand, value));
        }
    }
    let space = space(lo, inst.space(), named);
    let ordering = match inst.word("nc") {
        Some(_) => Ordering::Constant,
        None => ordering(inst),
    };
    lo.b.push(Op::Load { d, space, access: access(ty), address, ordering });
    for (operand, value) in late {
        lo.write_to(operand, value.into(), ty)?;
    }
    Ok(())
}

fn store(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.relaxed = true;
    let ty = inst.ty("type");
    let (address, named) = lo.address(inst, "a")?;
    let operand = lo.operand(inst, "b")?;
    let operands = lo.elements(operand);
    if operands.len() != elements(inst) {
        let message = format!("{} elements are stored from {}", elements(inst), operands.len());
        return lo.reject(operand, message);
    }
    let values = operands.iter().map(|operand| lo.value_of(operand, ty));
    let values = values.collect::<Result<Vec<_>>>()?;
    let space = match (space(lo, inst.space(), named), named) {
        // Of parameters, only those for functions are written.
        (Space::Param, None) => Space::Local,
        (space, _) => space,
    };
    lo.b.push(Op::Store {
        values,
        space,
        access: access(ty),
        address,
        ordering: ordering(inst),
    });
    Ok(())
}

/// The generic address at which a space begins; `None` where its addresses are generic already.
fn window(lo: &mut Lowering, inst: &Inst<'_>) -> Option<Reg> {
    let what = match space(lo, inst.word("space"), None) {
        Space::Global | Space::Generic => return None,
        Space::Shared => Special::SharedWindow,
        Space::Local => Special::LocalWindow,
        Space::Param => Special::ParamWindow,
    };
    let d = lo.b.reg(Class::W64);
    lo.b.push(Op::Special { d, what });
    Some(d)
}

fn to_generic(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    convert_address(lo, inst, BinaryOp::AddI64)
}

fn from_generic(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    convert_address(lo, inst, BinaryOp::SubI64)
}

fn convert_address(lo: &mut Lowering, inst: &Inst<'_>, op: BinaryOp) -> Result {
    let a = lo.value(inst, "a")?;
    let d = lo.result(inst, "d")?;
    match window(lo, inst) {
        Some(window) => lo.b.binary_to(d, op, a, window),
        None => lo.b.unary_to(d, UnaryOp::Mov64, a),
    }
    Ok(())
}

fn is_in_space(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    const WINDOW: Src = Src::Imm(ir::WINDOW);
    const HALF: Src = Src::Imm(ir::WINDOW / 2);
    const AND_NOT: u8 = 0b0100;
    // The windows of shared and local memory: that of kernel parameters lies within global memory.
    const NOT_GLOBAL: Src = Src::Imm(2 * ir::WINDOW);
    let operand = lo.operand(inst, "a")?;
    let a = match lo.declared_bits(operand) {
        Some(32) => {
            let narrow = lo.value_of(operand, ScalarType::B32)?;
            lo.b.unary(UnaryOp::ZeroExtend32, narrow).into()
        }
        _ => lo.value_of(operand, ScalarType::B64)?,
    };
    let d = lo.result(inst, "d")?;
    if inst.word("space") == Some("const") {
        let constant = lo.is_constant_address(a);
        lo.b.pred_to(d, constant);
        return Ok(());
    }
    match window(lo, inst) {
        Some(window) => {
            let start = lo.b.binary(BinaryOp::SubI64, window, HALF);
            let offset = lo.b.binary(BinaryOp::SubI64, a, start);
            let p = lo.b.compare(CompareOp::LtU64, offset, WINDOW);
            lo.b.pred_to(d, p);
        }
        None => {
            // What is in no window and no constant is global.
            let first = lo.b.reg(Class::W64);
            lo.b.push(Op::Special { d: first, what: Special::SharedWindow });
            let start = lo.b.binary(BinaryOp::SubI64, first, HALF);
            let offset = lo.b.binary(BinaryOp::SubI64, a, start);
            let outside = lo.b.compare(CompareOp::LeU64, NOT_GLOBAL, offset);
            let constant = lo.is_constant_address(a);
            let global = lo.b.logic(AND_NOT, outside, constant);
            lo.b.pred_to(d, global);
        }
    }
    Ok(())
}
