//! The table of entry points: it holds what the headers declare, and nothing in it crashes.
#![allow(unsafe_code)]

use cuda::abi::CUresult;
use cuda::{Entry, entries};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// A row of the recorded functions.
struct Recorded {
    base: String,
    version: u32,
    of_thread: bool,
    header: String,
    parameters: Vec<String>,
}

fn recorded() -> BTreeMap<String, Recorded> {
    let rows = include_str!("../api/driver.tsv").lines().filter(|row| !row.starts_with('#'));
    let row = |row: &str| {
        let columns: Vec<&str> = row.split('\t').collect();
        let parameters = columns[5].split(", ").filter(|it| !it.is_empty());
        let recorded = Recorded {
            base: columns[1].to_owned(),
            version: columns[2].parse().expect("a version"),
            of_thread: columns[3] == "thread",
            header: columns[4].to_owned(),
            parameters: parameters.map(str::to_owned).collect(),
        };
        (columns[0].to_owned(), recorded)
    };
    rows.map(row).collect()
}

#[test]
fn every_function_of_the_headers_is_there() {
    let recorded = recorded();
    assert!(recorded.len() > 700, "{}", recorded.len());
    assert_eq!(recorded.len(), entries().len());
    for entry in entries() {
        let row = recorded.get(entry.name).unwrap_or_else(|| panic!("{} is recorded", entry.name));
        let known = (row.base.as_str(), row.version, row.of_thread, row.header.as_str());
        assert_eq!((entry.base, entry.version, entry.of_thread, entry.header), known);
        assert_eq!(entry.arity, row.parameters.len(), "{}", entry.name);
    }
}

/// The functions that programs ask for first of all.
#[test]
fn what_programs_need_is_behind_it() {
    let works: HashMap<&str, bool> =
        entries().iter().map(|entry| (entry.name, entry.missing.is_none())).collect();
    for name in [
        "cuInit",
        "cuGetProcAddress_v2",
        "cuLibraryLoadData",
        "cuLaunchKernelEx_ptsz",
        "cuMemAllocAsync",
        "cuGraphLaunch",
        "cuTexObjectCreate",
        "cuLinkComplete",
    ] {
        assert_eq!(works.get(name), Some(&true), "{name}");
    }
    assert_eq!(works.get("cuGraphicsGLRegisterBuffer"), Some(&false));
}

/// More arguments than any function has; all are passed as words.
type Words = [u64; 14];

fn call(entry: &Entry, words: Words) -> CUresult {
    // What a crash of the process is the fault of.
    println!("{}", entry.name);
    invoke(entry, words)
}

fn invoke(entry: &Entry, words: Words) -> CUresult {
    type Function = unsafe extern "C" fn(
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
    ) -> CUresult;
    // SAFETY: no function has parameters that are not words, or more of them; the calling conventions of C on 64-bit hosts let a
    // callee ignore arguments.
    let function: Function = unsafe { std::mem::transmute(entry.code.0) };
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = words;
    // SAFETY: as above.
    unsafe { function(a, b, c, d, e, f, g, h, i, j, k, l, m, n) }
}

/// Functions with parameters in registers for floats, or larger than a word: nothing is behind them.
fn is_of_words(row: &Recorded) -> bool {
    let large = ["float ", "CUipcMemHandle ", "CUipcEventHandle "];
    !row.parameters.iter().any(|parameter| large.iter().any(|ty| parameter.starts_with(ty)))
}

/// Results of functions that are content with null for all that they are given.
fn may_succeed_with_null(name: &str) -> bool {
    let plain = name.trim_end_matches("_ptsz").trim_end_matches("_ptds");
    let all = [
        // They end something, or free nothing.
        "cuInit",
        "cuCtxSetCurrent",
        "cuMemFree_v2",
        "cuMemFreeHost",
        "cuMemFreeAsync",
        "cuTexObjectDestroy",
        "cuSurfObjectDestroy",
        "cuCtxSynchronize",
        "cuCtxSynchronize_v2",
        "cuStreamSynchronize",
        "cuStreamQuery",
        "cuCtxResetPersistingL2Cache",
        "cuProfilerStart",
        "cuProfilerStop",
        "cuCtxPopCurrent",
        "cuCtxPopCurrent_v2",
        "cuCtxSetFlags",
        "cuCtxSetCacheConfig",
        "cuCtxSetSharedMemConfig",
        "cuCtxSetLimit",
        "cuCtxGetStreamPriorityRange",
        "cuMemGetInfo_v2",
        "cuDevicePrimaryCtxGetState",
        "cuDevicePrimaryCtxReset",
        "cuDevicePrimaryCtxReset_v2",
        "cuDevicePrimaryCtxSetFlags",
        "cuDevicePrimaryCtxSetFlags_v2",
        "cuDevicePrimaryCtxRelease",
        "cuDevicePrimaryCtxRelease_v2",
        "cuMemRangeGetAttributes",
        "cuPointerGetAttributes",
        "cuMemPoolTrimTo",
        // The default stream of a thread captures as others do.
        "cuStreamBeginCapture",
        "cuStreamBeginCapture_v2",
        "cuStreamCopyAttributes",
        // There is nothing to trim.
        "cuDeviceGraphMemTrim",
    ];
    // Copies and fills of nothing.
    all.contains(&plain) || plain.starts_with("cuMemcpy") || plain.starts_with("cuMemset")
}

/// Makes a context of the first device current.
fn with_context() {
    let mut context = 0u64;
    let entry =
        |name: &str| entries().iter().find(|entry| entry.name == name).expect("it is there");
    let mut words = Words::default();
    assert_eq!(call(entry("cuInit"), words), CUresult::SUCCESS);
    words[0] = (&raw mut context).expose_provenance() as u64;
    assert_eq!(call(entry("cuCtxCreate_v2"), words), CUresult::SUCCESS);
}

