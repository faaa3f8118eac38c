//! The types that cross the interface, as C lays them out, and the constants.

mod handle;
mod pointer;
mod result;
mod structures;

pub use handle::*;
pub use pointer::{Address, In, Out, Plain, Text};
pub use result::{Answer, CUresult};
pub use structures::*;

pub use result::constants;
