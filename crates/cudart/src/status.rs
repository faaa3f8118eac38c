//! What functions return, and the last error of each thread.

use crate::errors::row_of;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A `cudaError_t`, or a `CUresult`: what both interfaces have, they number alike.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) struct Status(pub(crate) i32);

pub(crate) type Result<T = ()> = std::result::Result<T, Status>;

impl Status {
    pub(crate) const SUCCESS: Status = Status(0);
    pub(crate) const INVALID_VALUE: Status = Status(1);
    pub(crate) const INVALID_CONFIGURATION: Status = Status(9);
    pub(crate) const INVALID_PITCH_VALUE: Status = Status(12);
    pub(crate) const INVALID_SYMBOL: Status = Status(13);
    pub(crate) const INVALID_MEMCPY_DIRECTION: Status = Status(21);
    pub(crate) const INSUFFICIENT_DRIVER: Status = Status(35);
    pub(crate) const CALL_REQUIRES_NEWER_DRIVER: Status = Status(36);
    pub(crate) const MISSING_CONFIGURATION: Status = Status(52);
    pub(crate) const INVALID_DEVICE_FUNCTION: Status = Status(98);
    pub(crate) const NO_DEVICE: Status = Status(100);
    pub(crate) const INVALID_DEVICE: Status = Status(101);
    pub(crate) const INVALID_RESOURCE_HANDLE: Status = Status(400);
    pub(crate) const SYMBOL_NOT_FOUND: Status = Status(500);
    pub(crate) const NOT_READY: Status = Status(600);
    pub(crate) const NOT_SUPPORTED: Status = Status(801);
    pub(crate) const UNKNOWN: Status = Status(999);

    /// As a result.
    pub(crate) fn ok(self) -> Result {
        if self == Status::SUCCESS { Ok(()) } else { Err(self) }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match row_of(self.0) {
            Some(row) => write!(f, "{}", row.name.to_string_lossy()),
            None => write!(f, "error {}", self.0),
        }
    }
}

thread_local! {
    static LAST: Cell<Status> = const { Cell::new(Status::SUCCESS) };
}

/// The last error of the thread.
pub(crate) fn last() -> Status {
    LAST.get()
}

/// The last error of the thread, which has none then.
pub(crate) fn take_last() -> Status {
    LAST.replace(Status::SUCCESS)
}

/// What every function of the interface does around its work: an error is the thread's last one, and our own bug does not
/// unwind into the program. That a stream or an event is not ready is no error (CUDA C++ Programming Guide, error checking):
/// CUB gives up where it meets one that is.
pub(crate) fn guard(work: impl FnOnce() -> Result) -> Status {
    let status = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return Status::SUCCESS,
        Ok(Err(status)) => status,
        Err(_) => Status::UNKNOWN,
    };
    if status != Status::NOT_READY {
        LAST.set(status);
    }
    status
}
