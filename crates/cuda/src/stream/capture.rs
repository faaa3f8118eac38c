//! Capturing: `cuStreamBeginCapture` and its like.

use super::object::{Stream, resolve};
use crate::abi::constants::*;
use crate::abi::{
    Answer, CUgraph, CUgraphEdgeData, CUgraphNode, CUresult, CUstream, CUstreamCaptureMode, In, Out,
};
use crate::capturing;
use crate::driver::driver;
use crate::graph::{Capture, Graph, graph, graphs};
use std::sync::Arc;
use std::thread;

fn began(
    stream: &Stream,
    mode: CUstreamCaptureMode,
    (graph, handle): (Arc<Graph>, CUgraph),
    after: Option<Vec<CUgraphNode>>,
) -> Answer {
    if mode > CU_STREAM_CAPTURE_MODE_RELAXED {
        return Err(CUresult::INVALID_VALUE);
    }
    stream.refuse_default()?;
    let mut capture = stream.capture();
    if stream.is_legacy() {
        return Err(CUresult::STREAM_CAPTURE_UNSUPPORTED);
    }
    if capture.is_some() {
        return Err(CUresult::ILLEGAL_STATE);
    }
    *capture =
        Some(Capture::begin((graph, handle), (&stream.lane, stream.context.id), mode, after));
    Ok(())
}

/// `cuStreamBeginCapture_v2`.
pub(crate) fn begin_capture(default: CUstream, stream: CUstream, mode: u32) -> Answer {
    let stream = resolve(default, stream)?;
    let graph = Arc::new(Graph::default());
    let handle = CUgraph(graphs().insert(Arc::clone(&graph)));
    let begun = began(&stream, mode, (graph, handle), None);
    if begun.is_err() {
        let _ = graphs().remove(handle.0);
    }
    begun
}

/// `cuStreamBeginCapture` as it was before CUDA 10.1.
pub(crate) fn begin_capture_v1(default: CUstream, stream: CUstream) -> Answer {
    begin_capture(default, stream, CU_STREAM_CAPTURE_MODE_GLOBAL)
}

/// `cuStreamBeginCaptureToGraph`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn begin_capture_to(
    default: CUstream,
    stream: CUstream,
    handle: CUgraph,
    after: In<CUgraphNode>,
    _edges: In<CUgraphEdgeData>,
    count: u64,
    mode: u32,
) -> Answer {
    let stream = resolve(default, stream)?;
    let graph = graph(handle)?;
    let after = after.list(usize::try_from(count).map_err(|_| CUresult::INVALID_VALUE)?)?;
    for node in &after {
        graph.with(*node, |_| ())?;
    }
    began(&stream, mode, (graph, handle), Some(after))
}

/// `cuStreamEndCapture`.
pub(crate) fn end_capture(default: CUstream, stream: CUstream, to: Out<CUgraph>) -> Answer {
    let stream = resolve(default, stream)?;
    stream.refuse_default()?;
    let capture = stream.capture().clone().ok_or(CUresult::ILLEGAL_STATE)?;
    to.offer(CUgraph::NULL);
    if capture.origin != stream.lane.id {
        capture.invalidate();
        return Err(CUresult::STREAM_CAPTURE_UNMATCHED);
    }
    // Whatever comes of it, the streams that took part are free again.
    *stream.capture() = None;
    super::object::leave_capture(&capture);
    capture.check()?;
    let relaxed = capture.ongoing.mode == CU_STREAM_CAPTURE_MODE_RELAXED;
    if !relaxed && capture.ongoing.thread != thread::current().id() {
        return Err(CUresult::STREAM_CAPTURE_WRONG_THREAD);
    }
    if !capture.is_joined() {
        return Err(CUresult::STREAM_CAPTURE_UNJOINED);
    }
    // Who captures into a graph of its own knows it.
    match capture.is_given && to.is_null() {
        true => Ok(()),
        false => to.set(capture.handle),
    }
}

