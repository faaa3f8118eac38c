//! Strong accesses: each lane's elements move in one piece, by atomics of the host that acquire and release.
//!
//! Of relaxed and volatile accesses PTX asks for less; on hosts where acquiring costs something it is little.
//! PTX ISA 9.1, "Vector Data-types" of the memory model, promises only that each element is whole. Hardware moves
//! an aligned vector of up to 16 bytes at once, and kernels that wait for other CTAs rely on it: CUB's decoupled
//! look-back reads a tile's status and its value together.

use super::element::Element;
use super::operations::MemoryOp;
use crate::frame::Frame;
use lanes::WARP;
use portable_atomic::AtomicU128;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

/// The longest vector: 256 bits.
const LONGEST: usize = 32;
/// What the host moves at once, at most.
const PIECE: usize = 16;

/// Loads from each lane's host address and keeps the given lanes.
///
/// # Safety
/// The accesses were checked; the operation belongs to the frame's program and its results hold elements `E`.
pub(super) unsafe fn load<E: Element>(
    frame: &Frame<'_>,
    op: &MemoryOp,
    warp: usize,
    hosts: &[u64; WARP],
    keep: u32,
) {
    if let [slot] = op.values[..] {
        for (lane, host) in hosts.iter().enumerate().filter(|(lane, _)| (keep >> lane) & 1 != 0) {
            // SAFETY: the access was checked, for alignment too.
            let value = unsafe { E::read(*host as *const E, true) };
            if !slot.is_none() {
                // SAFETY: as for the caller.
                unsafe { (*frame.row::<E::Held>(slot, warp))[lane] = value.load() };
            }
        }
        return;
    }
    let bytes = op.bytes() as usize;
    for (lane, host) in hosts.iter().enumerate().filter(|(lane, _)| (keep >> lane) & 1 != 0) {
        let mut vector = [0; LONGEST];
        for (nth, piece) in vector[..bytes].chunks_mut(PIECE).enumerate() {
            // SAFETY: the access was checked.
            unsafe { load_piece(host + (nth * PIECE) as u64, piece) };
        }
        for (nth, slot) in op.values.iter().enumerate().filter(|(_, slot)| !slot.is_none()) {
            // SAFETY: as for the caller; `vector` holds all elements.
            unsafe {
                let value = vector.as_ptr().cast::<E>().add(nth).read_unaligned();
                (*frame.row::<E::Held>(*slot, warp))[lane] = value.load();
            }
        }
    }
}

/// Stores the executing lanes' elements at each lane's host address, lower lanes first.
///
/// # Safety
/// The accesses were checked; the operation belongs to the frame's program and its values hold elements `E`.
pub(super) unsafe fn store<E: Element>(
    frame: &Frame<'_>,
    op: &MemoryOp,
    warp: usize,
    hosts: &[u64; WARP],
) {
    let exec = frame.exec[warp];
    if let [slot] = op.values[..] {
        for (lane, host) in hosts.iter().enumerate().filter(|(lane, _)| (exec >> lane) & 1 != 0) {
            // SAFETY: as for the caller; the access was checked, for alignment too.
            unsafe {
                let value = (*frame.row::<E::Held>(slot, warp))[lane];
                E::write(*host as *mut E, E::store(value), true);
            }
        }
        return;
    }
    let bytes = op.bytes() as usize;
    for (lane, host) in hosts.iter().enumerate().filter(|(lane, _)| (exec >> lane) & 1 != 0) {
        let mut vector = [0; LONGEST];
        for (nth, slot) in op.values.iter().enumerate() {
            // SAFETY: as for the caller; `vector` has room for all elements.
            unsafe {
                let value = (*frame.row::<E::Held>(*slot, warp))[lane];
                vector.as_mut_ptr().cast::<E>().add(nth).write_unaligned(E::store(value));
            }
        }
        for (nth, piece) in vector[..bytes].chunks(PIECE).enumerate() {
            // SAFETY: the access was checked.
            unsafe { store_piece(host + (nth * PIECE) as u64, piece) };
        }
    }
}

/// Moves a piece with the host's atomic of its width, if the host's address has its alignment: memory of which
/// that is not true belongs to one CTA, whose lanes take turns.
macro_rules! piecewise {
    ($host:expr, $piece:expr, |$cell:ident: $($width:literal $ty:ident $atomic:ident),*| $atomically:expr, $plainly:expr) => {
        match $piece.len() {
            $($width if $host % $width == 0 => {
                type Bits = $ty;
                // SAFETY: the caller's address is valid, and aligned as the guard says.
                let $cell = unsafe { $atomic::from_ptr($host as *mut Bits) };
                $atomically
            })*
            // SAFETY: the caller's address is valid.
            _ => unsafe { $plainly },
        }
    };
}

/// # Safety
/// The bytes at `host` are valid for reads.
unsafe fn load_piece(host: u64, piece: &mut [u8]) {
    piecewise!(
        host,
        piece,
        |cell: 2 u16 AtomicU16, 4 u32 AtomicU32, 8 u64 AtomicU64, 16 u128 AtomicU128|
        piece.copy_from_slice(&cell.load(Ordering::Acquire).to_ne_bytes()),
        std::ptr::copy_nonoverlapping(host as *const u8, piece.as_mut_ptr(), piece.len())
    );
}

/// # Safety
/// The bytes at `host` are valid for writes.
unsafe fn store_piece(host: u64, piece: &[u8]) {
    piecewise!(
        host,
        piece,
        |cell: 2 u16 AtomicU16, 4 u32 AtomicU32, 8 u64 AtomicU64, 16 u128 AtomicU128|
        if let Ok(bytes) = piece.try_into() {
            cell.store(Bits::from_ne_bytes(bytes), Ordering::Release);
        },
        std::ptr::copy_nonoverlapping(piece.as_ptr(), host as *mut u8, piece.len())
    );
}
