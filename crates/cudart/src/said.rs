//! Sentences on standard error.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Says something to whoever runs the program. Nobody may be there to read it.
pub(crate) fn say(sentence: &str) {
    let _ = std::io::stderr().write_all(format!("warpwise: {sentence}\n").as_bytes());
}

/// Says something once in the life of the process.
pub(crate) fn say_once(sentence: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.insert(sentence.to_owned()) {
        say(sentence);
    }
}
