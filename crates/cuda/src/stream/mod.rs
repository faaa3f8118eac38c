//! Streams: work in order, and what capturing makes of it.

mod capture;
mod entries;
mod object;
mod values;

pub(crate) use capture::*;
pub(crate) use entries::*;
pub(crate) use object::{Stream, is_being_captured, resolve, resolve_idle};
pub(crate) use values::*;
