//! Streams: work in order, and what capturing makes of it.

mod entries;
mod object;

pub(crate) use entries::*;
pub(crate) use object::resolve;
