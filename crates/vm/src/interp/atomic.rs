//! Atomic updates, lane by lane in ascending order.

use super::handler::Body;
use super::program::{Code, Program};
use super::reach::{Base, Reach, access_fault};
use crate::fault::AccessKind;
use crate::frame::Frame;
use ir::{Access, BinaryOp, ElementUpdate, Update};
use jit::fuel;
use lanes::WARP;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A host atomic of the element's width.
pub(super) trait Cell: Copy {
    type Held: Copy + From<Self> + Into<u64>;
    fn cut(held: Self::Held) -> Self;
    fn bits(self) -> u64;
    /// # Safety
    /// `at` is valid for reads and writes and aligned, and accessed concurrently by atomics or by racing kernels only.
    unsafe fn update(at: *mut Self, new: impl Fn(u64) -> Option<u64>) -> Self;
    /// # Safety
    /// As for [`Cell::update`].
    unsafe fn add(at: *mut Self, operand: Self) -> Self;
}

macro_rules! cell {
    ($($ty:ty, $held:ty, $atomic:ty;)*) => {
        $(impl Cell for $ty {
            type Held = $held;
            #[inline(always)]
            fn cut(held: $held) -> $ty {
                held as $ty
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            unsafe fn update(at: *mut $ty, new: impl Fn(u64) -> Option<u64>) -> $ty {
                // SAFETY: the caller's pointer is valid and aligned.
                let cell = unsafe { <$atomic>::from_ptr(at) };
                let step = |old: $ty| new(u64::from(old)).map(|new| new as $ty);
                match cell.fetch_update(Ordering::AcqRel, Ordering::Acquire, step) {
                    Ok(old) | Err(old) => old,
                }
            }
            #[inline(always)]
            unsafe fn add(at: *mut $ty, operand: $ty) -> $ty {
                // SAFETY: the caller's pointer is valid and aligned.
                unsafe { <$atomic>::from_ptr(at) }.fetch_add(operand, Ordering::AcqRel)
            }
        })*
    };
}

cell! { u8, u32, AtomicU8; u16, u32, AtomicU16; u32, u32, AtomicU32; u64, u64, AtomicU64; }

/// Updates an element on the host by another, whose bytes are given.
///
/// # Safety
/// As for [`Cell::update`], for the element's width.
pub(super) unsafe fn update(at: u64, ElementUpdate { op, access }: ElementUpdate, by: &[u8]) {
    let by = by.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
    let new = |old| Some(op.eval([old, by]));
    // SAFETY: as for the caller.
    unsafe {
        match access {
            Access::U8 | Access::S8 => u8::update(at as *mut u8, new).bits(),
            Access::U16 | Access::S16 => u16::update(at as *mut u16, new).bits(),
            Access::B32 => u32::update(at as *mut u32, new).bits(),
            Access::B64 => u64::update(at as *mut u64, new).bits(),
        }
    };
}

/// An atomic update of cells `E` in space `S`; `x` is the operation's index.
pub(super) struct Atomic<S, E>(PhantomData<(S, E)>);

impl<S: Reach, E: Cell> Body for Atomic<S, E> {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let op = &program.atomics[code.x as usize];
        let bytes = size_of::<E>() as u64;
        frame.fuel -= i64::from(fuel::STRONG);
        let mut changes = matches!(op.update, Update::Apply(_));
        for warp in frame.first..frame.first + frame.count {
            let mut left = frame.exec[warp];
            if left == 0 {
                continue;
            }
            // SAFETY: the slots lie inside the registers and have the classes that compilation gave them.
            let (b, c) =
                unsafe { (*frame.row::<E::Held>(op.b, warp), *frame.row::<E::Held>(op.c, warp)) };
            let mut old: [Option<E>; WARP] = [None; WARP];
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                // SAFETY: as above.
                let address = unsafe {
                    if op.wide_base {
                        (*frame.row::<u64>(op.base, warp))[lane].plus(op.offset)
                    } else {
                        (*frame.row::<u32>(op.base, warp))[lane].plus(op.offset)
                    }
                };
                let aligned = address & (bytes - 1) == 0;
                let host = S::lane(frame, op.cache, warp, lane, address, bytes).filter(|_| aligned);
                let Some(host) = host else {
                    let kind =
                        access_fault(frame, AccessKind::Atomic, op.space, address, bytes as u32);
                    return frame.fault(kind, op.place, warp, lane as u32);
                };
                let cell = host as *mut E;
                let (b, c) = (E::cut(b[lane]), E::cut(c[lane]));
                // SAFETY: the address was checked; host alignment follows from the space's alignment.
                let found = unsafe {
                    match op.update {
                        Update::Apply(BinaryOp::AddI32 | BinaryOp::AddI64) => E::add(cell, b),
                        Update::Apply(apply) => {
                            E::update(cell, |old| Some(apply.eval([old, b.bits()])))
                        }
                        Update::Exchange => E::update(cell, |_| Some(b.bits())),
                        Update::CompareExchange => {
                            E::update(cell, |old| (old == b.bits()).then(|| c.bits()))
                        }
                    }
                };
                changes |= (found.bits() == b.bits()) == (op.update == Update::CompareExchange);
                old[lane] = Some(found);
            }
            if !op.d.is_none() {
                // SAFETY: the result's row lies inside the registers.
                let d = unsafe { &mut *frame.row::<E::Held>(op.d, warp) };
                for (slot, old) in d.iter_mut().zip(old) {
                    if let Some(old) = old {
                        *slot = old.into();
                    }
                }
            }
        }
        if !changes {
            frame.fuel -= i64::from(fuel::IN_VAIN);
        }
        at + 1
    }
}
