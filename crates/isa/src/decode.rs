//! Word → instruction: a decision tree over fixed bits, then validation of every field.

use crate::instruction::Instruction;
use crate::model::{Description, Opcode};
use crate::unknown::{Reason, Unknown};

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
}