/// `cuStreamIsCapturing`.
pub(crate) fn is_capturing(default: CUstream, stream: CUstream, to: Out<u32>) -> Answer {
    let stream = resolve(default, stream)?;
    stream.implied_default()?;
    to.set(status(stream.capture().as_deref()))
}

fn status(capture: Option<&Capture>) -> u32 {
    match capture.map(Capture::check) {
        None => CU_STREAM_CAPTURE_STATUS_NONE,
        Some(Ok(())) => CU_STREAM_CAPTURE_STATUS_ACTIVE,
        Some(Err(_)) => CU_STREAM_CAPTURE_STATUS_INVALIDATED,
    }
}

/// `cuStreamGetCaptureInfo` as it was before CUDA 11.3.
pub(crate) fn capture_info_v1(
    default: CUstream,
    stream: CUstream,
    to: Out<u32>,
    id: Out<u64>,
) -> Answer {
    capture_info(default, stream, to, id, Out::null(), Out::null(), Out::null())
}

/// `cuStreamGetCaptureInfo_v2`. The list of nodes is there until the stream is given something.
#[allow(clippy::too_many_arguments)]
pub(crate) fn capture_info(
    default: CUstream,
    stream: CUstream,
    to: Out<u32>,
    id: Out<u64>,
    graph: Out<CUgraph>,
    after: Out<In<CUgraphNode>>,
    count: Out<u64>,
) -> Answer {
    capture_info_with(default, stream, to, id, graph, after, Out::null(), count)
}

/// `cuStreamGetCaptureInfo_v3`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn capture_info_with(
    default: CUstream,
    stream: CUstream,
    to: Out<u32>,
    id: Out<u64>,
    graph: Out<CUgraph>,
    after: Out<In<CUgraphNode>>,
    edges: Out<In<CUgraphEdgeData>>,
    count: Out<u64>,
) -> Answer {
    let stream = resolve(default, stream)?;
    stream.implied_default()?;
    let capture = stream.capture().clone();
    to.set(status(capture.as_deref()))?;
    let Some(capture) = capture else { return Ok(()) };
    id.offer(capture.id);
    graph.offer(capture.handle);
    edges.offer(In::null());
    let list = capture.shown_end(stream.lane.id);
    count.offer(list.1);
    after.offer(list.0);
    Ok(())
}

/// `cuStreamUpdateCaptureDependencies`.
pub(crate) fn update_capture(
    default: CUstream,
    stream: CUstream,
    after: Out<CUgraphNode>,
    count: u64,
    flags: u32,
) -> Answer {
    let stream = resolve(default, stream)?;
    let capture = stream.capture().clone().ok_or(CUresult::ILLEGAL_STATE)?;
    capture.check()?;
    let count = usize::try_from(count).map_err(|_| CUresult::INVALID_VALUE)?;
    let after = after.as_in().list(count)?;
    for node in &after {
        capture.graph.with(*node, |_| ())?;
    }
    match flags {
        CU_STREAM_ADD_CAPTURE_DEPENDENCIES => capture.join(stream.lane.id, &after),
        CU_STREAM_SET_CAPTURE_DEPENDENCIES => capture.set_end(stream.lane.id, after),
        _ => return Err(CUresult::INVALID_VALUE),
    }
    Ok(())
}

/// `cuStreamUpdateCaptureDependencies_v2`.
pub(crate) fn update_capture_with(
    default: CUstream,
    stream: CUstream,
    after: Out<CUgraphNode>,
    _edges: In<CUgraphEdgeData>,
    count: u64,
    flags: u32,
) -> Answer {
    update_capture(default, stream, after, count, flags)
}

/// `cuThreadExchangeStreamCaptureMode`.
pub(crate) fn exchange_mode(mode: Out<u32>) -> Answer {
    driver()?;
    let new = mode.get()?;
    if new > CU_STREAM_CAPTURE_MODE_RELAXED {
        return Err(CUresult::INVALID_VALUE);
    }
    mode.set(capturing::exchange_mode(new))
}
