//! The environment of a CUDA program: how it finds the libraries, what these are to do, and what other tools must know.

use super::place;
use crate::arguments::{ExecArguments, LibraryArguments};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Every variable that is set. The libraries read those that begin with `WARPWISE_`.
pub(super) fn settings(
    arguments: &LibraryArguments,
    is_python: bool,
    folder: &Path,
) -> Result<Vec<(&'static str, OsString)>, String> {
    let mut set: Vec<(&'static str, OsString)> = Vec::new();
    // A path with a separator in it cannot be written down there; libraries are then found by their names.
    let separates = |byte: &u8| b" :".contains(byte);
    let by_name = folder.as_os_str().as_encoded_bytes().iter().any(separates);
    let mut preloaded = OsString::new();
    for name in place::preloaded(is_python) {
        preloaded.push(if preloaded.is_empty() { "" } else { ":" });
        preloaded.push(if by_name { PathBuf::from(name) } else { folder.join(name) });
    }
    set.push(("LD_LIBRARY_PATH", in_front("LD_LIBRARY_PATH", folder.as_os_str())));
    set.push(("LD_PRELOAD", in_front("LD_PRELOAD", &preloaded)));
    // For programs that call a compiler as they run.
    set.push(("PATH", in_front("PATH", folder.as_os_str())));

    let yes = || OsString::from("1");
    let own = [
        ("WARPWISE_DEVICE", arguments.device.as_ref().map(OsString::from)),
        ("WARPWISE_DEVICES", arguments.devices.map(|count| count.to_string().into())),
        ("WARPWISE_ENGINE", arguments.engine.as_ref().map(OsString::from)),
        ("WARPWISE_CHECK", arguments.check.then(yes)),
        ("WARPWISE_LEAKS", arguments.leaks.then(yes)),
        ("WARPWISE_REPORT", arguments.report.as_deref().map(absolute).transpose()?),
        ("WARPWISE_ONLY", arguments.only.as_ref().map(OsString::from)),
        ("WARPWISE_SKIP", arguments.skip.as_ref().map(OsString::from)),
        ("WARPWISE_FIRST", arguments.first.map(|count| count.to_string().into())),
    ];
    set.extend(own.into_iter().filter_map(|(name, value)| Some((name, value?))));

    // Triton looks for the driver and runs an assembler; CuPy is to keep its PTX. They and PyCUDA keep what they compile, which is not
    // for a GPU.
    let cache = warpwise::cache_folder()?;
    let assembler = place::assembler(folder);
    // PyCUDA makes its own folder only where it chooses it.
    let pycuda = cache.join("pycuda");
    std::fs::create_dir_all(&pycuda)
        .map_err(|why| format!("cannot make {}: {why}", pycuda.display()))?;
    for (name, value) in [
        ("TRITON_LIBCUDA_PATH", folder.as_os_str().to_owned()),
        ("TRITON_PTXAS_PATH", assembler.clone().into_os_string()),
        ("TRITON_PTXAS_BLACKWELL_PATH", assembler.into_os_string()),
        ("TRITON_CACHE_DIR", cache.join("triton").into_os_string()),
        ("CUPY_COMPILE_WITH_PTX", yes()),
        ("CUPY_CACHE_DIR", cache.join("cupy").into_os_string()),
        ("PYCUDA_CACHE_DIR", pycuda.into_os_string()),
    ] {
        set.push((name, value));
    }
    Ok(set)
}

/// Whether the program is Python, or a script that begins with the name of one.
pub(super) fn is_python(arguments: &ExecArguments) -> bool {
    const PYTHON: &[u8] = b"python";
    let Some(program) = arguments.program.first() else { return false };
    let path = Path::new(program);
    let name = path.file_name().map_or(&b""[..], OsStr::as_encoded_bytes);
    let path = match program.as_encoded_bytes().contains(&b'/') {
        true => Some(path.to_owned()),
        false => env::var_os("PATH").and_then(|paths| {
            env::split_paths(&paths).map(|folder| folder.join(path)).find(|file| file.is_file())
        }),
    };
    let mut first = [0; 256];
    let read = path.and_then(|path| File::open(path).ok()?.read(&mut first).ok());
    let line = first[..read.unwrap_or(0)].split(|byte| *byte == b'\n').next().unwrap_or(b"");
    let runs_python =
        line.starts_with(b"#!") && line.windows(PYTHON.len()).any(|part| part == PYTHON);
    name.starts_with(PYTHON) || runs_python
}

/// A list of the environment with more in front, once.
fn in_front(name: &str, first: &OsStr) -> OsString {
    let mut list = first.to_owned();
    match env::var_os(name) {
        // One inside the other.
        Some(rest) if begins_with(&rest, first) => return rest,
        Some(rest) if !rest.is_empty() => {
            list.push(":");
            list.push(rest);
        }
        Some(_) | None => {}
    }
    list
}

fn begins_with(list: &OsStr, first: &OsStr) -> bool {
    let rest = list.as_encoded_bytes().strip_prefix(first.as_encoded_bytes());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b":"))
}

/// The program may work in another folder.
fn absolute(path: &Path) -> Result<OsString, String> {
    let path = std::path::absolute(path);
    path.map(OsString::from).map_err(|why| format!("cannot find out where the report goes: {why}"))
}
