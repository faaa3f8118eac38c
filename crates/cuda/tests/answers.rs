//! What an H200 (driver 580.159, CUDA 13.0) answered to odd calls, which the documentation does not say.
#![allow(unsafe_code)]

mod common;

use common::{PTX, address, call, made, result};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;
use std::ffi::CString;

fn context() -> CUcontext {
    call!(cuInit(0));
    made!(cuCtxCreate_v4(Out::null(), 0, 0))
}

#[test]
fn nothing_is_asked_for() {
    context();
    let mut host = Address(7);
    assert_eq!(result!(cuMemHostAlloc(Out::new(&mut host), 0, 0)), CUresult::SUCCESS);
    assert_eq!(host.0, 0);
    assert_eq!(result!(cuMemFreeHost(Address(0))), CUresult::SUCCESS);
    let mut device = 7;
    let stream = CUstream::NULL;
    assert_eq!(result!(cuMemAllocAsync(Out::new(&mut device), 0, stream)), CUresult::SUCCESS);
    assert_eq!(device, 0);
    assert_eq!(result!(cuMemAlloc_v2(Out::new(&mut device), 0)), CUresult::INVALID_VALUE);
    assert_eq!(result!(cuGraphLaunch(CUgraphExec::NULL, stream)), CUresult::INVALID_VALUE);
    assert_eq!(result!(cuCtxPushCurrent_v2(CUcontext::NULL)), CUresult::INVALID_VALUE);
}

#[test]
fn names_and_numbers_that_are_none() {
    let context = context();
    let module: CUmodule = made!(cuModuleLoadData(address(&PTX.to_bytes()[0])));
    let mut function = CUfunction::NULL;
    let mut find = |name: &str| {
        let name = CString::new(name).expect("a name");
        result!(cuModuleGetFunction(Out::new(&mut function), module, Text::new(&name)))
    };
    assert_eq!(find(""), CUresult::INVALID_VALUE);
    assert_eq!(find("nobody"), CUresult::NOT_FOUND);
    let mut value = 0;
    for attribute in [0, 5000] {
        let found = result!(cuDeviceGetAttribute(Out::new(&mut value), attribute, 0));
        assert_eq!(found, CUresult::INVALID_VALUE, "{attribute}");
    }
    assert_eq!(result!(cuCtxEnablePeerAccess(context, 0)), CUresult::PEER_ACCESS_UNSUPPORTED);
}

