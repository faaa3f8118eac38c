//! `cargo xtask record`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the recording script on folders of the workspace. The script reads `NVCC` and `PYTHON`.
///
/// # Errors
/// The script cannot be run, or fails.
pub(crate) fn record(root: &Path, folders: &[PathBuf]) -> Result<(), String> {
    let script = root.join("examples/record.sh");
    let status = Command::new("bash")
        .arg(&script)
        .args(folders.iter().map(|folder| root.join(folder)))
        .current_dir(root)
        .status()
        .map_err(|why| format!("cannot run {}: {why}", script.display()))?;
    if status.success() { Ok(()) } else { Err(format!("{} failed", script.display())) }
}
