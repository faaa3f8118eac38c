//! H002: calls with memory that has been freed.

use super::known::{Gone, is_on, known};
use super::told::{at, finding, note, tell};
use crate::memory::{CallPlace, find_any};
use warpwise::Code;
use warpwise::diag::Severity;

/// Memory is not there that a call was given; `what` says what the call would do. Whether it was there once.
pub(crate) fn missing(what: &str, address: u64) -> bool {
    if !is_on() || address == 0 || find_any(address).is_some() {
        return false;
    }
    let Some(known) = known() else { return false };
    let found = known.with(|known| {
        let holds = |(gone, _): &&(Gone, CallPlace)| gone.range.contains(&address);
        known.gone.iter().rev().find(holds).cloned()
    });
    let Some((gone, freed)) = found else { return false };
    let message = format!(
        "{what} of memory that has been freed: {address:#x} is {} bytes inside {}",
        address - gone.range.start,
        gone.what
    );
    let told = finding(Code::H002, Severity::Error, message);
    let told = note(told, at("it was allocated", gone.allocated.as_ref()));
    let told = note(told, at("it was freed", Some(&freed)));
    tell("memory", note(told, at("the call is", Some(&CallPlace::here()))));
    true
}
