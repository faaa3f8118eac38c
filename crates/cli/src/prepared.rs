//! A launch that is ready.

use crate::buffers::Argument;
use crate::filled::Filled;
use warpwise::{Device, Kernel, Module};

/// What a launch needs.
pub(crate) struct Prepared {
    pub(crate) module: Module,
    pub(crate) kernel: Kernel,
    pub(crate) device: Device,
    pub(crate) made: Vec<Argument>,
    /// What variables were set with, by their names: types, shapes, and where it stands.
    pub(crate) set: Vec<(String, Filled)>,
}
