//! Assembly files: text → words and words → text.

mod assemble;
mod data;
mod disassemble;
mod label;
mod matcher;
mod operand;
mod section;
mod statement;
mod token;

use crate::instruction::Instruction;
use diag::{Diagnostic, Span};
use std::collections::BTreeMap;

pub(crate) use matcher::matches;
pub use section::Section;
pub(crate) use token::{AsmToken, tokens};

/// Bytes in an instruction word.
pub(crate) const WORD_BYTES: u64 = 16;

/// One assembled word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its address in bytes, counted from the start of its section.
    pub address: u64,
    /// The word.
    pub word: u128,
    /// The statement that it comes from.
    pub span: Span,
}

/// What an assembly file assembles to.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// The words in order.
    pub words: Vec<Word>,
    /// Labels with their addresses in bytes, counted from the start of their section.
    pub labels: BTreeMap<String, u64>,
    /// Remarks about input that was accepted all the same.
    pub warnings: Vec<Diagnostic>,
}

/// An assembly file as instructions, before words are made of them.
#[derive(Clone, Debug, Default)]
pub struct Program<'d> {
    /// What stands at each word, in order.
    pub lines: Vec<Line<'d>>,
    /// Labels with their addresses in bytes, counted from the start of their section.
    pub labels: BTreeMap<String, u64>,
    /// Remarks about input that was accepted all the same.
    pub warnings: Vec<Diagnostic>,
}

/// One word's place in an assembly file.
#[derive(Clone, Debug)]
pub struct Line<'d> {
    /// Its address in bytes, counted from the start of its section.
    pub address: u64,
    /// The statement.
    pub span: Span,
    /// What the statement says.
    pub content: Content<'d>,
    /// The word that a data comment shows, for comparison.
    pub(crate) shown: Option<(u128, Span)>,
}

/// What stands at a word.
#[derive(Clone, Debug)]
pub enum Content<'d> {
    /// An instruction.
    Instruction(Instruction<'d>),
    /// A number (`.word`).
    Word(u128),
}

impl Assembly {
    /// The words as bytes: 16 a word, little endian.
    pub fn bytes(&self) -> Vec<u8> {
        bytes_from_words(self.words.iter().map(|word| word.word))
    }
}

/// Words as bytes: 16 a word, little endian.
pub fn bytes_from_words(words: impl IntoIterator<Item = u128>) -> Vec<u8> {
    words.into_iter().flat_map(u128::to_le_bytes).collect()
}

/// Bytes as words: 16 a word, little endian. `None` when bytes are left over.
pub fn words_from_bytes(bytes: &[u8]) -> Option<Vec<u128>> {
    let (words, rest) = bytes.as_chunks::<16>();
    rest.is_empty().then(|| words.iter().copied().map(u128::from_le_bytes).collect())
}
