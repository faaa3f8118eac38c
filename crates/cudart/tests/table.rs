//! The table of functions: it has the names that NVIDIA's runtimes export (12.9 and 13.5), the documentation is made of it, and
//! nothing in it crashes.

mod common;

use cudart::Row;
use std::collections::BTreeSet;
use std::fmt::Write as _;

#[test]
fn every_function_is_there_once() {
    let theirs: BTreeSet<&str> = include_str!("exported.txt").lines().collect();
    let ours: Vec<&str> = cudart::functions().map(|row| row.name).collect();
    let once: BTreeSet<&str> = ours.iter().copied().collect();
    assert_eq!(ours.len(), once.len());
    let missing: Vec<_> = theirs.difference(&once).collect();
    let invented: Vec<_> = once.difference(&theirs).collect();
    assert!(
        missing.is_empty() && invented.is_empty(),
        "missing {missing:?}, invented {invented:?}"
    );
}

/// docs/cuda-runtime.md is the table; `UPDATE_EXPECT=1` writes it.
#[test]
fn the_documentation_is_the_table() {
    let of_thread = |name: &str| name.ends_with("_ptsz") || name.ends_with("_ptds");
    let mut rows: Vec<&Row> = cudart::functions().filter(|row| !of_thread(row.name)).collect();
    rows.sort_by_key(|row| row.name.trim_start_matches('_'));
    let all = cudart::functions().count();
    let working = cudart::functions().filter(|row| row.works).count();
    let mut text = format!(
        "# CUDA's runtime interface\n\n\
         Made from the code: `UPDATE_EXPECT=1 cargo test -p warpwise-cudart --test table`.\n\n\
         `libcudart.so` has all {all} functions that the runtimes of CUDA 12.9 and 13.5 export, those for the default streams of threads \
         (`_ptds`, `_ptsz`) included; {working} do what they are for, as far as the driver does ([cuda-driver.md](cuda-driver.md)). The \
         other {} return `cudaErrorNotSupported` and say so once on standard error.\n",
        all - working,
    );
    for (title, works) in [("What works", true), ("What does not", false)] {
        let _ = write!(text, "\n## {title}\n\n");
        for row in rows.iter().filter(|row| row.works == works) {
            let _ = writeln!(text, "- `{}`", row.name);
        }
    }
    expect_test::expect_file!["../../../docs/cuda-runtime.md"].assert_eq(&text);
}

/// Functions that are content with null for all that they are given: they free, end, set or copy nothing.
const MAY_SUCCEED: [&str; 28] = [
    "__cudaPushCallConfiguration",
    "cudaCtxResetPersistingL2Cache",
    "cudaDestroySurfaceObject",
    "cudaDestroyTextureObject",
    "cudaDeviceGraphMemTrim",
    "cudaDeviceGetStreamPriorityRange",
    "cudaDeviceReset",
    "cudaDeviceSetCacheConfig",
    "cudaDeviceSetLimit",
    "cudaDeviceSetSharedMemConfig",
    "cudaDeviceSynchronize",
    "cudaFree",
    "cudaFreeArray",
    "cudaFreeAsync",
    "cudaFreeHost",
    "cudaFreeMipmappedArray",
    "cudaGetLastError",
    "cudaInitDevice",
    "cudaMemGetInfo",
    "cudaMemRangeGetAttributes",
    "cudaPeekAtLastError",
    "cudaProfilerStart",
    "cudaProfilerStop",
    "cudaSetDevice",
    "cudaSetDeviceFlags",
    "cudaSetValidDevices",
    "cudaStreamQuery",
    "cudaStreamSynchronize",
];

#[test]
fn null_pointers_are_refused() {
    common::driver();
    // The arguments that are structures stand where the words behind the first six do, or in registers as words do.
    type Function =
        unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> i32;
    let mut wrong = Vec::new();
    for row in cudart::functions() {
        // These return no status.
        let others = [
            "__cudaRegister",
            "__cudaUnregister",
            "__cudaInitModule",
            "cudaCreateChannelDesc",
            "cudaGetErrorName",
            "cudaGetErrorString",
        ];
        if others.iter().any(|name| row.name.starts_with(name)) {
            continue;
        }
        // SAFETY: all arguments are words, or as many zeros as there are words; a callee of C may ignore arguments.
        let status = unsafe {
            let function = std::mem::transmute::<*const (), Function>(row.address);
            println!("{}", row.name);
            function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        };
        let plain = row.name.trim_end_matches("_ptsz").trim_end_matches("_ptds");
        let copies = plain.starts_with("cudaMemcpy")
            || plain.starts_with("cudaMemset")
            || plain.starts_with("cudaThread")
            || plain.starts_with("cudaStream");
        let fine = match row.works {
            false => status == 801,
            true if copies || MAY_SUCCEED.contains(&plain) => status != 999,
            true => status != 0 && status != 999,
        };
        if !fine {
            wrong.push((row.name, status));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
