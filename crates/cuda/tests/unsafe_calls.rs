//! What an H100 (driver 580.159, CUDA 13.0) answered to calls while a stream captured, and of captures that had gone wrong; the
//! documentation says of few calls that they are unsafe then. One test, because a capture forbids calls to all threads of the process.
#![allow(unsafe_code)]

mod common;

use common::{PTX, address, call, made, result};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;
use std::thread;

const GLOBAL: u32 = CU_STREAM_CAPTURE_MODE_GLOBAL;
const LOCAL: u32 = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
const RELAXED: u32 = CU_STREAM_CAPTURE_MODE_RELAXED;
const MODES: [u32; 3] = [GLOBAL, LOCAL, RELAXED];

/// What a call answers while a stream captures, and how the capture ends.
fn during(stream: CUstream, mode: u32, call: impl FnOnce() -> CUresult) -> (CUresult, CUresult) {
    call!(cuStreamBeginCapture_v2(stream, mode));
    let answer = call();
    (answer, ended(stream))
}

fn ended(stream: CUstream) -> CUresult {
    let mut graph = CUgraph::NULL;
    result!(cuStreamEndCapture(stream, Out::new(&mut graph)))
}

type Call = Box<dyn Fn() -> CUresult>;

/// Calls with their names.
macro_rules! calls {
    ($($name:ident($($argument:expr),* $(,)?)),* $(,)?) => {
        [$((stringify!($name), Box::new(move || result!($name($($argument),*))) as Call)),*]
    };
}

