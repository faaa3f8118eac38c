//! Pointers as callers in C pass them: null, or valid for what the function's documentation says.
//!
//! They come from callers alone, so that promise is theirs, and everything behind the exported functions can use them without
//! `unsafe`. What is null is `CUDA_ERROR_INVALID_VALUE`.
#![allow(unsafe_code)]

use super::result::{Answer, CUresult};
use std::ffi::{CStr, c_char};
use std::fmt;

/// Types that C and Rust lay out alike, and for which any bytes are a value.
///
/// # Safety
/// Any bytes are a value of the type.
pub unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($ty:ty)*) => {
        $(
            // SAFETY: numbers and addresses.
            unsafe impl Plain for $ty {}
        )*
    };
}
plain!(u8 u16 u32 u64 i32 f32 Address Text);

// SAFETY: an address.
unsafe impl<T> Plain for In<T> {}
// SAFETY: an address.
unsafe impl<T> Plain for Out<T> {}
// SAFETY: any bytes are elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// An address of the process, of which nothing is known.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Address(pub u64);

impl Address {
    /// The null pointer.
    pub const NULL: Address = Address(0);

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0 == 0
    }

    /// The address so many bytes further.
    pub(crate) fn plus(self, bytes: u64) -> Address {
        Address(self.0.wrapping_add(bytes))
    }

    /// The text there, up to its NUL.
    pub(crate) fn text(self) -> Text {
        Text(std::ptr::with_exposed_provenance(self.0 as usize))
    }

    /// A pointer to values that the caller of the driver has put there.
    pub(crate) fn to<T>(self) -> In<T> {
        In(std::ptr::with_exposed_provenance(self.0 as usize))
    }

    /// A pointer to where the caller of the driver wants values.
    pub(crate) fn into<T>(self) -> Out<T> {
        Out(std::ptr::with_exposed_provenance_mut(self.0 as usize))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// Where a function leaves a result: `T*`.
#[repr(transparent)]
#[derive(Debug)]
pub struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T: Plain> Out<T> {
    /// A place of Rust's. Whoever calls the driver with it keeps it valid.
    pub fn new(place: &mut T) -> Out<T> {
        Out(place)
    }

    /// The null pointer.
    pub fn null() -> Out<T> {
        Out(std::ptr::null_mut())
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Refuses null.
    pub(crate) fn check(self) -> Answer {
        if self.is_null() { Err(CUresult::INVALID_VALUE) } else { Ok(()) }
    }

    /// Writes a result.
    pub(crate) fn set(self, value: T) -> Answer {
        self.check()?;
        // SAFETY: the caller of the driver passes what is null or valid.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes a result if it is wanted.
    pub(crate) fn offer(self, value: T) {
        let _ = self.set(value);
    }

    /// Its address.
    pub(crate) fn address(self) -> Address {
        Address(self.0.expose_provenance() as u64)
    }

    /// The n-th place from here.
    pub(crate) fn plus(self, nth: usize) -> Out<T> {
        Out(self.0.wrapping_add(nth))
    }

    /// The same place, to be read.
    pub(crate) fn as_in(self) -> In<T> {
        In(self.0)
    }

    /// What is there.
    pub(crate) fn get(self) -> Answer<T> {
        self.check()?;
        // SAFETY: the caller of the driver passes what is null or valid.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// Writes several results.
    pub(crate) fn fill(self, values: &[T]) -> Answer {
        self.check()?;
        for (nth, value) in values.iter().enumerate() {
            // SAFETY: the caller of the driver passes room for as many as it says.
            unsafe { self.0.add(nth).write_unaligned(*value) };
        }
        Ok(())
    }
}

impl Out<u8> {
    /// Writes text with a NUL, cut off where the room for it ends.
    pub(crate) fn text(self, text: &str, room: usize) -> Answer {
        let kept = text.len().min(room.saturating_sub(1));
        self.fill(&text.as_bytes()[..kept])?;
        // SAFETY: as above; there is room for the NUL, because less is kept.
        unsafe { self.0.add(kept).write(0) };
        Ok(())
    }
}

/// Values that a function reads: `const T*`.
#[repr(transparent)]
#[derive(Debug)]
pub struct In<T>(*const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T: Plain> In<T> {
    /// A value of Rust's. Whoever calls the driver with it keeps it valid.
    pub fn new(value: &T) -> In<T> {
        In(value)
    }

    /// The null pointer.
    pub fn null() -> In<T> {
        In(std::ptr::null())
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// What is there.
    pub(crate) fn get(self) -> Answer<T> {
        self.at(0)
    }

    /// The n-th value.
    pub(crate) fn at(self, nth: usize) -> Answer<T> {
        match self.is_null() {
            true => Err(CUresult::INVALID_VALUE),
            // SAFETY: the caller of the driver passes null, or as many values as the function looks at.
            false => Ok(unsafe { self.0.add(nth).read_unaligned() }),
        }
    }

    /// Copies of the first ones.
    pub(crate) fn list(self, count: usize) -> Answer<Vec<T>> {
        (0..count).map(|nth| self.at(nth)).collect()
    }
}

impl In<u8> {
    /// Copies bytes to a place of Rust's.
    pub(crate) fn copy(self, to: &mut [u8]) -> Answer {
        if self.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: the caller of the driver passes null, or as many bytes as the function looks at.
        unsafe { self.0.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    /// A copy of the first bytes.
    pub(crate) fn bytes(self, count: usize) -> Answer<Vec<u8>> {
        if self.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let mut bytes = vec![0; count];
        // SAFETY: the caller of the driver passes null, or as many bytes as the function looks at.
        unsafe { self.0.copy_to_nonoverlapping(bytes.as_mut_ptr(), count) };
        Ok(bytes)
    }
}

/// Text that ends in NUL: `const char*`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(*const c_char);

impl Text {
    /// Text that lives as long as the process.
    pub const fn of(text: &'static CStr) -> Text {
        Text(text.as_ptr())
    }

    /// Text of Rust's. Whoever calls the driver with it keeps it valid.
    pub fn new(text: &CStr) -> Text {
        Text(text.as_ptr())
    }

    /// The null pointer.
    pub const fn null() -> Text {
        Text(std::ptr::null())
    }

    /// Its bytes, copied.
    pub(crate) fn bytes(self) -> Answer<Vec<u8>> {
        match self.0.is_null() {
            true => Err(CUresult::INVALID_VALUE),
            // SAFETY: the caller of the driver passes null or text that ends.
            false => Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes().to_vec()),
        }
    }

    /// The text.
    pub(crate) fn get(self) -> Answer<String> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }
}
