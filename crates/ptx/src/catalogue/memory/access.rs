//! Loads and stores.

use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ast::OperandKind;
use crate::syntax::{ScalarType, Space as Declared};
use ir::{Access, Op, Ordering, Scope, Space};

/// The space that a word names; generic without one, or the space of the variable that the address names.
pub(in crate::catalogue) fn space(
    lo: &Lowering,
    word: Option<&str>,
    named: Option<Declared>,
) -> Space {
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
pub(in crate::catalogue) fn ordering(inst: &Inst<'_>) -> Ordering {
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
pub(in crate::catalogue) fn scope(word: Option<&str>) -> Scope {
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

pub(super) fn load(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
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

/// A load of 128 bits that no order is asked of: in halves.
pub(super) fn load_wide(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let operand = lo.operand(inst, "d")?;
    let d = lo.halves(operand)?.map(Some).to_vec();
    let space = space(lo, inst.space(), named);
    let ordering = match inst.word("nc") {
        Some(_) => Ordering::Constant,
        None => Ordering::Weak,
    };
    lo.b.push(Op::Load { d, space, access: Access::B64, address, ordering });
    Ok(())
}

/// The same for stores.
pub(super) fn store_wide(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let operand = lo.operand(inst, "b")?;
    let values = lo.halves(operand)?.map(Into::into).to_vec();
    let space = written(space(lo, inst.space(), named), named);
    let (access, ordering) = (Access::B64, Ordering::Weak);
    lo.b.push(Op::Store { values, space, access, address, ordering });
    Ok(())
}

/// The space of a store. Of parameters, only those for functions are written.
fn written(space: Space, named: Option<Declared>) -> Space {
    match (space, named) {
        (Space::Param, None) => Space::Local,
        (space, _) => space,
    }
}

pub(in crate::catalogue) fn store(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
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
    let space = written(space(lo, inst.space(), named), named);
    lo.b.push(Op::Store { values, space, access: access(ty), address, ordering: ordering(inst) });
    Ok(())
}
