//! The functions of the driver that the runtime calls: those of `libcuda.so.1`, opened when the first of them is called.

use crate::said::say_once;
use crate::status::{Result, Status};
use crate::types::{
    Address, Array, ArrayDesc, Context, Copy2d, Copy3d, Event, Function, Graph, GraphExec, Kernel,
    Library, Location, Node, Pool, Stream,
};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The library, or null where there is none.
fn library() -> *mut c_void {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    let open = || {
        // SAFETY: the name is a string.
        let library =
            unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        library.expose_provenance()
    };
    std::ptr::with_exposed_provenance_mut(*LIBRARY.get_or_init(open))
}

/// The place of a function: null until it is asked for.
struct Place {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Place {
    /// Where the function is.
    fn find(&self) -> Result<*mut c_void> {
        let address = self.address.load(Ordering::Acquire);
        if !address.is_null() {
            return Ok(address);
        }
        let library = library();
        if library.is_null() {
            say_once(
                "there is no libcuda.so.1: `warpwise exec` and `warpwise driver --path` have one",
            );
            return Err(Status::INSUFFICIENT_DRIVER);
        }
        // SAFETY: the library is open, the name is a string.
        let address = unsafe { libc::dlsym(library, self.name.as_ptr()) };
        if address.is_null() {
            let name = self.name.to_string_lossy();
            say_once(&format!("libcuda.so.1 has no `{name}`"));
            return Err(Status::CALL_REQUIRES_NEWER_DRIVER);
        }
        self.address.store(address, Ordering::Release);
        Ok(address)
    }
}

/// Declares functions of the driver, by the names by which the library exports them.
macro_rules! driver {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?);)*) => {
        $(
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub(crate) unsafe fn $name($($arg: $type),*) -> Result {
                const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => c"",
                };
                static PLACE: Place = Place { name: NAME, address: AtomicPtr::new(null_mut()) };
                let address = PLACE.find()?;
                // SAFETY: the function of that name has this signature, and the caller gives it what it asks for.
                unsafe {
                    let function: unsafe extern "C" fn($($type),*) -> Status = std::mem::transmute(address);
                    function($($arg),*).ok()
                }
            }
        )*
    };
}

