//! The names that one scope of a function declares.

use crate::syntax::ast::{Name, Variable};
use diag::Span;
use foldhash::HashMap;

/// The names of one scope. Registers, variables and labels share it.
#[derive(Default)]
pub(super) struct Scope<'a> {
    names: HashMap<&'a str, Span>,
    /// Ranges such as `%r<10>`, by prefix.
    ranges: HashMap<&'a str, (u32, Span)>,
    /// For names that end in a number, by what precedes it: the least number.
    numbered: HashMap<&'a str, (u32, Span)>,
}

/// A name that is taken.
pub(super) struct Clash {
    /// The name, or a member of the range.
    pub(super) name: String,
    /// Where it was declared first.
    pub(super) first: Span,
}

impl<'a> Scope<'a> {
    /// Declares a register, a range of them, a variable or a parameter.
    pub(super) fn declare(&mut self, variable: &'a Variable) -> Result<(), Clash> {
        let name = &variable.name;
        let Some(count) = variable.range else {
            // Members of a range are declared already, under this name or with leading zeros.
            let number = split_number(name);
            if let Some((prefix, number)) = number
                && let Some((count, first)) = self.ranges.get(prefix)
                && number < *count
            {
                return Err(Clash { name: name.to_string(), first: *first });
            }
            self.declare_label(name).map_err(|first| Clash { name: name.to_string(), first })?;
            if let Some((prefix, number)) = number {
                let least = self.numbered.entry(prefix).or_insert((number, name.span));
                if number < least.0 {
                    *least = (number, name.span);
                }
            }
            return Ok(());
        };
        if let Some((_, first)) = self.ranges.insert(name, (count, name.span)) {
            return Err(Clash { name: format!("{name}<{count}>"), first });
        }
        match self.numbered.get(name.as_str()) {
            Some((number, first)) if *number < count => {
                Err(Clash { name: format!("{name}{number}"), first: *first })
            }
            _ => Ok(()),
        }
    }

    /// Declares a label. A label may be called like a member of a range. `Err` is where the name is
    /// declared already.
    pub(super) fn declare_label(&mut self, name: &'a Name) -> Result<(), Span> {
        match self.names.insert(name, name.span) {
            Some(first) => Err(first),
            None => Ok(()),
        }
    }
}

/// A name that ends in digits as its beginning and its number: `%r12` is number 12 of `%r`.
/// Leading zeros do not count, and a number that does not fit makes no member of any range.
pub(super) fn split_number(name: &str) -> Option<(&str, u32)> {
    let prefix = name.trim_end_matches(|char: char| char.is_ascii_digit());
    Some((prefix, name[prefix.len()..].parse().ok()?))
}
