//! How a kernel is launched, as Python says it.

use crate::errors;
use crate::interrupt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicU32, Ordering};
use warpwise::{EngineChoice, Extents, LaunchConfig, Schedule};

/// The shape of a launch and its options, apart from Python.
pub(crate) struct Settings {
    grid: Extents,
    block: Extents,
    cluster: Option<Extents>,
    smem: u32,
    threads: usize,
    schedule: Schedule,
    engine: EngineChoice,
    max_steps: Option<u64>,
    stack: Option<u32>,
    heap: Option<u64>,
    deterministic: bool,
}

/// Extents: a number, or one to three of them.
fn extents(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Extents> {
    let fail = || {
        let message =
            format!("{what} is {value}: give an extent from 1 on, or one to three of them");
        errors::argument(value.py(), message)
    };
    let list: Vec<u32> = match value.extract::<u32>() {
        Ok(one) => vec![one],
        // NumPy's numbers are no sequences, either.
        Err(_) => value.extract().map_err(|_| fail())?,
    };
    let mut extents = [1; 3];
    if list.is_empty() || list.len() > extents.len() || list.contains(&0) {
        return Err(fail());
    }
    extents[..list.len()].copy_from_slice(&list);
    Ok(Extents(extents))
}

impl Settings {
    /// Reads them. `options` has what the package's `launch` takes by name.
    ///
    /// # Errors
    /// One makes no sense: the exception names it.
    pub(crate) fn new(
        grid: &Bound<'_, PyAny>,
        block: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Settings> {
        let mut settings = Settings {
            grid: extents(grid, "grid")?,
            block: extents(block, "block")?,
            cluster: None,
            smem: 0,
            threads: 0,
            schedule: Schedule::default(),
            engine: EngineChoice::Auto,
            max_steps: None,
            stack: None,
            heap: None,
            deterministic: false,
        };
        for (name, value) in options.into_iter().flatten() {
            if value.is_none() {
                continue;
            }
            let name: String = name.extract()?;
            settings.set(&name, &value).map_err(|error| {
                let py = value.py();
                match errors::is_ordinary(py, &error) {
                    true => errors::argument(py, format!("{name}={value}: {}", error.value(py))),
                    false => error,
                }
            })?;
        }
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match name {
            "smem" => self.smem = value.extract()?,
            "cluster" => self.cluster = Some(extents(value, name)?),
            "threads" => self.threads = value.extract()?,
            "schedule" => self.schedule = parsed(value)?,
            "engine" => self.engine = parsed(value)?,
            "max_steps" => self.max_steps = Some(value.extract()?),
            "stack" => self.stack = Some(value.extract()?),
            "heap" => self.heap = Some(value.extract()?),
            "deterministic" => self.deterministic = value.extract()?,
            _ => return Err(PyValueError::new_err("there is no such option")),
        }
        Ok(())
    }

    /// The launch that they describe.
    pub(crate) fn config<'a>(
        &self,
        interrupted: &'a (dyn Fn() -> bool + Sync),
    ) -> LaunchConfig<'a> {
        let mut config = LaunchConfig::new(self.grid, self.block);
        config.cluster = self.cluster;
        config.dynamic_shared = self.smem;
        config.threads = if is_forked() { 1 } else { self.threads };
        config.schedule = self.schedule.clone();
        config.engine = self.engine;
        config.max_steps = self.max_steps;
        config.stack_limit = self.stack.unwrap_or(config.stack_limit);
        config.heap_limit = self.heap.unwrap_or(config.heap_limit);
        config.deterministic = self.deterministic;
        config.interrupted = interrupted;
        config
    }
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let text: String = value.extract()?;
    text.parse().map_err(|why| PyValueError::new_err(format!("{why}")))
}

/// Whether this process is a copy of one that has launched kernels: threads are not copied, so it has its own alone.
fn is_forked() -> bool {
    static FIRST: AtomicU32 = AtomicU32::new(0);
    let own = std::process::id();
    match FIRST.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => false,
        Err(first) => first != own,
    }
}

/// Runs work that launches a kernel; see [`interrupt::run`].
///
/// # Errors
/// What a handler of a signal raised.
pub(crate) fn launched<T: Send>(
    py: Python<'_>,
    settings: &Settings,
    brief: bool,
    work: impl FnOnce(&LaunchConfig<'_>) -> T + Send,
) -> PyResult<T> {
    interrupt::run(py, brief, |interrupted| work(&settings.config(interrupted)))
}
