//! What the interface of before CUDA 4.0 sets of a function, one thing after another.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is set of a function for its next launches.
#[derive(Debug, Default)]
pub(crate) struct Steps(Mutex<Asked>);

/// The shape and the arguments of a launch.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    /// The block of arguments.
    pub(crate) arguments: Vec<u8>,
    /// How much of it counts.
    pub(crate) size: usize,
}

impl Steps {
    pub(crate) fn asked(&self) -> MutexGuard<'_, Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
