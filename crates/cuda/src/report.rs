//! What people are told of launches: findings, faults, and the table of kernels.

use crate::driver::driver;
use crate::host::explained;
use crate::say;
use crate::table::{self, Running};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use warpwise::diag::{Carried, Diagnostic, Listing, Sources};
use warpwise::{Checked, EngineChoice, Error, Kernel, Report};

/// Whether anything was found.
static FOUND: AtomicBool = AtomicBool::new(false);

/// What executes kernels.
pub(crate) fn engine() -> EngineChoice {
    driver().map_or_else(|_| EngineChoice::Auto, |driver| driver.settings.engine)
}

/// Whether the next launch of a kernel is checked.
pub(crate) fn is_checked(kernel: &Kernel, launches: u64) -> bool {
    let Ok(driver) = driver() else { return false };
    let settings = &driver.settings;
    if !settings.check {
        return false;
    }
    let is_it = |name: &Option<String>| {
        name.as_ref().map(|name| *name == kernel.name() || *name == kernel.plain_name())
    };
    is_it(&settings.only).unwrap_or(true)
        && !is_it(&settings.skip).unwrap_or(false)
        && settings.first.is_none_or(|first| launches < first)
}

/// Something is wrong with the program. Who has asked for a check learns of it when the program ends, or by the file of findings.
pub(crate) fn found(what: &str) {
    FOUND.store(true, Ordering::Relaxed);
    if let Ok(driver) = driver()
        && driver.settings.ends_with_findings()
        && let Some(file) = &driver.settings.findings
    {
        say::append(&format!("{what}\n"), file);
    }
}

/// Whether anything was found.
#[cfg(target_os = "linux")]
pub(crate) fn has_found() -> bool {
    FOUND.load(Ordering::Relaxed)
}

/// Says what is found: to people, or to the process that makes a document of it.
pub(crate) fn tell(subject: &str, failed: bool, sources: &Sources, diagnostics: &[Diagnostic]) {
    let settings = driver().ok().map(|driver| &driver.settings);
    let file = settings.and_then(|settings| settings.report.as_deref());
    if settings.is_some_and(|settings| settings.carried) {
        // What is as it should be is said once.
        static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
        if !said.insert(subject.to_owned()) && diagnostics.is_empty() {
            return;
        }
        return say::report(&Carried::new(subject, failed, sources, diagnostics).line(), file);
    }
    say::report(&Listing::all(sources, diagnostics, false), file);
}

/// A finding about how the program uses its devices.
pub(crate) fn boundary(subject: &str, failed: bool, told: Diagnostic) {
    tell(subject, failed, &Sources::new(), &[told]);
    if failed {
        found(subject);
    }
}

/// Whether no launch of the kernel was told of the same at the same places before. Modules that are made at run time may have kernels
/// of one name, which differ in the text of their lines.
fn is_new(kernel: &Kernel, sources: &Sources, told: &Diagnostic) -> bool {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut key = format!("{} {} {:?}", kernel.name(), told.code, told.severity);
    for label in &told.labels {
        let (file, span) = (sources.file(label.span.file), label.span);
        let line = file.location(span.start).line;
        key += &format!("\n{span:?} {}", file.line(line));
    }
    // Without a place, what it says is all that there is.
    if told.labels.is_empty() {
        key += &told.message;
    }
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(key)
}

/// A checked launch. What an earlier launch of the kernel was told of is not told again, unless somebody asks for that.
pub(crate) fn checked(kernel: &Kernel, checked: &Checked) {
    let failed = checked.has_errors() || checked.fault.is_some();
    let mut diagnostics = explained(checked.fault.as_ref(), &checked.diagnostics);
    if !driver().is_ok_and(|driver| driver.settings.repeats) {
        diagnostics.retain(|told| is_new(kernel, &checked.sources, told));
    }
    let plain = kernel.plain_name();
    diagnostics.iter_mut().for_each(|told| told.notes.insert(0, format!("in kernel `{plain}`")));
    tell(&plain, failed, &checked.sources, &diagnostics);
    if failed {
        found(kernel.name());
    }
    launched(kernel, &checked.report);
}

/// A launch that did not begin, or was stopped.
pub(crate) fn failed(kernel: &Kernel, error: &Error) {
    let failure = error.failure();
    let diagnostics = explained(failure.fault.as_ref(), &failure.diagnostics);
    tell(&kernel.plain_name(), true, &failure.sources, &diagnostics);
    found("a launch failed");
}

/// The file that the table of kernels goes to, if there is to be one.
fn table_file() -> Option<&'static Path> {
    driver().ok()?.settings.stats.as_deref()
}

/// A launch that begins.
pub(crate) fn begins(kernel: &Kernel) -> Option<Running> {
    table_file().map(|file| table::began(kernel.plain_name(), file))
}

/// A launch that ended well.
pub(crate) fn launched(kernel: &Kernel, report: &Report) {
    if table_file().is_some() {
        table::ended(kernel.plain_name(), report.elapsed, report.stats.thread_instructions);
    }
}
