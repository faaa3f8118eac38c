//! Events: points in the work of streams.

mod entries;
mod object;

pub(crate) use entries::*;
pub(crate) use object::{events, get};
