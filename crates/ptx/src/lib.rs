//! PTX text to checked module to warp IR.
//!
//! [`syntax`] reads and writes the text; it knows the grammar of PTX and no instruction. [`catalogue`] holds
//! one entry per instruction: its forms and what each does. [`check`] says what is legal. [`lower`] turns a
//! kernel into warp IR with the entries' help. [`Module`] puts the steps in a row.

mod alias;
pub mod catalogue;
pub mod check;
mod directive;
mod link;
mod lint;
pub mod lower;
mod module;
mod nearest;
pub mod resolve;
pub mod rules;
mod special;
pub mod syntax;
pub mod target;
pub mod types;

pub use link::Linking;
pub use lint::lint;
pub use lower::{
    Image, LoweredKernel, NamedVariable, Object, Param, RegisterNames, Relocation, SourceLines,
};
pub use module::Module;
pub use nearest::nearest;
pub use target::{Target, sm_number};
