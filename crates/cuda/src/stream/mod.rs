//! Streams: work in order, and what capturing makes of it.

mod capture;
mod entries;
mod object;

pub(crate) use capture::*;
pub(crate) use entries::*;
pub(crate) use object::{Stream, resolve};
