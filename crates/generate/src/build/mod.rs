//! From choices to a kernel.

mod barriers;
mod calls;
mod clusters;
mod collectives;
mod control;
mod copies;
mod generator;
mod kernel;
mod layout;
mod memory;
mod objects;
mod region;
mod statements;

pub use kernel::{generate, generate_for};
