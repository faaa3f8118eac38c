//! The opcodes that other parts must know.

/// The instruction whose operands may be lists.
pub(crate) const CALL: &str = "call";

/// The opcodes of the instructions on the stack of a thread (PTX ISA 9.1, 9.7.17 Stack Manipulation Instructions).
pub(crate) const STACK: [&str; 3] = ["stacksave", "stackrestore", "alloca"];
