//! What `mbarrier` does: arrivals, transfers, and waiting for the end of a phase.
//!
//! A barrier object is a word of shared memory that atomic updates change ([`ir::mbarrier`]). Who waits looks at it again
//! and again; the blocking forms give up their turn when the phase goes on.

use crate::catalogue::logic::both;
use crate::catalogue::memory::space;
use crate::catalogue::not_implemented;
use crate::lower::{Inst, Lowering, Result};
use ir::mbarrier as object;
use ir::{
    Access, Address, BinaryOp, Class, CompareOp, Op, Ordering, Pred, Reg, Scope, Space, Src,
    UnaryOp, Update,
};

/// Where the object lies.
fn place(lo: &mut Lowering, inst: &Inst<'_>) -> Result<(Address, Space)> {
    let (address, named) = lo.address(inst, "a")?;
    Ok((address, space(lo, inst.space(), named)))
}

/// Whom the instruction's memory order speaks of. Without a word that is the CTA, says the manual; but NVIDIA's libraries leave
/// the word away where threads of other CTAs of the cluster arrive, too, and rely on its order.
fn scope(inst: &Inst<'_>) -> Scope {
    match inst.word("scope").or(inst.word("cta")) {
        Some("cta") => Scope::Cta,
        _ => Scope::Cluster,
    }
}

/// A write of a state.
fn write(lo: &mut Lowering, (address, space): (Address, Space), state: Src, ordering: Ordering) {
    let access = Access::B64;
    lo.b.push(Op::Store { values: vec![state], space, access, address, ordering });
}

/// `mbarrier.init`.
pub(super) fn init(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if inst.word("layout") == Some("layout::v1") {
        return not_implemented(lo, inst);
    }
    let (at, count) = (place(lo, inst)?, lo.value(inst, "count")?);
    let state = lo.b.binary(BinaryOp::MulWideU32, count, Src::Imm(object::NEW));
    write(lo, at, state.into(), Ordering::Weak);
    Ok(())
}

/// `mbarrier.inval`: the bytes are memory again, and hold something. It races with other operations on the object no more than they
/// do with each other: libcu++ calls it for whoever leaves last, and orders nothing before.
pub(super) fn inval(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let at = place(lo, inst)?;
    write(lo, at, Src::Imm(0), Ordering::Relaxed(Scope::Cta));
    Ok(())
}

/// A step that expects the transfers that operand `tx_count` says.
fn expected(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Reg> {
    let count = lo.value(inst, "tx_count")?;
    let count = lo.b.unary(UnaryOp::ZeroExtend32, count);
    Ok(lo.b.binary(BinaryOp::Shl64, count, Src::Imm(object::TRANSFERS.into())))
}

/// `mbarrier.arrive` and `.arrive_drop`, with and without transfers to expect.
pub(super) fn arrive(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, space) = place(lo, inst)?;
    let one = match inst.word("drop") {
        Some("arrive_drop") => object::DROP,
        _ => object::ARRIVE,
    };
    let mut step = match inst.operand("count") {
        Some(_) => {
            let count = lo.value(inst, "count")?;
            lo.b.binary(BinaryOp::MulWideU32, count, Src::Imm(one)).into()
        }
        None => Src::Imm(one),
    };
    if inst.operand("tx_count").is_some() {
        let expected = expected(lo, inst)?;
        step = lo.b.binary(BinaryOp::Or64, expected, step).into();
    }
    let d = match inst.operand("d") {
        Some(_) => Some(lo.result(inst, "d")?),
        None => None,
    };
    let ordering = match inst.word("sem") {
        Some("relaxed") => Ordering::Relaxed(scope(inst)),
        _ => Ordering::Release(scope(inst)),
    };
    update(lo, d, (address, space), step, ordering);
    Ok(())
}

/// Changes an object by a step.
pub(in crate::catalogue) fn update(
    lo: &mut Lowering,
    d: Option<Reg>,
    (address, space): (Address, Space),
    step: Src,
    ordering: Ordering,
) {
    let (update, access) = (Update::Apply(BinaryOp::MbarrierStep), Access::B64);
    lo.b.push(Op::Atomic { d, update, space, access, address, b: step, c: Src::Imm(0), ordering });
}

