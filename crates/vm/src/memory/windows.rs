//! The generic addresses of shared, local and parameter memory.
//!
//! Each of these spaces has a window of addresses, where nothing else is; its own memory begins
//! in the middle of it. An access that leaves its space by less than half a window is one of no other space.
//!
//! The windows are those of all devices: behind them stands the memory of the first one. They may not go with the memory of each, since
//! the host puts other ranges anywhere, and its own memory might then lie in a window.

use ir::{Space, WINDOW};

/// Where the device's memory stands if the host lets it, and what reports count device addresses from: it is the same in every run.
pub const BASE: u64 = 0x2000_0000_0000;

/// The first address that lies in a window.
pub(super) const FIRST: u64 = BASE - BYTES;
/// Bytes of all windows.
pub(super) const BYTES: u64 = 3 * WINDOW;

/// The generic address at which the first byte of a space appears: shared memory, local memory or the parameter space.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Window {
    Shared,
    Local,
    Param,
}

impl Window {
    /// The address.
    pub(crate) fn start(self) -> u64 {
        FIRST + self as u64 * WINDOW + WINDOW / 2
    }
}

/// The space that a generic address leads to, and the address there; what lies before the first byte of a window's
/// memory has an address that is negative, modulo 2^64.
#[inline(always)]
pub fn lead(address: u64) -> (Space, u64) {
    let offset = address.wrapping_sub(FIRST);
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
        let windows = [
            (Window::Shared, Space::Shared),
            (Window::Local, Space::Local),
            (Window::Param, Space::Param),
        ];
        for (window, space) in windows {
            let start = window.start();
            assert_eq!(lead(start), (space, 0));
            // An index of 32 bits in elements of 16 bytes, either way.
            for index in [i64::from(i32::MIN), -1, 1, i64::from(i32::MAX), i64::from(u32::MAX)] {
                let inside = (16 * index).cast_unsigned();
                assert_eq!(lead(start.wrapping_add(inside)), (space, inside));
            }
        }
        assert_eq!(lead(BASE), (Space::Global, BASE));
        assert_eq!(lead(0), (Space::Global, 0));
    }
}
