//! Captures that go on, and what a program may not do meanwhile (CUDA C++ Programming Guide, "Prohibited and Unhandled Operations"; CUDA
//! driver API, `cuThreadExchangeStreamCaptureMode`). Who does it makes the captures worthless.

use crate::abi::constants::{CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED};
use crate::abi::{Answer, CUresult};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, ThreadId};

/// A capture that goes on, as far as others are concerned.
#[derive(Debug)]
pub(crate) struct Ongoing {
    /// The number of its context.
    context: u64,
    /// What its thread promised.
    pub(crate) mode: u32,
    pub(crate) thread: ThreadId,
    /// Whether a stream takes part that waits for the default one.
    has_blocking: AtomicBool,
    is_invalid: AtomicBool,
}

/// Captures that go on, and some that are over.
static CAPTURES: Mutex<Vec<Weak<Ongoing>>> = Mutex::new(Vec::new());

/// Whether there may be any.
static ANY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What the thread promises of captures of others.
    static MODE: Cell<u32> = const { Cell::new(CU_STREAM_CAPTURE_MODE_GLOBAL) };
}

impl Ongoing {
    /// A capture by this thread begins. It goes on as long as this lives.
    pub(crate) fn begin(context: u64, mode: u32) -> Arc<Ongoing> {
        let capture = Arc::new(Ongoing {
            context,
            mode,
            thread: thread::current().id(),
            has_blocking: AtomicBool::new(false),
            is_invalid: AtomicBool::new(false),
        });
        let mut all = CAPTURES.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::downgrade(&capture));
        ANY.store(true, Ordering::Release);
        capture
    }

    /// A stream takes part.
    pub(crate) fn has(&self, is_blocking: bool) {
        self.has_blocking.fetch_or(is_blocking, Ordering::AcqRel);
    }

    /// Something happened that no graph can hold.
    pub(crate) fn invalidate(&self) {
        self.is_invalid.store(true, Ordering::Release);
    }

    /// Whether nothing of the kind has happened.
    pub(crate) fn check(&self) -> Answer {
        match self.is_invalid.load(Ordering::Acquire) {
            true => Err(CUresult::STREAM_CAPTURE_INVALIDATED),
            false => Ok(()),
        }
    }
}

/// Sets what the thread promises, and returns what it was.
pub(crate) fn exchange_mode(new: u32) -> u32 {
    MODE.try_with(|mode| mode.replace(new)).unwrap_or(new)
}

/// The captures that go on and that something means.
fn meant(is_meant: impl Fn(&Ongoing) -> bool) -> Vec<Arc<Ongoing>> {
    if !ANY.load(Ordering::Acquire) {
        return Vec::new();
    }
    let mut all = CAPTURES.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|capture| capture.strong_count() > 0);
    ANY.store(!all.is_empty(), Ordering::Release);
    all.iter().filter_map(Weak::upgrade).filter(|capture| is_meant(capture)).collect()
}

/// Makes captures invalid that something is not permitted for.
fn refuse(why: CUresult, is_meant: impl Fn(&Ongoing) -> bool) -> Answer {
    let meant = meant(is_meant);
    meant.iter().for_each(|capture| capture.invalidate());
    if meant.is_empty() { Ok(()) } else { Err(why) }
}

/// Whether a capture waits for the default stream of a context, or it for the capture.
fn blocks(capture: &Ongoing, context: u64) -> bool {
    capture.context == context && capture.has_blocking.load(Ordering::Acquire)
}

/// Whether a stream captures that the default one of a context waits for.
pub(crate) fn has_blocking(context: u64) -> bool {
    !meant(|capture| blocks(capture, context)).is_empty()
}

/// The default stream of a context is used: streams that block depend on it, and it on them.
pub(crate) fn default_stream(context: u64) -> Answer {
    refuse(CUresult::STREAM_CAPTURE_IMPLICIT, |capture| blocks(capture, context))
}

/// Somebody waits for all work of a context.
pub(crate) fn whole_context(context: u64) -> Answer {
    refuse(CUresult::STREAM_CAPTURE_UNSUPPORTED, |capture| capture.context == context)
}

/// A call that may wait for other work, or have it wait, such as the allocation of device memory: those that `api/entries.txt` marks,
/// and those that ask a stream or an event.
pub(crate) fn unsafe_call() -> Answer {
    let mode = MODE.try_with(Cell::get).unwrap_or(CU_STREAM_CAPTURE_MODE_GLOBAL);
    let here = thread::current().id();
    refuse(CUresult::STREAM_CAPTURE_UNSUPPORTED, |capture| match capture.thread == here {
        true => {
            mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED
        }
        false => {
            mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL
        }
    })
}
