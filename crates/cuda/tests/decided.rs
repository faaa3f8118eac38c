//! Work that other work decides about: what kernels launch, and what the conditions of graphs choose.
#![allow(unsafe_code)]

mod common;

use common::{address, call, made, result};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;

const PTX: &[u8] = concat!(include_str!("kernels/decided.ptx"), "\0").as_bytes();

/// `cudaErrorInvalidConfiguration` and `cudaErrorLaunchMaxDepthExceeded`, as device code has them.
const INVALID_CONFIGURATION: u32 = 9;
const TOO_DEEP: u32 = 65;

/// A module in a context of its own.
fn module() -> CUmodule {
    call!(cuInit(0));
    let _: CUcontext = made!(cuCtxCreate_v4(Out::null(), 0, 0));
    made!(cuModuleLoadData(address(&PTX[0])))
}

fn kernel(module: CUmodule, name: &std::ffi::CStr) -> CUfunction {
    made!(cuModuleGetFunction(module, Text::new(name)))
}

const COUNT: usize = 64;

/// Words of the device, which are zero.
fn words() -> CUdeviceptr {
    let at = made!(cuMemAlloc_v2(4 * COUNT as u64));
    call!(cuMemsetD32_v2(at, 0, COUNT as u64));
    at
}

fn read(from: CUdeviceptr) -> [u32; COUNT] {
    let mut values = [0u32; COUNT];
    let to = Address(values.as_mut_ptr().expose_provenance() as u64);
    call!(cuMemcpyDtoH_v2(to, from, size_of_val(&values) as u64));
    values
}

/// Launches a kernel of one thread.
fn launch(function: CUfunction, stream: CUstream, arguments: &[Address]) {
    let mut arguments = arguments.to_vec();
    let (one, list, none) = (1, Out::new(&mut arguments[0]), Out::null());
    call!(cuLaunchKernel(function, one, one, one, one, one, one, 0, stream, list, none));
}

/// Launches a kernel of one thread, and waits for it.
fn run(function: CUfunction, arguments: &[Address]) -> CUresult {
    launch(function, CUstream::NULL, arguments);
    result!(cuCtxSynchronize())
}

/// A kernel is done when everything is done that it has launched; what is behind everything comes last (CUDA C++ Programming
/// Guide, "Tail Launch Stream").
#[test]
fn kernels_launch_kernels() {
    let module = module();
    let list = words();
    let ran = run(kernel(module, c"parent"), &[address(&list), address(&1)]);
    assert_eq!(ran, CUresult::SUCCESS);
    let values = read(list);
    assert_eq!(values[..6], [4, 1, 0, 100, 101, 0]);
    assert_eq!(values[60..62], [INVALID_CONFIGURATION; 2]);
}

/// 24 levels, and then an error (the same, "Configuration Options").
#[test]
fn launches_end_at_the_greatest_depth() {
    let module = module();
    let list = words();
    assert_eq!(run(kernel(module, c"deeper"), &[address(&list)]), CUresult::SUCCESS);
    assert_eq!(read(list)[..2], [25, TOO_DEEP]);
}

#[test]
fn a_fault_in_what_a_kernel_launches_is_the_contexts() {
    let module = module();
    let list = words();
    let launches = kernel(module, c"launch_trap");
    assert_eq!(run(launches, &[address(&list)]), CUresult::LAUNCH_FAILED);
    assert_eq!(result!(cuCtxSynchronize()), CUresult::LAUNCH_FAILED);
    let mut faulted = CUcontext::NULL;
    call!(cuCtxPopCurrent_v2(Out::new(&mut faulted)));
    call!(cuCtxDestroy_v2(faulted));
}

