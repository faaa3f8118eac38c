//! Functions about streams and events.

use crate::api::{forward, runtime};
use crate::context;
use crate::driver;
use crate::generation::{Generation, generation};
use crate::types::{Address, Event, Graph, Node, Stream, stream_or};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

runtime! {
    fn cudaStreamCreate(stream: *mut Stream) {
        context::ensure()?;
        driver::cuStreamCreate(stream, 0)
    }

    fn cudaEventCreate(event: *mut Event) {
        context::ensure()?;
        driver::cuEventCreate(event, 0)
    }

    // Before 13 the fifth result is the number of nodes; with 13 the edges stand before it.
    fn cudaStreamGetCaptureInfo(stream: Stream, status: *mut c_int, id: *mut u64, graph: *mut Graph, from: *mut *const Node, edges: *mut Address, count: *mut usize)
        [cudaStreamGetCaptureInfo_ptsz |default|] {
        context::ensure()?;
        let stream = stream_or(stream, default);
        match generation() {
            Generation::V13 => driver::cuStreamGetCaptureInfo_v3(stream, status, id, graph, from, edges, count),
            Generation::V11 | Generation::V12 => driver::cuStreamGetCaptureInfo_v2(stream, status, id, null_mut(), null_mut(), null_mut()),
        }
    }

    fn cudaStreamGetCaptureInfo_v2(stream: Stream, status: *mut c_int, id: *mut u64, graph: *mut Graph, from: *mut *const Node, count: *mut usize)
        [cudaStreamGetCaptureInfo_v2_ptsz |default|] {
        context::ensure()?;
        driver::cuStreamGetCaptureInfo_v2(stream_or(stream, default), status, id, graph, from, count)
    }

    fn cudaStreamUpdateCaptureDependencies(stream: Stream, from: *mut Node, edges_or_count: usize, count_or_flags: usize, flags: u32)
        [cudaStreamUpdateCaptureDependencies_ptsz |default|] {
        context::ensure()?;
        let stream = stream_or(stream, default);
        match generation() {
            Generation::V13 => {
                let edges = std::ptr::with_exposed_provenance(edges_or_count);
                driver::cuStreamUpdateCaptureDependencies_v2(stream, from, edges, count_or_flags, flags)
            }
            Generation::V11 | Generation::V12 => {
                driver::cuStreamUpdateCaptureDependencies(stream, from, edges_or_count, count_or_flags as u32)
            }
        }
    }
}

forward! {
    fn cudaStreamCreateWithFlags(stream: *mut Stream, flags: u32) = cuStreamCreate;
    fn cudaStreamCreateWithPriority(stream: *mut Stream, flags: u32, priority: c_int) = cuStreamCreateWithPriority;
    fn cudaStreamDestroy(stream: Stream) = cuStreamDestroy_v2;
    fn cudaStreamGetPriority(stream: Stream, priority: *mut c_int) [cudaStreamGetPriority_ptsz stream] = cuStreamGetPriority;
    fn cudaStreamGetFlags(stream: Stream, flags: *mut u32) [cudaStreamGetFlags_ptsz stream] = cuStreamGetFlags;
    fn cudaStreamGetId(stream: Stream, id: *mut u64) [cudaStreamGetId_ptsz stream] = cuStreamGetId;
    fn cudaStreamGetDevice(stream: Stream, device: *mut c_int) [cudaStreamGetDevice_ptsz stream] = cuStreamGetDevice;
    fn cudaStreamCopyAttributes(to: Stream, from: Stream) [cudaStreamCopyAttributes_ptsz to] = cuStreamCopyAttributes;
    fn cudaStreamGetAttribute(stream: Stream, attribute: c_int, value: Address) [cudaStreamGetAttribute_ptsz stream] = cuStreamGetAttribute;
    fn cudaStreamSetAttribute(stream: Stream, attribute: c_int, value: Address) [cudaStreamSetAttribute_ptsz stream] = cuStreamSetAttribute;
    fn cudaStreamSynchronize(stream: Stream) [cudaStreamSynchronize_ptsz stream] = cuStreamSynchronize;
    fn cudaStreamQuery(stream: Stream) [cudaStreamQuery_ptsz stream] = cuStreamQuery;
    fn cudaStreamWaitEvent(stream: Stream, event: Event, flags: u32) [cudaStreamWaitEvent_ptsz stream] = cuStreamWaitEvent;
    fn cudaStreamAddCallback(stream: Stream, callback: Address, data: Address, flags: u32) [cudaStreamAddCallback_ptsz stream] = cuStreamAddCallback;
    fn cudaStreamAttachMemAsync(stream: Stream, address: Address, bytes: usize, flags: u32) [cudaStreamAttachMemAsync_ptsz stream] = cuStreamAttachMemAsync;
    fn cudaStreamBeginCapture(stream: Stream, mode: c_int) [cudaStreamBeginCapture_ptsz stream] = cuStreamBeginCapture_v2;
    fn cudaStreamBeginCaptureToGraph(stream: Stream, graph: Graph, from: *const Node, edges: *const c_void, count: usize, mode: c_int)
        [cudaStreamBeginCaptureToGraph_ptsz stream] = cuStreamBeginCaptureToGraph;
    fn cudaStreamEndCapture(stream: Stream, graph: *mut Graph) [cudaStreamEndCapture_ptsz stream] = cuStreamEndCapture;
    fn cudaStreamIsCapturing(stream: Stream, status: *mut c_int) [cudaStreamIsCapturing_ptsz stream] = cuStreamIsCapturing;
    fn cudaStreamGetCaptureInfo_v3(stream: Stream, status: *mut c_int, id: *mut u64, graph: *mut Graph, from: *mut *const Node, edges: *mut Address, count: *mut usize)
        [cudaStreamGetCaptureInfo_v3_ptsz stream] = cuStreamGetCaptureInfo_v3;
    fn cudaStreamUpdateCaptureDependencies_v2(stream: Stream, from: *mut Node, edges: *const c_void, count: usize, flags: u32)
        [cudaStreamUpdateCaptureDependencies_v2_ptsz stream] = cuStreamUpdateCaptureDependencies_v2;
    fn cudaThreadExchangeStreamCaptureMode(mode: *mut c_int) = cuThreadExchangeStreamCaptureMode;

    fn cudaEventCreateWithFlags(event: *mut Event, flags: u32) = cuEventCreate;
    fn cudaEventRecord(event: Event, stream: Stream) [cudaEventRecord_ptsz stream] = cuEventRecord;
    fn cudaEventRecordWithFlags(event: Event, stream: Stream, flags: u32) [cudaEventRecordWithFlags_ptsz stream] = cuEventRecordWithFlags;
    fn cudaEventQuery(event: Event) = cuEventQuery;
    fn cudaEventSynchronize(event: Event) = cuEventSynchronize;
    fn cudaEventDestroy(event: Event) = cuEventDestroy_v2;
    fn cudaEventElapsedTime(milliseconds: *mut f32, start: Event, end: Event) = cuEventElapsedTime;
    fn cudaEventElapsedTime_v2(milliseconds: *mut f32, start: Event, end: Event) = cuEventElapsedTime;
}
