//! What code remembers of the region of an access: which numbers lead there.

use std::mem::offset_of;

/// The numbers that lead into a region as indices from one address on, and those that count from there.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Window {
    /// From where the numbers count elements.
    pub(crate) key: u64,
    /// The address to which the first of them leads.
    pub(crate) start: u64,
    /// The first one, and how many there are; both with the upper bit turned, so that they compare as signed numbers.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl Window {
    /// There are none.
    pub const NONE: Window = Window { key: u64::MAX, start: 0, first: 0, count: UPPER };
}

/// The bit that is turned in the first number and the count, so that they compare as signed ones.
pub(crate) const UPPER: u32 = 1 << 31;

/// Bytes from the region of an access to its window: behind the region it says whether it writes.
const AT: usize = 24;

pub(crate) const KEY: i32 = (AT + offset_of!(Window, key)) as i32;
pub(crate) const START: i32 = (AT + offset_of!(Window, start)) as i32;
pub(crate) const FIRST: i32 = (AT + offset_of!(Window, first)) as i32;
pub(crate) const COUNT: i32 = (AT + offset_of!(Window, count)) as i32;
