//! Calls, whose operands are checked against the function that they call.

use super::{CALL, Entry};

pub(super) const ENTRIES: &[Entry] = &[Entry { name: CALL, section: "9.7.12.5 call", forms: &[] }];
