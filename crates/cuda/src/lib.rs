//! CUDA's driver interface over Warpwise: `libcuda.so.1` for programs that have no GPU.
//!
//! Every function that `cuda.h` and its sisters declare is exported. `api/entries.txt` says which function of this crate stands
//! behind each, or why none does; `build.rs` makes the exported functions of it, with the parameters that the headers declare.

pub mod abi;
mod attributes;
mod capturing;
mod context;
mod device;
mod device_launches;
mod driver;
mod ending;
mod entry;
mod error;
mod event;
mod fault;
mod function;
mod gpu;
mod graph;
mod host;
mod lane;
mod launch;
mod launch_attributes;
mod launch_by_steps;
mod link;
mod memory;
mod module;
mod names;
mod occupancy;
mod operation;
mod prepare;
mod procaddr;
mod program;
mod reference;
mod registry;
mod report;
mod say;
mod settings;
mod start;
mod stream;
mod table;
mod tensor_map;
mod texture;
mod user_object;
mod watch;

pub use entry::functions;
pub use entry::{Entry, entries};
