//! What may not be done while streams capture (CUDA C++ Programming Guide, "Prohibited and Unhandled Operations"; CUDA driver API,
//! `cuThreadExchangeStreamCaptureMode`). One test, because a capture forbids it to all threads of the process.
#![allow(unsafe_code)]

mod common;

use common::{call, made, result};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;
use std::thread;

/// What a call answers while a stream captures, and how the capture ends.
fn during(stream: CUstream, mode: u32, call: impl FnOnce() -> CUresult) -> (CUresult, CUresult) {
    call!(cuStreamBeginCapture_v2(stream, mode));
    let answer = call();
    let mut graph = CUgraph::NULL;
    let ended = result!(cuStreamEndCapture(stream, Out::new(&mut graph)));
    assert_eq!(graph == CUgraph::NULL, ended != CUresult::SUCCESS);
    (answer, ended)
}

#[test]
fn captures_forbid_what_waits_for_them() {
    const GLOBAL: u32 = CU_STREAM_CAPTURE_MODE_GLOBAL;
    const LOCAL: u32 = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    const RELAXED: u32 = CU_STREAM_CAPTURE_MODE_RELAXED;
    let fine = (CUresult::SUCCESS, CUresult::SUCCESS);
    let ends = |why| (why, CUresult::STREAM_CAPTURE_INVALIDATED);
    let implicit = ends(CUresult::STREAM_CAPTURE_IMPLICIT);
    let unsupported = ends(CUresult::STREAM_CAPTURE_UNSUPPORTED);
    call!(cuInit(0));
    let context: CUcontext = made!(cuCtxCreate_v4(Out::null(), 0, 0));
    let blocking: CUstream = made!(cuStreamCreate(CU_STREAM_DEFAULT));
    let apart: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    let at: CUdeviceptr = made!(cuMemAlloc_v2(4));
    let event: CUevent = made!(cuEventCreate(0));
    let legacy = CUstream::LEGACY;

    // The default stream, and calls that use it, if it waits for a stream that captures; some ask it, which is unsafe anyhow.
    let uses: [(&dyn Fn() -> CUresult, bool); 4] = [
        (&|| result!(cuMemsetD32_v2(at, 1, 1)), false),
        (&|| result!(cuStreamSynchronize(legacy)), true),
        (&|| result!(cuStreamQuery(legacy)), true),
        (&|| result!(cuEventRecord(event, legacy)), false),
    ];
    for mode in [GLOBAL, LOCAL, RELAXED] {
        for (used, asks) in uses {
            assert_eq!(during(blocking, mode, used), implicit);
            let otherwise = if asks && mode != RELAXED { unsupported } else { fine };
            assert_eq!(during(apart, mode, used), otherwise);
        }
        // Also if such a stream takes part in the capture of another one.
        let joined = || {
            call!(cuEventRecord(event, apart));
            call!(cuStreamWaitEvent(blocking, event, 0));
            result!(cuMemsetD32_v2(at, 1, 1))
        };
        assert_eq!(during(apart, mode, joined), implicit);
        // Whoever waits for the context waits for the stream.
        for stream in [blocking, apart] {
            assert_eq!(during(stream, mode, || result!(cuCtxSynchronize())), unsupported);
        }
    }
    call!(cuEventRecord(event, legacy));
    call!(cuCtxSynchronize());

    // What may wait, by what the thread that captures and the one that calls have promised.
    let allocates = || {
        let mut at = 0;
        result!(cuMemAlloc_v2(Out::new(&mut at), 4))
    };
    let elsewhere = || {
        let there = thread::spawn(move || {
            call!(cuCtxSetCurrent(context));
            allocates()
        });
        there.join().expect("it does not panic")
    };
    let asks = || result!(cuEventQuery(event));
    let relaxed = || {
        let mut mode = RELAXED;
        call!(cuThreadExchangeStreamCaptureMode(Out::new(&mut mode)));
        let answer = allocates();
        call!(cuThreadExchangeStreamCaptureMode(Out::new(&mut mode)));
        assert_eq!(mode, RELAXED);
        answer
    };
    let table: [(&dyn Fn() -> CUresult, [_; 3]); 4] = [
        (&allocates, [unsupported, unsupported, fine]),
        (&asks, [unsupported, unsupported, fine]),
        (&elsewhere, [unsupported, fine, fine]),
        (&relaxed, [fine, fine, fine]),
    ];
    for (call, expected) in table {
        let got = [GLOBAL, LOCAL, RELAXED].map(|mode| during(apart, mode, call));
        assert_eq!(got, expected);
    }
    assert_eq!(allocates(), CUresult::SUCCESS);
}
