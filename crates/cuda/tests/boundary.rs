//! What checks find across the boundary between a program and its devices: the test runs itself as programs that are wrong on
//! purpose, and as the same ones mended.
#![allow(unsafe_code)]

mod common;

use common::{address, call, kernel};
use cuda::abi::*;
use cuda::functions::*;
use std::env;
use std::process::{Command, Output};

/// The variable that makes this program a client.
const ROLE: &str = "WARPWISE_TEST_ROLE";

const COUNT: u32 = 64;
const BYTES: u64 = COUNT as u64 * 4;

fn allocate() -> CUdeviceptr {
    let mut at = 0;
    call!(cuMemAlloc_v2(Out::new(&mut at), BYTES));
    at
}

/// `values[i] = values[i] * 2 + 1` in a stream.
fn scale(function: CUfunction, values: CUdeviceptr, stream: CUstream, threads: u32) -> CUresult {
    let (factor, offset, count) = (2i32, 1i32, COUNT as i32);
    let mut params = [address(&values), address(&factor), address(&offset), address(&count)];
    let params = Out::new(&mut params[0]);
    // SAFETY: the arguments live.
    unsafe { cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream, params, Out::null()) }
}

fn stream(flags: u32) -> CUstream {
    let mut stream = CUstream::NULL;
    call!(cuStreamCreate(Out::new(&mut stream), flags));
    stream
}

const NON_BLOCKING: u32 = 1;

fn client(role: &str) {
    let function = kernel("scale");
    let values = allocate();
    let mut host = [0u32; COUNT as usize];
    let out = Address(host.as_mut_ptr().expose_provenance() as u64);
    let zero = CUstream(0);
    match role {
        // Half of what is copied was never written.
        "unwritten" => {
            call!(cuMemsetD32_v2(values, 7, u64::from(COUNT) / 2));
            call!(cuMemcpyDtoH_v2(out, values, BYTES));
        }
        "unwritten-moved" => {
            let other = allocate();
            call!(cuMemsetD32_v2(values, 7, 4));
            call!(cuMemcpyDtoD_v2(other, values, BYTES));
            call!(cuMemcpyDtoH_v2(out, other, BYTES));
        }
        "unwritten-kernel" => {
            assert_eq!(scale(function, values, zero, COUNT), CUresult::SUCCESS);
            call!(cuCtxSynchronize());
        }
        // A kernel has written half of it.
        "half" => {
            call!(cuMemsetD32_v2(values, 7, u64::from(COUNT) / 2));
            assert_eq!(scale(function, values, zero, COUNT / 2), CUresult::SUCCESS);
            call!(cuMemcpyDtoH_v2(out, values, BYTES));
        }
        "written" => {
            call!(cuMemsetD32_v2(values, 7, u64::from(COUNT)));
            assert_eq!(scale(function, values, zero, COUNT), CUresult::SUCCESS);
            call!(cuMemcpyDtoH_v2(out, values, BYTES));
            assert_eq!(host, [15; COUNT as usize]);
            call!(cuMemFree_v2(values));
            // Another allocation is as unwritten, wherever it lies.
            let other = allocate();
            call!(cuMemsetD8_v2(other, 0, BYTES));
            call!(cuMemcpyDtoH_v2(out, other, BYTES));
        }
        "freed" => {
            call!(cuMemFree_v2(values));
            // SAFETY: the host's side is there.
            let copied = unsafe { cuMemcpyDtoH_v2(out, values + 8, 4) };
            assert_eq!(copied, CUresult::INVALID_VALUE);
        }
        "freed-twice" => {
            call!(cuMemFree_v2(values));
            // SAFETY: it takes a number.
            assert_eq!(unsafe { cuMemFree_v2(values) }, CUresult::INVALID_VALUE);
        }
        "size" => {
            assert_eq!(scale(function, values, zero, 2048), CUresult::INVALID_VALUE);
        }
        "race" | "event" | "host" | "query" | "legacy" | "blocking" => {
            let (mut event, mut known) = (CUevent::NULL, CUresult::NOT_READY);
            let flags = if role == "blocking" { 0 } else { NON_BLOCKING };
            let (one, other) = (stream(flags), stream(NON_BLOCKING));
            call!(cuEventCreate(Out::new(&mut event), 0));
            let first = if matches!(role, "legacy" | "blocking") { zero } else { other };
            call!(cuMemsetD32Async(values, 7, u64::from(COUNT), first));
            match role {
                "event" => {
                    call!(cuEventRecord(event, first));
                    call!(cuStreamWaitEvent(one, event, 0));
                }
                "host" => call!(cuStreamSynchronize(first)),
                "query" => {
                    while known == CUresult::NOT_READY {
                        // SAFETY: it takes a handle.
                        known = unsafe { cuStreamQuery(first) };
                    }
                }
                _ => {}
            }
            assert_eq!(scale(function, values, one, COUNT), CUresult::SUCCESS);
            call!(cuCtxSynchronize());
        }
        other => panic!("what is {other}?"),
    }
}

/// Runs this program as a client.
fn run(role: &str, check: bool) -> Output {
    let program = env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    for (name, _) in env::vars().filter(|(name, _)| name.starts_with("WARPWISE_")) {
        command.env_remove(name);
    }
    let check = if check { "1" } else { "0" };
    command.envs([(ROLE, role), ("WARPWISE_CHECK", check)]).output().expect("it runs")
}

fn main() {
    if let Ok(role) = env::var(ROLE) {
        return client(&role);
    }
    if !cfg!(target_os = "linux") {
        return;
    }
    // Each program, the code that it is told, words of the finding, and how it ends.
    let table: [(&str, &str, &str, i32); 14] = [
        ("unwritten", "H001", "128 of 256 bytes", 0),
        ("unwritten-moved", "H001", "240 of 256 bytes", 0),
        ("unwritten-kernel", "M004", "nothing wrote", 1),
        ("half", "H001", "128 of 256 bytes", 0),
        ("written", "", "", 0),
        ("freed", "H002", "a copy or fill of memory that has been freed", 1),
        ("freed-twice", "H002", "a free of memory that has been freed", 1),
        ("size", "H004", "2048", 1),
        ("race", "H003", "a fill writes and `scale` writes the same 256 bytes", 1),
        ("event", "", "", 0),
        ("host", "", "", 0),
        ("query", "", "", 0),
        // A stream that does not block runs beside the default one (CUDA C++ Programming Guide, "Default Stream").
        ("legacy", "H003", "a fill writes and `scale` writes the same 256 bytes", 1),
        ("blocking", "", "", 0),
    ];
    for (role, code, words, status) in table {
        let ran = run(role, true);
        let told = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(status), "{role}: {told}");
        match code {
            "" => assert_eq!(told, "", "{role}"),
            code => assert!(told.contains(code) && told.contains(words), "{role}: {told}"),
        }
        // Nobody is told without a check.
        let ran = run(role, false);
        assert_eq!((ran.status.code(), ran.stderr.len()), (Some(0), 0), "{role}");
    }
}
