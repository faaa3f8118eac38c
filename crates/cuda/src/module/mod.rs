//! Modules, and libraries, which are modules that contexts load when they need them.

mod entries;
mod library;
mod log;
mod object;

pub(crate) use entries::*;
pub(crate) use library::*;
pub(crate) use log::Options;
pub(crate) use object::{Loaded, get as loaded};
