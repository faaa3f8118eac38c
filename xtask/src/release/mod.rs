//! What goes out: crates, archives and what they are built of.

mod archive;
mod dist;
mod initfirst;
mod package;

pub(crate) use dist::{Machine, command, dist, libraries};
pub(crate) use package::package;
