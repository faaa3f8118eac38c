//! What a program may not do while streams capture (CUDA C++ Programming Guide, "Prohibited and Unhandled Operations"; CUDA driver API,
//! `cuThreadExchangeStreamCaptureMode`). Who does it makes the captures worthless.

use super::capture::Capture;
use crate::abi::constants::{CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED};
use crate::abi::{Answer, CUresult};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

/// Captures that go on, and some that are over.
static CAPTURES: Mutex<Vec<Weak<Capture>>> = Mutex::new(Vec::new());

/// Whether there may be any.
static ANY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What the thread promises of captures of others.
    static MODE: Cell<u32> = const { Cell::new(CU_STREAM_CAPTURE_MODE_GLOBAL) };
}

/// Sets what the thread promises, and returns what it was.
pub(crate) fn exchange_mode(new: u32) -> u32 {
    MODE.try_with(|mode| mode.replace(new)).unwrap_or(new)
}

/// A capture begins.
pub(super) fn begins(capture: &Arc<Capture>) {
    let mut all = CAPTURES.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(Arc::downgrade(capture));
    ANY.store(true, Ordering::Release);
}

/// Makes captures invalid that something is not permitted for.
fn refuse(why: CUresult, is_meant: impl Fn(&Capture) -> bool) -> Answer {
    if !ANY.load(Ordering::Acquire) {
        return Ok(());
    }
    let mut all = CAPTURES.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|capture| capture.strong_count() > 0);
    ANY.store(!all.is_empty(), Ordering::Release);
    let meant: Vec<_> =
        all.iter().filter_map(Weak::upgrade).filter(|capture| is_meant(capture)).collect();
    meant.iter().for_each(|capture| capture.invalidate());
    if meant.is_empty() { Ok(()) } else { Err(why) }
}

/// The default stream of a context is used: streams that block depend on it, and it on them.
pub(crate) fn default_stream(context: u64) -> Answer {
    refuse(CUresult::STREAM_CAPTURE_IMPLICIT, |capture| {
        capture.context == context && capture.has_blocking_stream()
    })
}

/// Somebody waits for all work of a context.
pub(crate) fn whole_context(context: u64) -> Answer {
    refuse(CUresult::STREAM_CAPTURE_UNSUPPORTED, |capture| capture.context == context)
}

/// A call that may wait for other work, or have it wait, such as the allocation of device memory.
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
