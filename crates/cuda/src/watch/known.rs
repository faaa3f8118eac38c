//! What is known of memory and of the work of streams.

use super::order::Streams;
use super::ranges::Ranges;
use crate::driver::driver;
use crate::memory::CallPlace;
use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Allocations that are remembered when they have been freed.
const REMEMBERED: usize = 4096;

/// An allocation that is gone.
#[derive(Clone, Debug)]
pub(crate) struct Gone {
    /// Its addresses.
    pub(crate) range: Range<u64>,
    /// What it was, for people.
    pub(crate) what: String,
    /// Where it was allocated, if that is known.
    pub(crate) allocated: Option<CallPlace>,
}

/// What is known of memory and work.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Device memory that nobody has written.
    pub(super) unwritten: Ranges,
    /// What is gone, each with where it was freed.
    pub(super) gone: VecDeque<(Gone, CallPlace)>,
    pub(super) streams: Streams,
    /// Sentences that have been told.
    pub(super) told: HashSet<String>,
    /// Whether streams wait for words of memory, so that their order is not known.
    pub(super) is_disordered: bool,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// What is known, if launches are checked.
pub(super) fn known() -> Option<Guard> {
    is_on().then(|| {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(Known::default);
        Guard(known)
    })
}

/// What is known, held by one thread.
pub(super) struct Guard(MutexGuard<'static, Option<Known>>);

impl Guard {
    /// Works on it, and lets go.
    pub(super) fn with<T: Default>(mut self, work: impl FnOnce(&mut Known) -> T) -> T {
        self.0.as_mut().map(work).unwrap_or_default()
    }
}

/// Whether launches are checked.
pub(crate) fn is_on() -> bool {
    driver().is_ok_and(|driver| driver.settings.check)
}

/// The place of a call, if launches are checked.
pub(crate) fn place() -> Option<CallPlace> {
    is_on().then(CallPlace::here)
}

/// Device memory has been allocated, in which nothing is written.
pub(crate) fn allocated(range: Range<u64>) {
    if let Some(known) = known() {
        known.with(|known| known.unwritten.insert(range));
    }
}

/// Who else wants to know of memory that is freed, from when there is something to know.
static AT_FREE: OnceLock<fn(&Range<u64>)> = OnceLock::new();

/// Has a function called with the addresses of memory that is freed.
pub(super) fn when_freed(call: fn(&Range<u64>)) {
    AT_FREE.get_or_init(|| call);
}

/// Memory has been freed.
pub(crate) fn freed(gone: Gone) {
    if let Some(call) = AT_FREE.get() {
        call(&gone.range);
    }
    let Some(known) = known() else { return };
    let place = CallPlace::here();
    known.with(|known| {
        known.unwritten.remove(gone.range.clone());
        known.gone.push_back((gone, place));
        if known.gone.len() > REMEMBERED {
            known.gone.pop_front();
        }
    });
}
