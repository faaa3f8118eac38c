//! Loops that copies are made of.

use crate::catalogue::cluster::{in_shared, place_in};
use crate::lower::Lowering;
use ir::{Address, BinaryOp, Class, CompareOp, Reg, Special, Src, Terminator};

/// Emits loops for the lanes that execute the instruction.
pub(super) fn each(lo: &mut Lowering, emit: impl FnOnce(&mut Lowering)) {
    let guard = lo.b.guard();
    lo.b.set_guard(None);
    let (work, join) = (lo.b.block(), lo.b.block());
    lo.b.terminate(match guard {
        Some(p) => Terminator::Branch { p, then: work, otherwise: join },
        None => Terminator::Jump(work),
    });
    lo.b.switch_to(work);
    emit(lo);
    lo.b.terminate(Terminator::Jump(join));
    lo.b.switch_to(join);
    lo.b.set_guard(guard);
}

/// Emits a loop over the CTAs of the cluster whose ranks a mask names: it is given the places in the shared memory of each that are those
/// addresses in one's own.
pub(super) fn each_peer<const N: usize>(
    lo: &mut Lowering,
    ranks: Src,
    places: [Address; N],
    emit: impl FnOnce(&mut Lowering, [Address; N]),
) {
    let places = places.map(|place| in_shared(lo, place));
    each_rank(lo, ranks, |lo, rank| {
        let there = places.map(|place| {
            let base = place_in(lo, place.into(), rank.into());
            Address { base, offset: 0 }
        });
        emit(lo, there);
    });
}

/// Emits a loop over the ranks of the cluster's CTAs that a mask names.
fn each_rank(lo: &mut Lowering, ranks: Src, emit: impl FnOnce(&mut Lowering, Reg)) {
    let rank = counter(lo);
    let all = lo.cluster_special(Special::ClusterNctarank);
    let (round, named, next, end) = (lo.b.block(), lo.b.block(), lo.b.block(), lo.b.block());
    lo.b.terminate(Terminator::Jump(round));
    lo.b.switch_to(round);
    let bit = lo.b.binary(BinaryOp::ShrU32, ranks, rank);
    let bit = lo.b.binary(BinaryOp::And32, bit, Src::Imm(1));
    let is_named = lo.b.compare(CompareOp::NeI32, bit, Src::Imm(0));
    lo.b.terminate(Terminator::Branch { p: is_named.into(), then: named, otherwise: next });
    lo.b.switch_to(named);
    emit(lo, rank);
    lo.b.terminate(Terminator::Jump(next));
    lo.b.switch_to(next);
    lo.b.binary_to(rank, BinaryOp::AddI32, rank, Src::Imm(1));
    let more = lo.b.compare(CompareOp::LtU32, rank, all);
    lo.b.terminate(Terminator::Branch { p: more.into(), then: round, otherwise: end });
    lo.b.switch_to(end);
}

/// A count from 0 on.
pub(super) fn counter(lo: &mut Lowering) -> Reg {
    let count = lo.b.reg(Class::W32);
    lo.b.copy_to(count, Src::Imm(0));
    count
}
