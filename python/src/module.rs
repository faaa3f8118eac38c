//! Modules with the device that their kernels run on.

use crate::errors;
use crate::kernel::Kernel;
use crate::own::Own;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;
use warpwise::{
    Arg, Buffer, CodeCache, Device, Error, Linker, Properties, PtxText, ptx_of_bytes, ptx_of_file,
};

/// Modules of PTX, linked, and a device that keeps their variables.
#[pyclass(frozen, module = "warpwise._warpwise")]
pub(crate) struct Module {
    module: warpwise::Module,
    device: Arc<Own>,
    texts: Vec<(String, String)>,
}

/// The architectures of which a device is known.
#[pyfunction]
pub(crate) fn targets() -> Vec<String> {
    Properties::targets().collect()
}

#[pymethods]
impl Module {
    /// Links modules, each a name and a text, for an architecture or for the one that they are written for.
    #[new]
    #[pyo3(signature = (texts, target=None, /))]
    fn new(
        py: Python<'_>,
        texts: Vec<(String, String)>,
        target: Option<String>,
    ) -> PyResult<Module> {
        let read = || -> Result<Module, Error> {
            let mut linker = Linker::new();
            for (name, text) in &texts {
                linker.add_ptx(name.as_str(), text.as_str())?;
            }
            let mut module = linker.link()?;
            if let Some(target) = &target {
                module.retarget(target)?;
            }
            module.set_code_cache(CodeCache::of_user());
            let device = Arc::new(Own::new(Device::of_target(target.as_deref())?));
            Ok(Module { module, device, texts: Vec::new() })
        };
        let module = py.detach(read).map_err(|error| errors::failure(py, &error))?;
        Ok(Module { texts, ..module })
    }

    /// The modules in a file: a name and a text each.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn read_file(py: Python<'_>, path: std::path::PathBuf) -> PyResult<Vec<(String, String)>> {
        let read = py.detach(|| ptx_of_file(&path));
        named(py, read)
    }

    /// The modules in what a file would hold.
    #[staticmethod]
    #[pyo3(signature = (name, bytes, /))]
    fn read_bytes(py: Python<'_>, name: String, bytes: Vec<u8>) -> PyResult<Vec<(String, String)>> {
        let read = py.detach(|| ptx_of_bytes(name, bytes));
        named(py, read)
    }

    /// The names and texts of its parts.
    #[getter]
    fn texts(&self) -> Vec<(String, String)> {
        self.texts.clone()
    }

    /// The architecture that its kernels run as.
    #[getter]
    fn target(&self) -> String {
        self.module.target()
    }

    /// Its kernels: the symbol and the name for people of each.
    #[getter]
    fn kernels(&self) -> Vec<(String, String)> {
        self.module.kernels().map(str::to_owned).zip(self.module.kernel_names()).collect()
    }

    /// Its variables in global and constant memory: name, declaration and bytes of each.
    #[getter]
    fn variables(&self) -> Vec<(String, String, u64)> {
        let of = |it: warpwise::Variable| (it.name().to_owned(), it.declaration(), it.bytes());
        self.module.variables().map(of).collect()
    }

    /// What deserves a look in it, in words.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let sources = self.module.sources();
        let told = self.module.warnings().iter();
        told.map(|it| warpwise::diag::render::text(sources, it, false)).collect()
    }

    /// A kernel by its name in the PTX or in C++.
    #[pyo3(signature = (name, /))]
    fn kernel(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        let kernel = py.detach(|| self.module.kernel(name));
        let kernel = kernel.map_err(|error| errors::failure(py, &error))?;
        Ok(Kernel::new(kernel, Arc::clone(&self.device)))
    }

    /// The bytes of a variable.
    #[pyo3(signature = (name, /))]
    fn read<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let read = py.detach(|| {
            self.module.variable(name)?;
            let device = self.device.lock();
            let buffer: Option<Buffer> = device.variable(&self.module, name)?;
            buffer.map_or(Ok(Vec::new()), |buffer| device.bytes(buffer))
        });
        Ok(PyBytes::new(py, &read.map_err(|error| errors::failure(py, &error))?))
    }

    /// Gives a variable its bytes.
    #[pyo3(signature = (name, bytes, /))]
    fn write(&self, py: Python<'_>, name: &str, bytes: Vec<u8>) -> PyResult<()> {
        let written = py.detach(|| {
            let device = self.device.lock();
            device.set_variable(&self.module, name, &Arg::Bytes(bytes))
        });
        written.map_err(|error| errors::failure(py, &error))
    }
}

fn named(py: Python<'_>, read: Result<Vec<PtxText>, Error>) -> PyResult<Vec<(String, String)>> {
    let texts = read.map_err(|error| errors::failure(py, &error))?;
    Ok(texts.into_iter().map(|PtxText { name, text, .. }| (name, text)).collect())
}
