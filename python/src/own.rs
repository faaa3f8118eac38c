//! The device of a module.

use std::sync::{Mutex, MutexGuard, PoisonError};
use warpwise::Device;

/// A device: launches of one module come one after another, since each maps the arrays that it is given.
pub(crate) struct Own(Mutex<Device>);

impl Own {
    pub(crate) fn new(device: Device) -> Own {
        Own(Mutex::new(device))
    }

    /// The device, as soon as no launch uses it. Not to be called by who holds the interpreter.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Device> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
