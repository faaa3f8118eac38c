//! Memory: what is allocated, copies and fills.

mod allocate;
mod copy;
mod pointer;
mod raw;
mod rows;
mod set;
mod space;

pub(crate) use allocate::*;
pub(crate) use copy::*;
pub(crate) use pointer::*;
pub(crate) use raw::Fill;
pub(crate) use rows::Rows;
pub(crate) use set::*;
pub(crate) use space::{find, share, unshare};
