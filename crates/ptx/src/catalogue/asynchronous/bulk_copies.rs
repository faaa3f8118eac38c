//! What `cp.async.bulk` and `cp.reduce.async.bulk` do: a thread copies many bytes, or updates elements by as many others, and tells a
//! barrier object.
//!
//! As with `cp.async`, a copy is made when it begins, and observers are told when it counts as complete.

use super::loops::{each, each_peer};
use crate::catalogue::atomics::function;
use crate::catalogue::memory::access;
use crate::catalogue::{barrier_objects, not_implemented};
use crate::lower::{Inst, Lowering, Result};
use ir::{Address, AsyncCopy, BULK_UNIT, Completion, ElementUpdate, Groups, Op, Space, Src};

/// A copy into shared memory.
pub(super) fn to_shared(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if reports(inst) {
        return not_implemented(lo, inst);
    }
    let (from, space_of_source) = match inst.operand("src") {
        Some(_) => (lo.address(inst, "src")?.0, Space::Global),
        None => (lo.address(inst, "a")?.0, Space::Shared),
    };
    let (to, _) = lo.address(inst, "d")?;
    let (object, _) = lo.address(inst, "mbar")?;
    let size = lo.value(inst, "size")?;
    let until = Completion::Object(Space::Shared, object);
    copy(lo, (space_of_source, from), (Space::Shared, to), size, (None, until));
    barrier_objects::have_come(lo, (object, Space::Shared), size);
    Ok(())
}

/// A copy into the shared memory of several CTAs of the cluster, to the same place in each; so is the object that is told.
pub(super) fn to_many(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if reports(inst) {
        return not_implemented(lo, inst);
    }
    let ((from, _), (to, _)) = (lo.address(inst, "src")?, lo.address(inst, "d")?);
    let (object, _) = lo.address(inst, "mbar")?;
    let (size, ranks) = (lo.value(inst, "size")?, lo.value(inst, "mask")?);
    each(lo, |lo| {
        each_peer(lo, ranks, [to, object], |lo, [to, object]| {
            let until = Completion::Object(Space::Shared, object);
            copy(lo, (Space::Global, from), (Space::Shared, to), size, (None, until));
            barrier_objects::have_come(lo, (object, Space::Shared), size);
        });
    });
    Ok(())
}

/// Whether the object is to be told more than that the copy is complete.
pub(super) fn reports(inst: &Inst<'_>) -> bool {
    inst.word("report").is_some_and(|word| word != "mbarrier::report::disabled")
}

/// A copy from shared to global memory.
pub(super) fn to_global(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let ((from, _), (to, _)) = (lo.address(inst, "a")?, lo.address(inst, "d")?);
    let size = lo.value(inst, "size")?;
    let until = Completion::Group(Groups::Bulk);
    copy(lo, (Space::Shared, from), (Space::Global, to), size, (None, until));
    Ok(())
}

/// A reduction in global memory.
pub(super) fn reduce_in_global(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let Some(update) = update(inst, inst.word("noftz").is_none()) else {
        return not_implemented(lo, inst);
    };
    let ((from, _), (to, _)) = (lo.address(inst, "a")?, lo.address(inst, "d")?);
    let size = lo.value(inst, "size")?;
    let until = Completion::Group(Groups::Bulk);
    copy(lo, (Space::Shared, from), (Space::Global, to), size, (Some(update), until));
    Ok(())
}

/// A reduction in the shared memory of a CTA of the cluster.
pub(super) fn reduce_in_shared(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let Some(update) = update(inst, false) else { return not_implemented(lo, inst) };
    let ((from, _), (to, _)) = (lo.address(inst, "a")?, lo.address(inst, "d")?);
    let (object, _) = lo.address(inst, "mbar")?;
    let size = lo.value(inst, "size")?;
    let until = Completion::Object(Space::Shared, object);
    copy(lo, (Space::Shared, from), (Space::Shared, to), size, (Some(update), until));
    barrier_objects::have_come(lo, (object, Space::Shared), size);
    Ok(())
}

/// What a reduction does with an element.
fn update(inst: &Inst<'_>, flushes: bool) -> Option<ElementUpdate> {
    let ty = inst.ty("type");
    let op = function(inst.word("op").or(inst.word("add"))?, ty, flushes)?;
    Some(ElementUpdate { op, access: access(ty) })
}

fn copy(
    lo: &mut Lowering,
    from: (Space, Address),
    to: (Space, Address),
    size: Src,
    (update, until): (Option<ElementUpdate>, Completion),
) {
    let unit = BULK_UNIT as u32;
    let copy = AsyncCopy { to, from, bytes: size, read: size, unit, update, until };
    lo.b.push(Op::Copy(Box::new(copy)));
}
