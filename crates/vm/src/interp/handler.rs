//! Handlers: written once, compiled for each level of vector instructions.

use super::program::{Code, Handler, Program};
use crate::Level;
use crate::frame::Frame;

/// Returned by handlers that end the group's turn; [`Frame::stop`] says why.
pub(super) const STOP: usize = usize::MAX;

/// What a handler does, written once and compiled for each level. `LEVEL` is the [`Level`] as a number.
pub(crate) trait Body {
    /// # Safety
    /// The code belongs to the frame's program, whose slots lie inside the frame's registers.
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize;
}

/// The handler of a body for a level.
pub(crate) fn select<B: Body>(level: Level) -> Handler {
    match level {
        Level::Portable => portable::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::<B>,
        #[cfg(not(target_arch = "x86_64"))]
        Level::Avx2 | Level::Avx512 => portable::<B>,
    }
}

unsafe fn portable<B: Body>(
    program: &Program,
    frame: &mut Frame<'_>,
    code: &Code,
    at: usize,
) -> usize {
    // SAFETY: as for the caller.
    unsafe { B::run::<{ Level::Portable as usize }>(program, frame, code, at) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<B: Body>(program: &Program, frame: &mut Frame<'_>, code: &Code, at: usize) -> usize {
    // SAFETY: as for the caller.
    unsafe { B::run::<{ Level::Avx2 as usize }>(program, frame, code, at) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt"
)]
unsafe fn avx512<B: Body>(
    program: &Program,
    frame: &mut Frame<'_>,
    code: &Code,
    at: usize,
) -> usize {
    // SAFETY: as for the caller.
    unsafe { B::run::<{ Level::Avx512 as usize }>(program, frame, code, at) }
}
