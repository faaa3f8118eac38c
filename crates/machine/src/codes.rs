//! Codes of diagnostics about what instructions do; `docs/isa-language.md` lists them.

/// Pseudo-code breaks the grammar.
pub const GRAMMAR: &str = "S001";
/// Pseudo-code uses a name that means nothing.
pub const NAME: &str = "S002";
/// Pseudo-code asks for what the language does not have.
pub const MEANING: &str = "S003";
/// A limit is exceeded.
pub const LIMIT: &str = "S004";
/// No meaning is known for an instruction.
pub const NO_MEANING: &str = "S005";
/// A program cannot run as it stands.
pub const PROGRAM: &str = "S006";
/// A PTX instruction has no counterpart in the description.
pub const NO_COUNTERPART: &str = "S007";
