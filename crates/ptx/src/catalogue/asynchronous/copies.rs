//! What `cp.async` and what waits for it do.
//!
//! A copy is made when it begins. Observers are told that it counts as complete only when it has been waited for.

use crate::catalogue::barrier_objects;
use crate::catalogue::memory::space;
use crate::lower::{Inst, Lowering, Result};
use ir::mbarrier::ARRIVE;
use ir::{AsyncCopy, Class, Completion, CopyProgress, Groups, Op, Ordering, Scope, Space, Src};

pub(super) fn copy(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (to, _) = lo.address(inst, "dst")?;
    let (from, _) = lo.address(inst, "src")?;
    let Src::Imm(bytes) = lo.value(inst, "cp_size")? else {
        let operand = lo.operand(inst, "cp_size")?;
        return lo.reject(operand, "the size of a copy is a constant");
    };
    let read = match (inst.operand("src_size"), inst.operand("ignore")) {
        (Some(_), _) => lo.value(inst, "src_size")?,
        (None, Some(_)) => {
            let ignore = lo.predicate(inst, "ignore")?;
            lo.b.select(Class::W32, ignore, Src::Imm(0), Src::Imm(bytes)).into()
        }
        (None, None) => Src::Imm(bytes),
    };
    lo.b.push(Op::Copy(Box::new(AsyncCopy {
        to: (Space::Shared, to),
        from: (Space::Global, from),
        bytes: Src::Imm(bytes),
        read,
        unit: bytes as u32,
        update: None,
        until: Completion::Group(Groups::Plain),
    })));
    Ok(())
}

/// The groups that an instruction speaks of.
fn groups(inst: &Inst<'_>) -> Groups {
    if inst.word("bulk").is_some() { Groups::Bulk } else { Groups::Plain }
}

/// `cp.async.commit_group` and `cp.async.bulk.commit_group`.
pub(super) fn commit(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.b.push(Op::CopyProgress(CopyProgress::Commits(groups(inst))));
    Ok(())
}

/// `cp.async.mbarrier.arrive`: the copies are complete already. With `.noinc` that is an arrival; without, it is one
/// more that is expected and has come.
pub(super) fn arrive(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let at = (address, space(lo, inst.space(), named));
    lo.b.push(Op::CopyProgress(CopyProgress::Signals(at.1, address)));
    if inst.word("noinc").is_some() {
        barrier_objects::update(lo, None, at, Src::Imm(ARRIVE), Ordering::Release(Scope::Cta));
    }
    Ok(())
}

/// `cp.async.wait_group` and `cp.async.bulk.wait_group`.
pub(super) fn wait_group(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let Src::Imm(groups) = lo.value(inst, "n")? else {
        let operand = lo.operand(inst, "n")?;
        return lo.reject(operand, "the number of groups is a constant");
    };
    let (of, reads) = (self::groups(inst), inst.word("read").is_some());
    lo.b.push(Op::CopyProgress(CopyProgress::Waits { of, groups: groups as u32, reads }));
    Ok(())
}

pub(super) fn wait_all(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    commit(lo, inst)?;
    lo.b.push(Op::CopyProgress(CopyProgress::Waits { of: Groups::Plain, groups: 0, reads: false }));
    Ok(())
}
