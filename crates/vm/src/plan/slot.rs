//! Where registers live.

/// Where a register lives: `offset + warp * stride`, counted in 32-bit words. A stride of 0 means that all
/// warps share one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) offset: u32,
    pub(crate) stride: u32,
}

impl Slot {
    /// No register: a result that nobody wants.
    pub(crate) const NONE: Slot = Slot { offset: u32::MAX, stride: 0 };

    pub(crate) fn is_none(self) -> bool {
        self.offset == u32::MAX
    }

    #[inline(always)]
    pub(crate) fn is_uniform(self) -> bool {
        self.stride == 0
    }
}
