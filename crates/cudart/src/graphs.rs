//! Functions about graphs.

use crate::api::{forward, runtime};
use crate::context;
use crate::copies::{self, Parms3d};
use crate::driver;
use crate::generation::{Generation, generation};
use crate::registry;
use crate::status::{Result, Status};
use crate::types::{
    Address, Context, Copy3d, Dim3, Event, Function, Graph, GraphExec, Kernel, Node, Stream,
};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

/// `cudaKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RuntimeKernel {
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    shared: u32,
    args: *mut Address,
    extra: *mut Address,
}

/// `CUDA_KERNEL_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
struct DriverKernel {
    function: Function,
    grid: Dim3,
    block: Dim3,
    shared: u32,
    args: *mut Address,
    extra: *mut Address,
    kernel: Kernel,
    context: Context,
}

impl DriverKernel {
    /// # Safety
    /// `params` can be read, or is null.
    unsafe fn of(params: *const RuntimeKernel) -> Result<DriverKernel> {
        // SAFETY: the caller says so.
        let params = unsafe { params.as_ref() }.ok_or(Status::INVALID_VALUE)?;
        let RuntimeKernel { function, grid, block, shared, args, extra } = *params;
        let kernel = registry::kernel(function)?;
        Ok(DriverKernel {
            function: null_mut(),
            grid,
            block,
            shared,
            args,
            extra,
            kernel,
            context: null_mut(),
        })
    }
}

fn current() -> Result<Context> {
    context::ensure()?;
    let mut context = null_mut();
    // SAFETY: the place of the result is ours.
    unsafe { driver::cuCtxGetCurrent(&mut context) }.map(|()| context)
}

/// # Safety
/// `parms` can be read, or is null.
unsafe fn copy_of(parms: *const Parms3d) -> Result<Copy3d> {
    // SAFETY: the caller says so.
    copies::copy_3d(unsafe { parms.as_ref() }.ok_or(Status::INVALID_VALUE)?)
}

/// A copy of bytes as one of three dimensions.
fn flat_copy(to: Address, from: *const c_void, bytes: usize, kind: c_int) -> Result<Copy3d> {
    copies::copy_3d(&Parms3d::of_bytes(to, from, bytes, kind))
}

/// `cudaGraphNodeType`.
mod node {
    pub(super) const KERNEL: i32 = 0;
    pub(super) const MEMCPY: i32 = 1;
    pub(super) const MEMSET: i32 = 2;
    pub(super) const HOST: i32 = 3;
    pub(super) const GRAPH: i32 = 4;
    pub(super) const EMPTY: i32 = 5;
    pub(super) const WAIT_EVENT: i32 = 6;
    pub(super) const EVENT_RECORD: i32 = 7;
    pub(super) const MEM_ALLOC: i32 = 10;
    pub(super) const MEM_FREE: i32 = 11;
    pub(super) const CONDITIONAL: i32 = 13;
}

/// Bytes of `cudaGraphNodeParams` before what depends on the kind of node, and of `cudaMemcpyNodeParams` before the copy.
const NODE_HEAD: usize = 16;
const COPY_HEAD: usize = 16;

