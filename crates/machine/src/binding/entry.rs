//! What an entry is, and what entries share.

use crate::operand::{Lane, Lowered};

/// One instruction.
pub(crate) struct Entry {
    /// The name of the instruction in descriptions.
    pub(super) name: &'static str,
    /// Emits what it does.
    pub(super) lower: fn(&mut Lane<'_, '_>) -> Lowered,
}

impl Entry {
    /// Emits what the instruction does.
    pub(crate) fn lower(&self, lane: &mut Lane<'_, '_>) -> Lowered {
        (self.lower)(lane)
    }
}

/// The value of a modifier, looked up in a table of names. A name that is not in the table has no meaning.
pub(super) fn modifier<T: Copy>(
    lane: &Lane<'_, '_>,
    names: &[&str],
    table: &[(&str, T)],
) -> Lowered<T> {
    let field = lane.field(names)?;
    let value = lane.modifier(names).unwrap_or_default();
    let found = table.iter().find(|(name, _)| *name == value);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let message = format!("the machine gives no meaning to `.{}` {value}", field.name.text);
        lane.unsupported(message)
    })
}
