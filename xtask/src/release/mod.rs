//! What goes out: crates, archives and what they are built of.

mod archive;
mod dist;
mod initfirst;
mod package;

pub(crate) use archive::{TIME, time};
pub(crate) use dist::{Machine, command, dist, libraries, same_anywhere};
pub(crate) use package::package;
