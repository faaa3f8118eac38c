//! Words → assembly text that assembles to the same words.

use super::WORD_BYTES;
use super::data::{IGNORED, UNKNOWN, WORD};
use super::label::Names;
use super::section::Section;
use crate::instruction::Instruction;
use crate::model::Description;
use crate::print::Labels;
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

    /// The code of a file: each section under a line `.section NAME`, one line a word, as
    /// [`Description::disassemble`] gives it. Addresses that words name are labels where their types say
    /// how labels are written. They are numbered over the whole file, those of relocations first, then in the
    /// order in which words first name them, and stand on lines of their own; an address with a symbol has
    /// that name instead. Assembling the output gives the words of the sections, one section after the
    /// other.
    pub fn disassemble_sections(&self, sections: &[Section]) -> String {
        let names = Names::new(self, sections);
        let mut out = String::new();
        for (nth, section) in sections.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = writeln!(out, ".section {}", section.name);
            let labels = |address: i128| names.get(nth, address).map(str::to_owned);
            let line = |address: u64, out: &mut String| {
                if let Some(name) = names.get(nth, address.into()) {
                    let _ = writeln!(out, "{name}:");
                }
            };
            let mut address = 0;
            for word in &section.words {
                line(address, &mut out);
                out.push_str(&self.line(*word, address, &labels));
                out.push('\n');
                address += WORD_BYTES;
            }
            line(address, &mut out);
        }
        out
    }

    /// The line for one word at `address`, without a line end.
    pub fn disassemble_word(&self, word: u128, address: u64) -> String {
        self.line(word, address, &|_| None)
    }

    fn line(&self, word: u128, address: u64, labels: Labels<'_>) -> String {
        let unknown = |reason: String| {
            let name = self.target(word, address).and_then(|(target, _)| labels(target));
            let name = name.map(|name| format!("; it names {name}")).unwrap_or_default();
            (raw(word), format!("@{address:#06x} {UNKNOWN} {reason}{name}"))
        };
        let (text, comment) = match self.decode(word) {
            Ok(instruction) => match instruction.text_with(address, labels) {
                Some(text) => (format!("{text} ;"), comment(&instruction, word, address)),
                None => unknown(format!("{} has no syntax", instruction.opcode().name)),
            },
            Err(why) => unknown(why.reason.to_string()),
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
