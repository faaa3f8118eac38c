//! From choices to a kernel.

mod barriers;
mod clusters;
mod collectives;
mod control;
mod generator;
mod kernel;
mod memory;
mod region;
mod statements;

pub use kernel::generate;
