//! Nodes of graphs that are looked at and changed, words of memory in batches, and the pools of a location.
#![allow(unsafe_code)]

mod common;

use common::{call, made, result};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;

fn context() -> CUcontext {
    call!(cuInit(0));
    made!(cuCtxCreate_v4(Out::null(), 0, 0))
}

/// A node that launches `empty` for so many CTAs.
fn empty(graph: CUgraph, function: CUfunction, ctas: u32) -> CUgraphNode {
    let params = launch_of(function, ctas);
    made!(cuGraphAddKernelNode_v2(graph, In::null(), 0, In::new(&params)))
}

fn launch_of(function: CUfunction, ctas: u32) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        function,
        grid: [ctas, 1, 1],
        block: [32, 1, 1],
        shared: 0,
        params: Out::null(),
        extra: Out::null(),
        kernel: CUkernel::NULL,
        context: CUcontext::NULL,
    }
}

fn words(first: u64, second: u64) -> CUlaunchAttributeValue {
    CUlaunchAttributeValue { words: [first, second, 0, 0, 0, 0, 0, 0] }
}

fn asked(node: CUgraphNode, attribute: u32) -> [u64; 2] {
    let mut value = words(9, 9);
    call!(cuGraphKernelNodeGetAttribute(node, attribute, Out::new(&mut value)));
    [value.words[0], value.words[1]]
}

