//! Nodes: made by hand, and given other parameters.

use super::conditional;
use super::exec::exec;
use super::object::{Work, get, graphs, home};
use crate::abi::constants::*;
use crate::abi::{
    Answer, CUDA_HOST_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS_v1,
    CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUcontext, CUdeviceptr,
    CUevent, CUfunction, CUgraph, CUgraphEdgeData, CUgraphExec, CUgraphNode, CUgraphNodeParams,
    CUresult, In, Out,
};
use crate::context::current;
use crate::driver::driver;
use crate::event;
use crate::memory::{Fill, GraphMemory, rows_of};
use crate::module::resolve;
use crate::operation::{Call, Operation};
use crate::prepare::{Shape, prepared};
use crate::say;
use std::sync::Arc;

/// What comes before a node, as callers list it.
fn listed(after: In<CUgraphNode>, count: u64) -> Answer<Vec<CUgraphNode>> {
    after.list(usize::try_from(count).map_err(|_| CUresult::INVALID_VALUE)?)
}

/// Adds a node.
fn added(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    work: impl FnOnce() -> Answer<Work>,
) -> Answer {
    driver()?;
    let graph = get(graph)?;
    to.check()?;
    let after = listed(after, count)?;
    to.set(graph.add(work()?, &after)?)
}

fn kernel(params: &CUDA_KERNEL_NODE_PARAMS) -> Answer<Work> {
    let handle = match params.function {
        CUfunction::NULL => CUfunction(params.kernel.0),
        function => function,
    };
    let (grid, block, shared) = (params.grid, params.block, params.shared);
    let shape = Shape { grid, block, shared, cooperative: false, cluster: None };
    let launch = prepared(handle, resolve(handle)?, shape, params.params, params.extra)?;
    Ok(Work::Operation(Operation::Launch(Arc::new(launch))))
}

fn kernel_v1(params: &CUDA_KERNEL_NODE_PARAMS_v1) -> Answer<Work> {
    let CUDA_KERNEL_NODE_PARAMS_v1 { function, grid, block, shared, params, extra } = *params;
    let (kernel_handle, context) = (crate::abi::CUkernel::NULL, CUcontext::NULL);
    kernel(&CUDA_KERNEL_NODE_PARAMS {
        function,
        grid,
        block,
        shared,
        params,
        extra,
        kernel: kernel_handle,
        context,
    })
}

fn copy(params: &CUDA_MEMCPY3D) -> Answer<Work> {
    let rows = rows_of(params)?;
    // A stream is given copies and fills of nothing; a graph is not (H100, driver 580.159).
    if rows.bytes() == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    rows.check()?;
    Ok(Work::Operation(Operation::Copy(rows)))
}

fn fill(params: &CUDA_MEMSET_NODE_PARAMS) -> Answer<Work> {
    let CUDA_MEMSET_NODE_PARAMS { to, pitch, value, element, width, height } = *params;
    let value = match element {
        1 => Fill::B8(value as u8),
        2 => Fill::B16(value as u16),
        4 => Fill::B32(value),
        _ => return Err(CUresult::INVALID_VALUE),
    };
    if width == 0 || height == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    value.check(to, pitch, [width, height])?;
    Ok(Work::Operation(Operation::Fill { to, pitch, value, width, height }))
}

fn call(params: &CUDA_HOST_NODE_PARAMS) -> Answer<Work> {
    let function = params.function.ok_or(CUresult::INVALID_VALUE)?;
    Ok(Work::Operation(Operation::Call(Call::Host(function, params.data))))
}

fn child(handle: CUgraph) -> Answer<Work> {
    let copied = get(handle)?.copied()?;
    let handle = CUgraph(graphs().insert(Arc::clone(&copied)));
    Ok(Work::Child(copied, handle))
}

fn record(handle: CUevent) -> Answer<Work> {
    Ok(Work::Operation(Operation::Record(event::get(handle)?.event.clone())))
}

fn wait(handle: CUevent) -> Answer<Work> {
    Ok(Work::Operation(Operation::Wait(event::get(handle)?.event.clone())))
}

/// `cuGraphAddKernelNode_v2`.
pub(crate) fn add_kernel(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    params: In<CUDA_KERNEL_NODE_PARAMS>,
) -> Answer {
    added(to, graph, after, count, || kernel(&params.get()?))
}

