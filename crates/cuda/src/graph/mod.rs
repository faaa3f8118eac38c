//! Graphs: work with an order of its own, made by hand or captured of streams.

mod capture;
mod entries;
mod exec;
mod nodes;
mod object;

pub(crate) use capture::Capture;
pub(crate) use entries::*;
pub(crate) use exec::*;
pub(crate) use nodes::*;
pub(crate) use object::{Graph, Work, get as graph, graphs};
