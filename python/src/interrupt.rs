//! Work without the interpreter, which Ctrl-C ends.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

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
/// whose handler raised, gets the exception.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> T + Send,
) -> PyResult<T> {
    if !handles_signals(py)? {
        return Ok(py.detach(|| work(&|| false)));
    }
    let asked = AtomicBool::new(false);
    let mut raised = None;
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = channel();
            let asked = &asked;
            let worker = scope.spawn(move || {
                let result = work(&|| asked.load(Ordering::Relaxed));
                // The other end is there until this thread has ended.
                let _ = done.send(());
                result
            });
            while wait.recv_timeout(PACE) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    asked.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            worker.join()
        })
    });
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Ok(result)) => Ok(result),
        // The hook has said where.
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}