#[test]
fn null_pointers_are_refused() {
    with_context();
    let recorded = recorded();
    for entry in entries().iter().filter(|entry| is_of_words(&recorded[entry.name])) {
        // Some functions take the context away.
        let pops = [
            "cuCtxPopCurrent",
            "cuCtxDestroy",
            "cuCtxSetCurrent",
            "cuDevicePrimary",
            "cuCtxDetach",
        ];
        let result = call(entry, Words::default());
        if entry.missing.is_some() {
            assert_eq!(result, CUresult::NOT_SUPPORTED, "{}", entry.name);
        } else if !may_succeed_with_null(entry.name) {
            assert_ne!(result, CUresult::SUCCESS, "{}", entry.name);
        }
        assert_ne!(result, CUresult::UNKNOWN, "{} has panicked", entry.name);
        if pops.iter().any(|name| entry.name.starts_with(name)) {
            with_context();
        }
    }
}

#[test]
fn wild_handles_are_refused() {
    with_context();
    let recorded = recorded();
    let is_handle = |ty: &str| {
        let known = [
            "CUcontext",
            "CUmodule",
            "CUfunction",
            "CUlibrary",
            "CUkernel",
            "CUstream",
            "CUevent",
            "CUarray",
            "CUgraph",
            "CUgraphNode",
            "CUgraphExec",
            "CUmemoryPool",
            "CUlinkState",
            "CUdeviceptr",
            "CUtexObject",
            "CUsurfObject",
            "CUtexref",
            "CUsurfref",
        ];
        known.contains(&ty)
    };
    let mut room = vec![0u64; 1 << 12];
    for wild in [3, 0x1234, 0xdead_beef, 0x5701_ffff_f000_0000, 0x5706_ffff_f000_0000, u64::MAX] {
        for entry in entries().iter().filter(|entry| is_of_words(&recorded[entry.name])) {
            let mut words = Words::default();
            let mut handles = 0;
            room.fill(0);
            let room = (&raw mut room[0]).expose_provenance() as u64;
            for (word, parameter) in words.iter_mut().zip(&recorded[entry.name].parameters) {
                let (ty, _) = parameter.rsplit_once(' ').expect("a type and a name");
                *word = match ty {
                    ty if ty.ends_with('*') => room,
                    ty if is_handle(ty) => {
                        handles += 1;
                        wild
                    }
                    // Nothing is copied from or to the program.
                    _ => 0,
                };
            }
            let result = call(entry, words);
            assert_ne!(result, CUresult::UNKNOWN, "{} has panicked", entry.name);
            if handles > 0 && entry.missing.is_none() && !may_succeed_with_null(entry.name) {
                assert_ne!(result, CUresult::SUCCESS, "{} with {wild:#x}", entry.name);
            }
        }
        with_context();
    }
}

/// Whatever threads do at once: no call panics, hangs or crashes, and each thread has its own context.
#[test]
fn everything_is_called_from_64_threads() {
    const THREADS: usize = 64;
    let recorded = recorded();
    let all: Vec<&Entry> =
        entries().iter().filter(|entry| is_of_words(&recorded[entry.name])).collect();
    let all: &[&Entry] = &all;
    with_context();
    std::thread::scope(|scope| {
        for nth in 0..THREADS {
            scope.spawn(move || {
                with_context();
                // Each begins somewhere else.
                let (early, late) = all.split_at(nth * all.len() / THREADS);
                for entry in late.iter().chain(early) {
                    let result = invoke(entry, Words::default());
                    assert_ne!(result, CUresult::UNKNOWN, "{} has panicked", entry.name);
                    if entry.missing.is_some() {
                        assert_eq!(result, CUresult::NOT_SUPPORTED, "{}", entry.name);
                    }
                }
            });
        }
    });
}

/// docs/cuda-driver.md is the table; `UPDATE_EXPECT=1` writes it.
#[test]
fn the_documentation_is_the_table() {
    let all = entries().iter().filter(|entry| !entry.of_thread);
    let mut sections: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for line in include_str!("../api/entries.txt").lines() {
        order.extend(line.strip_prefix("= "));
    }
    all.for_each(|entry| sections.entry(entry.section).or_default().push(entry));
    let count = |works: bool| entries().iter().filter(|it| it.missing.is_none() == works).count();
    let mut text = format!(
        "# CUDA's driver interface\n\n\
         Made from the code: `UPDATE_EXPECT=1 cargo test -p warpwise-cuda --test table`.\n\n\
         `libcuda.so.1` exports all {} functions that the headers of CUDA 13.5 declare, those for the default streams of threads \
         (`_ptds`, `_ptsz`) included; {} do what they are for. The other {} return `CUDA_ERROR_NOT_SUPPORTED` and say so once on standard error.\n",
        entries().len(),
        count(true),
        count(false),
    );
    for section in order {
        let Some(entries) = sections.get(section) else { continue };
        let _ = write!(text, "\n## {section}\n\n| function | since | |\n|---|---|---|\n");
        for entry in entries {
            let (major, minor) = (entry.version / 1000, entry.version % 1000 / 10);
            let what = entry.missing.map_or("works".to_owned(), |why| format!("not there: {why}"));
            let _ = writeln!(text, "| `{}` | {major}.{minor} | {what} |", entry.name);
        }
    }
    expect_test::expect_file!["../../../docs/cuda-driver.md"].assert_eq(&text);
}
