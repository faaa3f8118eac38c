//! The generic addresses of shared, local and parameter memory.
//!
//! Each of these spaces has a window of addresses below the device's memory, where no allocation is; its own memory begins
//! in the middle of it. An access that leaves its space by less than half a window is one of no other space.

use ir::{Space, WINDOW};

/// Where the windows begin, before the first address of the device's memory.
const BEFORE: u64 = 3 * WINDOW;

/// The generic address at which the first byte of a space appears: shared memory, local memory or the parameter space.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Window {
    Shared,
    Local,
    Param,
}

impl Window {
    /// `base` is the first address of the device's memory.
    pub(crate) fn start(self, base: u64) -> u64 {
        base.wrapping_sub(BEFORE).wrapping_add(self as u64 * WINDOW + WINDOW / 2)
    }
}

/// The first address that lies in a window.
pub(super) fn first(base: u64) -> u64 {
    base.wrapping_sub(BEFORE)
}

/// The space that a generic address leads to, and the address there; what lies before the first byte of a window's
/// memory has an address that is negative, modulo 2^64. `base` is the first address of the device's memory.
#[inline(always)]
pub fn lead(address: u64, base: u64) -> (Space, u64) {
    let offset = address.wrapping_sub(base.wrapping_sub(BEFORE));
    let inside = (offset % WINDOW).wrapping_sub(WINDOW / 2);
    match offset / WINDOW {
        0 => (Space::Shared, inside),
        1 => (Space::Local, inside),
        2 => (Space::Param, inside),
        _ => (Space::Global, address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_lie_apart() {
        let base = 0x7000_0000_0000;
        let windows = [
            (Window::Shared, Space::Shared),
            (Window::Local, Space::Local),
            (Window::Param, Space::Param),
        ];
        for (window, space) in windows {
            let start = window.start(base);
            assert_eq!(lead(start, base), (space, 0));
            // An index of 32 bits in elements of 16 bytes, either way.
            for index in [i64::from(i32::MIN), -1, 1, i64::from(i32::MAX), i64::from(u32::MAX)] {
                let inside = (16 * index).cast_unsigned();
                assert_eq!(lead(start.wrapping_add(inside), base), (space, inside));
            }
        }
        assert_eq!(lead(base, base), (Space::Global, base));
        assert_eq!(lead(0, base), (Space::Global, 0));
    }
}
