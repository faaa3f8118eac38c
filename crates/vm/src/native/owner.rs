//! What machine code hands to what it calls.

use crate::interp::Program;

/// Who runs code: what calls out of it need.
pub(super) struct Owner {
    /// A [`crate::frame::Frame`].
    pub(super) frame: *mut (),
    pub(super) interp: *const Program,
}
