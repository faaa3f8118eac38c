//! Words → assembly text that assembles to the same words.

use super::WORD_BYTES;
use super::data::{IGNORED, UNKNOWN, WORD};
use crate::instruction::Instruction;
use crate::model::Description;
use std::fmt::Write;

/// Column at which the data comment begins, unless the text is longer.
const COMMENT_COLUMN: usize = 48;

impl Description {
    /// One line a word, the first word at address `base` (in bytes). What instruction text cannot carry
    /// stands in a data comment after it; words that are no instruction become `.word`. Assembling the
    /// output gives the same words, as long as `base` is 0 or no operand is relative to its address.
    pub fn disassemble(&self, words: &[u128], base: u64) -> String {
        let mut out = String::new();
        for (nth, word) in words.iter().enumerate() {
            let address = base.wrapping_add((nth as u64).wrapping_mul(WORD_BYTES));
            out.push_str(&self.disassemble_word(*word, address));
            out.push('\n');
        }
        out
    }

    /// The line for one word at `address`, without a line end.
    pub fn disassemble_word(&self, word: u128, address: u64) -> String {
        let (text, comment) = match self.decode(word) {
            Ok(instruction) => match instruction.text(address) {
                Some(text) => (format!("{text} ;"), comment(&instruction, word, address)),
                None => {
                    let reason = format!("{} has no syntax", instruction.opcode().name);
                    (raw(word), format!("@{address:#06x} {UNKNOWN} {reason}"))
                }
            },
            Err(unknown) => (raw(word), format!("@{address:#06x} {UNKNOWN} {}", unknown.reason)),
        };
        // Names come from a description; nothing in them may end the comment or the line.
        let comment = comment.replace("*/", "* /").replace(['\n', '\r'], " ");
        format!("{text:<COMMENT_COLUMN$} /* {comment} */")
    }
}

fn raw(word: u128) -> String {
    format!(".word {word:#034x} ;")
}

fn comment(instruction: &Instruction<'_>, word: u128, address: u64) -> String {
    let opcode = instruction.opcode();
    let mut out = format!("@{address:#06x}");
    for index in opcode.hidden() {
        let field = &opcode.fields[index];
        let number = instruction.values()[index];
        if field.implied() != Some(number) {
            let _ = write!(out, " {}={number:#x}", field.name.text);
        }
    }
    if instruction.ignored() != opcode.ignored.value {
        let _ = write!(out, " {IGNORED}={:#x}", instruction.ignored());
    }
    let _ = write!(out, " {WORD}={word:#034x}");
    out
}
