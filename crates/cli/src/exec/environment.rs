//! The environment of a CUDA program: how it finds the libraries, what these are to do, and what other tools must know.

use super::place;
use crate::arguments::ExecArguments;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Every variable that is set. The libraries read those that begin with `WARPWISE_`.
pub(super) fn settings(
    arguments: &ExecArguments,
    folder: &Path,
) -> Result<Vec<(&'static str, OsString)>, String> {
    let mut set: Vec<(&'static str, OsString)> = Vec::new();
    let preloaded = folder.join(place::PRELOADED);
    // A path with a separator in it cannot be written down there; the library is then found by its name.
    let separates = |byte: &u8| b" :".contains(byte);
    let preloaded = match preloaded.as_os_str().as_encoded_bytes().iter().any(separates) {
        true => place::PRELOADED.into(),
        false => preloaded,
    };
    set.push(("LD_LIBRARY_PATH", in_front("LD_LIBRARY_PATH", folder)));
    set.push(("LD_PRELOAD", in_front("LD_PRELOAD", &preloaded)));

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

    // Triton looks for the driver and runs an assembler; CuPy is to keep its PTX. Both keep what they compile, which is not for a GPU.
    let cache = place::cache()?;
    let assembler = place::assembler(folder);
    for (name, value) in [
        ("TRITON_LIBCUDA_PATH", folder.as_os_str().to_owned()),
        ("TRITON_PTXAS_PATH", assembler.clone().into_os_string()),
        ("TRITON_PTXAS_BLACKWELL_PATH", assembler.into_os_string()),
        ("TRITON_CACHE_DIR", cache.join("triton").into_os_string()),
        ("CUPY_COMPILE_WITH_PTX", yes()),
        ("CUPY_CACHE_DIR", cache.join("cupy").into_os_string()),
    ] {
        set.push((name, value));
    }
    Ok(set)
}

/// A list of the environment with one more in front, once.
fn in_front(name: &str, first: &Path) -> OsString {
    let mut list = first.as_os_str().to_owned();
    let rest =
        env::var_os(name).filter(|rest| !rest.is_empty() && !begins_with(rest, first.as_os_str()));
    if let Some(rest) = rest {
        list.push(":");
        list.push(rest);
    }
    list
}

fn begins_with(list: &OsStr, first: &OsStr) -> bool {
    let mut parts = list.as_encoded_bytes().split(|byte| *byte == b':');
    parts.next() == Some(first.as_encoded_bytes())
}

/// The program may work in another folder.
fn absolute(path: &Path) -> Result<OsString, String> {
    let path = std::path::absolute(path);
    path.map(OsString::from).map_err(|why| format!("cannot find out where the report goes: {why}"))
}
