//! Classes of modules that need not be there.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Whether it is an instance of a class of a module that is loaded.
pub(crate) fn is_of(value: &Bound<'_, PyAny>, module: &str, class: &str) -> PyResult<bool> {
    let py = value.py();
    let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?;
    match modules.cast::<PyDict>()?.get_item(module)? {
        Some(module) => match module.getattr_opt(class)? {
            Some(class) => value.is_instance(&class),
            None => Ok(false),
        },
        None => Ok(false),
    }
}