/// Adds a node of any kind, as the function of its kind does.
///
/// # Safety
/// There are as many nodes and edges as `count` says, or none; `params` is `cudaGraphNodeParams`, or null.
unsafe fn add_node(
    to: *mut Node,
    graph: Graph,
    from: *const Node,
    edges: *const u64,
    count: usize,
    params: *const u8,
) -> Result {
    if params.is_null() || count > 0 && from.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: the caller says so. An edge is 8 bytes; what is not zero says how a node may begin before another has ended.
    let special =
        !edges.is_null() && (0..count).any(|nth| unsafe { edges.add(nth).read_unaligned() } != 0);
    if special {
        return Err(Status::NOT_SUPPORTED);
    }
    // SAFETY: the caller says so: the kind says what is behind it.
    unsafe {
        let (kind, its) = (params.cast::<c_int>().read(), params.add(NODE_HEAD));
        let added = match kind {
            node::KERNEL => cudaGraphAddKernelNode(to, graph, from, count, its.cast()),
            node::MEMCPY => {
                cudaGraphAddMemcpyNode(to, graph, from, count, its.add(COPY_HEAD).cast())
            }
            node::MEMSET => cudaGraphAddMemsetNode(to, graph, from, count, its.cast()),
            node::HOST => cudaGraphAddHostNode(to, graph, from, count, its.cast()),
            node::GRAPH => {
                cudaGraphAddChildGraphNode(to, graph, from, count, its.cast::<Graph>().read())
            }
            node::EMPTY => cudaGraphAddEmptyNode(to, graph, from, count),
            node::WAIT_EVENT => {
                cudaGraphAddEventWaitNode(to, graph, from, count, its.cast::<Event>().read())
            }
            node::EVENT_RECORD => {
                cudaGraphAddEventRecordNode(to, graph, from, count, its.cast::<Event>().read())
            }
            node::MEM_ALLOC => {
                cudaGraphAddMemAllocNode(to, graph, from, count, its.cast_mut().cast())
            }
            node::MEM_FREE => {
                cudaGraphAddMemFreeNode(to, graph, from, count, its.cast::<Address>().read())
            }
            // Both interfaces lay its parameters out alike.
            node::CONDITIONAL => {
                context::ensure()?;
                return driver::cuGraphAddNode_v2(
                    to,
                    graph,
                    from,
                    std::ptr::null(),
                    count,
                    params.cast_mut().cast(),
                );
            }
            _ => Status::NOT_SUPPORTED,
        };
        added.ok()
    }
}

/// Gives a node of any kind other parameters, as the function of its kind does: a node of a graph, or of one that can be launched.
///
/// # Safety
/// `params` is `cudaGraphNodeParams`, or null.
unsafe fn set_node(exec: Option<GraphExec>, node: Node, params: *const u8) -> Result {
    if params.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: the caller says so: the kind says what is behind it.
    unsafe {
        let (kind, its) = (params.cast::<c_int>().read(), params.add(NODE_HEAD));
        let copy = its.add(COPY_HEAD).cast();
        let set = match (exec, kind) {
            (None, node::KERNEL) => cudaGraphKernelNodeSetParams(node, its.cast()),
            (None, node::MEMCPY) => cudaGraphMemcpyNodeSetParams(node, copy),
            (None, node::MEMSET) => cudaGraphMemsetNodeSetParams(node, its.cast()),
            (None, node::HOST) => cudaGraphHostNodeSetParams(node, its.cast()),
            (None, node::WAIT_EVENT) => {
                cudaGraphEventWaitNodeSetEvent(node, its.cast::<Event>().read())
            }
            (None, node::EVENT_RECORD) => {
                cudaGraphEventRecordNodeSetEvent(node, its.cast::<Event>().read())
            }
            (Some(exec), node::KERNEL) => cudaGraphExecKernelNodeSetParams(exec, node, its.cast()),
            (Some(exec), node::MEMCPY) => cudaGraphExecMemcpyNodeSetParams(exec, node, copy),
            (Some(exec), node::MEMSET) => cudaGraphExecMemsetNodeSetParams(exec, node, its.cast()),
            (Some(exec), node::HOST) => cudaGraphExecHostNodeSetParams(exec, node, its.cast()),
            (Some(exec), node::GRAPH) => {
                cudaGraphExecChildGraphNodeSetParams(exec, node, its.cast::<Graph>().read())
            }
            (Some(exec), node::WAIT_EVENT) => {
                cudaGraphExecEventWaitNodeSetEvent(exec, node, its.cast::<Event>().read())
            }
            (Some(exec), node::EVENT_RECORD) => {
                cudaGraphExecEventRecordNodeSetEvent(exec, node, its.cast::<Event>().read())
            }
            _ => Status::NOT_SUPPORTED,
        };
        set.ok()
    }
}

