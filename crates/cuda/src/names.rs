//! Names that the program may keep: texts that live as long as the process.

use crate::abi::Text;
use std::collections::HashSet;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

/// A text that stays where it is.
pub(crate) fn kept(name: &str) -> Text {
    static ALL: Mutex<Option<HashSet<&'static CString>>> = Mutex::new(None);
    let text = CString::new(name.replace('\0', "")).unwrap_or_default();
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    // One for each name, however often it is asked for.
    let text = match all.get(&text) {
        Some(known) => known,
        None => {
            let text: &'static CString = Box::leak(Box::new(text));
            all.insert(text);
            text
        }
    };
    Text::of(text)
}
