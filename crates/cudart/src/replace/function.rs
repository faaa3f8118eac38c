//! A function whose entry may become a jump.

/// A function in the process.
pub(super) struct Function {
    pub(super) name: String,
    /// Where it is in the process.
    pub(super) address: usize,
    /// Bytes from there to what follows.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    pub(super) room: usize,
}
