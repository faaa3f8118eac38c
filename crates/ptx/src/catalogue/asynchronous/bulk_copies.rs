//! What `cp.async.bulk` does: a thread copies many bytes, and tells a barrier object.
//!
//! As with `cp.async`, a copy is made when it begins, and observers are told when it counts as complete.

use crate::catalogue::cluster::place_in;
use crate::catalogue::logic::both;
use crate::catalogue::{barrier_objects, not_implemented};
use crate::lower::{Inst, Lowering, Result};
use ir::{
    Address, AsyncCopy, BULK_UNIT, BinaryOp, Class, CompareOp, Completion, Groups, Op, Ordering,
    Scope, Space, Special, Src, Terminator, UnaryOp,
};

/// A copy into shared memory.
pub(super) fn to_shared(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if inst.word("report").is_some_and(|word| word != "mbarrier::report::disabled") {
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
    copy(lo, (space_of_source, from), (Space::Shared, to), size, until);
    let size = lo.b.unary(UnaryOp::ZeroExtend32, size);
    barrier_objects::complete(lo, (object, Space::Shared), size, Ordering::Release(Scope::Cluster));
    Ok(())
}

/// A copy into the shared memory of several CTAs of the cluster, to the same place in each; so is the object that is told.
pub(super) fn to_many(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if inst.word("report").is_some_and(|word| word != "mbarrier::report::disabled") {
        return not_implemented(lo, inst);
    }
    let ((from, _), (to, _)) = (lo.address(inst, "src")?, lo.address(inst, "d")?);
    let (object, _) = lo.address(inst, "mbar")?;
    let (size, ranks) = (lo.value(inst, "size")?, lo.value(inst, "mask")?);
    let guard = lo.b.guard();
    lo.b.set_guard(None);
    let rank = lo.b.reg(Class::W32);
    lo.b.copy_to(rank, Src::Imm(0));
    let bytes = lo.b.unary(UnaryOp::ZeroExtend32, size);
    let all = lo.cluster_special(Special::ClusterNctarank);
    let (round, join) = (lo.b.block(), lo.b.block());
    lo.b.terminate(Terminator::Jump(round));
    lo.b.switch_to(round);
    let bit = lo.b.binary(BinaryOp::ShrU32, ranks, rank);
    let bit = lo.b.binary(BinaryOp::And32, bit, Src::Imm(1));
    let is_named = lo.b.compare(CompareOp::NeI32, bit, Src::Imm(0));
    let copies = both(lo, guard, is_named.into());
    let (to, object) = (at_rank(lo, to, rank.into()), at_rank(lo, object, rank.into()));
    lo.b.set_guard(Some(copies));
    let until = Completion::Object(Space::Shared, object);
    copy(lo, (Space::Global, from), (Space::Shared, to), size, until);
    let at = (object, Space::Shared);
    barrier_objects::complete(lo, at, bytes, Ordering::Release(Scope::Cluster));
    lo.b.set_guard(None);
    lo.b.binary_to(rank, BinaryOp::AddI32, rank, Src::Imm(1));
    let more = lo.b.compare(CompareOp::LtU32, rank, all);
    lo.b.terminate(Terminator::Branch { p: more.into(), then: round, otherwise: join });
    lo.b.switch_to(join);
    lo.b.set_guard(guard);
    Ok(())
}

/// The same place in the shared memory of the CTA of a rank.
fn at_rank(lo: &mut Lowering, address: Address, rank: Src) -> Address {
    let base = match address.base {
        Src::Reg(base) if lo.b.class(base) == Class::W64 => lo.b.unary(UnaryOp::Low32, base).into(),
        base => base,
    };
    let offset = Src::Imm(u64::from(address.offset as u32));
    let whole = lo.b.binary(BinaryOp::AddI32, base, offset);
    Address { base: place_in(lo, whole.into(), rank), offset: 0 }
}

/// A copy from shared to global memory.
pub(super) fn to_global(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let ((from, _), (to, _)) = (lo.address(inst, "a")?, lo.address(inst, "d")?);
    let size = lo.value(inst, "size")?;
    let until = Completion::Group(Groups::Bulk);
    copy(lo, (Space::Shared, from), (Space::Global, to), size, until);
    Ok(())
}

fn copy(
    lo: &mut Lowering,
    from: (Space, Address),
    to: (Space, Address),
    size: Src,
    until: Completion,
) {
    let unit = BULK_UNIT as u32;
    let copy = AsyncCopy { to, from, bytes: size, read: size, unit, until };
    lo.b.push(Op::Copy(Box::new(copy)));
}