/// `mbarrier.expect_tx`.
pub(super) fn expect_tx(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (at, step) = (place(lo, inst)?, expected(lo, inst)?);
    update(lo, None, at, step.into(), Ordering::Relaxed(scope(inst)));
    Ok(())
}

/// `mbarrier.complete_tx`.
pub(super) fn complete_tx(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (at, count) = (place(lo, inst)?, lo.value(inst, "tx_count")?);
    complete(lo, at, count, Ordering::Relaxed(scope(inst)));
    Ok(())
}

/// An asynchronous operation tells the object that its bytes have come, so many in 32 bits.
pub(in crate::catalogue) fn have_come(lo: &mut Lowering, at: (Address, Space), bytes: Src) {
    complete(lo, at, bytes, Ordering::Release(Scope::Cluster));
}

/// Transfers of so many bytes, a number of 32 bits, are over.
fn complete(lo: &mut Lowering, at: (Address, Space), bytes: Src, ordering: Ordering) {
    let bytes = lo.b.unary(UnaryOp::ZeroExtend32, bytes);
    let step = lo.b.binary(BinaryOp::Shl64, bytes, Src::Imm(object::TRANSFERS.into()));
    let step = lo.b.binary(BinaryOp::SubI64, Src::Imm(0), step);
    update(lo, None, at, step.into(), ordering);
}

/// `mbarrier.pending_count`.
pub(super) fn pending_count(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let state = lo.value(inst, "state")?;
    let pending = lo.b.binary(BinaryOp::ShrU64, state, Src::Imm(object::PENDING.into()));
    let pending = lo.b.unary(UnaryOp::Low32, pending);
    let pending = lo.b.binary(BinaryOp::And32, pending, Src::Imm(object::ARRIVALS));
    lo.write(inst, "d", pending.into(), crate::syntax::ScalarType::U32)
}

/// `mbarrier.test_wait`.
pub(super) fn test_wait(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let done = look(lo, inst)?;
    let d = lo.result(inst, "d")?;
    lo.b.pred_to(d, done);
    Ok(())
}

/// `mbarrier.try_wait`: it waits for as long as it likes, which here is until the next turn.
pub(super) fn try_wait(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let done = look(lo, inst)?;
    let guard = lo.b.guard();
    let waits = both(lo, guard, done.negated());
    lo.b.set_guard(Some(waits));
    lo.b.push(Op::Nanosleep { nanoseconds: Src::Imm(0) });
    lo.b.set_guard(guard);
    let d = lo.result(inst, "d")?;
    lo.b.pred_to(d, done);
    Ok(())
}

/// Whether the phase that the instruction names is over. Only then is what came before the arrivals acquired.
fn look(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Pred> {
    let (address, space) = place(lo, inst)?;
    let phase = |lo: &mut Lowering, state: Src| -> Reg {
        let odd = lo.b.binary(BinaryOp::ShrU64, state, Src::Imm(object::PHASE.into()));
        lo.b.unary(UnaryOp::Low32, odd)
    };
    let waited_for = match inst.operand("parity") {
        Some(_) => lo.value(inst, "parity")?,
        None => {
            let state = lo.value(inst, "state")?;
            phase(lo, state).into()
        }
    };
    let state = lo.b.reg(Class::W64);
    let access = Access::B64;
    let load = |d, ordering| Op::Load { d: vec![d], space, access, address, ordering };
    lo.b.push(load(Some(state), Ordering::Relaxed(scope(inst))));
    let now = phase(lo, state.into());
    let done: Pred = lo.b.compare(CompareOp::NeI32, now, waited_for).into();
    if inst.word("sem") != Some("relaxed") {
        let guard = lo.b.guard();
        let acquires = both(lo, guard, done);
        lo.b.set_guard(Some(acquires));
        lo.b.push(load(None, Ordering::Acquire(scope(inst))));
        lo.b.set_guard(guard);
    }
    Ok(done)
}
