//! `clusterlaunchcontrol`: a CTA asks for the work of a cluster that has not begun. It gets none: every cluster begins by itself, and a
//! request may fail at any time (CUDA C++ Programming Guide, "Work Stealing with Cluster Launch Control").
//!
//! The answer, which the ISA leaves open, is the index of the first CTA in three words, and behind them one that is zero where the
//! request has failed.

use super::loops::{each, each_peer};
use crate::catalogue::barrier_objects;
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use crate::syntax::ast::OperandKind;
use ir::{Address, AsyncCopy, BULK_UNIT, CompareOp, Completion, Op, Space, Src, UnaryOp};

/// All CTAs of a cluster, as a mask.
const ALL: u64 = (1 << ir::MAX_CLUSTER) - 1;

/// The answer comes to one CTA.
pub(in crate::catalogue) fn ask(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (to, object) = (lo.address(inst, "a")?.0, lo.address(inst, "mbar")?.0);
    answer(lo, to, object);
    Ok(())
}

/// The answer comes to each CTA of the cluster.
pub(in crate::catalogue) fn ask_for_all(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (to, object) = (lo.address(inst, "a")?.0, lo.address(inst, "mbar")?.0);
    each(lo, |lo| {
        each_peer(lo, Src::Imm(ALL), [to, object], |lo, [to, object]| answer(lo, to, object));
    });
    Ok(())
}

/// The answer that there is no cluster, and that it has come.
fn answer(lo: &mut Lowering, to: Address, object: Address) {
    let to = (Space::Shared, to);
    let (bytes, read, unit) = (Src::Imm(BULK_UNIT), Src::Imm(0), BULK_UNIT as u32);
    let until = Completion::Object(Space::Shared, object);
    let copy = AsyncCopy { to, from: to, bytes, read, unit, update: None, until };
    lo.b.push(Op::Copy(Box::new(copy)));
    barrier_objects::have_come(lo, (object, Space::Shared), bytes);
}

/// Whether the work of a cluster was given.
pub(in crate::catalogue) fn is_given(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let words = words(lo, inst)?;
    let d = lo.result(inst, "d")?;
    let given = lo.b.compare(CompareOp::NeI32, words[3], Src::Imm(0));
    lo.b.pred_to(d, given);
    Ok(())
}

/// The index of a cluster's first CTA.
pub(in crate::catalogue) fn first(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let words = words(lo, inst)?;
    match inst.word("dimension") {
        Some("get_first_ctaid::x") => lo.write(inst, "d", words[0], ScalarType::B32),
        Some("get_first_ctaid::y") => lo.write(inst, "d", words[1], ScalarType::B32),
        Some(_) => lo.write(inst, "d", words[2], ScalarType::B32),
        None => {
            let operand = lo.operand(inst, "d")?;
            // The fourth word means nothing.
            let written = lo.elements(operand).iter().zip(words);
            written
                .filter(|(d, _)| !matches!(d.kind, OperandKind::Sink))
                .try_for_each(|(d, word)| lo.write_to(d, word, ScalarType::B32))
        }
    }
}

fn words(lo: &mut Lowering, inst: &Inst<'_>) -> Result<[Src; 4]> {
    let operand = lo.operand(inst, "a")?;
    let [low, high] = lo.halves(operand)?;
    Ok([
        (low, UnaryOp::Low32),
        (low, UnaryOp::High32),
        (high, UnaryOp::Low32),
        (high, UnaryOp::High32),
    ]
    .map(|(half, part)| lo.b.unary(part, half).into()))
}