#[test]
fn limits_are_rounded_and_bounded() {
    context();
    call!(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2050));
    let stack: u64 = made!(cuCtxGetLimit(CU_LIMIT_STACK_SIZE));
    assert_eq!(stack, 2064);
    assert_eq!(result!(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1 << 30)), CUresult::INVALID_VALUE);
    let pending: u64 = made!(cuCtxGetLimit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT));
    assert_eq!(pending, 2048);
    let mut depth = 0;
    let found = result!(cuCtxGetLimit(Out::new(&mut depth), CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
    assert_eq!(found, CUresult::UNSUPPORTED_LIMIT);
}

/// More dynamic shared memory than the kernel has been given leave for.
#[test]
fn occupancy_heeds_what_a_kernel_may_have() {
    context();
    let module: CUmodule = made!(cuModuleLoadData(address(&PTX.to_bytes()[0])));
    let first: CUfunction = made!(cuModuleEnumerateFunctions(1, module));
    let blocks: i32 = made!(cuOccupancyMaxActiveBlocksPerMultiprocessor(first, 128, 90_000));
    assert_eq!(blocks, 0);
    let free: u64 = made!(cuOccupancyAvailableDynamicSMemPerBlock(first, 2, 128));
    assert!(free <= 48 << 10, "{free}");
}

/// What does not begin as PTX does is no image; what does is PTX, and may be wrong. (This and what follows: an H100, the same driver.)
#[test]
fn texts_that_are_no_modules() {
    context();
    let loaded = |text: &str| {
        let text = CString::new(text).expect("a text");
        let mut module = CUmodule::NULL;
        result!(cuModuleLoadData(Out::new(&mut module), address(&text.to_bytes_with_nul()[0])))
    };
    for text in ["", " ", "\n", "hello", "// nothing\n", "/* nothing */", ".target sm_80\n"] {
        assert_eq!(loaded(text), CUresult::INVALID_IMAGE, "{text:?}");
    }
    let empty = ".version 8.0\n.target sm_80\n.address_size 64\n";
    for text in [".version 8.0\n", &format!("{empty}.entry k() {{ nonsense; }}")] {
        assert_eq!(loaded(text), CUresult::INVALID_PTX, "{text:?}");
    }
    for before in ["", "\n\n  ", "//\n// by hand\n/* of\nlines */ "] {
        assert_eq!(loaded(&format!("{before}{empty}")), CUresult::SUCCESS, "{before:?}");
    }
}

#[test]
fn limits_have_a_least_value() {
    context();
    let kept = |limit, value| {
        call!(cuCtxSetLimit(limit, value));
        let kept: u64 = made!(cuCtxGetLimit(limit));
        kept
    };
    assert_eq!(kept(CU_LIMIT_MALLOC_HEAP_SIZE, 0), 4 << 20);
    assert_eq!(kept(CU_LIMIT_PRINTF_FIFO_SIZE, 0), 512 << 10);
    assert_eq!(kept(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 0), 32);
    assert_eq!(kept(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 8192), 8192);
    assert_eq!(kept(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64), 64);
    let too_much = result!(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 999));
    assert_eq!(too_much, CUresult::INVALID_VALUE);
}

#[test]
fn launches_that_cannot_be() {
    let kernel = common::kernel("empty");
    let launched = |grid, shared, attributes: &[CUlaunchAttribute]| {
        let first = attributes.first().map_or(In::null(), In::new);
        let config = CUlaunchConfig {
            grid: [grid, 1, 1],
            block: [32, 1, 1],
            shared_bytes: shared,
            stream: CUstream::NULL,
            attributes: first,
            attribute_count: attributes.len() as u32,
        };
        result!(cuLaunchKernelEx(In::new(&config), kernel, Out::null(), Out::null()))
    };
    let attribute = |id, first: [u32; 3]| {
        let mut value = [0; 8];
        value[0] = u64::from(first[0]) | u64::from(first[1]) << 32;
        value[1] = first[2].into();
        CUlaunchAttribute { id, pad: 0, value }
    };
    let is = |attributes: &[CUlaunchAttribute]| launched(8, 0, attributes);
    let cooperative = attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, [1, 0, 0]);
    assert_eq!(launched(1, 1 << 20, &[]), CUresult::INVALID_VALUE);
    assert_eq!(launched(1, 1 << 20, &[cooperative]), CUresult::COOPERATIVE_LAUNCH_TOO_LARGE);
    let cluster = |extents| attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, extents);
    assert_eq!(is(&[cluster([0; 3])]), CUresult::SUCCESS);
    assert_eq!(is(&[cluster([0, 1, 1])]), CUresult::INVALID_CLUSTER_SIZE);
    for (id, value) in [
        (CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, 1),
        (CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 9),
        (CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, 9),
        (CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101),
    ] {
        assert_eq!(is(&[attribute(id, [value, 0, 0])]), CUresult::INVALID_VALUE, "{id}");
    }
}