#[test]
fn captures_forbid_what_an_h100_says() {
    call!(cuInit(0));
    let context: CUcontext = made!(cuCtxCreate_v4(Out::null(), 0, 0));
    let stream: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    let other: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    let event: CUevent = made!(cuEventCreate(0));
    let at: CUdeviceptr = made!(cuMemAllocManaged(4096, CU_MEM_ATTACH_GLOBAL));
    let module: CUmodule = made!(cuModuleLoadData(address(&PTX.to_bytes()[0])));
    let kernel: CUfunction = made!(cuModuleEnumerateFunctions(1, module));
    let graph: CUgraph = made!(cuGraphCreate(0));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    let (none, nobody, never) = (Address(0), CUmemoryPool::NULL, CUstream::NULL);

    // These whatever their arguments are, which are not looked at.
    let marked = calls![
        cuMemAlloc_v2(Out::null(), 4),
        cuMemAllocPitch_v2(Out::null(), Out::null(), 4, 4, 4),
        cuMemFree_v2(0),
        cuMemAllocHost_v2(Out::null(), 4),
        cuMemFreeHost(none),
        cuMemHostAlloc(Out::null(), 4, 0),
        cuMemHostRegister_v2(none, 4096, 0),
        cuMemHostUnregister(none),
        cuMemAllocManaged(Out::null(), 4, CU_MEM_ATTACH_GLOBAL),
        cuMemAdvise(0, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
        cuPointerSetAttribute(none, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0),
        cuDeviceSetMemPool(0, nobody),
        cuMemPoolCreate(Out::null(), In::null()),
        cuMemPoolDestroy(nobody),
        cuMemPoolTrimTo(nobody, 0),
        cuMemPoolGetAttribute(nobody, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, none),
        cuMemPoolSetAttribute(nobody, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, none),
        cuGraphInstantiateWithFlags(Out::null(), CUgraph::NULL, 0),
        cuGraphExecDestroy(CUgraphExec::NULL),
        cuArrayCreate_v2(Out::null(), In::null()),
        cuArray3DCreate_v2(Out::null(), In::null()),
        cuArrayDestroy(CUarray::NULL),
        cuMipmappedArrayCreate(Out::null(), In::null(), 1),
        cuMipmappedArrayDestroy(CUmipmappedArray::NULL),
        cuTexObjectCreate(Out::null(), In::null(), In::null(), In::null()),
        cuTexObjectDestroy(0),
        cuSurfObjectCreate(Out::null(), In::null()),
        cuModuleUnload(CUmodule::NULL),
        cuLibraryUnload(CUlibrary::NULL),
        cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20),
        cuCtxSetCacheConfig(0),
    ];
    // And these that ask or use what does not capture.
    let beside = calls![
        cuMemAllocAsync(Out::null(), 4, other),
        cuMemFreeAsync(0, other),
        cuStreamAttachMemAsync(other, at, 0, CU_MEM_ATTACH_GLOBAL),
        cuStreamSynchronize(other),
        cuStreamSynchronize(never),
        cuStreamQuery(other),
        cuEventSynchronize(event),
        cuEventQuery(event),
    ];
    let unsupported = CUresult::STREAM_CAPTURE_UNSUPPORTED;
    let spoilt = (unsupported, CUresult::STREAM_CAPTURE_INVALIDATED);
    for (name, call) in marked.into_iter().chain(beside) {
        for mode in [GLOBAL, LOCAL] {
            assert_eq!(during(stream, mode, &call), spoilt, "{name}");
        }
        let (answer, end) = during(stream, RELAXED, &call);
        assert_ne!(answer, unsupported, "{name}");
        assert_eq!(end, CUresult::SUCCESS, "{name}");
    }

    // What no graph can hold, and questions about the stream that captures.
    let within = calls![
        cuStreamGetFlags(stream, Out::null()),
        cuStreamGetId(stream, Out::null()),
        cuStreamGetDevice(stream, Out::null()),
        cuStreamAttachMemAsync(stream, at, 0, CU_MEM_ATTACH_GLOBAL),
        cuMemPrefetchAsync(at, 4096, 0, stream),
        cuMemcpyPeerAsync(at, context, at + 64, context, 4, stream),
        cuGraphLaunch(exec, stream),
        cuGraphUpload(exec, stream),
        cuStreamSynchronize(stream),
        cuStreamQuery(stream),
    ];
    for (name, call) in within {
        for mode in MODES {
            assert_eq!(during(stream, mode, &call), spoilt, "{name}");
        }
    }

    // What does not matter.
    let ignored = calls![
        cuGraphLaunch(exec, other),
        cuGraphUpload(exec, other),
        cuMemcpyPeerAsync(at, context, at + 64, context, 4, other),
        cuMemPrefetchAsync(at, 4096, 0, other),
        cuMemGetInfo_v2(Out::null(), Out::null()),
        cuMemsetD32_v2(at, 1, 1),
        cuMemsetD32Async(at, 1, 1, other),
        cuEventRecord(event, other),
    ];
    for (name, call) in ignored {
        for mode in MODES {
            let fine = (CUresult::SUCCESS, CUresult::SUCCESS);
            assert_eq!(during(stream, mode, &call), fine, "{name}");
        }
    }
    call!(cuCtxSynchronize());
    what_goes_wrong(stream, other, kernel);
}

