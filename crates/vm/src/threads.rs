//! The threads of a CTA.

use lanes::WARP;

/// Warps of the largest CTA.
pub(crate) const MAX_WARPS: usize = 32;

/// The threads of a CTA.
#[derive(Clone, Debug)]
pub(crate) struct Threads {
    /// Warps of the CTA.
    pub(crate) warps: usize,
    /// Per warp, the lanes that were ever there: all, except in the last warp.
    pub(crate) existing: [u32; MAX_WARPS],
    /// Per warp, the lanes that have not exited.
    pub(crate) live: [u32; MAX_WARPS],
}

impl Threads {
    /// `count` threads, all live.
    pub(crate) fn new(count: u32) -> Self {
        let mut existing = [0; MAX_WARPS];
        let warps = (count as usize).div_ceil(WARP).min(MAX_WARPS);
        for (warp, lanes) in existing.iter_mut().enumerate().take(warps) {
            let left = count as usize - warp * WARP;
            *lanes = if left >= WARP { u32::MAX } else { (1 << left) - 1 };
        }
        Threads { warps, existing, live: existing }
    }

    /// Threads that have not exited.
    pub(crate) fn live_count(&self) -> u32 {
        self.live.iter().map(|lanes| lanes.count_ones()).sum()
    }
}
