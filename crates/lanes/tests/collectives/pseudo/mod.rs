//! An interpreter for the notation in which the PTX ISA defines instructions.
//!
//! It knows nothing of shuffles. A text is compiled once to a tree in which names are slots of an
//! array, then evaluated once per thread:
//!
//! * `name = expression;` gives a name an integer value of unlimited width (here `i64`, signed);
//! * `name[4:0] = expression;` keeps the named bits only, so the name is an unsigned 5-bit value;
//! * `name[12:8]` reads a bit field, `Array[expression]` an element of the array;
//! * operators have the precedence of C; comparisons give 0 or 1;
//! * `if`, `switch (.modifier) { case .value: … break; }` and `// comments`;
//! * `[Thread].laneid` is an input like any other.

mod eval;
mod lex;
mod parse;

pub(crate) use eval::Program;
pub(crate) use parse::{Interface, compile};
