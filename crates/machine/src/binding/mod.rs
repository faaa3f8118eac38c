//! What the instructions of warps do: one [`Entry`] per instruction, in one file per family.
//!
//! An entry belongs to every instruction (`__DefOptype`) of its name, whatever description it stands in. It
//! finds operands and modifiers by the names of fields, and emits the same collectives as PTX does.
//! Instructions without an entry do what the pseudo-code of their description says.

mod elect;
mod matching;
mod movm;
mod redux;
mod shuffle;
mod uniform;
mod vote;
mod warpsync;

use crate::operand::{Lane, Lowered};
use isa::Opcode;

/// One instruction.
pub(crate) struct Entry {
    /// The name of the instruction in descriptions.
    name: &'static str,
    /// Emits what it does.
    lower: fn(&mut Lane<'_, '_>) -> Lowered,
}

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

impl Entry {
    /// Emits what the instruction does.
    pub(crate) fn lower(&self, lane: &mut Lane<'_, '_>) -> Lowered {
        (self.lower)(lane)
    }
}

/// The value of a modifier, looked up in a table of names. A name that is not in the table has no meaning.
fn modifier<T: Copy>(lane: &Lane<'_, '_>, names: &[&str], table: &[(&str, T)]) -> Lowered<T> {
    let field = lane.field(names)?;
    let value = lane.modifier(names).unwrap_or_default();
    let found = table.iter().find(|(name, _)| *name == value);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let message = format!("the machine gives no meaning to `.{}` {value}", field.name.text);
        lane.unsupported(message)
    })
}
