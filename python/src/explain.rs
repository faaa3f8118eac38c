//! What one warp instruction does.

use crate::errors;
use pyo3::prelude::*;
use warpwise::LaneMask;
use warpwise::explain::{Setting, explain as explained};

/// Explains an instruction of PTX, or a call of CUDA C++: its text, its text with colours, and its picture as SVG.
#[pyfunction]
#[pyo3(signature = (instruction, lanes, settings, /))]
pub(crate) fn explain(
    py: Python<'_>,
    instruction: &str,
    lanes: u32,
    settings: Vec<(String, [u64; 32])>,
) -> PyResult<(String, String, String)> {
    let setting = |(name, values)| Setting { name, values, truth: None };
    let settings: Vec<Setting> = settings.into_iter().map(setting).collect();
    let explanation = explained(instruction, LaneMask(lanes), &settings);
    let explanation = explanation.map_err(|error| errors::failure(py, &error))?;
    Ok((explanation.text(false), explanation.text(true), explanation.svg()))
}
