//! What machine code hands to what it calls.

use crate::frame::Frame;
use crate::interp::Program;

/// Who runs code: what calls out of it need.
pub(super) struct Owner {
    /// A [`crate::frame::Frame`].
    pub(super) frame: *mut (),
    pub(super) interp: *const Program,
    pub(super) code: *const jit::Code,
    /// Warps of a gang.
    pub(super) gang: usize,
}

impl Owner {
    /// Who runs code, for no frame yet.
    pub(super) fn new(interp: &Program, code: &jit::Code) -> Owner {
        Owner { frame: std::ptr::null_mut(), interp, code, gang: code.gang() }
    }
}

/// The frame for which code runs that calls, and who runs it.
///
/// # Safety
/// The context is that with which the code calls, and the frame is used by nobody else during the call.
pub(super) unsafe fn caller<'c>(context: *const jit::Context) -> (&'c mut Frame<'c>, &'c Owner) {
    // SAFETY: who runs the code set the owner, whose frame outlives the call.
    unsafe {
        let owner = &*((*context).owner as *const Owner);
        (&mut *owner.frame.cast(), owner)
    }
}

/// The frame is that of the CTA to which the code has come.
pub(super) fn locate(frame: &mut Frame<'_>, context: &jit::Context) {
    if context.start != 0 {
        let done = frame.more - context.ctas_left;
        frame.more = context.ctas_left;
        frame.specials.cta_number += done;
        frame.specials.cta.copy_from_slice(&context.cta[..3]);
    }
}
