//! Functions: kernels of modules, and kernels of libraries, which are those of a module for each context.

mod attributes;
mod object;
mod steps;

pub(crate) use attributes::*;
pub(crate) use object::{Function, Settable, functions, insert};
pub(crate) use steps::Asked;
