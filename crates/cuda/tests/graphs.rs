//! Graphs: memory of their own, and branches that run at once.
#![allow(unsafe_code)]

mod common;

use common::{address, call, made, result};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

const PTX: &[u8] = concat!(include_str!("kernels/kernels.ptx"), "\0").as_bytes();

fn kernel(name: &std::ffi::CStr) -> CUfunction {
    let module: CUmodule = made!(cuModuleLoadData(address(&PTX[0])));
    made!(cuModuleGetFunction(module, Text::new(name)))
}

fn context() -> CUcontext {
    call!(cuInit(0));
    made!(cuCtxCreate_v4(Out::null(), 0, 0))
}

fn word(from: CUdeviceptr) -> Answer<u32> {
    let mut value = 0u32;
    let to = Address((&raw mut value).expose_provenance() as u64);
    match result!(cuMemcpyDtoH_v2(to, from, 4)) {
        CUresult::SUCCESS => Ok(value),
        why => Err(why),
    }
}

/// A graph that allocates a word and fills it.
fn allocating(value: u32) -> (CUgraph, CUdeviceptr) {
    let graph: CUgraph = made!(cuGraphCreate(0));
    let mut params = CUDA_MEM_ALLOC_NODE_PARAMS::of_device(0, 4, 0);
    let alloc: CUgraphNode =
        made!(cuGraphAddMemAllocNode(graph, In::null(), 0, Out::new(&mut params)));
    let fill = CUDA_MEMSET_NODE_PARAMS {
        to: params.address,
        pitch: 0,
        value,
        element: 4,
        width: 1,
        height: 1,
    };
    let _: CUgraphNode =
        made!(cuGraphAddMemsetNode(graph, In::new(&alloc), 1, In::new(&fill), CUcontext::NULL));
    (graph, params.address)
}

/// Bytes that graphs have allocated.
fn used() -> u64 {
    let mut bytes = 0u64;
    let to = Address((&raw mut bytes).expose_provenance() as u64);
    call!(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, to));
    bytes
}

/// CUDA C++ Programming Guide, "Graph Memory Nodes".
#[test]
fn memory_of_a_graph_is_freed_by_whoever_may() {
    context();
    let before = used();
    let stream: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    let (graph, at) = allocating(7);
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    assert_eq!(used(), before, "nothing is allocated before the graph is launched");
    assert_eq!(result!(cuMemFree_v2(at)), CUresult::INVALID_VALUE, "it is not allocated");
    call!(cuGraphLaunch(exec, stream));
    call!(cuStreamSynchronize(stream));
    assert_eq!((word(at), used()), (Ok(7), before + 4));
    // What was allocated must be free again before the next launch.
    assert_eq!(result!(cuGraphLaunch(exec, stream)), CUresult::INVALID_VALUE);
    call!(cuMemFreeAsync(at, stream));
    call!(cuGraphLaunch(exec, stream));
    call!(cuStreamSynchronize(stream));
    call!(cuMemFree_v2(at));
    assert_eq!(result!(cuMemFree_v2(at)), CUresult::INVALID_VALUE, "it is free already");
    // Another graph may free it, too.
    call!(cuGraphLaunch(exec, stream));
    let other: CUgraph = made!(cuGraphCreate(0));
    let _: CUgraphNode = made!(cuGraphAddMemFreeNode(other, In::null(), 0, at));
    let free: CUgraphExec = made!(cuGraphInstantiateWithFlags(other, 0));
    call!(cuGraphLaunch(free, stream));
    call!(cuGraphLaunch(exec, stream));
    call!(cuStreamSynchronize(stream));
    // It lives longer than its graph.
    call!(cuGraphExecDestroy(exec));
    call!(cuGraphDestroy(graph));
    assert_eq!((word(at), used()), (Ok(7), before + 4));
    call!(cuMemFree_v2(at));
    assert_eq!(used(), before);
    assert!(word(at).is_err());

    // Who asks for that has it freed with every launch.
    let (graph, at) = allocating(9);
    let flags = u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, flags));
    for _ in 0..3 {
        call!(cuGraphLaunch(exec, stream));
    }
    call!(cuStreamSynchronize(stream));
    assert_eq!(word(at), Ok(9));
    call!(cuMemFree_v2(at));
}

