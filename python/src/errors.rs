//! Failures as exceptions of the package.

use crate::outcome;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use warpwise::Error;

/// Makes an exception by the package's function of a name.
fn made(py: Python<'_>, function: &str, arguments: impl FnOnce() -> PyResult<Py<PyAny>>) -> PyErr {
    let value = arguments().and_then(|arguments| {
        let module = py.import("warpwise._errors")?;
        module.getattr(function)?.call1((arguments,))
    });
    match value {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// A failure of the library.
pub(crate) fn failure(py: Python<'_>, error: &Error) -> PyErr {
    made(py, "from_failure", || Ok(outcome::failure(error).to_string().into_pyobject(py)?.into()))
}

/// An argument, or how many there are, does not fit.
pub(crate) fn argument(py: Python<'_>, message: String) -> PyErr {
    made(py, "from_argument", || Ok(message.into_pyobject(py)?.into()))
}

/// Whether an exception is an ordinary one, not one that ends a program.
pub(crate) fn is_ordinary(py: Python<'_>, error: &PyErr) -> bool {
    static EXCEPTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match EXCEPTION.import(py, "builtins", "Exception") {
        Ok(class) => error.is_instance(py, class),
        Err(_) => false,
    }
}

/// What an object raised when it was asked for what it is, as an error of the argument.
pub(crate) fn about(py: Python<'_>, who: &str, error: PyErr) -> PyErr {
    if !is_ordinary(py, &error) {
        return error;
    }
    let about = argument(py, format!("{who}: {error}"));
    about.set_cause(py, Some(error));
    about
}
