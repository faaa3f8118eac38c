//! Word → instruction: a decision tree over fixed bits, then validation of every field.

use crate::bits;
use crate::instruction::Instruction;
use crate::model::{Description, Opcode, Role};
use crate::types::TypeKind;
use std::collections::HashMap;
use std::fmt;

/// Chooses opcodes by bits that are fixed in all that are still possible.
#[derive(Clone, Debug)]
pub(crate) enum DecodeTree {
    /// Look at these bits and go on with the branch for their value.
    Branch { mask: u128, branches: HashMap<u128, DecodeTree> },
    /// Opcodes that no further common bit tells apart.
    Leaf(Vec<usize>),
}

impl DecodeTree {
    /// The tree for all opcodes whose numbers are known. Every opcode stands in one leaf, so the tree is
    /// never larger than the list of opcodes.
    pub(crate) fn build(opcodes: &[Opcode]) -> Self {
        let known = (0..opcodes.len()).filter(|i| opcodes[*i].open_fields().next().is_none());
        Self::split(opcodes, known.collect(), 0)
    }

    fn split(opcodes: &[Opcode], candidates: Vec<usize>, used: u128) -> Self {
        let common =
            candidates.iter().fold(u128::MAX, |mask, index| mask & opcodes[*index].fixed.mask)
                & !used;
        if candidates.is_empty() || common == 0 {
            return DecodeTree::Leaf(candidates);
        }
        let mut groups: HashMap<u128, Vec<usize>> = HashMap::new();
        for index in candidates {
            groups.entry(opcodes[index].fixed.value & common).or_default().push(index);
        }
        let branches = groups
            .into_iter()
            .map(|(value, group)| (value, Self::split(opcodes, group, used | common)))
            .collect();
        DecodeTree::Branch { mask: common, branches }
    }

    pub(crate) fn candidates(&self, word: u128) -> &[usize] {
        let mut tree = self;
        loop {
            match tree {
                DecodeTree::Leaf(candidates) => return candidates,
                DecodeTree::Branch { mask, branches } => match branches.get(&(word & mask)) {
                    Some(next) => tree = next,
                    None => return &[],
                },
            }
        }
    }
}

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

impl Description {
    /// The instruction that a word is.
    ///
    /// # Errors
    /// [`Unknown`] with the reason when no opcode accepts the word, never a guess.
    pub fn decode(&self, word: u128) -> Result<Instruction<'_>, Unknown> {
        let mut reason = Reason::NoOpcode;
        let mut found: Vec<Instruction<'_>> = Vec::new();
        for index in self.tree.candidates(word) {
            let opcode = &self.opcodes[*index];
            if word & opcode.fixed.mask != opcode.fixed.value {
                continue;
            }
            match opcode.read(word) {
                Ok(instruction) => found.push(instruction),
                Err(why) => reason = why,
            }
        }
        match found.len() {
            0 => Err(Unknown { word, reason }),
            1 => Ok(found.remove(0)),
            _ => {
                let opcodes = found.iter().map(|i| i.opcode().name.clone()).collect();
                Err(Unknown { word, reason: Reason::Ambiguous { opcodes } })
            }
        }
    }
}

impl Opcode {
    /// Whether a word is one of these.
    pub(crate) fn accepts(&self, word: u128) -> bool {
        word & self.fixed.mask == self.fixed.value && self.read(word).is_ok()
    }

    /// Reads a word whose fixed bits are this opcode's.
    fn read(&self, word: u128) -> Result<Instruction<'_>, Reason> {
        if word & self.reserved != 0 {
            let bits = word & self.reserved;
            return Err(Reason::Reserved { opcode: self.name.clone(), bits });
        }
        let values: Vec<u128> = self.fields.iter().map(|field| field.extract(word)).collect();
        self.validate(&values)?;
        Ok(Instruction::new(self, values, word & self.ignored.mask))
    }

    /// Whether the field values make an instruction: every number names something, pairs exist,
    /// requirements hold.
    pub(crate) fn validate(&self, values: &[u128]) -> Result<(), Reason> {
        for (index, (field, number)) in self.fields.iter().zip(values).enumerate() {
            if matches!(field.role, Role::FixedOpen(_)) {
                continue;
            }
            if !field.ty.accepts(*number, field.width()) {
                return Err(Reason::Hole {
                    opcode: self.name.clone(),
                    field: field.name.text.clone(),
                    type_name: field.ty.name.clone(),
                    number: *number,
                });
            }
            if matches!(field.ty.kind, TypeKind::Register(_)) && !self.has_register(index, values) {
                return Err(Reason::NoPair {
                    opcode: self.name.clone(),
                    field: field.name.text.clone(),
                    number: *number,
                });
            }
        }
        for requirement in &self.requirements {
            if requirement.expr.evaluate(values).unwrap_or(0) == 0 {
                return Err(Reason::Requirement {
                    opcode: self.name.clone(),
                    requirement: requirement.reason.clone(),
                });
            }
        }
        Ok(())
    }
}
