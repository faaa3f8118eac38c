//! `st.async` and `red.async`: stores and reductions in the memory of a CTA of the cluster, of which a barrier object there is told, and
//! in global memory.
//!
//! They are made at once, which is as good a time as any for who waits for the object.

use crate::catalogue::atomics::function;
use crate::catalogue::barrier_objects::have_come;
use crate::catalogue::memory::{access, space};
use crate::catalogue::{memory, not_implemented};
use crate::lower::{Inst, Lowering, Result};
use ir::{Address, Op, Ordering, Scope, Space, Src, Update};

/// Where the bytes go, and the object that is told. Both are in one space.
fn places(lo: &mut Lowering, inst: &Inst<'_>) -> Result<(Address, Address, Space)> {
    let (to, named) = lo.address(inst, "a")?;
    let (object, _) = lo.address(inst, "mbar")?;
    Ok((to, object, space(lo, inst.space(), named)))
}

/// A reduction.
fn update(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    (address, space): (Address, Space),
    ordering: Ordering,
) -> Result {
    let (op, ty) = (inst.word("op").or(inst.word("add")).unwrap_or(""), inst.ty("type"));
    let Some(op) = function(op, ty, false) else { return not_implemented(lo, inst) };
    let (b, c, access) = (lo.value(inst, "b")?, Src::Imm(0), access(ty));
    let (d, update) = (None, Update::Apply(op));
    lo.b.push(Op::Atomic { d, update, space, access, address, b, c, ordering });
    Ok(())
}

pub(super) fn store(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (_, object, space) = places(lo, inst)?;
    memory::store(lo, inst)?;
    let operand = lo.operand(inst, "b")?;
    let elements = lo.elements(operand).len() as u32;
    let bytes = elements * access(inst.ty("type")).bytes();
    have_come(lo, (object, space), Src::Imm(bytes.into()));
    Ok(())
}

pub(super) fn reduce(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, object, space) = places(lo, inst)?;
    update(lo, inst, (address, space), Ordering::Relaxed(Scope::Cluster))?;
    let bytes = access(inst.ty("type")).bytes();
    have_come(lo, (object, space), Src::Imm(bytes.into()));
    Ok(())
}

/// What a store or a reduction in global memory says to others.
fn releases(inst: &Inst<'_>) -> Ordering {
    Ordering::Release(if inst.word("sys").is_some() { Scope::Sys } else { Scope::Gpu })
}

/// `st.async.release`: nobody is told but who looks.
pub(super) fn store_released(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, access, ordering) =
        (lo.address(inst, "a")?.0, access(inst.ty("type")), releases(inst));
    let (values, space) = (vec![lo.value(inst, "b")?], Space::Global);
    lo.b.push(Op::Store { values, space, access, address, ordering });
    Ok(())
}

/// `red.async.release`.
pub(super) fn reduce_released(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, _) = lo.address(inst, "a")?;
    update(lo, inst, (address, Space::Global), releases(inst))
}
