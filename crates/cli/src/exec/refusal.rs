//! Why a program does not run.

use crate::report::Stop;
use std::ffi::OsStr;
use std::io::ErrorKind;

/// Why a program could not be started.
pub(super) fn not_started(program: &OsStr, why: &std::io::Error) -> Stop {
    let program = program.to_string_lossy();
    match why.kind() {
        ErrorKind::NotFound if !program.contains('/') => Stop::rejected(format!(
            "cannot run `{program}`: there is no such command; a program in this folder is `./{program}`"
        )),
        _ => Stop::rejected(format!("cannot run `{program}`: {why}")),
    }
}
