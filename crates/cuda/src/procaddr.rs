//! `cuGetProcAddress`: functions by name and version.

use crate::abi::constants::{
    CU_GET_PROC_ADDRESS_LEGACY_STREAM, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
    CU_GET_PROC_ADDRESS_SUCCESS, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
    CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT,
};
use crate::abi::{Address, Answer, CUresult, Out, Text};
use crate::entry::{Entry, entries};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The versions of each name, in ascending order.
fn by_name() -> &'static HashMap<&'static str, Vec<&'static Entry>> {
    static ALL: OnceLock<HashMap<&'static str, Vec<&'static Entry>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: HashMap<_, Vec<_>> = HashMap::new();
        for entry in entries() {
            all.entry(entry.base).or_default().push(entry);
        }
        all.values_mut().for_each(|versions| versions.sort_by_key(|entry| entry.version));
        all
    })
}

/// A name that means a function of another name from a version on, because `cuda.h` says so (`#define`).
const RENAMED: (&str, u32, &str) = ("cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags");

/// The function that a name means in a version: the newest one up to it; for threads' default streams, its twin if it has one.
fn find(name: &str, version: u32, of_thread: bool) -> Result<&'static Entry, u32> {
    let (old, since, new) = RENAMED;
    let name = if name == old && version >= since { new } else { name };
    let all = by_name().get(name).ok_or(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)?;
    let newest = |of_thread: bool| {
        let fits = |entry: &&&Entry| entry.version <= version && entry.of_thread == of_thread;
        all.iter().rfind(fits).copied()
    };
    let twin = if of_thread { newest(true) } else { None };
    twin.or_else(|| newest(false)).ok_or(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT)
}

/// `cuGetProcAddress_v2`.
pub(crate) fn get(
    symbol: Text,
    to: Out<Address>,
    version: i32,
    flags: u64,
    status: Out<u32>,
) -> Answer {
    let name = symbol.get()?;
    to.check()?;
    let known = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if flags & !u64::from(known) != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let of_thread = flags & u64::from(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
    match find(&name, u32::try_from(version).unwrap_or(0), of_thread) {
        Ok(entry) => {
            status.offer(CU_GET_PROC_ADDRESS_SUCCESS);
            to.set(Address(entry.code.0.expose_provenance() as u64))
        }
        Err(why) => {
            to.set(Address::NULL)?;
            status.offer(why);
            // Who asks for the status looks there.
            if status.is_null() { Err(CUresult::NOT_FOUND) } else { Ok(()) }
        }
    }
}

/// `cuGetProcAddress` as it was before CUDA 12.
pub(crate) fn get_v1(symbol: Text, to: Out<Address>, version: i32, flags: u64) -> Answer {
    get(symbol, to, version, flags, Out::null())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(of: &str, version: u32, of_thread: bool) -> Result<&'static str, u32> {
        find(of, version, of_thread).map(|entry| entry.name)
    }

    #[test]
    fn names_follow_the_version() {
        // The names that the toolkit's headers give to these versions.
        for (of, version, of_thread, expected) in [
            ("cuMemAlloc", 2000, false, "cuMemAlloc"),
            ("cuMemAlloc", 3020, false, "cuMemAlloc_v2"),
            ("cuMemAlloc", 13050, true, "cuMemAlloc_v2"),
            ("cuCtxCreate", 12000, false, "cuCtxCreate_v3"),
            ("cuCtxCreate", 12050, false, "cuCtxCreate_v4"),
            ("cuCtxSynchronize", 12090, false, "cuCtxSynchronize"),
            ("cuCtxSynchronize", 13000, false, "cuCtxSynchronize_v2"),
            ("cuDevicePrimaryCtxReset", 7000, false, "cuDevicePrimaryCtxReset"),
            ("cuGraphInstantiate", 11040, false, "cuGraphInstantiate_v2"),
            ("cuGraphInstantiate", 12000, false, "cuGraphInstantiateWithFlags"),
            ("cuStreamBeginCapture", 10000, true, "cuStreamBeginCapture_ptsz"),
            ("cuStreamBeginCapture", 10010, true, "cuStreamBeginCapture_v2_ptsz"),
            ("cuMemcpyHtoD", 12000, true, "cuMemcpyHtoD_v2_ptds"),
            ("cuLaunchKernel", 7000, true, "cuLaunchKernel_ptsz"),
        ] {
            assert_eq!(name(of, version, of_thread), Ok(expected), "{of} {version}");
        }
        assert_eq!(name("", 0, false), Err(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
        let too_early = name("cuLaunchKernelEx", 4000, false);
        assert_eq!(too_early, Err(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));
    }
}
