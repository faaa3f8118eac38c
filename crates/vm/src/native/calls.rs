//! What machine code calls.

use super::owner::{Owner, locate};
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
    // SAFETY: who runs the code set the owner, whose frame and program outlive the call and are used by nobody else meanwhile.
    let (frame, interp, gang) = unsafe {
        let owner = &*((*context).owner as *const Owner);
        let first = (*context).warp();
        (&mut *owner.frame.cast::<Frame<'_>>(), &*owner.interp, first..first + owner.gang)
    };
    // SAFETY: as above.
    locate(frame, unsafe { &*context });
    let (first, count) = (frame.first, frame.count);
    let before: SmallVec<[u32; 2]> = SmallVec::from_slice(&frame.exec[gang.clone()]);
    let fuel = std::mem::replace(&mut frame.fuel, i64::MAX / 2);
    (frame.first, frame.count) = (gang.start, gang.len());
    for (nth, exec) in frame.exec[gang.clone()].iter_mut().enumerate() {
        *exec = (lanes >> (nth * WARP)) as u32;
    }
    let done = interp.perform(frame, Pc(place));
    // SAFETY: as above.
    unsafe { (*context).fuel -= i64::MAX / 2 - frame.fuel + PERFORM_FUEL };
    (frame.first, frame.count, frame.fuel) = (first, count, fuel);
    frame.exec[gang].copy_from_slice(&before);
    u32::from(!done)
}

/// Looks a region up. The result is not 0 if it holds what the context asks for.
pub(super) extern "C" fn find(context: *mut jit::Context) -> u32 {
    // SAFETY: as for `perform`; sites of the code are among the frame's.
    unsafe {
        let owner = (*context).owner as *const Owner;
        let frame = &mut *(*owner).frame.cast::<Frame<'_>>();
        let (site, address, bytes) = ((*context).site, (*context).address, (*context).bytes);
        u32::from(find_region(frame, site as usize, address, bytes))
    }
}
