//! Bytes of the process, by address: what copies and fills come down to.
//!
//! Everything here trusts its callers, which have checked device addresses against what is allocated, and take host addresses
//! from the program as C does.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

fn at<T>(address: u64) -> *mut T {
    ptr::with_exposed_provenance_mut(address as usize)
}

/// Copies bytes; the two may overlap.
pub(super) fn copy(to: u64, from: u64, bytes: u64) {
    // SAFETY: both are valid for so many bytes, as this module's callers have made sure or the program promises.
    unsafe { ptr::copy(at::<u8>(from), at::<u8>(to), bytes as usize) };
}

/// A word of 4 bytes that others may access at the same time.
fn word32<'a>(address: u64) -> &'a AtomicU32 {
    // SAFETY: as above, and the address is aligned.
    unsafe { AtomicU32::from_ptr(at(address)) }
}

/// The same of 8 bytes.
fn word64<'a>(address: u64) -> &'a AtomicU64 {
    // SAFETY: as above, and the address is aligned.
    unsafe { AtomicU64::from_ptr(at(address)) }
}

/// Writes a word of 4 or 8 bytes at once, behind everything that was written before.
pub(crate) fn store_word(to: u64, bytes: u64, value: u64) {
    match bytes {
        4 => word32(to).store(value as u32, Ordering::SeqCst),
        _ => word64(to).store(value, Ordering::SeqCst),
    }
}

/// Reads a word of 4 or 8 bytes at once, before everything that is read later.
pub(crate) fn load_word(from: u64, bytes: u64) -> u64 {
    match bytes {
        4 => word32(from).load(Ordering::SeqCst).into(),
        _ => word64(from).load(Ordering::SeqCst),
    }
}

/// A value that memory is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    B8(u8),
    B16(u16),
    B32(u32),
}

impl Fill {
    /// Bytes of one.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Fill::B8(_) => 1,
            Fill::B16(_) => 2,
            Fill::B32(_) => 4,
        }
    }
}

/// Fills memory with so many values. The address is a multiple of their size.
pub(super) fn fill(to: u64, value: Fill, count: u64) {
    let count = count as usize;
    // SAFETY: as above.
    unsafe {
        match value {
            Fill::B8(byte) => ptr::write_bytes(at::<u8>(to), byte, count),
            Fill::B16(value) => {
                (0..count).for_each(|nth| at::<u16>(to).add(nth).write(value));
            }
            Fill::B32(value) => {
                (0..count).for_each(|nth| at::<u32>(to).add(nth).write(value));
            }
        }
    }
}