/// Captures that go wrong otherwise.
fn what_goes_wrong(stream: CUstream, other: CUstream, kernel: CUfunction) {
    let begin = |stream, mode| call!(cuStreamBeginCapture_v2(stream, mode));
    let (mut event, mut foreign): (CUevent, CUevent) = Default::default();
    call!(cuEventCreate(Out::new(&mut event), 0));
    call!(cuEventCreate(Out::new(&mut foreign), 0));
    let invalidated = CUresult::STREAM_CAPTURE_INVALIDATED;

    // A launch that is not possible; what is no kernel at all does not matter.
    let launch = |kernel, block| {
        let (params, extra) = (Out::null(), Out::null());
        result!(cuLaunchKernel(kernel, 1, 1, 1, block, 1, 1, 0, stream, params, extra))
    };
    let impossible = during(stream, RELAXED, || launch(kernel, 2000));
    assert_eq!(impossible, (CUresult::INVALID_VALUE, invalidated));
    let unknown = during(stream, RELAXED, || launch(CUfunction::NULL, 1));
    assert_eq!(unknown, (CUresult::INVALID_HANDLE, CUresult::SUCCESS));

    // Memory of no graph is not freed by one.
    let pooled: CUdeviceptr = made!(cuMemAllocAsync(64, other));
    let freed = during(stream, RELAXED, || result!(cuMemFreeAsync(pooled, stream)));
    assert_eq!(freed, (CUresult::INVALID_VALUE, CUresult::SUCCESS));

    // The graph belongs to the capture, until it is over.
    let destroyed = during(stream, RELAXED, || {
        let (mut status, mut graph) = (0, CUgraph::NULL);
        let (status, graph_to) = (Out::new(&mut status), Out::new(&mut graph));
        call!(cuStreamGetCaptureInfo_v2(
            stream,
            status,
            Out::null(),
            graph_to,
            Out::null(),
            Out::null()
        ));
        result!(cuGraphDestroy(graph))
    });
    assert_eq!(destroyed, (CUresult::ILLEGAL_STATE, CUresult::SUCCESS));

    // Who may not end a capture ends it all the same, and who ends a stream that only takes part spoils it.
    begin(stream, LOCAL);
    let elsewhere = thread::spawn(move || ended(stream)).join().expect("it does not panic");
    assert_eq!(elsewhere, CUresult::STREAM_CAPTURE_WRONG_THREAD);
    assert_eq!(ended(stream), CUresult::ILLEGAL_STATE);
    begin(stream, RELAXED);
    call!(cuEventRecord(event, stream));
    call!(cuStreamWaitEvent(other, event, 0));
    assert_eq!(ended(other), CUresult::STREAM_CAPTURE_UNMATCHED);
    assert_eq!(ended(stream), invalidated);

    // An event of a capture: how long it took to it cannot be said, and that is all.
    let elapsed = during(stream, RELAXED, || {
        call!(cuEventRecord(event, stream));
        result!(cuEventElapsedTime(Out::null(), event, event))
    });
    assert_eq!(elapsed, (CUresult::CAPTURED_EVENT, CUresult::SUCCESS));
    let external = during(stream, RELAXED, || {
        call!(cuEventRecord(event, stream));
        result!(cuStreamWaitEvent(other, event, CU_EVENT_WAIT_EXTERNAL))
    });
    assert_eq!(external, (CUresult::ILLEGAL_STATE, CUresult::SUCCESS));
    // Once the capture is over, nothing at all, until it is recorded again.
    let wrong = CUresult::INVALID_VALUE;
    assert_eq!(result!(cuEventQuery(event)), wrong);
    assert_eq!(result!(cuEventSynchronize(event)), wrong);
    assert_eq!(result!(cuStreamWaitEvent(other, event, 0)), wrong);
    let again = during(stream, RELAXED, || result!(cuStreamWaitEvent(stream, event, 0)));
    assert_eq!(again, (wrong, invalidated));
    call!(cuEventRecord(event, other));
    call!(cuEventSynchronize(event));

    // What comes to a capture that is spoilt.
    call!(cuEventRecord(foreign, other));
    begin(stream, RELAXED);
    assert_eq!(result!(cuStreamQuery(stream)), CUresult::STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(result!(cuStreamWaitEvent(stream, foreign, 0)), invalidated);
    let (nothing, mode) = (Out::null(), CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    assert_eq!(result!(cuStreamUpdateCaptureDependencies(stream, nothing, 0, mode)), invalidated);
    assert_eq!(ended(stream), invalidated);

    // Whether the default stream captures cannot be said beside one that waits for it; to ask spoils nothing, other than the rest.
    let blocking: CUstream = made!(cuStreamCreate(CU_STREAM_DEFAULT));
    let mut status = 0;
    let implicit = CUresult::STREAM_CAPTURE_IMPLICIT;
    let mut asked = || result!(cuStreamIsCapturing(CUstream::LEGACY, Out::new(&mut status)));
    assert_eq!(during(blocking, RELAXED, &mut asked), (implicit, CUresult::SUCCESS));
    let ends = || ended(CUstream::LEGACY);
    assert_eq!(during(blocking, RELAXED, ends), (implicit, invalidated));
    let begins = || result!(cuStreamBeginCapture_v2(CUstream::LEGACY, RELAXED));
    assert_eq!(during(blocking, RELAXED, begins), (implicit, invalidated));
}
