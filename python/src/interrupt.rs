//! Work without the interpreter, which Ctrl-C ends.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the interpreter is asked whether signals have come.
const PACE: Duration = Duration::from_millis(50);

/// Whether this is the thread that handles signals.
fn handles_signals(py: Python<'_>) -> PyResult<bool> {
    static MAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static IDENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let main: u64 =
        MAIN.import(py, "threading", "main_thread")?.call0()?.getattr("ident")?.extract()?;
    let own: u64 = IDENT.import(py, "threading", "get_ident")?.call0()?.extract()?;
    Ok(main == own)
}

/// Does some work while other threads of Python go on. The work is told how to ask whether to end; who has asked for that, or
/// whose handler raised, gets the exception. What is `brief`, as far as one can know, is done on this thread, which then looks
/// for signals itself, as often as the work asks it; else another thread works, so that this one sees them whatever the work does.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    brief: bool,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> T + Send,
) -> PyResult<T> {
    if !handles_signals(py)? {
        return Ok(py.detach(|| work(&|| false)));
    }
    let watch = Watch { asked: AtomicBool::new(false), raised: Mutex::new(None) };
    let result = match brief {
        true => Ok(py.detach(|| here(&watch, work))),
        false => py.detach(|| elsewhere(&watch, work)),
    };
    let raised = watch.raised.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Ok(result)) => Ok(result),
        // The hook has said where.
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}

/// Whether the work is to end, and what a handler of a signal has raised.
struct Watch {
    asked: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Watch {
    /// Lets handlers run, on the thread that handles signals.
    fn look(&self) {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.is_none()
            && let Err(error) = Python::attach(|py| py.check_signals())
        {
            self.asked.store(true, Ordering::Relaxed);
            *raised = Some(error);
        }
    }
}

fn here<T>(watch: &Watch, work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> T) -> T {
    let own = thread::current().id();
    let began = Instant::now();
    // In units of the pace, so that it is one number.
    let looked = AtomicU64::new(0);
    work(&|| {
        if thread::current().id() == own {
            let now = (began.elapsed().as_millis() / PACE.as_millis()) as u64;
            if looked.swap(now, Ordering::Relaxed) != now {
                watch.look();
            }
        }
        watch.asked.load(Ordering::Relaxed)
    })
}

fn elsewhere<T: Send>(
    watch: &Watch,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> T + Send,
) -> thread::Result<T> {
    thread::scope(|scope| {
        let (done, wait) = channel();
        let worker = scope.spawn(move || {
            let result = work(&|| watch.asked.load(Ordering::Relaxed));
            // The other end is there until this thread has ended.
            let _ = done.send(());
            result
        });
        while wait.recv_timeout(PACE) == Err(RecvTimeoutError::Timeout) {
            watch.look();
        }
        worker.join()
    })
}