runtime! {
    // Before 13 it had no edges: the fourth argument is their number, and the fifth the node.
    fn cudaGraphAddNode(to: *mut Node, graph: Graph, from: *const Node, edges_or_count: usize, count_or_params: usize, params: *const u8) {
        match generation() {
            Generation::V13 => {
                add_node(to, graph, from, std::ptr::with_exposed_provenance(edges_or_count), count_or_params, params)
            }
            Generation::V11 | Generation::V12 => {
                add_node(to, graph, from, std::ptr::null(), edges_or_count, std::ptr::with_exposed_provenance(count_or_params))
            }
        }
    }

    fn cudaGraphAddNode_v2(to: *mut Node, graph: Graph, from: *const Node, edges: *const u64, count: usize, params: *const u8) {
        add_node(to, graph, from, edges, count, params)
    }

    fn cudaGraphNodeSetParams(node: Node, params: *const u8) {
        set_node(None, node, params)
    }

    fn cudaGraphExecNodeSetParams(exec: GraphExec, node: Node, params: *const u8) {
        set_node(Some(exec), node, params)
    }

    fn cudaGraphConditionalHandleCreate(handle: *mut u64, graph: Graph, value: u32, flags: u32) {
        driver::cuGraphConditionalHandleCreate(handle, graph, current()?, value, flags)
    }

    // The context is one of the part of a device, which are not there: null is the device's.
    fn cudaGraphConditionalHandleCreate_v2(handle: *mut u64, graph: Graph, part: Context, value: u32, flags: u32) {
        if !part.is_null() {
            return Err(Status::NOT_SUPPORTED);
        }
        driver::cuGraphConditionalHandleCreate(handle, graph, current()?, value, flags)
    }

    fn cudaGraphAddKernelNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, params: *const RuntimeKernel) {
        let params = DriverKernel::of(params)?;
        driver::cuGraphAddKernelNode_v2(node, graph, from, count, (&raw const params).cast())
    }

    fn cudaGraphKernelNodeSetParams(node: Node, params: *const RuntimeKernel) {
        let params = DriverKernel::of(params)?;
        driver::cuGraphKernelNodeSetParams_v2(node, (&raw const params).cast())
    }

    fn cudaGraphExecKernelNodeSetParams(exec: GraphExec, node: Node, params: *const RuntimeKernel) {
        let params = DriverKernel::of(params)?;
        driver::cuGraphExecKernelNodeSetParams_v2(exec, node, (&raw const params).cast())
    }

    fn cudaGraphKernelNodeGetParams(node: Node, params: *mut RuntimeKernel) {
        let params = params.as_mut().ok_or(Status::INVALID_VALUE)?;
        context::ensure()?;
        let none = Dim3 { x: 0, y: 0, z: 0 };
        let mut found = DriverKernel {
            function: null_mut(), grid: none, block: none, shared: 0, args: null_mut(), extra: null_mut(), kernel: null_mut(), context: null_mut(),
        };
        driver::cuGraphKernelNodeGetParams_v2(node, (&raw mut found).cast())?;
        let function = match found.kernel.is_null() {
            true => found.function,
            false => registry::host_of(found.kernel).cast_mut(),
        };
        let DriverKernel { grid, block, shared, args, extra, .. } = found;
        *params = RuntimeKernel { function, grid, block, shared, args, extra };
        Ok(())
    }

    fn cudaGraphAddMemcpyNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, parms: *const Parms3d) {
        driver::cuGraphAddMemcpyNode(node, graph, from, count, &copy_of(parms)?, current()?)
    }

    fn cudaGraphMemcpyNodeSetParams(node: Node, parms: *const Parms3d) {
        context::ensure()?;
        driver::cuGraphMemcpyNodeSetParams(node, &copy_of(parms)?)
    }

    fn cudaGraphExecMemcpyNodeSetParams(exec: GraphExec, node: Node, parms: *const Parms3d) {
        driver::cuGraphExecMemcpyNodeSetParams(exec, node, &copy_of(parms)?, current()?)
    }

    fn cudaGraphAddMemcpyNode1D(node: *mut Node, graph: Graph, from: *const Node, count: usize, to: Address, source: *const c_void, bytes: usize, kind: c_int) {
        driver::cuGraphAddMemcpyNode(node, graph, from, count, &flat_copy(to, source, bytes, kind)?, current()?)
    }

    fn cudaGraphMemcpyNodeSetParams1D(node: Node, to: Address, source: *const c_void, bytes: usize, kind: c_int) {
        context::ensure()?;
        driver::cuGraphMemcpyNodeSetParams(node, &flat_copy(to, source, bytes, kind)?)
    }

    fn cudaGraphExecMemcpyNodeSetParams1D(exec: GraphExec, node: Node, to: Address, source: *const c_void, bytes: usize, kind: c_int) {
        driver::cuGraphExecMemcpyNodeSetParams(exec, node, &flat_copy(to, source, bytes, kind)?, current()?)
    }

    fn cudaGraphAddMemcpyNodeToSymbol(node: *mut Node, graph: Graph, from: *const Node, count: usize, symbol: *const c_void, source: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        let to = copies::in_variable(symbol, bytes, offset)?;
        driver::cuGraphAddMemcpyNode(node, graph, from, count, &flat_copy(to, source, bytes, kind)?, current()?)
    }

    fn cudaGraphAddMemcpyNodeFromSymbol(node: *mut Node, graph: Graph, from: *const Node, count: usize, to: Address, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        let source = copies::in_variable(symbol, bytes, offset)?;
        driver::cuGraphAddMemcpyNode(node, graph, from, count, &flat_copy(to, source, bytes, kind)?, current()?)
    }

    fn cudaGraphMemcpyNodeSetParamsToSymbol(node: Node, symbol: *const c_void, source: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        let to = copies::in_variable(symbol, bytes, offset)?;
        driver::cuGraphMemcpyNodeSetParams(node, &flat_copy(to, source, bytes, kind)?)
    }

    fn cudaGraphMemcpyNodeSetParamsFromSymbol(node: Node, to: Address, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        let source = copies::in_variable(symbol, bytes, offset)?;
        driver::cuGraphMemcpyNodeSetParams(node, &flat_copy(to, source, bytes, kind)?)
    }

    fn cudaGraphExecMemcpyNodeSetParamsToSymbol(exec: GraphExec, node: Node, symbol: *const c_void, source: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        let to = copies::in_variable(symbol, bytes, offset)?;
        driver::cuGraphExecMemcpyNodeSetParams(exec, node, &flat_copy(to, source, bytes, kind)?, current()?)
    }

    fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec: GraphExec, node: Node, to: Address, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        let source = copies::in_variable(symbol, bytes, offset)?;
        driver::cuGraphExecMemcpyNodeSetParams(exec, node, &flat_copy(to, source, bytes, kind)?, current()?)
    }

    fn cudaGraphInstantiateWithParams(exec: *mut GraphExec, graph: Graph, params: *mut c_void) [cudaGraphInstantiateWithParams_ptsz |_default|] {
        context::ensure()?;
        driver::cuGraphInstantiateWithParams(exec, graph, params)
    }

    fn cudaGraphAddMemsetNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, params: *const c_void) {
        driver::cuGraphAddMemsetNode(node, graph, from, count, params, current()?)
    }

    fn cudaGraphExecMemsetNodeSetParams(exec: GraphExec, node: Node, params: *const c_void) {
        driver::cuGraphExecMemsetNodeSetParams(exec, node, params, current()?)
    }

    // Before 12 the last three arguments were a place for a node, text and its length.
    fn cudaGraphInstantiate(exec: *mut GraphExec, graph: Graph, flags: u64) {
        context::ensure()?;
        let flags = if generation() == Generation::V11 { 0 } else { flags };
        driver::cuGraphInstantiateWithFlags(exec, graph, flags)
    }

    // Before 12 two places for results followed.
    fn cudaGraphExecUpdate(exec: GraphExec, graph: Graph, info: *mut c_void) {
        context::ensure()?;
        driver::cuGraphExecUpdate_v2(exec, graph, info)
    }

    // Before 13 these had no edges.
    fn cudaGraphAddDependencies(graph: Graph, from: *const Node, to: *const Node, edges_or_count: usize, count: usize) {
        context::ensure()?;
        let (edges, count) = edges_and_count(edges_or_count, count);
        driver::cuGraphAddDependencies_v2(graph, from, to, edges, count)
    }

    fn cudaGraphRemoveDependencies(graph: Graph, from: *const Node, to: *const Node, edges_or_count: usize, count: usize) {
        context::ensure()?;
        let (edges, count) = edges_and_count(edges_or_count, count);
        driver::cuGraphRemoveDependencies_v2(graph, from, to, edges, count)
    }

    fn cudaGraphGetEdges(graph: Graph, from: *mut Node, to: *mut Node, edges_or_count: Address, count: *mut usize) {
        context::ensure()?;
        let (edges, count) = edges_and_place(edges_or_count, count);
        driver::cuGraphGetEdges_v2(graph, from, to, edges, count)
    }

    fn cudaGraphNodeGetDependencies(node: Node, from: *mut Node, edges_or_count: Address, count: *mut usize) {
        context::ensure()?;
        let (edges, count) = edges_and_place(edges_or_count, count);
        driver::cuGraphNodeGetDependencies_v2(node, from, edges, count)
    }

    fn cudaGraphNodeGetDependentNodes(node: Node, to: *mut Node, edges_or_count: Address, count: *mut usize) {
        context::ensure()?;
        let (edges, count) = edges_and_place(edges_or_count, count);
        driver::cuGraphNodeGetDependentNodes_v2(node, to, edges, count)
    }
}