/// The documentation of `cuGraphKernelNodeSetParams` names extents and arguments: attributes stay.
#[test]
fn kernel_nodes_have_attributes_and_keep_them() {
    let function = common::kernel("empty");
    let graph: CUgraph = made!(cuGraphCreate(0));
    let node = empty(graph, function, 4);
    let (cooperative, cluster) =
        (CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    let priority = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    assert_eq!([asked(node, cooperative), asked(node, cluster)], [[0, 0]; 2]);
    call!(cuGraphKernelNodeSetAttribute(node, cooperative, In::new(&words(1, 0))));
    call!(cuGraphKernelNodeSetAttribute(node, cluster, In::new(&words(2 | 1 << 32, 1))));
    call!(cuGraphKernelNodeSetAttribute(node, priority, In::new(&words(3, 0))));
    // Three CTAs are no whole clusters of two.
    let three = launch_of(function, 3);
    let refused = result!(cuGraphKernelNodeSetParams_v2(node, In::new(&three)));
    assert_eq!(refused, CUresult::INVALID_CLUSTER_SIZE);
    let six = launch_of(function, 6);
    call!(cuGraphKernelNodeSetParams_v2(node, In::new(&six)));
    let all = |node| [cooperative, cluster, priority].map(|attribute| asked(node, attribute));
    assert_eq!(all(node), [[1, 0], [2 | 1 << 32, 1], [3, 0]]);
    let copy = empty(graph, function, 8);
    call!(cuGraphKernelNodeCopyAttributes(copy, node));
    assert_eq!(all(copy), all(node));
    let clone: CUgraph = made!(cuGraphClone(graph));
    let cloned: CUgraphNode = made!(cuGraphNodeFindInClone(node, clone));
    assert_eq!(all(cloned), all(node));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    call!(cuGraphLaunch(exec, CUstream(0)));
    call!(cuCtxSynchronize());

    let wrong =
        |attribute| result!(cuGraphKernelNodeSetAttribute(node, attribute, In::new(&words(1, 0))));
    assert_eq!(wrong(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT), CUresult::INVALID_VALUE);
    assert_eq!(wrong(4000), CUresult::INVALID_VALUE);
    let nothing: CUgraphNode = made!(cuGraphAddEmptyNode(graph, In::null(), 0));
    let mut value = words(0, 0);
    let none = result!(cuGraphKernelNodeGetAttribute(nothing, cooperative, Out::new(&mut value)));
    assert_eq!(none, CUresult::INVALID_VALUE);
}

#[test]
fn nodes_say_what_they_are_of() {
    context();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let [one, other]: [CUevent; 2] = [made!(cuEventCreate(0)), made!(cuEventCreate(0))];
    let record: CUgraphNode = made!(cuGraphAddEventRecordNode(graph, In::null(), 0, one));
    let wait: CUgraphNode = made!(cuGraphAddEventWaitNode(graph, In::null(), 0, other));
    let (mut recorded, mut awaited) = (CUevent::NULL, CUevent::NULL);
    call!(cuGraphEventRecordNodeGetEvent(record, Out::new(&mut recorded)));
    call!(cuGraphEventWaitNodeGetEvent(wait, Out::new(&mut awaited)));
    assert_eq!((recorded, awaited), (one, other));
    call!(cuGraphEventRecordNodeSetEvent(record, other));
    call!(cuGraphEventRecordNodeGetEvent(record, Out::new(&mut recorded)));
    assert_eq!(recorded, other);
    let wrong = result!(cuGraphEventWaitNodeGetEvent(record, Out::new(&mut awaited)));
    assert_eq!(wrong, CUresult::INVALID_VALUE);
    let mut of = CUgraph::NULL;
    call!(cuGraphNodeGetContainingGraph(wait, Out::new(&mut of)));
    assert_eq!(of, graph);
    let another: CUgraph = made!(cuGraphCreate(0));
    let inner: CUgraphNode = made!(cuGraphAddEmptyNode(another, In::null(), 0));
    call!(cuGraphNodeGetContainingGraph(inner, Out::new(&mut of)));
    assert_eq!(of, another);
}

/// `cuStreamBatchMemOp`: in the order of the list, and nothing of it if one is wrong.
#[test]
fn words_of_memory_in_a_batch() {
    context();
    let stream: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    let memory: CUdeviceptr = made!(cuMemAlloc_v2(16));
    call!(cuMemsetD32_v2(memory, 0, 4));
    let op = |operation, address, value| CUstreamBatchMemOpParams {
        operation,
        address,
        value,
        flags: if operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 {
            CU_STREAM_WAIT_VALUE_EQ
        } else {
            0
        },
        alias: 0,
        rest: 0,
    };
    let mut list = [
        op(CU_STREAM_MEM_OP_WRITE_VALUE_32, memory, 5),
        op(CU_STREAM_MEM_OP_BARRIER, 0, 0),
        op(CU_STREAM_MEM_OP_WAIT_VALUE_32, memory, 5),
        op(CU_STREAM_MEM_OP_WRITE_VALUE_64, memory + 8, 0x1234_5678_9abc_def0),
    ];
    call!(cuStreamBatchMemOp_v2(stream, 4, Out::new(&mut list[0]), 0));
    call!(cuStreamSynchronize(stream));
    let held = || {
        let mut held = [0u64; 2];
        let to = Address((&raw mut held).expose_provenance() as u64);
        call!(cuMemcpyDtoH_v2(to, memory, 16));
        held
    };
    assert_eq!(held(), [5, 0x1234_5678_9abc_def0]);
    list[0].value = 6;
    list[3].address = memory + 4;
    let wrong = result!(cuStreamBatchMemOp_v2(stream, 4, Out::new(&mut list[0]), 0));
    assert_eq!((wrong, held()[0]), (CUresult::INVALID_VALUE, 5));
    let too_many = result!(cuStreamBatchMemOp_v2(stream, 257, Out::new(&mut list[0]), 0));
    assert_eq!(too_many, CUresult::INVALID_VALUE);
    let null = result!(cuStreamBatchMemOp_v2(stream, 1, Out::null(), 0));
    assert_eq!(null, CUresult::INVALID_VALUE);
}

#[test]
fn pools_of_a_location_are_those_of_the_device() {
    context();
    let (mut location, kind) =
        (CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 }, CU_MEM_ALLOCATION_TYPE_PINNED);
    let of_device: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(0));
    let default: CUmemoryPool = made!(cuMemGetDefaultMemPool(Out::new(&mut location), kind));
    assert_eq!(default, of_device);
    call!(cuMemSetMemPool(Out::new(&mut location), kind, default));
    let current: CUmemoryPool = made!(cuMemGetMemPool(Out::new(&mut location), kind));
    assert_eq!(current, default);
    let mut pool = CUmemoryPool::NULL;
    let mut get = |location: &mut CUmemLocation, kind| {
        result!(cuMemGetMemPool(Out::new(&mut pool), Out::new(location), kind))
    };
    assert_eq!(get(&mut location, CU_MEM_ALLOCATION_TYPE_MANAGED), CUresult::NOT_SUPPORTED);
    location.kind = CU_MEM_LOCATION_TYPE_INVALID;
    assert_eq!(get(&mut location, kind), CUresult::INVALID_VALUE);
}

#[test]
fn an_allocation_of_a_graph_says_its_size() {
    context();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let mut given = CUDA_MEM_ALLOC_NODE_PARAMS::of_device(0, 100, 0);
    let node: CUgraphNode =
        made!(cuGraphAddMemAllocNode(graph, In::null(), 0, Out::new(&mut given)));
    let mut found = CUDA_MEM_ALLOC_NODE_PARAMS { bytes: 0, address: 0, ..given };
    call!(cuGraphMemAllocNodeGetParams(node, Out::new(&mut found)));
    assert_eq!((found.bytes, found.address), (100, given.address));
    let none: CUgraphNode = made!(cuGraphAddEmptyNode(graph, In::null(), 0));
    let wrong = result!(cuGraphMemAllocNodeGetParams(none, Out::new(&mut found)));
    assert_eq!(wrong, CUresult::INVALID_VALUE);
}