#[test]
fn memory_that_is_not_as_it_must_be() {
    context();
    let pinned: Address = made!(cuMemHostAlloc(8192, 0));
    let device: CUdeviceptr = made!(cuMemAlloc_v2(8192));
    for given in [pinned, Address(device)] {
        let registered = result!(cuMemHostRegister_v2(given, 4096, 0));
        assert_eq!(registered, CUresult::INVALID_VALUE);
    }
    let own = vec![0u64; 4096];
    let at = address(&own[0]);
    call!(cuMemHostRegister_v2(at, 8192, 0));
    let again = result!(cuMemHostRegister_v2(at, 8192, 0));
    assert_eq!(again, CUresult::HOST_MEMORY_ALREADY_REGISTERED);
    assert_eq!(result!(cuMemHostUnregister(Address(at.0 + 4096))), CUresult::INVALID_VALUE);
    call!(cuMemHostUnregister(at));
    assert_eq!(result!(cuMemHostUnregister(at)), CUresult::HOST_MEMORY_NOT_REGISTERED);
    // Rows that are longer than what lies between their beginnings.
    let filled = |pitch, height| result!(cuMemsetD2D8_v2(device, pitch, 0, 16, height));
    assert_eq!(filled(8, 2), CUresult::INVALID_VALUE);
    assert_eq!(filled(16, 2), CUresult::SUCCESS);
    // An event for other processes measures no time.
    let mut event = CUevent::NULL;
    let shared = result!(cuEventCreate(Out::new(&mut event), CU_EVENT_INTERPROCESS));
    assert_eq!(shared, CUresult::INVALID_VALUE);
}

#[test]
fn graphs_are_given_something_to_do() {
    let context = context();
    let at: CUdeviceptr = made!(cuMemAlloc_v2(64));
    let graph: CUgraph = made!(cuGraphCreate(0));
    let mut node = CUgraphNode::NULL;
    for (width, height) in [(0, 1), (4, 0)] {
        let params =
            CUDA_MEMSET_NODE_PARAMS { to: at, pitch: 0, value: 0, element: 4, width, height };
        let (to, params) = (Out::new(&mut node), In::new(&params));
        let added = result!(cuGraphAddMemsetNode(to, graph, In::null(), 0, params, context));
        assert_eq!(added, CUresult::INVALID_VALUE);
    }
    let mut exec = CUgraphExec::NULL;
    let made = result!(cuGraphInstantiateWithFlags(Out::new(&mut exec), graph, 99));
    assert_eq!(made, CUresult::INVALID_VALUE);
}

/// One word of shared memory far beyond the CTA's, and a function that calls itself until the stack has grown too large.
const FAULTS: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry shared() { .reg .b32 r; mov.u32 r, 0xf00000; st.shared.u32 [r], r; ret; }
.func (.param .b32 out) deeper(.param .b32 level)
{
    .local .align 4 .b8 frame[1024];
    .reg .b32 l, m;
    .reg .b64 at;
    ld.param.u32 l, [level];
    cvta.local.u64 at, frame;
    st.u32 [at], l;
    add.u32 m, l, 1;
    { .param .b32 next; .param .b32 got; st.param.b32 [next], m; call (got), deeper, (next); ld.param.b32 m, [got]; }
    ld.u32 l, [at];
    add.u32 m, m, l;
    st.param.b32 [out], m;
    ret;
}
.visible .entry stack()
{
    .reg .b32 r;
    .param .b32 first; .param .b32 got;
    mov.u32 r, 0;
    st.param.b32 [first], r;
    call (got), deeper, (first);
    ret;
}
";

#[test]
fn a_stopped_kernel_leaves_its_error() {
    for name in ["shared", "stack"] {
        context();
        let text = CString::new(FAULTS).expect("a text");
        let module: CUmodule = made!(cuModuleLoadData(address(&text.to_bytes_with_nul()[0])));
        let event: CUevent = made!(cuEventCreate(0));
        let name = CString::new(name).expect("a name");
        let function: CUfunction = made!(cuModuleGetFunction(module, Text::new(&name)));
        let (stream, none) = (CUstream::NULL, Out::null());
        let (params, extra) = (none, Out::null());
        let _ = result!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, extra));
        let stopped = CUresult::ILLEGAL_ADDRESS;
        assert_eq!(result!(cuCtxSynchronize()), stopped, "{name:?}");
        // Whatever is asked of the context then, even that an event be forgotten.
        assert_eq!(result!(cuMemGetInfo_v2(Out::null(), Out::null())), stopped);
        assert_eq!(result!(cuEventDestroy_v2(event)), stopped);
    }
}
