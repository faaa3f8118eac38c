//! The folder in which programs find our libraries by NVIDIA's names.

use crate::output;
use std::collections::hash_map::DefaultHasher;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use warpwise::{cache_folder, shim};

/// The libraries, by the names that cargo gives them.
const DRIVER: &str = "libcuda.so";
const RUNTIME: &str = "libcudart.so";

/// What the runtime calls itself (`crates/cudart/build.rs`): no library of NVIDIA's has that name.
pub(super) const PRELOADED: &str = "libwarpwise_cudart.so";

/// The names by which programs ask for the driver.
const DRIVER_NAMES: [&str; 2] = ["libcuda.so", "libcuda.so.1"];

/// The names by which programs that were linked with the shared runtime ask for it, each the version of its functions, too.
const RUNTIME_VERSIONS: [&str; 3] = ["libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"];

/// The name by which the command is NVIDIA's assembler (`crates/cli/src/ptxas.rs`).
const ASSEMBLER: &str = "ptxas";

/// The name by which the command stands before NVIDIA's compiler.
const COMPILER: &str = crate::nvcc::NAME;

/// Libraries that link by way of intermediate code, which is not PTX. Where they are loaded already and have no functions, as these,
/// NVIDIA's Python packages let the driver link PTX.
const LINKERS: [&str; 2] = ["libnvJitLink.so.12", "libnvJitLink.so.13"];

fn command() -> Result<PathBuf, String> {
    let command = env::current_exe().and_then(fs::canonicalize);
    command.map_err(|why| format!("cannot find out where warpwise is: {why}"))
}

/// The folder with both libraries: the one of the command, or the one where packages put them.
fn libraries(command: &Path) -> Result<PathBuf, String> {
    let beside = command.parent().unwrap_or(Path::new("/"));
    let folders = [beside.to_owned(), beside.join("../lib/warpwise")];
    let has_both =
        |folder: &&PathBuf| [DRIVER, RUNTIME].iter().all(|name| folder.join(name).is_file());
    let found = folders.iter().find(has_both).ok_or_else(|| {
        format!(
            "{DRIVER} and {RUNTIME} are neither beside warpwise, in {}, nor in ../lib/warpwise from there: release archives and `pip install warpwise` have \
             them; in the sources, `cargo build --release -p warpwise-cuda -p warpwise-cudart` makes them",
            beside.display()
        )
    })?;
    fs::canonicalize(found).map_err(|why| format!("cannot read {}: {why}", found.display()))
}

/// Makes the folder, if something of it is missing, and returns it.
pub(super) fn folder() -> Result<PathBuf, String> {
    let command = command()?;
    let libraries = libraries(&command)?;
    let mut hasher = DefaultHasher::new();
    (&command, &libraries, env!("CARGO_PKG_VERSION")).hash(&mut hasher);
    let folder = cache_folder()?.join(format!("driver-{:016x}", hasher.finish()));
    let fail = |path: &Path, why: io::Error| format!("cannot make {}: {why}", path.display());
    fs::create_dir_all(&folder).map_err(|why| fail(&folder, why))?;
    for name in DRIVER_NAMES {
        link(&libraries.join(DRIVER), &folder.join(name))?;
    }
    for name in [RUNTIME, PRELOADED] {
        link(&libraries.join(RUNTIME), &folder.join(name))?;
    }
    for name in RUNTIME_VERSIONS.into_iter().chain(LINKERS) {
        file(&folder.join(name), &shim::library(name, PRELOADED))?;
    }
    link(&command, &folder.join(ASSEMBLER))?;
    link(&command, &folder.join(COMPILER))?;
    Ok(folder)
}

/// The assembler in the folder.
pub(super) fn assembler(folder: &Path) -> PathBuf {
    folder.join(ASSEMBLER)
}

/// What is loaded before all else: the runtime, and for Python the linkers.
pub(super) fn preloaded(is_python: bool) -> impl Iterator<Item = &'static str> {
    [PRELOADED].into_iter().chain(LINKERS.into_iter().filter(move |_| is_python))
}

/// Puts a file there unless it is there; another process may do the same.
fn file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    match fs::read(path) {
        Ok(found) if found == bytes => Ok(()),
        _ => output::write_bytes(path, bytes),
    }
}

/// Puts a link there unless it is there; another process may do the same.
#[cfg(unix)]
fn link(target: &Path, path: &Path) -> Result<(), String> {
    if fs::read_link(path).is_ok_and(|found| found == target) {
        return Ok(());
    }
    let mut own = path.file_name().unwrap_or(OsStr::new("")).to_owned();
    own.push(format!(".{}", std::process::id()));
    let own = path.with_file_name(own);
    // What a process left that had the same number.
    let _ = fs::remove_file(&own);
    std::os::unix::fs::symlink(target, &own)
        .and_then(|()| fs::rename(&own, path))
        .map_err(|why| format!("cannot make {}: {why}", path.display()))
}

#[cfg(not(unix))]
fn link(_target: &Path, _path: &Path) -> Result<(), String> {
    Err("CUDA programs run on Linux alone".to_owned())
}
