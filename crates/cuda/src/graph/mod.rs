//! Graphs: work with an order of its own, made by hand or captured of streams.

mod attributes;
mod capture;
mod conditional;
mod dot;
mod entries;
mod exec;
mod launch;
mod nodes;
mod object;
mod params;
mod user;

pub(crate) use attributes::{attribute, copy_attributes, set_attribute};
pub(crate) use capture::Capture;
pub(crate) use conditional::create as create_condition;
pub(crate) use dot::print as debug_dot;
pub(crate) use entries::*;
pub(crate) use exec::*;
pub(crate) use nodes::*;
pub(crate) use object::{Graph, Work, containing, get as graph, graphs};
pub(crate) use params::*;
pub(crate) use user::*;
