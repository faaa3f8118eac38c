//! Who meets at a collective, in words and pictures.

use crate::strip::{Cell, Strip};
use ir::{Collective, CollectiveKind, Inst, MatrixWork, Members, Op};
use lanes::{LaneMask, MinMax, ReduxOp, ShflMode, VoteMode};
use vm::{Firing, View};

/// The membermask that a lane gives to a collective; all lanes for forms without one.
pub(crate) fn membermask(view: &View<'_>, inst: &Inst, warp: usize, lane: u32) -> LaneMask {
    match &inst.op {
        Op::Collective { members: Members::Mask(mask), .. } => {
            LaneMask(view.w32(*mask, warp)[lane as usize % lanes::WARP])
        }
        _ => LaneMask::FULL,
    }
}

/// Why a lane does not take part in a collective that fires.
pub(crate) fn why_absent(
    view: &View<'_>,
    firing: &Firing<'_>,
    mask: LaneMask,
    lane: u32,
) -> String {
    let without_mask = firing
        .parts
        .iter()
        .any(|part| matches!(part.inst.op, Op::Collective { members: Members::Active, .. }));
    if !view.existing(firing.warp).contains(lane) {
        "the warp has fewer lanes".to_owned()
    } else if !view.live(firing.warp).contains(lane) {
        "it has exited".to_owned()
    } else if !mask.contains(lane) && !without_mask {
        format!("the membermask {mask} does not name it")
    } else if firing.executing.contains(lane) {
        "it gives another membermask".to_owned()
    } else {
        "it does not execute the instruction now".to_owned()
    }
}

/// A warp as a membermask divides it; nobody has arrived.
pub(crate) fn strip(
    view: &View<'_>,
    warp: usize,
    mask: LaneMask,
    [arrived, wrong]: [&'static str; 2],
) -> Strip {
    let live = view.live(warp);
    Strip::new((live, view.existing(warp)), arrived, wrong).mark(live - mask, Cell::Outside)
}

/// What a collective is called.
pub(crate) fn name(what: &Collective) -> &'static str {
    match what.kind() {
        CollectiveKind::Shfl(ShflMode::Up) => "an upward shuffle",
        CollectiveKind::Shfl(ShflMode::Down) => "a downward shuffle",
        CollectiveKind::Shfl(ShflMode::Bfly) => "a butterfly shuffle",
        CollectiveKind::Shfl(ShflMode::Idx) => "an indexed shuffle",
        CollectiveKind::Vote(VoteMode::All) => "an `all` vote",
        CollectiveKind::Vote(VoteMode::Any) => "an `any` vote",
        CollectiveKind::Vote(VoteMode::Uni) => "a `uni` vote",
        CollectiveKind::Ballot => "a ballot",
        CollectiveKind::MatchAny { .. } => "an `any` match",
        CollectiveKind::MatchAll { .. } => "an `all` match",
        CollectiveKind::Redux(op) => match op {
            ReduxOp::Add => "a sum over lanes",
            ReduxOp::MinU32 | ReduxOp::MinS32 => "a minimum over lanes",
            ReduxOp::MaxU32 | ReduxOp::MaxS32 => "a maximum over lanes",
            ReduxOp::And | ReduxOp::Or | ReduxOp::Xor => "a bitwise reduction over lanes",
        },
        CollectiveKind::ReduxF32(mode) => match mode.op {
            MinMax::Min => "a minimum over lanes",
            MinMax::Max => "a maximum over lanes",
        },
        CollectiveKind::Elect => "an election",
        CollectiveKind::MovMatrix => "a matrix transpose",
        CollectiveKind::WarpSync => "a warp barrier",
        CollectiveKind::Matrix(form) => match form.work {
            MatrixWork::Load => "a matrix load",
            MatrixWork::Store => "a matrix store",
            MatrixWork::Multiply => "a matrix multiplication",
        },
    }
}
