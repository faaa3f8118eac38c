//! What somebody does for lanes whose access lies elsewhere than code knows.
//!
//! The code then goes on as if they had accessed [`jit::Context::served`], where each finds what it has loaded, and what they store
//! there does not matter.

use super::rows::Gang;
use crate::frame::Frame;
use crate::interp::find_region;
use crate::observer::View;
use ir::{Class, Inst, Length, Op, Operand, Pred, Reg};
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

/// Looks up what the first of these lanes accesses, for the next time.
pub(super) fn look_up(
    frame: &mut Frame<'_>,
    inst: &Inst,
    gang: Gang,
    lanes: u64,
    site: Option<usize>,
) {
    let touched = inst.op.touches().next();
    let (Some(site), Some(touched)) = (site.filter(|site| *site < frame.sites.len()), touched)
    else {
        return;
    };
    let Length::Whole(bytes) = touched.length else { return };
    let executes = |lane: &usize| {
        let (warp, own) = gang.place(*lane);
        let (is, slot) = match inst.guard {
            None => return lanes >> lane & 1 != 0,
            Some(Pred::Const(value)) => return value && lanes >> lane & 1 != 0,
            Some(Pred::Is(reg)) => (1, frame.plan.rows.reg(reg)),
            Some(Pred::Not(reg)) => (0, frame.plan.rows.reg(reg)),
        };
        // SAFETY: a predicate has a home inside the registers if it has one.
        let bits = if slot.is_none() { 0 } else { unsafe { *frame.pred(slot, warp) } };
        lanes >> lane & 1 != 0 && bits >> own & 1 == is
    };
    let Some(first) = gang.lanes().find(executes) else { return };
    let (warp, lane) = gang.place(first);
    let address = View::new(frame).address_in(touched.address, (warp, lane as u32));
    find_region(frame, site, address, bytes);
}

/// Leaves what lanes have loaded.
pub(super) fn leave_loaded(frame: &Frame<'_>, inst: &Inst, gang: Gang, context: &mut jit::Context) {
    let (loaded, size): (&[Option<Reg>], u32) = match &inst.op {
        Op::Load { d, access, .. } => (d, access.bytes()),
        Op::Store { values, access, .. } => (&vec![None; values.len()], access.bytes()),
        Op::Atomic { d, access, .. } => (std::slice::from_ref(d), access.bytes()),
        Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Compare { .. }
        | Op::Logic { .. }
        | Op::Select { .. }
        | Op::Special { .. }
        | Op::ActiveMask { .. }
        | Op::Collective { .. }
        | Op::Barrier { .. }
        | Op::ClusterBarrier { .. }
        | Op::Copy(_)
        | Op::Fence(_)
        | Op::Nanosleep { .. }
        | Op::CopyProgress(_)
        | Op::Host { .. } => return,
    };
    let size = size as usize;
    let bytes = size * loaded.len();
    debug_assert!(bytes <= 32 && gang.lanes().end <= 2 * WARP, "lanes have that much room");
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
