//! What somebody does for lanes whose access lies elsewhere than code knows.
//!
//! The code then goes on as if they had accessed [`jit::Context::served`], where each finds what it has loaded, and what they store
//! there does not matter.

use super::rows::Gang;
use crate::frame::Frame;
use crate::interp::find_region;
use crate::observer::View;
use ir::{Class, Inst, Length, Op, Operand, Pred, Reg, Touched};
use lanes::WARP;
use smallvec::SmallVec;

/// The registers that an instruction reads, its guard among them.
pub(super) fn reads(inst: &Inst) -> SmallVec<[Reg; 8]> {
    let mut found: SmallVec<[Reg; 8]> = inst.guard.and_then(Pred::reg).into_iter().collect();
    inst.op.operands(|operand| {
        if let Operand::Use(reg) = operand {
            found.push(reg);
        }
    });
    found
}

/// Looks up what the first of these lanes accesses for which the guard is true, for the next time; if it has a site.
pub(super) fn look_up(
    frame: &mut Frame<'_>,
    (guard, touched): (Option<Pred>, &Touched<'_>),
    gang: Gang,
    lanes: u64,
    site: usize,
) {
    let (Length::Whole(bytes), true) = (touched.length, site < frame.sites.len()) else { return };
    let view = View::new(frame);
    let guard = guard.unwrap_or(Pred::Const(true));
    let first = gang.lanes().filter(|lane| lanes >> lane & 1 != 0).find_map(|lane| {
        let (warp, lane) = gang.place(lane);
        view.pred(guard, warp).contains(lane as u32).then_some((warp, lane as u32))
    });
    let Some(first) = first else { return };
    let address = view.address_in(touched.address, first);
    find_region(frame, site, address, bytes);
}

/// Leaves what lanes have loaded.
pub(super) fn leave_loaded(
    frame: &Frame<'_>,
    op: &Op,
    touched: &Touched<'_>,
    gang: Gang,
    context: &mut jit::Context,
) {
    let Length::Whole(bytes) = touched.length else { return };
    let bytes = bytes as usize;
    debug_assert!(bytes <= 32 && gang.lanes().end <= 2 * WARP, "lanes have that much room");
    let loaded: &[Option<Reg>] = if let Op::Load { d, .. } = op {
        d
    } else if let Op::Atomic { d, .. } = op {
        std::slice::from_ref(d)
    } else {
        &[]
    };
    let size = bytes / loaded.len().max(1);
    let all = context.served.as_flattened_mut();
    for (nth, d) in loaded.iter().enumerate() {
        let Some(reg) = d else { continue };
        let (slot, class) = (frame.plan.rows.reg(*reg), frame.plan.rows.class(*reg));
        let Some(class) = class.filter(|class| *class != Class::Pred && !slot.is_none()) else {
            continue;
        };
        for lane in gang.lanes() {
            // SAFETY: the register has a home of the class inside the registers.
            let value = unsafe { gang.value(frame, slot, class, lane) };
            let at = lane * bytes + nth * size;
            // An element lies inside a word of 64 bits, since it is aligned.
            let (word, shift) = (&mut all[at / 8], at % 8 * 8);
            let meant = u64::MAX >> (64 - 8 * size) << shift;
            *word = (*word & !meant) | (value << shift & meant);
        }
    }
    for (lane, offset) in gang.lanes().zip(&mut context.offsets) {
        *offset = (lane * bytes) as u32;
    }
}
