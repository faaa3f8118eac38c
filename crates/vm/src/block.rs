//! A piece of the host's memory.

/// Memory as a pointer and a length, for the spaces that belong to a CTA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) start: *mut u8,
    pub(crate) bytes: u64,
}
