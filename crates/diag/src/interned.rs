//! Texts that live as long as the process, read again.

use serde::{Deserialize, Deserializer};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A text that lives as long as the process. It has a name so that serde does not take it for one that lives in what is read.
pub(crate) type Fixed = &'static str;

/// Reads a text that lives as long as the process: codes and rules, which are few, and each of which is kept once.
pub(crate) fn interned<'de, D: Deserializer<'de>>(from: D) -> Result<Fixed, D::Error> {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let text = String::deserialize(from)?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = known.get(text.as_str()) {
        return Ok(text);
    }
    let kept: &'static str = Box::leak(text.into_boxed_str());
    known.insert(kept);
    Ok(kept)
}
