//! PTX text to checked module to warp IR.
//!
//! [`syntax`] reads and writes the text. It knows the grammar of PTX and no instruction.

pub mod syntax;
