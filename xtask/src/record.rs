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

/// Records what the C library's `printf` writes: compiles and runs a program with `cc`.
///
/// # Errors
/// There is no C compiler, or the program or the file's folder fails.
pub(crate) fn printf(root: &Path) -> Result<(), String> {
    let folder = root.join("crates/vm/tests");
    let program = root.join("target/record-printf");
    let told = |what: &str, why: std::io::Error| format!("cannot run {what}: {why}");
    let compiled = Command::new("cc")
        .args(["-w", "-O1", "-o"])
        .args([&program, &folder.join("printf.c")])
        .status()
        .map_err(|why| told("cc", why))?;
    if !compiled.success() {
        return Err("cc failed".to_owned());
    }
    let ran = Command::new(&program).output().map_err(|why| told("the program", why))?;
    let file = folder.join("printf.tsv");
    std::fs::write(&file, ran.stdout).map_err(|why| format!("{}: {why}", file.display()))
}
