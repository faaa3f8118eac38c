//! The text of PTX modules: syntax tree, lexer, parser and printer.
//!
//! The parser accepts the grammar of PTX ISA 9.1 as compilers use it. It knows no opcode: which
//! suffixes and operands an instruction takes is decided later, against the instruction catalogue.

pub mod ast;
pub(crate) mod call;
mod lexer;
mod literal;
mod parser;
mod printer;
mod types;

pub use parser::{MAX_DEPTH, MAX_ERRORS, MAX_TEXT, parse};
pub use types::{Linkage, ScalarType, Space};
