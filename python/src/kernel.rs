//! Kernels: what they take, and launches of every kind.

use crate::arguments::{Arguments, Listed};
use crate::errors;
use crate::host::{Memory, Reach};
use crate::outcome;
use crate::own::Own;
use crate::settings::{Settings, launched};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use warpwise::{
    Arg, Attributes, Buffer, CheckOptions, Checked, Device, Error, Exploration, LaunchConfig,
    Quarantine, Report, demangled,
};

/// A kernel and the device that it runs on.
#[pyclass(frozen, module = "warpwise._warpwise")]
pub(crate) struct Kernel {
    kernel: warpwise::Kernel,
    device: Arc<Own>,
    /// Whether its last launch was brief, so that the next may be, too.
    brief: AtomicBool,
}

/// What takes less is brief: starting a thread for it would be felt.
const BRIEF: Duration = Duration::from_millis(5);

/// What a launch did: text that it printed, seconds, and counts of warp instructions, thread instructions, divergences, CTAs and
/// threads.
type Done = (Vec<u8>, f64, (u64, u64, u64, u64, u64));

impl Kernel {
    pub(crate) fn new(kernel: warpwise::Kernel, device: Arc<Own>) -> Kernel {
        Kernel { kernel, device, brief: AtomicBool::new(false) }
    }

    /// Runs `work` with the arguments within reach, and gives arrays what it has done.
    fn within_reach<T>(
        &self,
        given: &Listed,
        arrays: &[Memory],
        in_place: bool,
        work: impl FnOnce(&Device, &[Arg]) -> Result<T, Error>,
    ) -> Result<(T, Vec<usize>), Error> {
        let device = self.device.lock();
        let mut reach = Reach::new(&device, arrays, in_place)?;
        let args = Arguments::with(given, &reach.buffers);
        let result = work(&device, &args);
        // Checks keep freed addresses for ever, and nobody but us frees here: the copies.
        device.set_quarantine(Quarantine::Short);
        let copies = reach.finish()?;
        let array = |copy: &u64| reach.buffers.iter().position(|it| it.address == *copy);
        let written = copies.iter().filter_map(array).collect();
        Ok((result?, written))
    }

