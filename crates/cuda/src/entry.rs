//! Entry points: the table of them, and what every call goes through.

use crate::abi::{Answer, CUresult};
use crate::capturing;
use crate::say;
use crate::watch;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An exported function.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The name that is exported.
    pub name: &'static str,
    /// The name that `cuGetProcAddress` knows it by.
    pub base: &'static str,
    /// The version of CUDA since which that name means it.
    pub version: u32,
    /// Whether its default stream is the thread's.
    pub of_thread: bool,
    /// The header that declares it.
    pub header: &'static str,
    /// Parameters.
    pub arity: usize,
    /// The section of the documentation.
    pub section: &'static str,
    /// Why there is nothing behind it, if so.
    pub missing: Option<&'static str>,
    /// The function.
    pub code: Code,
}

/// The address of an exported function.
#[derive(Clone, Copy, Debug)]
pub struct Code(pub *const ());

// SAFETY: code is the same for every thread.
#[allow(unsafe_code)]
unsafe impl Sync for Code {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Send for Code {}

/// All entry points, by name.
pub fn entries() -> &'static [Entry] {
    &functions::ENTRIES
}

/// Calls what stands behind an entry point. Nothing unwinds into C.
fn call(body: impl FnOnce() -> Answer) -> CUresult {
    let answer = catch_unwind(AssertUnwindSafe(body));
    watch::settle();
    match answer {
        Ok(Ok(())) => CUresult::SUCCESS,
        Ok(Err(result)) => result,
        Err(_) => {
            say::note("this is a bug of Warpwise; please report it");
            CUresult::UNKNOWN
        }
    }
}

/// The same of what captures that go on forbid.
fn call_unsafe(body: impl FnOnce() -> Answer) -> CUresult {
    call(|| capturing::unsafe_call().and_then(|()| body()))
}

/// What an entry point does behind which there is nothing.
fn missing(nth: usize) -> CUresult {
    let entry = &functions::ENTRIES[nth];
    let why = entry.missing.unwrap_or_default();
    say::once(&format!("{} is not there and returns CUDA_ERROR_NOT_SUPPORTED: {why}", entry.name));
    CUresult::NOT_SUPPORTED
}

/// The exported functions.
#[allow(unsafe_code, non_snake_case, clippy::too_many_arguments, clippy::redundant_closure)]
pub mod functions {
    use super::{Code, Entry, call, call_unsafe, missing};
    use crate::abi::*;

    include!(concat!(env!("OUT_DIR"), "/functions.rs"));
}
