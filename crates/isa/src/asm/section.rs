//! A section of code, with what names its addresses.

use super::WORD_BYTES;

/// A section of code: its words have addresses from 0 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its name, such as `.text.kernel`; one word of an assembly line.
    pub name: String,
    /// Its words.
    pub words: Vec<u128>,
    /// Names of addresses in it, such as functions.
    pub symbols: Vec<(u64, String)>,
    /// Addresses that relocations of this section name: the number of a section, and an address in it.
    pub relocations: Vec<(usize, u64)>,
    /// Whether its file is yet to be linked.
    pub relocatable: bool,
}

impl Section {
    /// Whether a word begins, or the section ends, at an address.
    pub(super) fn has(&self, address: u64) -> bool {
        address.is_multiple_of(WORD_BYTES) && address <= self.words.len() as u64 * WORD_BYTES
    }
}
