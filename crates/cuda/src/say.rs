//! What the driver says to people: the one place that writes to standard error, and where the text of kernels meets the program's.
#![allow(unsafe_code)]

use std::collections::HashSet;
use std::ffi::{c_int, c_void};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// What has been said already.
static SAID: Mutex<Option<HashSet<String>>> = Mutex::new(None);

unsafe extern "C" {
    /// The C library's `stdout`, which the program's own output goes through.
    static stdout: *mut c_void;
    fn fwrite(from: *const c_void, size: usize, count: usize, to: *mut c_void) -> usize;
    fn fflush(stream: *mut c_void) -> c_int;
}

/// A sentence.
pub(crate) fn note(text: &str) {
    eprintln!("warpwise: {text}");
}

/// A sentence, the first time.
pub(crate) fn once(text: &str) {
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.get_or_insert_default().insert(text.to_owned()) {
        note(text);
    }
}

/// A report: to a file if there is one, behind what it holds, else to standard error.
pub(crate) fn report(text: &str, file: Option<&Path>) {
    if file.is_none_or(|file| !append(text, file)) {
        eprint!("{text}");
    }
}

/// Writes behind what a file holds; several processes may do that. Whether it could.
pub(crate) fn append(text: &str, file: &Path) -> bool {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    if let Err(why) = &written {
        once(&format!("cannot write {}: {why}", file.display()));
    }
    written.is_ok()
}

/// What kernels have printed, in order with what the program prints.
pub(crate) fn print(text: &[u8]) {
    if text.is_empty() {
        return;
    }
    // SAFETY: the C library's own stream and as many bytes as there are; both functions lock the stream.
    unsafe {
        fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        fflush(stdout);
    }
}
