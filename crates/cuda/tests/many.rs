//! Many threads, and many contexts one after the other.
#![allow(unsafe_code)]

mod common;

use common::{address, call, made};
use cuda::abi::*;
use cuda::functions::*;

const PTX: &[u8] = concat!(include_str!("kernels/kernels.ptx"), "\0").as_bytes();

/// Loads a kernel, runs it on memory of its own in a stream of its own, and looks at the result.
fn scale(turn: u32) {
    let module: CUmodule = made!(cuModuleLoadData(address(&PTX[0])));
    let function: CUfunction = made!(cuModuleGetFunction(module, Text::new(c"scale")));
    let stream: CUstream = made!(cuStreamCreate(1));
    let event: CUevent = made!(cuEventCreate(0));
    let values: CUdeviceptr = made!(cuMemAllocAsync(4 * 100, stream));
    call!(cuMemsetD32Async(values, turn, 100, stream));
    let mut list = [address(&values), address(&3), address(&2), address(&100)];
    call!(cuLaunchKernel(
        function,
        1,
        1,
        1,
        128,
        1,
        1,
        0,
        stream,
        Out::new(&mut list[0]),
        Out::null()
    ));
    call!(cuEventRecord(event, stream));
    let mut held = vec![0u32; 100];
    let to = Address(held.as_mut_ptr().expose_provenance() as u64);
    call!(cuMemcpyDtoHAsync_v2(to, values, 400, stream));
    call!(cuMemFreeAsync(values, stream));
    call!(cuEventSynchronize(event));
    call!(cuStreamSynchronize(stream));
    assert_eq!(held, [turn * 3 + 2; 100]);
    call!(cuEventDestroy_v2(event));
    call!(cuStreamDestroy_v2(stream));
    call!(cuModuleUnload(module));
}

#[test]
fn threads_share_a_context() {
    call!(cuInit(0));
    let context: CUcontext = made!(cuCtxCreate_v4(Out::null(), 0, 0));
    std::thread::scope(|scope| {
        for thread in 0..64 {
            scope.spawn(move || {
                call!(cuCtxSetCurrent(context));
                (0..8).for_each(|turn| scale(thread * 8 + turn));
            });
        }
    });
    call!(cuCtxSynchronize());
    call!(cuCtxDestroy_v2(context));
}

/// Bytes of memory that the process has, and its threads.
#[cfg(target_os = "linux")]
fn process() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/self/status").expect("it is there");
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a field");
        line.split_whitespace().next().and_then(|word| word.parse::<u64>().ok()).expect("a number")
    };
    (field("VmRSS:") << 10, field("Threads:"))
}

/// What a context has is gone with it, also what the program has not freed.
#[cfg(target_os = "linux")]
#[test]
fn contexts_leave_nothing_behind() {
    call!(cuInit(0));
    let turn = |nth: u32| {
        let context: CUcontext = made!(cuCtxCreate_v4(Out::null(), 0, 0));
        scale(nth);
        let left: CUdeviceptr = made!(cuMemAlloc_v2(1 << 20));
        call!(cuMemsetD8_v2(left, 1, 1 << 20));
        let _: CUstream = made!(cuStreamCreate(0));
        let _: CUevent = made!(cuEventCreate(0));
        let _: CUmodule = made!(cuModuleLoadData(address(&PTX[0])));
        call!(cuCtxDestroy_v2(context));
    };
    (0..100).for_each(turn);
    let (memory, threads) = process();
    (0..1000).for_each(turn);
    let (memory_after, threads_after) = process();
    // A megabyte of each would be 1,000 of them.
    let grown = memory_after.saturating_sub(memory) >> 20;
    assert!(grown < 64, "{grown} MiB more");
    assert!(threads_after <= threads + 64, "{threads} threads, then {threads_after}");
}
