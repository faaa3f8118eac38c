//! A row of the table of engines.

use crate::level::Level;
use warpwise::{Arg, Buffer, Error, Module};

/// A kernel and its loop.
pub(crate) struct Row<'a> {
    pub(crate) name: &'a str,
    pub(crate) kernel: &'a str,
    pub(crate) module: &'a Module,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) args: Vec<Arg>,
    /// The loop, in vectors of a level.
    pub(crate) native: Box<dyn FnMut(Level) + 'a>,
    /// Undoes what a launch adds to.
    pub(crate) before: Box<dyn Fn() -> Result<(), Error> + 'a>,
    /// Where the result is.
    pub(crate) result: Buffer,
    /// What it begins with.
    pub(crate) wanted: Vec<u32>,
}