    /// Launches, whatever that means, and says which array must not have been written.
    fn run<T: Send>(
        &self,
        values: &Bound<'_, PyTuple>,
        settings: &Settings,
        memory: Option<Vec<Bound<'_, PyAny>>>,
        in_place: bool,
        work: impl FnOnce(&Device, &LaunchConfig<'_>, &[Arg]) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let py = values.py();
        let mut arguments = Arguments::new(&self.kernel, values, memory)?;
        let given = arguments.list();
        // What keeps the arrays stays here.
        let arrays = std::mem::take(&mut arguments.arrays);
        let brief = self.brief.load(Ordering::Relaxed);
        let began = Instant::now();
        let done = launched(py, settings, brief, |config| {
            self.within_reach(&given, &arrays, in_place, |device, args| work(device, config, args))
        })?;
        self.brief.store(began.elapsed() < BRIEF, Ordering::Relaxed);
        let (result, written) = done.map_err(|error| errors::failure(py, &error))?;
        drop(arguments);
        match written.first() {
            None => Ok(result),
            Some(array) => {
                let who = match Arguments::of_array(&given, *array) {
                    Some(nth) => format!("argument {nth}, {}", self.kernel.parameter_name(nth)),
                    None => "an array of `memory`".to_owned(),
                };
                let why = "the array is read-only, and the kernel has written to it; what it wrote is not kept";
                Err(errors::argument(py, format!("{who}: {why}")))
            }
        }
    }

    fn checked(
        &self,
        values: &Bound<'_, PyTuple>,
        settings: &Settings,
        memory: Option<Vec<Bound<'_, PyAny>>>,
        work: impl FnOnce(&Device, &LaunchConfig<'_>, &[Arg]) -> Result<Checked, Error> + Send,
    ) -> PyResult<String> {
        let name = self.kernel.plain_name();
        self.run(values, settings, memory, false, |device, config, args| {
            Ok(outcome::checked(&name, &work(device, config, args)?).to_string())
        })
    }
}

#[pymethods]
impl Kernel {
    /// Its name in the module.
    #[getter]
    fn symbol(&self) -> &str {
        self.kernel.name()
    }

    /// Its name for people.
    #[getter]
    fn name(&self) -> String {
        self.kernel.plain_name()
    }

    /// Its name with parameters, if it is one of C++.
    #[getter]
    fn signature(&self) -> Option<String> {
        demangled(self.kernel.name())
    }

    /// Its parameters: name, type, bytes, alignment and whether it is a structure, of each.
    #[getter]
    fn parameters(&self) -> Vec<(String, String, u32, u32, bool)> {
        let of = |it: &warpwise::Param| {
            (it.name.clone(), it.ty.to_string(), it.bytes, it.align, it.is_aggregate)
        };
        self.kernel.params().iter().map(of).collect()
    }

    /// What it takes of a device, by name.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let attributes: Attributes = py.detach(|| self.kernel.attributes());
        let all = PyDict::new(py);
        all.set_item("static_shared_bytes", attributes.static_shared_bytes)?;
        all.set_item("local_bytes", attributes.local_bytes)?;
        all.set_item("constant_bytes", attributes.constant_bytes)?;
        all.set_item("max_threads_per_block", attributes.max_threads_per_block)?;
        all.set_item("required_block", attributes.required_block.map(|it| (it[0], it[1], it[2])))?;
        all.set_item("estimated_registers", attributes.estimated_registers)?;
        all.set_item("ptx_version", attributes.ptx_version)?;
        all.set_item("target", attributes.target)?;
        Ok(all)
    }

    /// The warp code that it was lowered to.
    #[getter]
    fn ir(&self) -> String {
        self.kernel.ir().to_string()
    }

    /// Runs it.
    #[pyo3(signature = (grid, block, args, options=None, memory=None, /))]
    fn launch(
        &self,
        grid: &Bound<'_, PyAny>,
        block: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
        memory: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<Done> {
        let settings = Settings::new(grid, block, options)?;
        let report: Report = self.run(args, &settings, memory, true, |device, config, args| {
            self.kernel.launch(device, config, args)
        })?;
        let stats = report.stats;
        let counts = (
            stats.warp_instructions,
            stats.thread_instructions,
            stats.divergences,
            stats.ctas,
            stats.threads,
        );
        Ok((report.printed.text(), report.elapsed.as_secs_f64(), counts))
    }

    /// Runs it and looks for what is undefined: a document.
    #[pyo3(signature = (grid, block, args, options=None, memory=None, pedantic=false, /))]
    fn check(
        &self,
        grid: &Bound<'_, PyAny>,
        block: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
        memory: Option<Vec<Bound<'_, PyAny>>>,
        pedantic: bool,
    ) -> PyResult<String> {
        let settings = Settings::new(grid, block, options)?;
        self.checked(args, &settings, memory, |device, config, args| {
            self.kernel.check(device, config, CheckOptions { pedantic }, args)
        })
    }

    /// Checks it under other schedules, too: `count` from a seed, or without a seed all, at most `count`.
    #[pyo3(signature = (grid, block, args, count, seed, options=None, memory=None, pedantic=false, /))]
    #[allow(clippy::too_many_arguments)]
    fn explore(
        &self,
        grid: &Bound<'_, PyAny>,
        block: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        count: u64,
        seed: Option<u64>,
        options: Option<&Bound<'_, PyDict>>,
        memory: Option<Vec<Bound<'_, PyAny>>>,
        pedantic: bool,
    ) -> PyResult<String> {
        let settings = Settings::new(grid, block, options)?;
        let exploration = match seed {
            Some(seed) => Exploration::Some { count, seed },
            None => Exploration::All { limit: count },
        };
        self.checked(args, &settings, memory, |device, config, args| {
            self.kernel.explore(device, config, CheckOptions { pedantic }, exploration, args)
        })
    }

    /// What deserves a look in arguments of these types, in words.
    #[pyo3(signature = (args, /))]
    fn doubts(&self, args: &Bound<'_, PyTuple>) -> PyResult<Vec<String>> {
        let mut arguments = Arguments::new(&self.kernel, args, None)?;
        let given = arguments.list();
        let buffers = arguments.arrays.iter().map(|memory| Buffer {
            address: memory.address,
            bytes: memory.bytes,
            element: memory.element,
        });
        let args = Arguments::with(&given, &buffers.collect::<Vec<_>>());
        let told = self.kernel.doubts(&args);
        let sources = self.kernel.sources();
        Ok(told.iter().map(|it| warpwise::diag::render::text(sources, it, false)).collect())
    }
}
