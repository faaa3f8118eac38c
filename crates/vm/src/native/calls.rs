//! What machine code calls.

use super::owner::{Owner, caller, locate};
use super::served::{leave_loaded, look_up, reads};
use super::{left, rows};
use crate::frame::Frame;
use crate::interp::find_region;
use crate::plan::Pc;
use lanes::WARP;
use smallvec::SmallVec;

/// So many instructions of machine code take as long as one that is performed. Turns are to be short in time, too: warps that
/// wait for a clock wait at the same time.
const PERFORM_FUEL: i64 = 32;

/// Performs the instruction at a place for lanes of the gang. The result is 0 unless it stopped: then nothing others see has changed
/// that would not change in the same way again.
pub(super) extern "C" fn perform(context: *mut jit::Context, place: u32, lanes: u64) -> u32 {
    // SAFETY: code calls with its context, and nobody uses the frame or the program meanwhile.
    let (frame, owner, first) = unsafe {
        let (frame, owner) = caller(context);
        locate(frame, &*context);
        (frame, owner, (*context).warp())
    };
    let (done, fuel) = perform_for(frame, owner, first, Pc(place), lanes);
    // SAFETY: as above.
    unsafe { (*context).fuel -= fuel };
    u32::from(!done)
}

/// Has lanes of a gang perform an instruction. Says whether that was done, and what it cost of the turn.
fn perform_for(
    frame: &mut Frame<'_>,
    owner: &Owner,
    first: usize,
    place: Pc,
    lanes: u64,
) -> (bool, i64) {
    // SAFETY: the program outlives the call.
    let interp = unsafe { &*owner.interp };
    let gang = first..first + owner.gang;
    let (first, count) = (frame.first, frame.count);
    let before: SmallVec<[u32; 2]> = SmallVec::from_slice(&frame.exec[gang.clone()]);
    let fuel = std::mem::replace(&mut frame.fuel, i64::MAX / 2);
    (frame.first, frame.count) = (gang.start, gang.len());
    for (nth, exec) in frame.exec[gang.clone()].iter_mut().enumerate() {
        *exec = (lanes >> (nth * WARP)) as u32;
    }
    let done = interp.perform(frame, place);
    let cost = i64::MAX / 2 - frame.fuel + PERFORM_FUEL;
    (frame.first, frame.count, frame.fuel) = (first, count, fuel);
    frame.exec[gang].copy_from_slice(&before);
    (done, cost)
}

/// Performs the access at the place of an exit for lanes of the gang, whose values are where the exit says, and leaves what they have
/// loaded where the code takes it from. The site is told where the first of them is. The result is as of [`perform`].
pub(super) extern "C" fn serve(
    context: *mut jit::Context,
    exit: u32,
    lanes: u64,
    site: u64,
) -> u32 {
    // SAFETY: as for `perform`; the code is that which calls.
    let (frame, owner, code, first) = unsafe {
        let (frame, owner) = caller(context);
        locate(frame, &*context);
        (frame, owner, &*owner.code, (*context).warp())
    };
    let found = code.exit(exit);
    let (place, gang) = (Pc(found.place), rows::Gang::of(code, first));
    let Some(inst) = frame.plan.inst(place) else { return 1 };
    let Some(touched) = inst.op.touches().next() else { return 1 };
    let reads = reads(inst);
    left::restore(frame, code, found, gang, |reg| reads.contains(&reg));
    look_up(frame, (inst.guard, &touched), gang, lanes, site as usize);
    let (done, _) = perform_for(frame, owner, first, place, lanes);
    // SAFETY: as above.
    unsafe {
        leave_loaded(frame, &inst.op, &touched, gang, &mut *context);
        // What a strong access costs the code itself counts.
        (*context).fuel -= PERFORM_FUEL;
    }
    u32::from(!done)
}

/// Looks a region up. The result is not 0 if it holds what the context asks for.
pub(super) extern "C" fn find(context: *mut jit::Context) -> u32 {
    // SAFETY: as for `perform`; sites of the code are among the frame's.
    unsafe {
        let (frame, _) = caller(context);
        let (site, address, bytes) = ((*context).site, (*context).address, (*context).bytes);
        u32::from(find_region(frame, site as usize, address, bytes))
    }
}