/// `cuGraphAddKernelNode`.
pub(crate) fn add_kernel_v1(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> Answer {
    added(to, graph, after, count, || kernel_v1(&params.get()?))
}

/// `cuGraphAddMemcpyNode`.
pub(crate) fn add_copy(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    params: In<CUDA_MEMCPY3D>,
    _context: CUcontext,
) -> Answer {
    added(to, graph, after, count, || copy(&params.get()?))
}

/// `cuGraphAddMemsetNode`.
pub(crate) fn add_fill(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    params: In<CUDA_MEMSET_NODE_PARAMS>,
    _context: CUcontext,
) -> Answer {
    added(to, graph, after, count, || fill(&params.get()?))
}

/// `cuGraphAddHostNode`.
pub(crate) fn add_call(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    params: In<CUDA_HOST_NODE_PARAMS>,
) -> Answer {
    added(to, graph, after, count, || call(&params.get()?))
}

/// `cuGraphAddChildGraphNode`.
pub(crate) fn add_child(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    inner: CUgraph,
) -> Answer {
    added(to, graph, after, count, || child(inner))
}

/// `cuGraphAddEmptyNode`.
pub(crate) fn add_empty(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
) -> Answer {
    added(to, graph, after, count, || Ok(Work::Operation(Operation::Nothing)))
}

/// `cuGraphAddEventRecordNode`.
pub(crate) fn add_record(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    event: CUevent,
) -> Answer {
    added(to, graph, after, count, || record(event))
}

/// `cuGraphAddEventWaitNode`.
pub(crate) fn add_wait(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    event: CUevent,
) -> Answer {
    added(to, graph, after, count, || wait(event))
}

/// `cuGraphAddMemAllocNode`.
pub(crate) fn add_alloc(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    params: Out<CUDA_MEM_ALLOC_NODE_PARAMS>,
) -> Answer {
    added(to, graph, after, count, || {
        let mut given = params.get()?;
        let memory = GraphMemory::new(&*current()?, given.bytes)?;
        given.address = memory.address();
        params.set(given)?;
        Ok(Work::Alloc(memory))
    })
}

/// `cuGraphAddMemFreeNode`.
pub(crate) fn add_free(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    address: CUdeviceptr,
) -> Answer {
    added(to, graph, after, count, || Ok(Work::Free(address)))
}

/// The work of parameters that say themselves what they are.
fn of_any(params: Out<CUgraphNodeParams>) -> Answer<Work> {
    /// Where the parameters of the node's kind begin.
    const INNER: u64 = 16;
    let kind = params.get()?.kind;
    let inner = params.address().plus(INNER);
    match kind {
        CU_GRAPH_NODE_TYPE_KERNEL => kernel(&inner.to().get()?),
        // Flags and the context come first.
        CU_GRAPH_NODE_TYPE_MEMCPY => copy(&inner.plus(16).to().get()?),
        CU_GRAPH_NODE_TYPE_MEMSET => fill(&inner.to().get()?),
        CU_GRAPH_NODE_TYPE_HOST => call(&inner.to().get()?),
        CU_GRAPH_NODE_TYPE_GRAPH => child(inner.to().get()?),
        CU_GRAPH_NODE_TYPE_EMPTY => Ok(Work::Operation(Operation::Nothing)),
        CU_GRAPH_NODE_TYPE_WAIT_EVENT => wait(inner.to().get()?),
        CU_GRAPH_NODE_TYPE_EVENT_RECORD => record(inner.to().get()?),
        CU_GRAPH_NODE_TYPE_MEM_FREE => Ok(Work::Free(inner.to::<u64>().get()?)),
        CU_GRAPH_NODE_TYPE_CONDITIONAL => conditional::made(inner.into()),
        CU_GRAPH_NODE_TYPE_MEM_ALLOC => {
            let place = inner.into::<CUDA_MEM_ALLOC_NODE_PARAMS>();
            let mut given = place.get()?;
            let memory = GraphMemory::new(&*current()?, given.bytes)?;
            given.address = memory.address();
            place.set(given)?;
            Ok(Work::Alloc(memory))
        }
        _ => {
            say::once(&format!("nodes of graphs of kind {kind} are not there"));
            Err(CUresult::NOT_SUPPORTED)
        }
    }
}

/// `cuGraphAddNode`.
pub(crate) fn add_any(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    count: u64,
    params: Out<CUgraphNodeParams>,
) -> Answer {
    added(to, graph, after, count, || of_any(params))
}

/// `cuGraphAddNode_v2`.
pub(crate) fn add_any_with(
    to: Out<CUgraphNode>,
    graph: CUgraph,
    after: In<CUgraphNode>,
    _edges: In<CUgraphEdgeData>,
    count: u64,
    params: Out<CUgraphNodeParams>,
) -> Answer {
    add_any(to, graph, after, count, params)
}

/// Gives a node of a graph other work of the same kind.
fn set(node: CUgraphNode, work: Answer<Work>) -> Answer {
    driver()?;
    let (graph, work) = (home(node)?, work?);
    graph.with(node, |node| node.change(work))?
}

/// Gives a node of a graph that can be launched other work of the same kind.
fn set_in(handle: CUgraphExec, node: CUgraphNode, work: Answer<Work>) -> Answer {
    exec(handle)?.set(node, work?)
}

/// `cuGraphKernelNodeSetParams_v2`.
pub(crate) fn set_kernel(node: CUgraphNode, params: In<CUDA_KERNEL_NODE_PARAMS>) -> Answer {
    set(node, params.get().and_then(|params| kernel(&params)))
}

/// `cuGraphKernelNodeSetParams`.
pub(crate) fn set_kernel_v1(node: CUgraphNode, params: In<CUDA_KERNEL_NODE_PARAMS_v1>) -> Answer {
    set(node, params.get().and_then(|params| kernel_v1(&params)))
}

/// `cuGraphMemcpyNodeSetParams`.
pub(crate) fn set_copy(node: CUgraphNode, params: In<CUDA_MEMCPY3D>) -> Answer {
    set(node, params.get().and_then(|params| copy(&params)))
}

/// `cuGraphMemsetNodeSetParams`.
pub(crate) fn set_fill(node: CUgraphNode, params: In<CUDA_MEMSET_NODE_PARAMS>) -> Answer {
    set(node, params.get().and_then(|params| fill(&params)))
}

/// `cuGraphHostNodeSetParams`.
pub(crate) fn set_call(node: CUgraphNode, params: In<CUDA_HOST_NODE_PARAMS>) -> Answer {
    set(node, params.get().and_then(|params| call(&params)))
}

/// `cuGraphNodeSetParams`.
pub(crate) fn set_any(node: CUgraphNode, params: Out<CUgraphNodeParams>) -> Answer {
    set(node, of_any(params))
}

/// `cuGraphEventRecordNodeSetEvent`.
pub(crate) fn set_record(node: CUgraphNode, event: CUevent) -> Answer {
    set(node, record(event))
}

/// `cuGraphEventWaitNodeSetEvent`.
pub(crate) fn set_wait(node: CUgraphNode, event: CUevent) -> Answer {
    set(node, wait(event))
}

/// `cuGraphExecKernelNodeSetParams_v2`.
pub(crate) fn exec_set_kernel(
    graph: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_KERNEL_NODE_PARAMS>,
) -> Answer {
    set_in(graph, node, params.get().and_then(|params| kernel(&params)))
}

/// `cuGraphExecKernelNodeSetParams`.
pub(crate) fn exec_set_kernel_v1(
    graph: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> Answer {
    set_in(graph, node, params.get().and_then(|params| kernel_v1(&params)))
}

/// `cuGraphExecMemcpyNodeSetParams`.
pub(crate) fn exec_set_copy(
    graph: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_MEMCPY3D>,
    _context: CUcontext,
) -> Answer {
    set_in(graph, node, params.get().and_then(|params| copy(&params)))
}

/// `cuGraphExecMemsetNodeSetParams`.
pub(crate) fn exec_set_fill(
    graph: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_MEMSET_NODE_PARAMS>,
    _context: CUcontext,
) -> Answer {
    set_in(graph, node, params.get().and_then(|params| fill(&params)))
}

/// `cuGraphExecHostNodeSetParams`.
pub(crate) fn exec_set_call(
    graph: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_HOST_NODE_PARAMS>,
) -> Answer {
    set_in(graph, node, params.get().and_then(|params| call(&params)))
}

/// `cuGraphExecChildGraphNodeSetParams`.
pub(crate) fn exec_set_child(graph: CUgraphExec, node: CUgraphNode, inner: CUgraph) -> Answer {
    set_in(graph, node, child(inner))
}

/// `cuGraphExecEventRecordNodeSetEvent`.
pub(crate) fn exec_set_record(graph: CUgraphExec, node: CUgraphNode, event: CUevent) -> Answer {
    set_in(graph, node, record(event))
}

/// `cuGraphExecEventWaitNodeSetEvent`.
pub(crate) fn exec_set_wait(graph: CUgraphExec, node: CUgraphNode, event: CUevent) -> Answer {
    set_in(graph, node, wait(event))
}

/// `cuGraphExecNodeSetParams`.
pub(crate) fn exec_set_any(
    graph: CUgraphExec,
    node: CUgraphNode,
    params: Out<CUgraphNodeParams>,
) -> Answer {
    set_in(graph, node, of_any(params))
}