fn edges_and_count(edges_or_count: usize, count: usize) -> (*const c_void, usize) {
    match generation() {
        Generation::V13 => (std::ptr::with_exposed_provenance(edges_or_count), count),
        Generation::V11 | Generation::V12 => (std::ptr::null(), edges_or_count),
    }
}

fn edges_and_place(edges_or_count: Address, count: *mut usize) -> (Address, *mut usize) {
    match generation() {
        Generation::V13 => (edges_or_count, count),
        Generation::V11 | Generation::V12 => (null_mut(), edges_or_count.cast()),
    }
}

forward! {
    fn cudaGraphCreate(graph: *mut Graph, flags: u32) = cuGraphCreate;
    fn cudaGraphDestroy(graph: Graph) = cuGraphDestroy;
    fn cudaGraphClone(clone: *mut Graph, graph: Graph) = cuGraphClone;
    fn cudaGraphAddEmptyNode(node: *mut Node, graph: Graph, from: *const Node, count: usize) = cuGraphAddEmptyNode;
    fn cudaGraphAddHostNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, params: *const c_void) = cuGraphAddHostNode;
    fn cudaGraphAddChildGraphNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, child: Graph) = cuGraphAddChildGraphNode;
    fn cudaGraphAddEventRecordNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, event: Event) = cuGraphAddEventRecordNode;
    fn cudaGraphAddEventWaitNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, event: Event) = cuGraphAddEventWaitNode;
    fn cudaGraphAddMemAllocNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, params: *mut c_void) = cuGraphAddMemAllocNode;
    fn cudaGraphAddMemFreeNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, address: Address) = cuGraphAddMemFreeNode;
    fn cudaGraphMemsetNodeGetParams(node: Node, params: *mut c_void) = cuGraphMemsetNodeGetParams;
    fn cudaGraphMemsetNodeSetParams(node: Node, params: *const c_void) = cuGraphMemsetNodeSetParams;
    fn cudaGraphHostNodeGetParams(node: Node, params: *mut c_void) = cuGraphHostNodeGetParams;
    fn cudaGraphHostNodeSetParams(node: Node, params: *const c_void) = cuGraphHostNodeSetParams;
    fn cudaGraphChildGraphNodeGetGraph(node: Node, graph: *mut Graph) = cuGraphChildGraphNodeGetGraph;
    fn cudaGraphEventRecordNodeGetEvent(node: Node, event: *mut Event) = cuGraphEventRecordNodeGetEvent;
    fn cudaGraphEventRecordNodeSetEvent(node: Node, event: Event) = cuGraphEventRecordNodeSetEvent;
    fn cudaGraphEventWaitNodeGetEvent(node: Node, event: *mut Event) = cuGraphEventWaitNodeGetEvent;
    fn cudaGraphEventWaitNodeSetEvent(node: Node, event: Event) = cuGraphEventWaitNodeSetEvent;
    fn cudaGraphMemAllocNodeGetParams(node: Node, params: *mut c_void) = cuGraphMemAllocNodeGetParams;
    fn cudaGraphMemFreeNodeGetParams(node: Node, address: *mut Address) = cuGraphMemFreeNodeGetParams;
    fn cudaGraphNodeFindInClone(node: *mut Node, original: Node, clone: Graph) = cuGraphNodeFindInClone;
    fn cudaGraphNodeGetType(node: Node, kind: *mut c_int) = cuGraphNodeGetType;
    fn cudaGraphGetNodes(graph: Graph, nodes: *mut Node, count: *mut usize) = cuGraphGetNodes;
    fn cudaGraphGetRootNodes(graph: Graph, nodes: *mut Node, count: *mut usize) = cuGraphGetRootNodes;
    fn cudaGraphAddDependencies_v2(graph: Graph, from: *const Node, to: *const Node, edges: *const c_void, count: usize) = cuGraphAddDependencies_v2;
    fn cudaGraphRemoveDependencies_v2(graph: Graph, from: *const Node, to: *const Node, edges: *const c_void, count: usize) = cuGraphRemoveDependencies_v2;
    fn cudaGraphGetEdges_v2(graph: Graph, from: *mut Node, to: *mut Node, edges: *mut c_void, count: *mut usize) = cuGraphGetEdges_v2;
    fn cudaGraphNodeGetDependencies_v2(node: Node, from: *mut Node, edges: *mut c_void, count: *mut usize) = cuGraphNodeGetDependencies_v2;
    fn cudaGraphNodeGetDependentNodes_v2(node: Node, to: *mut Node, edges: *mut c_void, count: *mut usize) = cuGraphNodeGetDependentNodes_v2;
    fn cudaGraphDestroyNode(node: Node) = cuGraphDestroyNode;
    fn cudaGraphInstantiateWithFlags(exec: *mut GraphExec, graph: Graph, flags: u64) = cuGraphInstantiateWithFlags;
    fn cudaGraphExecGetId(exec: GraphExec, id: *mut u32) = cuGraphExecGetId;
    fn cudaGraphExecGetFlags(exec: GraphExec, flags: *mut u64) = cuGraphExecGetFlags;
    fn cudaGraphExecHostNodeSetParams(exec: GraphExec, node: Node, params: *const c_void) = cuGraphExecHostNodeSetParams;
    fn cudaGraphExecChildGraphNodeSetParams(exec: GraphExec, node: Node, child: Graph) = cuGraphExecChildGraphNodeSetParams;
    fn cudaGraphExecEventRecordNodeSetEvent(exec: GraphExec, node: Node, event: Event) = cuGraphExecEventRecordNodeSetEvent;
    fn cudaGraphExecEventWaitNodeSetEvent(exec: GraphExec, node: Node, event: Event) = cuGraphExecEventWaitNodeSetEvent;
    fn cudaGraphNodeSetEnabled(exec: GraphExec, node: Node, enabled: u32) = cuGraphNodeSetEnabled;
    fn cudaGraphNodeGetEnabled(exec: GraphExec, node: Node, enabled: *mut u32) = cuGraphNodeGetEnabled;
    fn cudaGraphUpload(exec: GraphExec, stream: Stream) [cudaGraphUpload_ptsz stream] = cuGraphUpload;
    fn cudaGraphLaunch(exec: GraphExec, stream: Stream) [cudaGraphLaunch_ptsz stream] = cuGraphLaunch;
    fn cudaGraphExecDestroy(exec: GraphExec) = cuGraphExecDestroy;
    fn cudaGraphDebugDotPrint(graph: Graph, path: *const c_char, flags: u32) = cuGraphDebugDotPrint;
    fn cudaGraphKernelNodeCopyAttributes(target: Node, source: Node) = cuGraphKernelNodeCopyAttributes;
    fn cudaGraphKernelNodeGetAttribute(node: Node, attribute: c_int, value: *mut c_void) = cuGraphKernelNodeGetAttribute;
    fn cudaGraphKernelNodeSetAttribute(node: Node, attribute: c_int, value: *const c_void) = cuGraphKernelNodeSetAttribute;
    fn cudaUserObjectCreate(object: *mut Address, pointer: Address, destroy: Address, count: u32, flags: u32) = cuUserObjectCreate;
    fn cudaUserObjectRetain(object: Address, count: u32) = cuUserObjectRetain;
    fn cudaUserObjectRelease(object: Address, count: u32) = cuUserObjectRelease;
    fn cudaGraphRetainUserObject(graph: Graph, object: Address, count: u32, flags: u32) = cuGraphRetainUserObject;
    fn cudaGraphReleaseUserObject(graph: Graph, object: Address, count: u32) = cuGraphReleaseUserObject;
}