/// Device code has the same words for errors as the program (CUDA Runtime API, `cudaGetErrorName` and `cudaGetErrorString`).
#[test]
fn errors_have_words() {
    let function = kernel(module(), c"say");
    for (error, name, text) in [
        (0, "cudaSuccess", "no error"),
        (2, "cudaErrorMemoryAllocation", "out of memory"),
        (9, "cudaErrorInvalidConfiguration", "invalid configuration argument"),
        (
            65,
            "cudaErrorLaunchMaxDepthExceeded",
            "launch would exceed maximum depth of nested launches",
        ),
        (12345, "unrecognized error code", "unrecognized error code"),
    ] {
        let said = words();
        let second = said + 128;
        let arguments = [address(&said), address(&second), address(&error)];
        assert_eq!(run(function, &arguments), CUresult::SUCCESS);
        let bytes: Vec<u8> = read(said).iter().flat_map(|word| word.to_le_bytes()).collect();
        let text_at = |from: usize| {
            let bytes = bytes[from..].split(|byte| *byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        assert_eq!((text_at(0).as_str(), text_at(128).as_str()), (name, text));
    }
}

/// A graph's condition, with its value at first if that is the same for every launch.
fn condition(graph: CUgraph, at_first: Option<u32>) -> CUgraphConditionalHandle {
    let flags = u32::from(at_first.is_some());
    made!(cuGraphConditionalHandleCreate(
        graph,
        CUcontext::NULL,
        at_first.unwrap_or_default(),
        flags
    ))
}

/// Adds a conditional node, whose graphs it returns.
fn conditional(
    graph: CUgraph,
    after: &[CUgraphNode],
    handle: CUgraphConditionalHandle,
    (kind, size): (u32, u32),
) -> Result<(CUgraphNode, Vec<CUgraph>), CUresult> {
    let parameters = |word| match word {
        0 => handle,
        1 => u64::from(kind) | u64::from(size) << 32,
        _ => 0,
    };
    let mut params = CUgraphNodeParams {
        kind: CU_GRAPH_NODE_TYPE_CONDITIONAL,
        rest: [0; 3],
        parameters: std::array::from_fn(parameters),
        end: 0,
    };
    let mut node = CUgraphNode::NULL;
    let first = after.first().map_or(In::null(), In::new);
    let (to, count) = (Out::new(&mut node), after.len() as u64);
    let edges = In::null();
    match result!(cuGraphAddNode_v2(to, graph, first, edges, count, Out::new(&mut params))) {
        CUresult::SUCCESS => {}
        why => return Err(why),
    }
    let graphs = std::ptr::with_exposed_provenance::<CUgraph>(params.parameters[2] as usize);
    // SAFETY: they live as long as the graph.
    let graph = |nth: u32| unsafe { *graphs.add(nth as usize) };
    Ok((node, (0..size).map(graph).collect()))
}

fn add_kernel(graph: CUgraph, function: CUfunction, arguments: &[Address]) -> CUgraphNode {
    let mut arguments = arguments.to_vec();
    let params = CUDA_KERNEL_NODE_PARAMS {
        function,
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        params: Out::new(&mut arguments[0]),
        extra: Out::null(),
        kernel: CUkernel::NULL,
        context: CUcontext::NULL,
    };
    made!(cuGraphAddKernelNode_v2(graph, In::null(), 0, In::new(&params)))
}

fn launched(exec: CUgraphExec, list: CUdeviceptr) -> [u32; COUNT] {
    call!(cuGraphLaunch(exec, CUstream::NULL));
    call!(cuCtxSynchronize());
    read(list)
}

fn set(at: CUdeviceptr, value: u32) {
    call!(cuMemsetD32_v2(at, value, 1));
}

/// A graph of one node, whose own graph is repeated while its condition holds, which it does at first.
fn repeating() -> (CUgraph, CUgraphConditionalHandle, CUgraphNode, Vec<CUgraph>) {
    let graph: CUgraph = made!(cuGraphCreate(0));
    let handle = condition(graph, Some(1));
    let while_it_holds = (CU_GRAPH_COND_TYPE_WHILE, 1);
    let (node, bodies) = conditional(graph, &[], handle, while_it_holds).expect("it is possible");
    (graph, handle, node, bodies)
}

/// CUDA C++ Programming Guide, "Conditional While Nodes".
#[test]
fn a_graph_repeats_while_its_condition_holds() {
    let module = module();
    let list = words();
    let (left, turns) = (list, list + 4);
    let (graph, handle, node, bodies) = repeating();
    let mut kind = 0u32;
    call!(cuGraphNodeGetType(node, Out::new(&mut kind)));
    assert_eq!(kind, CU_GRAPH_NODE_TYPE_CONDITIONAL);
    let counts = [address(&left), address(&turns), address(&handle)];
    add_kernel(bodies[0], kernel(module, c"count_down"), &counts);
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    // What is added later is of the next one that is made.
    add_kernel(bodies[0], kernel(module, c"append"), &[address(&left), address(&7)]);
    call!(cuGraphDestroy(graph));
    for count in [5, 1, 3] {
        set(left, count);
        set(turns, 0);
        assert_eq!(launched(exec, list)[..2], [0, count]);
    }
    call!(cuGraphExecDestroy(exec));
    let mut count = 0u64;
    let gone = result!(cuGraphGetNodes(bodies[0], Out::null(), Out::new(&mut count)));
    assert_eq!(gone, CUresult::INVALID_HANDLE, "it goes with its node");
}

/// The same: bodies may be captured. Who captures into a graph that it has need not be told which one it was.
#[test]
fn the_graph_of_a_condition_is_captured() {
    let module = module();
    let list = words();
    let (left, turns) = (list, list + 4);
    let (graph, handle, _, bodies) = repeating();
    let stream: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    let mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    let (nodes, edges) = (In::null(), In::null());
    call!(cuStreamBeginCaptureToGraph(stream, bodies[0], nodes, edges, 0, mode));
    let counts = [address(&left), address(&turns), address(&handle)];
    launch(kernel(module, c"count_down"), stream, &counts);
    call!(cuStreamEndCapture(stream, Out::null()));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    set(left, 4);
    assert_eq!(launched(exec, list)[..2], [0, 4]);
    // Nobody knows of another graph.
    call!(cuStreamBeginCapture_v2(stream, mode));
    assert_eq!(result!(cuStreamEndCapture(stream, Out::null())), CUresult::INVALID_VALUE);
}

/// The same, "Conditional IF Nodes" and "Conditional SWITCH Nodes".
#[test]
fn a_condition_chooses_a_graph() {
    let module = module();
    for (kind, size) in
        [(CU_GRAPH_COND_TYPE_IF, 1), (CU_GRAPH_COND_TYPE_IF, 2), (CU_GRAPH_COND_TYPE_SWITCH, 3)]
    {
        let (list, chosen) = (words(), words());
        let graph: CUgraph = made!(cuGraphCreate(0));
        let handle = condition(graph, None);
        let choose =
            add_kernel(graph, kernel(module, c"choose"), &[address(&handle), address(&chosen)]);
        let (_, bodies) =
            conditional(graph, &[choose], handle, (kind, size)).expect("it is possible");
        for (body, value) in bodies.iter().zip([10, 20, 30]) {
            add_kernel(*body, kernel(module, c"append"), &[address(&list), address(&value)]);
        }
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
        for value in 0..5 {
            let nth = match (kind, value) {
                (CU_GRAPH_COND_TYPE_IF, 0) => 1,
                (CU_GRAPH_COND_TYPE_IF, _) => 0,
                (_, value) => value,
            };
            set(list, 0);
            set(chosen, value);
            let appended = launched(exec, list);
            match [10, 20, 30][..size as usize].get(nth as usize) {
                Some(value) => assert_eq!(appended[..2], [1, *value], "{kind} {size} {nth}"),
                None => assert_eq!(appended[0], 0, "{kind} {size} {nth}"),
            }
        }
    }
}

#[test]
fn impossible_conditional_nodes_are_refused() {
    module();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let handle = condition(graph, None);
    let add = |handle, kind, size| conditional(graph, &[], handle, (kind, size)).err();
    let refused = Some(CUresult::INVALID_VALUE);
    assert_eq!(add(handle, CU_GRAPH_COND_TYPE_WHILE, 2), refused, "one graph is repeated");
    assert_eq!(add(handle, CU_GRAPH_COND_TYPE_IF, 3), refused, "there is no third case");
    assert_eq!(add(handle, CU_GRAPH_COND_TYPE_IF, 0), refused, "there is nothing to choose");
    assert_eq!(add(handle, 77, 1), refused, "there is no such kind");
    assert_eq!(add(16, CU_GRAPH_COND_TYPE_IF, 1), refused, "this is no condition");
    // What such a graph may not hold is told when it is made ready.
    let (_, bodies) = conditional(graph, &[], handle, (CU_GRAPH_COND_TYPE_IF, 1)).expect("it is");
    let event: CUevent = made!(cuEventCreate(0));
    let _: CUgraphNode = made!(cuGraphAddEventRecordNode(bodies[0], In::null(), 0, event));
    let mut exec = CUgraphExec::NULL;
    let ready = result!(cuGraphInstantiateWithFlags(Out::new(&mut exec), graph, 0));
    assert_eq!(ready, CUresult::INVALID_VALUE);
    let mut handle = 0;
    let flags = result!(cuGraphConditionalHandleCreate(
        Out::new(&mut handle),
        graph,
        CUcontext::NULL,
        0,
        2
    ));
    assert_eq!(flags, CUresult::INVALID_VALUE, "there is no such flag");
}
