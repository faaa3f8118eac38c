//! `warpwise._warpwise`: kernels for Python. The package `warpwise` around it is what people import.
//!
//! Launches release the interpreter, and see the memory of arrays in place. What goes wrong is an exception of
//! `warpwise._errors`; what checks find goes to the package as JSON.

mod arguments;
mod array;
mod classes;
mod described;
mod dlpack;
mod errors;
mod explain;
mod host;
mod interrupt;
mod kernel;
mod module;
mod numbers;
mod outcome;
mod own;
mod settings;

use pyo3::prelude::*;

/// What the package `warpwise` is made of.
#[pymodule]
mod _warpwise {
    #[pymodule_export]
    use crate::explain::explain;
    #[pymodule_export]
    use crate::kernel::Kernel;
    #[pymodule_export]
    use crate::module::{Module, targets};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
