//! What the instructions of warps do: one [`Entry`] per instruction, in one file per family.
//!
//! An entry belongs to every instruction (`__DefOptype`) of its name, whatever description it stands in. It
//! finds operands and modifiers by the names of fields, and emits the same collectives as PTX does.
//! Instructions without an entry do what the pseudo-code of their description says.

mod elect;
mod entry;
mod matching;
mod movm;
mod redux;
mod shuffle;
mod uniform;
mod vote;
mod warpsync;

use isa::Opcode;

pub(crate) use entry::Entry;

const FAMILIES: &[&[Entry]] = &[
    elect::ENTRIES,
    matching::ENTRIES,
    movm::ENTRIES,
    redux::ENTRIES,
    shuffle::ENTRIES,
    uniform::ENTRIES,
    vote::ENTRIES,
    warpsync::ENTRIES,
];

/// The names of the instructions that have an entry.
pub fn instructions() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().copied().flatten().map(|entry| entry.name)
}

/// The entry of an opcode.
pub(crate) fn entry(opcode: &Opcode) -> Option<&'static Entry> {
    let name = opcode.optype.as_deref().unwrap_or(&opcode.name);
    FAMILIES.iter().copied().flatten().find(|entry| entry.name == name)
}