driver! {
    fn cuInit(flags: u32);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuGetProcAddress_v2(name: *const c_char, address: *mut Address, version: c_int, flags: u64, status: *mut c_int);

    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int);
    fn cuDeviceGetUuid_v2(uuid: *mut c_void, device: c_int);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
    fn cuDeviceGetByPCIBusId(device: *mut c_int, name: *const c_char);
    fn cuDeviceGetPCIBusId(name: *mut c_char, length: c_int, device: c_int);
    fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int);
    fn cuDeviceGetP2PAttribute(value: *mut c_int, attribute: c_int, source: c_int, target: c_int);
    fn cuDeviceGetDefaultMemPool(pool: *mut Pool, device: c_int);
    fn cuDeviceGetMemPool(pool: *mut Pool, device: c_int);
    fn cuDeviceSetMemPool(device: c_int, pool: Pool);
    fn cuDeviceGetGraphMemAttribute(device: c_int, attribute: c_int, value: Address);
    fn cuDeviceSetGraphMemAttribute(device: c_int, attribute: c_int, value: Address);
    fn cuDeviceGraphMemTrim(device: c_int);
    fn cuDeviceGetTexture1DLinearMaxWidth(width: *mut usize, format: u32, channels: u32, device: c_int);

    fn cuDevicePrimaryCtxRetain(context: *mut Context, device: c_int);
    fn cuDevicePrimaryCtxReset_v2(device: c_int);
    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: u32);
    fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut u32, active: *mut c_int);
    fn cuCtxGetCurrent(context: *mut Context);
    fn cuCtxSetCurrent(context: Context);
    fn cuCtxGetDevice(device: *mut c_int);
    fn cuCtxSynchronize();
    fn cuCtxGetLimit(value: *mut usize, limit: c_int);
    fn cuCtxSetLimit(limit: c_int, value: usize);
    fn cuCtxGetCacheConfig(config: *mut c_int);
    fn cuCtxSetCacheConfig(config: c_int);
    fn cuCtxGetSharedMemConfig(config: *mut c_int);
    fn cuCtxSetSharedMemConfig(config: c_int);
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
    fn cuCtxEnablePeerAccess(peer: Context, flags: u32);
    fn cuCtxDisablePeerAccess(peer: Context);
    fn cuCtxResetPersistingL2Cache();

    fn cuLibraryLoadData(library: *mut Library, code: *const c_void, jit: *mut c_int, jit_values: *mut Address,
        jit_count: u32, options: *mut c_int, values: *mut Address, count: u32);
    fn cuLibraryLoadFromFile(library: *mut Library, name: *const c_char, jit: *mut c_int, jit_values: *mut Address,
        jit_count: u32, options: *mut c_int, values: *mut Address, count: u32);
    fn cuLibraryUnload(library: Library);
    fn cuLibraryGetKernel(kernel: *mut Kernel, library: Library, name: *const c_char);
    fn cuLibraryGetGlobal(address: *mut Address, bytes: *mut usize, library: Library, name: *const c_char);
    fn cuLibraryGetManaged(address: *mut Address, bytes: *mut usize, library: Library, name: *const c_char);
    fn cuLibraryGetUnifiedFunction(address: *mut Address, library: Library, name: *const c_char);
    fn cuLibraryGetKernelCount(count: *mut u32, library: Library);
    fn cuLibraryEnumerateKernels(kernels: *mut Kernel, count: u32, library: Library);
    fn cuKernelGetFunction(function: *mut Function, kernel: Kernel);
    fn cuKernelSetAttribute(attribute: c_int, value: c_int, kernel: Kernel, device: c_int);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: Function);
    fn cuFuncSetAttribute(function: Function, attribute: c_int, value: c_int);
    fn cuFuncSetCacheConfig(function: Function, config: c_int);
    fn cuFuncSetSharedMemConfig(function: Function, config: c_int);
    fn cuFuncGetName(name: *mut *const c_char, function: Function);
    fn cuFuncGetParamInfo(function: Function, nth: usize, offset: *mut usize, size: *mut usize);

    fn cuLaunchKernel(function: Function, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32,
        block_z: u32, shared: u32, stream: Stream, args: *mut Address, extra: *mut Address);
    fn cuLaunchCooperativeKernel(function: Function, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32,
        block_y: u32, block_z: u32, shared: u32, stream: Stream, args: *mut Address);
    fn cuLaunchKernelEx(config: *const c_void, function: Function, args: *mut Address, extra: *mut Address);
    fn cuLaunchHostFunc(stream: Stream, function: Address, data: Address);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: *mut c_int, function: Function, threads: c_int,
        shared: usize, flags: u32);
    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: Function, blocks: c_int, threads: c_int);
    fn cuOccupancyMaxPotentialClusterSize(size: *mut c_int, function: Function, config: *const c_void);
    fn cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: Function, config: *const c_void);

    fn cuMemAlloc_v2(address: *mut Address, bytes: usize);
    fn cuMemAllocPitch_v2(address: *mut Address, pitch: *mut usize, width: usize, height: usize, element: u32);
    fn cuMemAllocManaged(address: *mut Address, bytes: usize, flags: u32);
    fn cuMemFree_v2(address: Address);
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemHostAlloc(address: *mut Address, bytes: usize, flags: u32);
    fn cuMemFreeHost(address: Address);
    fn cuMemHostRegister_v2(address: Address, bytes: usize, flags: u32);
    fn cuMemHostUnregister(address: Address);
    fn cuMemHostGetDevicePointer_v2(device: *mut Address, host: Address, flags: u32);
    fn cuMemHostGetFlags(flags: *mut u32, host: Address);
    fn cuMemAllocAsync(address: *mut Address, bytes: usize, stream: Stream);
    fn cuMemAllocFromPoolAsync(address: *mut Address, bytes: usize, pool: Pool, stream: Stream);
    fn cuMemFreeAsync(address: Address, stream: Stream);
    fn cuMemPoolCreate(pool: *mut Pool, properties: *const c_void);
    fn cuMemPoolDestroy(pool: Pool);
    fn cuMemPoolTrimTo(pool: Pool, keep: usize);
    fn cuMemPoolSetAttribute(pool: Pool, attribute: c_int, value: Address);
    fn cuMemPoolGetAttribute(pool: Pool, attribute: c_int, value: Address);
    fn cuMemPoolSetAccess(pool: Pool, list: *const c_void, count: usize);
    fn cuMemPoolGetAccess(flags: *mut c_int, pool: Pool, location: *mut Location);
    fn cuMemPrefetchBatchAsync(addresses: *mut Address, bytes: *mut usize, count: usize, locations: *mut Location, first: *mut usize, location_count: usize, flags: u64, stream: Stream);
    fn cuMemDiscardAndPrefetchBatchAsync(addresses: *mut Address, bytes: *mut usize, count: usize, locations: *mut Location, first: *mut usize, location_count: usize, flags: u64, stream: Stream);
    fn cuMemDiscardBatchAsync(addresses: *mut Address, bytes: *mut usize, count: usize, flags: u64, stream: Stream);
    fn cuMemcpyBatchAsync_v2(to: *mut Address, from: *mut Address, bytes: *mut usize, count: usize, attributes: *mut c_void, first: *mut usize, attribute_count: usize, stream: Stream);
    fn cuMemcpyBatchAsync(to: *mut Address, from: *mut Address, bytes: *mut usize, count: usize, attributes: *mut c_void, first: *mut usize, attribute_count: usize, failed: *mut usize, stream: Stream);
    fn cuMemcpy3DBatchAsync(count: usize, ops: *mut c_void, failed: *mut usize, flags: u64, stream: Stream);
    fn cuMemcpy3DBatchAsync_v2(count: usize, ops: *mut c_void, flags: u64, stream: Stream);
    fn cuMemcpy3DWithAttributesAsync(op: *mut c_void, flags: u64, stream: Stream);
    fn cuMemcpyWithAttributesAsync(to: Address, from: Address, bytes: usize, attributes: *mut c_void, stream: Stream);
    fn cuGraphExecGetId(exec: GraphExec, id: *mut u32);
    fn cuMemPrefetchAsync_v2(address: Address, bytes: usize, location: Location, flags: u32, stream: Stream);
    fn cuMemAdvise_v2(address: Address, bytes: usize, advice: c_int, location: Location);
    fn cuMemRangeGetAttribute(data: Address, size: usize, attribute: c_int, address: Address, bytes: usize);
    fn cuMemRangeGetAttributes(data: *mut Address, sizes: *mut usize, attributes: *mut c_int, count: usize,
        address: Address, bytes: usize);
    fn cuPointerGetAttribute(data: Address, attribute: c_int, address: Address);

    fn cuMemcpy(target: Address, source: Address, bytes: usize);
    fn cuMemcpyAsync(target: Address, source: Address, bytes: usize, stream: Stream);
    fn cuMemcpyHtoD_v2(target: Address, source: Address, bytes: usize);
    fn cuMemcpyHtoDAsync_v2(target: Address, source: Address, bytes: usize, stream: Stream);
    fn cuMemcpyDtoH_v2(target: Address, source: Address, bytes: usize);
    fn cuMemcpyDtoHAsync_v2(target: Address, source: Address, bytes: usize, stream: Stream);
    fn cuMemcpyDtoD_v2(target: Address, source: Address, bytes: usize);
    fn cuMemcpyDtoDAsync_v2(target: Address, source: Address, bytes: usize, stream: Stream);
    fn cuMemcpyPeer(target: Address, target_context: Context, source: Address, source_context: Context, bytes: usize);
    fn cuMemcpyPeerAsync(target: Address, target_context: Context, source: Address, source_context: Context,
        bytes: usize, stream: Stream);
    fn cuMemcpy2DUnaligned_v2(copy: *const Copy2d);
    fn cuMemcpy2DAsync_v2(copy: *const Copy2d, stream: Stream);
    fn cuMemcpy3D_v2(copy: *const Copy3d);
    fn cuMemcpy3DAsync_v2(copy: *const Copy3d, stream: Stream);
    fn cuMemcpy3DPeer(copy: *const Copy3d);
    fn cuMemcpy3DPeerAsync(copy: *const Copy3d, stream: Stream);
    fn cuMemsetD8_v2(target: Address, value: u8, count: usize);
    fn cuMemsetD8Async(target: Address, value: u8, count: usize, stream: Stream);
    fn cuMemsetD2D8_v2(target: Address, pitch: usize, value: u8, width: usize, height: usize);
    fn cuMemsetD2D8Async(target: Address, pitch: usize, value: u8, width: usize, height: usize, stream: Stream);

    fn cuStreamCreate(stream: *mut Stream, flags: u32);
    fn cuStreamCreateWithPriority(stream: *mut Stream, flags: u32, priority: c_int);
    fn cuStreamDestroy_v2(stream: Stream);
    fn cuStreamGetPriority(stream: Stream, priority: *mut c_int);
    fn cuStreamGetFlags(stream: Stream, flags: *mut u32);
    fn cuStreamGetId(stream: Stream, id: *mut u64);
    fn cuStreamGetDevice(stream: Stream, device: *mut c_int);
    fn cuStreamCopyAttributes(target: Stream, source: Stream);
    fn cuStreamGetAttribute(stream: Stream, attribute: c_int, value: Address);
    fn cuStreamSetAttribute(stream: Stream, attribute: c_int, value: Address);
    fn cuStreamSynchronize(stream: Stream);
    fn cuStreamQuery(stream: Stream);
    fn cuStreamWaitEvent(stream: Stream, event: Event, flags: u32);
    fn cuStreamAddCallback(stream: Stream, callback: Address, data: Address, flags: u32);
    fn cuStreamAttachMemAsync(stream: Stream, address: Address, bytes: usize, flags: u32);
    fn cuStreamBeginCapture_v2(stream: Stream, mode: c_int);
    fn cuStreamBeginCaptureToGraph(stream: Stream, graph: Graph, from: *const Node, edges: *const c_void, count: usize, mode: c_int);
    fn cuStreamEndCapture(stream: Stream, graph: *mut Graph);
    fn cuStreamIsCapturing(stream: Stream, status: *mut c_int);
    fn cuStreamGetCaptureInfo_v2(stream: Stream, status: *mut c_int, id: *mut u64, graph: *mut Graph,
        from: *mut *const Node, count: *mut usize);
    fn cuStreamGetCaptureInfo_v3(stream: Stream, status: *mut c_int, id: *mut u64, graph: *mut Graph,
        from: *mut *const Node, edges: *mut Address, count: *mut usize);
    fn cuStreamUpdateCaptureDependencies(stream: Stream, from: *mut Node, count: usize, flags: u32);
    fn cuStreamUpdateCaptureDependencies_v2(stream: Stream, from: *mut Node, edges: *const c_void, count: usize, flags: u32);
    fn cuThreadExchangeStreamCaptureMode(mode: *mut c_int);

    fn cuEventCreate(event: *mut Event, flags: u32);
    fn cuEventRecord(event: Event, stream: Stream);
    fn cuEventRecordWithFlags(event: Event, stream: Stream, flags: u32);
    fn cuEventQuery(event: Event);
    fn cuEventSynchronize(event: Event);
    fn cuEventDestroy_v2(event: Event);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: Event, end: Event);

    fn cuArray3DCreate_v2(array: *mut Array, desc: *const ArrayDesc);
    fn cuArray3DGetDescriptor_v2(desc: *mut ArrayDesc, array: Array);
    fn cuArrayDestroy(array: Array);
    fn cuArrayGetPlane(plane: *mut Array, array: Array, nth: u32);
    fn cuMipmappedArrayCreate(array: *mut Array, desc: *const ArrayDesc, levels: u32);
    fn cuMipmappedArrayGetLevel(level: *mut Array, array: Array, nth: u32);
    fn cuMipmappedArrayDestroy(array: Array);
    fn cuTexObjectCreate(texture: *mut u64, resource: *const c_void, texture_desc: *const c_void, view: *const c_void);
    fn cuTexObjectDestroy(texture: u64);
    fn cuTexObjectGetResourceDesc(resource: *mut c_void, texture: u64);
    fn cuTexObjectGetTextureDesc(desc: *mut c_void, texture: u64);
    fn cuTexObjectGetResourceViewDesc(view: *mut c_void, texture: u64);
    fn cuSurfObjectCreate(surface: *mut u64, resource: *const c_void);
    fn cuSurfObjectDestroy(surface: u64);
    fn cuSurfObjectGetResourceDesc(resource: *mut c_void, surface: u64);

    fn cuGraphCreate(graph: *mut Graph, flags: u32);
    fn cuGraphDestroy(graph: Graph);
    fn cuGraphClone(clone: *mut Graph, graph: Graph);
    fn cuGraphAddEmptyNode(node: *mut Node, graph: Graph, from: *const Node, count: usize);
    fn cuGraphAddKernelNode_v2(node: *mut Node, graph: Graph, from: *const Node, count: usize, params: *const c_void);
    fn cuGraphAddMemcpyNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, copy: *const Copy3d, context: Context);
    fn cuGraphAddMemsetNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, params: *const c_void, context: Context);
    fn cuGraphAddHostNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, params: *const c_void);
    fn cuGraphAddChildGraphNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, child: Graph);
    fn cuGraphAddEventRecordNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, event: Event);
    fn cuGraphAddEventWaitNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, event: Event);
    fn cuGraphAddMemAllocNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, params: *mut c_void);
    fn cuGraphAddNode_v2(node: *mut Node, graph: Graph, from: *const Node, edges: *const c_void, count: usize, params: *mut c_void);
    fn cuGraphConditionalHandleCreate(handle: *mut u64, graph: Graph, context: Context, value: u32, flags: u32);
    fn cuGraphAddMemFreeNode(node: *mut Node, graph: Graph, from: *const Node, count: usize, address: Address);
    fn cuGraphKernelNodeGetParams_v2(node: Node, params: *mut c_void);
    fn cuGraphKernelNodeSetParams_v2(node: Node, params: *const c_void);
    fn cuGraphMemcpyNodeSetParams(node: Node, copy: *const Copy3d);
    fn cuGraphMemsetNodeGetParams(node: Node, params: *mut c_void);
    fn cuGraphMemsetNodeSetParams(node: Node, params: *const c_void);
    fn cuGraphHostNodeGetParams(node: Node, params: *mut c_void);
    fn cuGraphHostNodeSetParams(node: Node, params: *const c_void);
    fn cuGraphChildGraphNodeGetGraph(node: Node, graph: *mut Graph);
    fn cuGraphEventRecordNodeGetEvent(node: Node, event: *mut Event);
    fn cuGraphEventRecordNodeSetEvent(node: Node, event: Event);
    fn cuGraphEventWaitNodeGetEvent(node: Node, event: *mut Event);
    fn cuGraphEventWaitNodeSetEvent(node: Node, event: Event);
    fn cuGraphMemAllocNodeGetParams(node: Node, params: *mut c_void);
    fn cuGraphMemFreeNodeGetParams(node: Node, address: *mut Address);
    fn cuGraphNodeFindInClone(node: *mut Node, original: Node, clone: Graph);
    fn cuGraphNodeGetType(node: Node, kind: *mut c_int);
    fn cuGraphGetNodes(graph: Graph, nodes: *mut Node, count: *mut usize);
    fn cuGraphGetRootNodes(graph: Graph, nodes: *mut Node, count: *mut usize);
    fn cuGraphGetEdges_v2(graph: Graph, from: *mut Node, to: *mut Node, edges: *mut c_void, count: *mut usize);
    fn cuGraphNodeGetDependencies_v2(node: Node, from: *mut Node, edges: *mut c_void, count: *mut usize);
    fn cuGraphNodeGetDependentNodes_v2(node: Node, to: *mut Node, edges: *mut c_void, count: *mut usize);
    fn cuGraphAddDependencies_v2(graph: Graph, from: *const Node, to: *const Node, edges: *const c_void, count: usize);
    fn cuGraphRemoveDependencies_v2(graph: Graph, from: *const Node, to: *const Node, edges: *const c_void, count: usize);
    fn cuGraphDestroyNode(node: Node);
    fn cuGraphInstantiateWithFlags(exec: *mut GraphExec, graph: Graph, flags: u64);
    fn cuGraphInstantiateWithParams(exec: *mut GraphExec, graph: Graph, params: *mut c_void);
    fn cuGraphExecGetFlags(exec: GraphExec, flags: *mut u64);
    fn cuGraphExecKernelNodeSetParams_v2(exec: GraphExec, node: Node, params: *const c_void);
    fn cuGraphExecMemcpyNodeSetParams(exec: GraphExec, node: Node, copy: *const Copy3d, context: Context);
    fn cuGraphExecMemsetNodeSetParams(exec: GraphExec, node: Node, params: *const c_void, context: Context);
    fn cuGraphExecHostNodeSetParams(exec: GraphExec, node: Node, params: *const c_void);
    fn cuGraphExecChildGraphNodeSetParams(exec: GraphExec, node: Node, child: Graph);
    fn cuGraphExecEventRecordNodeSetEvent(exec: GraphExec, node: Node, event: Event);
    fn cuGraphExecEventWaitNodeSetEvent(exec: GraphExec, node: Node, event: Event);
    fn cuGraphNodeSetEnabled(exec: GraphExec, node: Node, enabled: u32);
    fn cuGraphNodeGetEnabled(exec: GraphExec, node: Node, enabled: *mut u32);
    fn cuGraphExecUpdate_v2(exec: GraphExec, graph: Graph, info: *mut c_void);
    fn cuGraphUpload(exec: GraphExec, stream: Stream);
    fn cuGraphLaunch(exec: GraphExec, stream: Stream);
    fn cuGraphExecDestroy(exec: GraphExec);
    fn cuGraphDebugDotPrint(graph: Graph, path: *const c_char, flags: u32);
    fn cuGraphKernelNodeCopyAttributes(target: Node, source: Node);
    fn cuGraphKernelNodeGetAttribute(node: Node, attribute: c_int, value: *mut c_void);
    fn cuGraphKernelNodeSetAttribute(node: Node, attribute: c_int, value: *const c_void);
    fn cuUserObjectCreate(object: *mut Address, pointer: Address, destroy: Address, count: u32, flags: u32);
    fn cuUserObjectRetain(object: Address, count: u32);
    fn cuUserObjectRelease(object: Address, count: u32);
    fn cuGraphRetainUserObject(graph: Graph, object: Address, count: u32, flags: u32);
    fn cuGraphReleaseUserObject(graph: Graph, object: Address, count: u32);

    fn cuProfilerStart();
    fn cuProfilerStop();
}
