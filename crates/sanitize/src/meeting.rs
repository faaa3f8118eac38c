//! The lanes that a collective synchronises: its membermask, and why a lane does not take part.

use crate::detail::{Absence, WarpLanes};
use ir::{Inst, Members, Op};
use lanes::LaneMask;
use vm::{Firing, View};

/// The membermask that a lane gives to a collective; all lanes for forms without one.
pub(crate) fn membermask(view: &View<'_>, inst: &Inst, warp: usize, lane: u32) -> LaneMask {
    let Op::Collective { members: Members::Mask(mask), .. } = &inst.op else {
        return LaneMask::FULL;
    };
    LaneMask(view.word(*mask, (warp, lane)))
}

/// Why a lane does not take part in a collective that fires.
pub(crate) fn why_absent(
    view: &View<'_>,
    firing: &Firing<'_>,
    mask: LaneMask,
    lane: u32,
) -> Absence {
    let without_mask = firing
        .parts
        .iter()
        .any(|part| matches!(part.inst.op, Op::Collective { members: Members::Active, .. }));
    if !view.existing(firing.warp).contains(lane) {
        Absence::NeverExisted
    } else if !view.live(firing.warp).contains(lane) {
        Absence::Exited
    } else if !mask.contains(lane) && !without_mask {
        Absence::NotNamed(mask)
    } else if firing.executing.contains(lane) {
        Absence::OtherMembermask
    } else {
        Absence::Elsewhere
    }
}

/// A warp as a membermask divides it; nobody takes part.
pub(crate) fn lanes(view: &View<'_>, warp: usize, mask: LaneMask) -> WarpLanes {
    let live = view.live(warp);
    WarpLanes { outside: live - mask, ..WarpLanes::new(live, view.existing(warp)) }
}
