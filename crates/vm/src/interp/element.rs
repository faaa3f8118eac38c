//! Elements of memory, and the registers that hold them.

use std::sync::atomic::{AtomicI8, AtomicI16, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// How an element in memory fills a register.
pub(crate) trait Element: Copy {
    /// The register's value.
    type Held: Copy;
    fn load(self) -> Self::Held;
    fn store(held: Self::Held) -> Self;
    /// Reads an element of memory that other threads may write: acquiring, or else relaxed.
    ///
    /// # Safety
    /// `at` is valid for reads and aligned.
    unsafe fn read(at: *const Self, acquires: bool) -> Self;
    /// Writes an element of memory that other threads may access: releasing, or else relaxed.
    ///
    /// # Safety
    /// `at` is valid for writes and aligned.
    unsafe fn write(at: *mut Self, element: Self, releases: bool);
}

macro_rules! element {
    ($($ty:ty, $held:ty, $atomic:ty;)*) => {
        $(impl Element for $ty {
            type Held = $held;
            #[inline(always)]
            fn load(self) -> $held {
                self as $held
            }
            #[inline(always)]
            fn store(held: $held) -> $ty {
                held as $ty
            }
            #[inline(always)]
            unsafe fn read(at: *const $ty, acquires: bool) -> $ty {
                // SAFETY: the caller's pointer is valid and aligned.
                let cell = unsafe { <$atomic>::from_ptr(at.cast_mut()) };
                cell.load(if acquires { Ordering::Acquire } else { Ordering::Relaxed })
            }
            #[inline(always)]
            unsafe fn write(at: *mut $ty, element: $ty, releases: bool) {
                // SAFETY: the caller's pointer is valid and aligned.
                let cell = unsafe { <$atomic>::from_ptr(at) };
                cell.store(element, if releases { Ordering::Release } else { Ordering::Relaxed });
            }
        })*
    };
}

element! {
    u8, u32, AtomicU8;
    i8, u32, AtomicI8;
    u16, u32, AtomicU16;
    i16, u32, AtomicI16;
    u32, u32, AtomicU32;
    u64, u64, AtomicU64;
}
