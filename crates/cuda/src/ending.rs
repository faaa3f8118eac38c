//! The end of the process: the table of kernels, memory that nobody has freed, and the exit status of checks.
#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
use crate::driver::driver;
#[cfg(target_os = "linux")]
use crate::memory::{Leak, leaked};
#[cfg(target_os = "linux")]
use crate::report::{found, has_found, tell};
#[cfg(target_os = "linux")]
use crate::{table, watch};
#[cfg(target_os = "linux")]
use std::ffi::{c_int, c_void};
#[cfg(target_os = "linux")]
use warpwise::diag::{Class, Diagnostic, Severity, Sources};

#[cfg(target_os = "linux")]
unsafe extern "C" {
    /// Calls a function when the process exits, with its status (the GNU C library, and others on Linux).
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    fn exit(status: c_int) -> !;
}

/// Sees to it that the end of the process is noticed.
pub(crate) fn watch_exit() {
    #[cfg(target_os = "linux")]
    // SAFETY: the function lives as long as the process: the library is linked so that `dlclose` does not take it away.
    unsafe {
        on_exit(at_exit, std::ptr::null_mut())
    };
    #[cfg(not(target_os = "linux"))]
    crate::say::once("tables, leaks and the exit status of checks are there on Linux alone");
}

#[cfg(target_os = "linux")]
extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    let Ok(driver) = driver() else { return };
    watch::settle();
    if let Some(file) = &driver.settings.stats {
        table::finish(file);
    }
    if driver.settings.leaks {
        leaks();
    }
    let has_findings = driver.settings.ends_with_findings() && has_found();
    if has_findings && status == 0 && driver.settings.findings.is_none() {
        // SAFETY: the C library goes on with the functions that are left, and ends the process with the new status.
        unsafe { exit(1) }
    }
}

/// Reports memory that nobody has freed.
#[cfg(target_os = "linux")]
fn leaks() {
    /// So many are told of.
    const MANY: usize = 20;
    let left = leaked();
    let error = |message: String| Diagnostic::new(Severity::Error, Class::Undefined, message);
    let mut told: Vec<Diagnostic> = left
        .iter()
        .take(MANY)
        .map(|Leak { bytes, what, place }| {
            let error = error(format!("{bytes} bytes of {what} were never freed"));
            match place {
                Some(place) => error.note(format!("allocated in {place}")),
                None => error,
            }
        })
        .collect();
    if left.len() > MANY {
        told.push(error(format!("{} more allocations were never freed", left.len() - MANY)));
    }
    if !told.is_empty() {
        tell("memory", true, &Sources::new(), &told);
    }
    if !left.is_empty() {
        found("memory was never freed");
    }
}
