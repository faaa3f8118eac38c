//! Copies between the host and device memory.
//!
//! A kernel may access the same bytes meanwhile. So the device's side is accessed by relaxed atomics, words where they are
//! aligned and bytes at the edges: a race with a kernel shows old or new words, as a race of two kernels does, and is none in
//! Rust's terms where the kernel's own access is an atomic.
//!
//! All functions are safe for this module alone: its callers have checked that the addresses lie inside the reserved range or
//! a mapped host range.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU64};

const WORD: u64 = 8;

fn byte<'a>(address: u64) -> &'a AtomicU8 {
    // SAFETY: the callers' addresses are those of device memory, which lives longer than the copy and is only accessed
    // through its address.
    unsafe { AtomicU8::from_ptr(std::ptr::with_exposed_provenance_mut(address as usize)) }
}

fn word<'a>(address: u64) -> &'a AtomicU64 {
    // SAFETY: as above; the callers' addresses are aligned.
    unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(address as usize)) }
}

/// How many of `bytes` bytes from an address on lie before the first whole word, and how many whole words follow.
fn shape(address: u64, bytes: u64) -> (u64, u64) {
    let head = (address.next_multiple_of(WORD) - address).min(bytes);
    (head, (bytes - head) / WORD)
}

/// Copies bytes of device memory out.
pub(super) fn read(address: u64, to: &mut [u8]) {
    let (head, words) = shape(address, to.len() as u64);
    let (before, rest) = to.split_at_mut(head as usize);
    let (middle, after) = rest.split_at_mut((words * WORD) as usize);
    for (to, at) in before.iter_mut().zip(address..) {
        *to = byte(at).load(Relaxed);
    }
    let start = address + head;
    for (to, nth) in middle.chunks_exact_mut(WORD as usize).zip(0..) {
        to.copy_from_slice(&word(start + nth * WORD).load(Relaxed).to_ne_bytes());
    }
    for (to, at) in after.iter_mut().zip(start + words * WORD..) {
        *to = byte(at).load(Relaxed);
    }
}

/// Copies bytes into device memory.
pub(super) fn write(address: u64, from: &[u8]) {
    let (head, words) = shape(address, from.len() as u64);
    let (before, rest) = from.split_at(head as usize);
    let (middle, after) = rest.split_at((words * WORD) as usize);
    for (from, at) in before.iter().zip(address..) {
        byte(at).store(*from, Relaxed);
    }
    let start = address + head;
    for (from, nth) in middle.chunks_exact(WORD as usize).zip(0..) {
        if let Ok(bytes) = from.try_into() {
            word(start + nth * WORD).store(u64::from_ne_bytes(bytes), Relaxed);
        }
    }
    for (from, at) in after.iter().zip(start + words * WORD..) {
        byte(at).store(*from, Relaxed);
    }
}

/// Makes bytes of device memory zero.
pub(super) fn zero(address: u64, bytes: u64) {
    let (head, words) = shape(address, bytes);
    let start = address + head;
    (address..start).for_each(|at| byte(at).store(0, Relaxed));
    (0..words).for_each(|nth| word(start + nth * WORD).store(0, Relaxed));
    (start + words * WORD..address + bytes).for_each(|at| byte(at).store(0, Relaxed));
}