#[test]
fn captured_allocations_are_of_the_graph() {
    context();
    let stream: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    let out: CUdeviceptr = made!(cuMemAlloc_v2(4));
    call!(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    let at: CUdeviceptr = made!(cuMemAllocAsync(4, stream));
    call!(cuMemsetD32Async(at, 11, 1, stream));
    call!(cuMemcpyDtoDAsync_v2(out, at, 4, stream));
    // A stream that takes part, and is gone before the end.
    let (other, fork): (CUstream, CUevent) =
        (made!(cuStreamCreate(CU_STREAM_NON_BLOCKING)), made!(cuEventCreate(0)));
    call!(cuEventRecord(fork, stream));
    call!(cuStreamWaitEvent(other, fork, 0));
    call!(cuMemFreeAsync(at, other));
    call!(cuEventRecord(fork, other));
    call!(cuStreamWaitEvent(stream, fork, 0));
    call!(cuStreamDestroy_v2(other));
    call!(cuEventDestroy_v2(fork));
    let mut graph = CUgraph::NULL;
    call!(cuStreamEndCapture(stream, Out::new(&mut graph)));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    // The graph is destroyed while it runs.
    for _ in 0..3 {
        call!(cuGraphLaunch(exec, stream));
    }
    call!(cuGraphDestroy(graph));
    call!(cuGraphExecDestroy(exec));
    call!(cuStreamSynchronize(stream));
    assert_eq!(word(out), Ok(11));
    call!(cuMemFree_v2(out));
}

/// How many have come, for those who wait for each other.
static COME: (Mutex<u32>, Condvar) = (Mutex::new(0), Condvar::new());

/// Comes, and waits until two have; says so in the word that it is given.
extern "C" fn meet(met: Address) {
    let mut come = COME.0.lock().expect("nobody panics");
    *come += 1;
    COME.1.notify_all();
    let patience = Duration::from_secs(60);
    let (come, _) = COME.1.wait_timeout_while(come, patience, |come| *come < 2).expect("as above");
    // SAFETY: the test's word.
    unsafe { *std::ptr::with_exposed_provenance_mut::<u32>(met.0 as usize) = u32::from(*come >= 2) }
}

#[test]
fn branches_run_at_once() {
    context();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let root: CUgraphNode = made!(cuGraphAddEmptyNode(graph, In::null(), 0));
    let mut met = [0u32; 2];
    let mut ends = Vec::new();
    for met in &mut met {
        let data = Address(std::ptr::from_mut(met).expose_provenance() as u64);
        let params = CUDA_HOST_NODE_PARAMS { function: Some(meet), data };
        let node: CUgraphNode =
            made!(cuGraphAddHostNode(graph, In::new(&root), 1, In::new(&params)));
        ends.push(node);
    }
    // A kernel behind both.
    let scale = kernel(c"scale");
    let values: CUdeviceptr = made!(cuMemAlloc_v2(4));
    call!(cuMemsetD32_v2(values, 1, 1));
    let mut list = [address(&values), address(&3), address(&2), address(&1)];
    let params = CUDA_KERNEL_NODE_PARAMS {
        function: scale,
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        params: Out::new(&mut list[0]),
        extra: Out::null(),
        kernel: CUkernel::NULL,
        context: CUcontext::NULL,
    };
    let _: CUgraphNode =
        made!(cuGraphAddKernelNode_v2(graph, In::new(&ends[0]), 2, In::new(&params)));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    let stream: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    for turn in 0..3 {
        *COME.0.lock().expect("nobody panics") = 0;
        call!(cuGraphLaunch(exec, stream));
        // Behind the launch, in its stream.
        call!(cuMemsetD32Async(values, turn, 1, stream));
        call!(cuStreamSynchronize(stream));
        assert_eq!((met, word(values)), ([1; 2], Ok(turn)));
    }
    call!(cuGraphLaunch(exec, CUstream::LEGACY));
    call!(cuCtxSynchronize());
    assert_eq!(word(values), Ok(2 * 3 + 2));
}

#[test]
fn copies_in_batches() {
    context();
    let stream: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    let from = [1u32, 2, 3];
    let at: CUdeviceptr = made!(cuMemAlloc_v2(12));
    let mut to = [at + 8, at, at + 4];
    let mut sources = [0, 1, 2].map(|nth: usize| address(&from[nth]).0);
    let (mut bytes, mut first) = ([4u64; 3], [0u64, 2]);
    let nowhere = CUmemLocation { kind: CU_MEM_LOCATION_TYPE_INVALID, id: 0 };
    let order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    let mut attributes = [CUmemcpyAttributes { order, from: nowhere, to: nowhere, flags: 0 }; 2];
    let mut batch = |first: &mut [u64; 2], stream: CUstream| {
        result!(cuMemcpyBatchAsync_v2(
            Out::new(&mut to[0]),
            Out::new(&mut sources[0]),
            Out::new(&mut bytes[0]),
            3,
            Out::new(&mut attributes[0]),
            Out::new(&mut first[0]),
            2,
            stream
        ))
    };
    assert_eq!(batch(&mut first, stream), CUresult::SUCCESS);
    call!(cuStreamSynchronize(stream));
    assert_eq!([0, 4, 8].map(|offset| word(at + offset)), [Ok(2), Ok(3), Ok(1)]);
    assert_eq!(batch(&mut [1, 2], stream), CUresult::INVALID_VALUE, "the first has no attribute");
    assert_eq!(batch(&mut [0, 0], stream), CUresult::INVALID_VALUE, "they rise");
    assert_eq!(batch(&mut first, CUstream::NULL), CUresult::INVALID_VALUE, "no default stream");
}

#[test]
fn copies_of_planes_in_batches() {
    context();
    let stream: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    let described = CUDA_ARRAY_DESCRIPTOR {
        width: 4,
        height: 2,
        format: CU_AD_FORMAT_UNSIGNED_INT32,
        channels: 1,
    };
    let array: CUarray = made!(cuArrayCreate_v2(In::new(&described)));
    let values: [u32; 8] = std::array::from_fn(|nth| 10 + nth as u32);
    let at: CUdeviceptr = made!(cuMemAlloc_v2(32));
    call!(cuMemsetD8_v2(at, 0, 32));
    let pointer = |base: u64, row: u64, rows: u64| CUmemcpy3DOperand {
        kind: CU_MEMCPY_OPERAND_TYPE_POINTER,
        pad: 0,
        base,
        words: [row, rows, 0],
    };
    let within = |x: u64, y: u64| CUmemcpy3DOperand {
        kind: CU_MEMCPY_OPERAND_TYPE_ARRAY,
        pad: 0,
        base: array.0,
        words: [x, y, 0],
    };
    let order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    let op = |src, dst, extent| CUDA_MEMCPY3D_BATCH_OP { src, dst, extent, order, flags: 0 };
    // Everything into the array, in elements of 4 bytes; its last column in rows of 2 elements; two bytes of each of two rows of 4.
    let mut ops = [
        op(pointer(address(&values[0]).0, 4, 2), within(0, 0), [4, 2, 1]),
        op(within(3, 0), pointer(at, 2, 2), [1, 2, 1]),
        op(pointer(at, 8, 2), pointer(at + 16, 4, 2), [2, 2, 1]),
    ];
    let issue = |ops: &mut [CUDA_MEMCPY3D_BATCH_OP; 3], stream| {
        result!(cuMemcpy3DBatchAsync_v2(3, Out::new(&mut ops[0]), 0, stream))
    };
    assert_eq!(issue(&mut ops, stream), CUresult::SUCCESS);
    call!(cuStreamSynchronize(stream));
    let words: Vec<_> = (0..8).map(|nth| word(at + 4 * nth).unwrap_or(u32::MAX)).collect();
    assert_eq!(words, [13, 0, 17, 0, 13, 17, 0, 0]);
    assert_eq!(issue(&mut ops, CUstream::NULL), CUresult::INVALID_VALUE, "no default stream");
    ops[1].extent[0] = 2;
    assert_eq!(issue(&mut ops, stream), CUresult::INVALID_VALUE, "outside of the array");
    let mut failed = 9u64;
    let old =
        result!(cuMemcpy3DBatchAsync(3, Out::new(&mut ops[0]), Out::new(&mut failed), 0, stream));
    assert_eq!((old, failed), (CUresult::INVALID_VALUE, 1));
    ops[1].extent = [0, 1, 1];
    let alone = result!(cuMemcpy3DWithAttributesAsync(Out::new(&mut ops[1]), 0, stream));
    assert_eq!(alone, CUresult::INVALID_VALUE, "nothing is not copied");
    ops[1].extent = [1, 1, 1];
    call!(cuMemcpy3DWithAttributesAsync(Out::new(&mut ops[1]), 0, stream));
    call!(cuStreamSynchronize(stream));
}

/// "By default this includes the graph topology, node types, node id, kernel names and memcpy direction" (CUDA Driver API, `cuGraphDebugDotPrint`).
#[test]
fn graphs_are_drawn() {
    context();
    let (graph, at) = allocating(7);
    let mut nodes = [CUgraphNode::NULL; 2];
    let mut count = 2u64;
    call!(cuGraphGetNodes(graph, Out::new(&mut nodes[0]), Out::new(&mut count)));
    let mut list = [address(&at), address(&3), address(&2), address(&1)];
    let params = CUDA_KERNEL_NODE_PARAMS {
        function: kernel(c"scale"),
        grid: [1; 3],
        block: [32, 1, 1],
        shared: 0,
        params: Out::new(&mut list[0]),
        extra: Out::null(),
        kernel: CUkernel::NULL,
        context: CUcontext::NULL,
    };
    let _: CUgraphNode =
        made!(cuGraphAddKernelNode_v2(graph, In::new(&nodes[1]), 1, In::new(&params)));
    let outer: CUgraph = made!(cuGraphCreate(0));
    let event: CUevent = made!(cuEventCreate(0));
    let record: CUgraphNode = made!(cuGraphAddEventRecordNode(outer, In::null(), 0, event));
    // A graph that allocates is no child of another.
    let child: CUgraph = made!(cuGraphCreate(0));
    let _: CUgraphNode = made!(cuGraphAddEmptyNode(child, In::null(), 0));
    let _: CUgraphNode = made!(cuGraphAddChildGraphNode(outer, In::new(&record), 1, child));
    let draw = |graph, flags| {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("graph.dot");
        let name = std::ffi::CString::new(path.to_str().expect("text")).expect("no zero");
        call!(cuGraphDebugDotPrint(graph, Text::new(&name), flags));
        std::fs::read_to_string(path).expect("it is there")
    };
    let text = draw(graph, 0);
    for line in [
        r#""graph_0_node_0" [shape="box" label="0\nMEM_ALLOC"];"#,
        r#""graph_0_node_1" [shape="box" label="1\nMEMSET"];"#,
        r#""graph_0_node_2" [shape="box" label="2\nKERNEL\nscale"];"#,
        r#""graph_0_node_0" -> "graph_0_node_1";"#,
        r#""graph_0_node_1" -> "graph_0_node_2";"#,
    ] {
        assert!(text.lines().any(|it| it == line), "{line} in\n{text}");
    }
    let params = CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS;
    assert!(draw(graph, params).contains(r"scale\ngrid [1, 1, 1], block [32, 1, 1], 0 bytes"));
    assert!(draw(graph, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE).contains(&format!("address 0x{at:x}")));
    let text = draw(outer, 0);
    for part in ["EVENT_RECORD", r"1\nGRAPH", r#"label="child of node 1 of graph 0""#, "EMPTY"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let nowhere = Text::new(c"/there/is/no/such/folder");
    assert_eq!(result!(cuGraphDebugDotPrint(graph, nowhere, 0)), CUresult::OPERATING_SYSTEM);
    assert_eq!(result!(cuGraphDebugDotPrint(graph, Text::null(), 0)), CUresult::INVALID_VALUE);
}
