//! Why a word, or the values of its fields, are no instruction.

use crate::bits;
use std::fmt;

/// A word that is no instruction of the description, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The word.
    pub word: u128,
    /// Why it is no instruction.
    pub reason: Reason,
}

/// Why a word is no instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No opcode has these fixed bits.
    NoOpcode,
    /// Bits that must be 0 are not.
    Reserved {
        /// The opcode that the fixed bits name.
        opcode: String,
        /// The bits.
        bits: u128,
    },
    /// A field holds a number that its type does not name.
    Hole {
        /// The opcode that the fixed bits name.
        opcode: String,
        /// The field.
        field: String,
        /// The type of the field.
        type_name: String,
        /// The number.
        number: u128,
    },
    /// A register operand has no second register for its pair.
    NoPair {
        /// The opcode that the fixed bits name.
        opcode: String,
        /// The operand.
        field: String,
        /// The first register's number.
        number: u128,
    },
    /// A requirement of the opcode does not hold.
    Requirement {
        /// The opcode that the fixed bits name.
        opcode: String,
        /// The requirement in words.
        requirement: String,
    },
    /// More than one opcode accepts the word; the description is ambiguous.
    Ambiguous {
        /// The opcodes.
        opcodes: Vec<String>,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoOpcode => write!(f, "no opcode has these fixed bits"),
            Reason::Reserved { opcode, bits } => {
                write!(f, "{opcode}: reserved {} must be 0", bits::describe(*bits))
            }
            Reason::Hole { opcode, field, type_name, number } => {
                write!(f, "{opcode}: {field} = {number} is no value of {type_name}")
            }
            Reason::NoPair { opcode, field, number } => {
                write!(f, "{opcode}: {field} = {number} begins no register pair")
            }
            Reason::Requirement { opcode, requirement } => write!(f, "{opcode}: {requirement}"),
            Reason::Ambiguous { opcodes } => write!(f, "ambiguous: {}", opcodes.join(", ")),
        }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown word {:#034x}: {}", self.word, self.reason)
    }
}

impl std::error::Error for Unknown {}
