//! Memory: what is allocated, copies and fills.

mod advice;
mod allocate;
mod array;
mod batch;
mod batch3d;
mod copy;
mod graph;
mod managed;
mod mipmapped;
mod place;
mod planes;
mod pointer;
mod pool;
mod raw;
mod rows;
mod set;
mod space;

pub(crate) use allocate::*;
pub(crate) use array::*;
pub(crate) use batch::*;
pub(crate) use batch3d::*;
pub(crate) use copy::*;
pub(crate) use graph::{Freed, GraphMemory, free as free_of_graph};
pub(crate) use managed::*;
pub(crate) use mipmapped::*;
pub(crate) use place::CallPlace;
pub(crate) use planes::*;
pub(crate) use pointer::*;
pub(crate) use pool::*;
pub(crate) use raw::{Fill, load_word, store_word};
pub(crate) use rows::{Rows, Side};
pub(crate) use set::*;
pub(crate) use space::{
    Block, Kind, Leak, check, find, find_any, has_shared, leaked, share, unshare,
};
