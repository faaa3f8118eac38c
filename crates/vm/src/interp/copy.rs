//! Asynchronous copies, made when they begin.

use super::atomic::update;
use super::handler::Body;
use super::operations::{CopyOp, End};
use super::program::{Code, Program};
use super::reach::{Base, Generic, Global, Local, Param, Reach, Shared, access_fault};
use crate::fault::FaultKind;
use crate::frame::Frame;
use ir::{ElementUpdate, Space, pieces};

/// The copy at index `x`, lane by lane.
pub(super) struct Copy;

impl Body for Copy {
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let op = &program.copies[code.x as usize];
        for warp in frame.first..frame.first + frame.count {
            let mut left = frame.exec[warp];
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                // SAFETY: the code belongs to the frame's program, as for the caller.
                if let Err(kind) = unsafe { copy(frame, op, warp, lane) } {
                    return frame.fault(kind, op.place, warp, lane as u32);
                }
            }
        }
        at + 1
    }
}

/// A lane's copy.
///
/// # Safety
/// The operation belongs to the frame's program.
unsafe fn copy(
    frame: &mut Frame<'_>,
    op: &CopyOp,
    warp: usize,
    lane: usize,
) -> Result<(), FaultKind> {
    // SAFETY: as for the caller; both sizes have 32 bits, and the bases the classes that were noted.
    let (bytes, read, from, to) = unsafe {
        let size = |slot| u64::from((*frame.row::<u32>(slot, warp))[lane]);
        let address = |end: &End| match end.wide {
            true => (*frame.row::<u64>(end.base, warp))[lane].plus(end.offset),
            false => (*frame.row::<u32>(end.base, warp))[lane].plus(end.offset),
        };
        let read = size(op.read).min(size(op.bytes));
        (size(op.bytes), read, address(&op.from), address(&op.to))
    };
    let unit = u64::from(op.unit);
    // Who waits for it waits as long as for so many accesses.
    frame.fuel -= (bytes >> unit.trailing_zeros()) as i64;
    let from = Range { end: &op.from, thread: (warp, lane), address: from, bytes: read };
    let to = Range { end: &op.to, thread: (warp, lane), address: to, bytes };
    if let Some(element) = op.update {
        // SAFETY: as for the caller.
        return unsafe { combine(frame, op.unit, (&from, &to), element) };
    }
    let whole = from.whole(frame, unit).zip(to.whole(frame, unit));
    if let Some((from, to)) = whole {
        let (from, to) = (from as *const u8, to as *mut u8);
        // SAFETY: both ranges were found accessible; they may overlap. What `cp.async` copies has a size that is known here.
        unsafe {
            match (read, bytes) {
                (16, 16) => std::ptr::copy(from, to, 16),
                (8, 8) => std::ptr::copy(from, to, 8),
                (4, 4) => std::ptr::copy(from, to, 4),
                _ => {
                    std::ptr::copy(from, to, read as usize);
                    to.add(read as usize).write_bytes(0, (bytes - read) as usize);
                }
            }
        }
        return Ok(());
    }
    // A piece is not accessible, or they are in several allocations that adjoin.
    from.each(frame, op.unit, |_, _| ())?;
    to.each(frame, op.unit, |_, _| ())?;
    let mut copied = vec![0; bytes as usize];
    from.each(frame, op.unit, |host, bytes| {
        // SAFETY: the bytes were found accessible, and as many are read as written.
        unsafe {
            std::ptr::copy(host as *const u8, copied[bytes.clone()].as_mut_ptr(), bytes.len())
        }
    })?;
    to.each(frame, op.unit, |host, bytes| {
        // SAFETY: as above.
        unsafe { std::ptr::copy(copied[bytes.clone()].as_ptr(), host as *mut u8, bytes.len()) }
    })
}

/// A lane's copy that updates what it finds. Nothing is changed if it faults.
///
/// # Safety
/// Both belong to the frame's program.
unsafe fn combine(
    frame: &mut Frame<'_>,
    unit: u32,
    (from, to): (&Range<'_>, &Range<'_>),
    element: ElementUpdate,
) -> Result<(), FaultKind> {
    from.each(frame, unit, |_, _| ())?;
    to.each(frame, unit, |_, _| ())?;
    let mut read = vec![0; to.bytes as usize];
    from.each(frame, unit, |host, bytes| {
        // SAFETY: the bytes were found accessible, and no more are read than written.
        unsafe { std::ptr::copy(host as *const u8, read[bytes.clone()].as_mut_ptr(), bytes.len()) }
    })?;
    to.each(frame, element.access.bytes(), |host, bytes| {
        // What is less than an element is left as it is.
        if bytes.len() == element.access.bytes() as usize {
            // SAFETY: the element was found accessible, and is aligned.
            unsafe { update(host, element, &read[bytes]) }
        }
    })
}

/// The bytes that a lane reads, or those that it writes.
struct Range<'o> {
    end: &'o End,
    thread: (usize, usize),
    address: u64,
    bytes: u64,
}

impl Range<'_> {
    /// Where they are on the host, if they are accessible in one piece.
    fn whole(&self, frame: &mut Frame<'_>, unit: u64) -> Option<u64> {
        if self.bytes == 0 {
            return Some(std::ptr::dangling::<u8>() as u64);
        }
        // A power of two; a division takes longer than the copy.
        let aligned = self.address & (unit - 1) == 0;
        self.reach(frame, self.address, self.bytes).filter(|_| aligned)
    }

    /// Calls `each` with where pieces are on the host, and which bytes they are.
    fn each(
        &self,
        frame: &mut Frame<'_>,
        unit: u32,
        mut each: impl FnMut(u64, std::ops::Range<usize>),
    ) -> Result<(), FaultKind> {
        for (offset, size) in pieces(self.bytes, unit) {
            let at = self.address.wrapping_add(offset);
            let aligned = at.is_multiple_of(size.into());
            let host = self.reach(frame, at, size.into()).filter(|_| aligned);
            let End { access, space, .. } = *self.end;
            let host = host.ok_or_else(|| access_fault(frame, access, space, at, size))?;
            let start = offset as usize;
            each(host, start..start + size as usize);
        }
        Ok(())
    }

    fn reach(&self, frame: &mut Frame<'_>, address: u64, bytes: u64) -> Option<u64> {
        let (cache, (warp, lane)) = (self.end.cache, self.thread);
        match self.end.space {
            Space::Global => Global::lane(frame, cache, warp, lane, address, bytes),
            Space::Shared => Shared::lane(frame, cache, warp, lane, address, bytes),
            Space::Local => Local::one_piece(frame, warp, lane, address, bytes),
            Space::Param => Param::lane(frame, cache, warp, lane, address, bytes),
            Space::Generic => Generic::lane(frame, cache, warp, lane, address, bytes),
        }
    }
}
