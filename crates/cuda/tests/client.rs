//! The driver as a client uses it: calls of the exported functions, with kernels that nvcc has compiled.
#![allow(unsafe_code)]

mod common;

use common::{PTX, address, call, made, result, to_array};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;
use std::ffi::CString;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

fn host<T>(of: &mut [T]) -> Address {
    Address(of.as_mut_ptr().expose_provenance() as u64)
}

/// A context of its own on the first device, current in this thread.
fn context() -> CUcontext {
    call!(cuInit(0));
    made!(cuCtxCreate_v4(Out::null(), 0, 0))
}

/// A module, with a context.
fn module() -> CUmodule {
    context();
    made!(cuModuleLoadData(address(&PTX.to_bytes()[0])))
}

fn function(module: CUmodule, name: &str) -> CUfunction {
    let name = CString::new(name).expect("a name");
    made!(cuModuleGetFunction(module, Text::new(&name)))
}

/// Launches a kernel of one row of CTAs.
fn launch(
    function: CUfunction,
    [grid, block]: [u32; 2],
    stream: CUstream,
    arguments: &[Address],
) -> CUresult {
    let mut arguments = arguments.to_vec();
    let params = if arguments.is_empty() { Out::null() } else { Out::new(&mut arguments[0]) };
    let one = 1;
    result!(cuLaunchKernel(
        function,
        grid,
        one,
        one,
        block,
        one,
        one,
        0,
        stream,
        params,
        Out::null()
    ))
}

fn upload<T: Clone>(values: &[T]) -> CUdeviceptr {
    let bytes = size_of_val(values) as u64;
    let at = made!(cuMemAlloc_v2(bytes));
    call!(cuMemcpyHtoD_v2(at, host(&mut values.to_vec()), bytes));
    at
}

fn download<T: Clone + Default>(from: CUdeviceptr, count: usize) -> Vec<T> {
    let mut values = vec![T::default(); count];
    call!(cuMemcpyDtoH_v2(host(&mut values), from, size_of_val(values.as_slice()) as u64));
    values
}

#[test]
fn a_sum_of_vectors_from_every_kind_of_image() {
    context();
    let mut fatbins = [
        include_bytes!("kernels/kernels-none.fatbin").to_vec(),
        include_bytes!("kernels/kernels-speed.fatbin").to_vec(),
        include_bytes!("kernels/kernels-size.fatbin").to_vec(),
    ];
    let mut images: Vec<Vec<u8>> = vec![PTX.to_bytes_with_nul().to_vec()];
    for fatbin in &mut fatbins {
        // What a program registers: a wrapper of version 1.
        let at = host(fatbin).0;
        let words = [u64::from(0x4662_43b1_u32) | 1 << 32, at, 0];
        images.push(words.iter().flat_map(|word| word.to_le_bytes()).collect());
    }
    images.extend(fatbins.iter().cloned());
    let (a, b) = (upload(&[1.5f32; 1000]), upload(&[2.25f32; 1000]));
    for image in &mut images {
        let module: CUmodule = made!(cuModuleLoadData(host(image)));
        // Programs free images when they are loaded.
        image.fill(0);
        let sum = upload(&[0f32; 1000]);
        let arguments = [address(&a), address(&b), address(&sum), address(&1000)];
        assert_eq!(
            launch(function(module, "add"), [4, 256], CUstream(0), &arguments),
            CUresult::SUCCESS
        );
        assert_eq!(download::<f32>(sum, 1000), [3.75; 1000]);
        call!(cuModuleUnload(module));
    }
}

#[test]
fn images_without_ptx_are_told_apart() {
    context();
    let mut module = CUmodule::NULL;
    let mut load = |image: &[u8]| {
        let mut image = image.to_vec();
        image.resize(image.len() + 64, 0);
        result!(cuModuleLoadData(Out::new(&mut module), host(&mut image)))
    };
    assert_eq!(load(b"\x7fELF\x02\x01\x01"), CUresult::NO_BINARY_FOR_GPU);
    assert_eq!(load(b"\x01\x02\x03"), CUresult::INVALID_IMAGE);
    assert_eq!(load(b"this is no PTX"), CUresult::INVALID_IMAGE);
    assert_eq!(load(b".version 8.0\nthis is wrong"), CUresult::INVALID_PTX);
    let later = b".version 99.0\n.target sm_75\n.address_size 64\n";
    assert_eq!(load(later), CUresult::UNSUPPORTED_PTX_VERSION);
    let mut log = [0u8; 200];
    let mut names = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [host(&mut log), Address(200)];
    let wrong = c".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { mov; }";
    let refused = result!(cuModuleLoadDataEx(
        Out::new(&mut module),
        address(&wrong.to_bytes()[0]),
        2,
        Out::new(&mut names[0]),
        Out::new(&mut values[0]),
    ));
    assert_eq!(refused, CUresult::INVALID_PTX);
    assert!(String::from_utf8_lossy(&log).contains("mov"), "the log says what is wrong");
}

#[test]
fn modules_have_variables_of_their_own() {
    let first = module();
    let second: CUmodule = made!(cuModuleLoadData(address(&PTX.to_bytes()[0])));
    let variable = |module| -> (CUdeviceptr, u64) {
        let (mut at, mut bytes) = (0, 0);
        let name = Text::new(c"counter");
        call!(cuModuleGetGlobal_v2(Out::new(&mut at), Out::new(&mut bytes), module, name));
        (at, bytes)
    };
    let ((one, bytes), (other, _)) = (variable(first), variable(second));
    assert!(one != other && bytes == 4);
    for by in [2, 3] {
        let counted = launch(function(first, "count"), [1, 32], CUstream(0), &[address(&by)]);
        assert_eq!(counted, CUresult::SUCCESS);
    }
    assert_eq!(
        launch(function(second, "count"), [1, 1], CUstream(0), &[address(&100)]),
        CUresult::SUCCESS
    );
    assert_eq!(download::<i32>(one, 1), [5 + 32 * 5]);
    assert_eq!(download::<i32>(other, 1), [105]);
    let mut kind = 0u32;
    let to = host(std::slice::from_mut(&mut kind));
    call!(cuPointerGetAttribute(to, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, one));
    assert_eq!(kind, CU_MEMORYTYPE_DEVICE);
    let mut none = CUfunction::NULL;
    let missing = result!(cuModuleGetFunction(Out::new(&mut none), first, Text::new(c"absent")));
    assert_eq!(missing, CUresult::NOT_FOUND);
}

#[test]
fn kernels_of_libraries_are_functions() {
    context();
    let library: CUlibrary = made!(cuLibraryLoadData(
        address(&PTX.to_bytes()[0]),
        Out::null(),
        Out::null(),
        0,
        Out::null(),
        Out::null(),
        0,
    ));
    let kernel: CUkernel = made!(cuLibraryGetKernel(library, Text::new(c"take")));
    let threads: i32 =
        made!(cuKernelGetAttribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    assert_eq!(threads, 1024);
    // CUB chooses its kernels by the architecture that the compiler was told: it has none for others.
    let written: i32 = made!(cuKernelGetAttribute(CU_FUNC_ATTRIBUTE_PTX_VERSION, kernel, 0));
    let runs: i32 = made!(cuKernelGetAttribute(CU_FUNC_ATTRIBUTE_BINARY_VERSION, kernel, 0));
    assert_eq!((written, runs), (75, 120));
    #[repr(C)]
    struct Pair {
        one: i32,
        other: f64,
    }
    let out = upload(&[0f64; 3]);
    let pair = Pair { one: 7, other: 0.5 };
    let arguments = [address(&-3i8), address(&pair), address(&out)];
    assert_eq!(launch(CUfunction(kernel.0), [1, 1], CUstream(0), &arguments), CUresult::SUCCESS);
    assert_eq!(download::<f64>(out, 3), [-3.0, 7.0, 0.5]);
    // The same in one block of arguments.
    let mut block = [0u8; 32];
    block[0] = 9;
    block[8..12].copy_from_slice(&11i32.to_le_bytes());
    block[16..24].copy_from_slice(&1.25f64.to_le_bytes());
    block[24..].copy_from_slice(&out.to_le_bytes());
    let bytes = 32u64;
    let mut extra = [Address(1), host(&mut block), Address(2), address(&bytes), Address(0)];
    let extra = Out::new(&mut extra[0]);
    let (kernel, stream) = (CUfunction(kernel.0), CUstream(0));
    call!(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, Out::null(), extra));
    assert_eq!(download::<f64>(out, 3), [9.0, 11.0, 1.25]);
    // And one after another, as before CUDA 4.0 and in PyCUDA.
    call!(cuFuncSetBlockShape(kernel, 1, 1, 1));
    call!(cuFuncSetSharedSize(kernel, 0));
    call!(cuParamSeti(kernel, 0, 5));
    call!(cuParamSeti(kernel, 8, 12));
    call!(cuParamSetv(kernel, 16, address(&2.5f64), 8));
    call!(cuParamSetv(kernel, 24, address(&out), 8));
    assert_eq!(result!(cuLaunchGrid(kernel, 1, 1)), CUresult::INVALID_VALUE, "no size");
    call!(cuParamSetSize(kernel, 32));
    call!(cuLaunchGrid(kernel, 1, 1));
    assert_eq!(download::<f64>(out, 3), [5.0, 12.0, 2.5]);
    call!(cuParamSeti(kernel, 0, 6));
    call!(cuLaunchGridAsync(kernel, 1, 1, CUstream(0)));
    call!(cuLaunch(kernel));
    assert_eq!(download::<f64>(out, 3), [6.0, 12.0, 2.5]);
    assert_eq!(result!(cuParamSeti(kernel, -1, 0)), CUresult::INVALID_VALUE);
    // What is set of the kernel is set of the function that it is.
    let most = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    call!(cuKernelSetAttribute(most, 96 << 10, CUkernel(kernel.0), 0));
    let module: CUmodule = made!(cuLibraryGetModule(library));
    let bytes: i32 = made!(cuFuncGetAttribute(most, function(module, "take")));
    assert_eq!(bytes, 96 << 10);
    call!(cuLibraryUnload(library));
    assert_eq!(launch(kernel, [1, 1], stream, &arguments), CUresult::INVALID_HANDLE);
}

#[test]
fn a_fault_stays_with_its_context() {
    let good = module();
    let bad = module();
    let null = 0u64;
    for (name, arguments, expected) in [
        ("stray", vec![address(&null)], CUresult::ILLEGAL_ADDRESS),
        ("stop", vec![], CUresult::LAUNCH_FAILED),
    ] {
        let module = if name == "stray" { bad } else { module() };
        // The launch itself begins well.
        assert_eq!(
            launch(function(module, name), [1, 1], CUstream(0), &arguments),
            CUresult::SUCCESS
        );
        for _ in 0..2 {
            assert_eq!(result!(cuCtxSynchronize()), expected, "{name}");
        }
        let mut at = 0;
        assert_eq!(result!(cuMemAlloc_v2(Out::new(&mut at), 4)), expected);
        let mut faulted: CUcontext = CUcontext::NULL;
        call!(cuCtxPopCurrent_v2(Out::new(&mut faulted)));
        call!(cuCtxDestroy_v2(faulted));
    }
    // The context below is as it was.
    assert_eq!(launch(function(good, "empty"), [1, 1], CUstream(0), &[]), CUresult::SUCCESS);
    call!(cuCtxSynchronize());
}

#[test]
fn streams_run_beside_each_other_and_the_host() {
    let module = module();
    let new = || -> CUstream { made!(cuStreamCreate(CU_STREAM_NON_BLOCKING)) };
    let (first, second) = (new(), new());
    let (mut flag, mut seen) = (Address::NULL, 0);
    call!(cuMemHostAlloc(Out::new(&mut flag), 4, 0));
    call!(cuMemAlloc_v2(Out::new(&mut seen), 8));
    // SAFETY: the memory is there until the end, and zero.
    let word =
        unsafe { AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut(flag.0 as usize)) };
    let next = seen + 4;
    let await_it = function(module, "await");
    assert_eq!(
        launch(await_it, [1, 1], first, &[address(&flag), address(&seen)]),
        CUresult::SUCCESS
    );
    // The second waits for the first by an event.
    let event: CUevent = made!(cuEventCreate(0));
    call!(cuEventRecord(event, first));
    call!(cuStreamWaitEvent(second, event, 0));
    assert_eq!(
        launch(await_it, [1, 1], second, &[address(&seen), address(&next)]),
        CUresult::SUCCESS
    );
    for busy in [first, second] {
        assert_eq!(result!(cuStreamQuery(busy)), CUresult::NOT_READY);
    }
    assert_eq!(result!(cuEventQuery(event)), CUresult::NOT_READY);
    std::thread::sleep(Duration::from_millis(5));
    word.store(42, Ordering::SeqCst);
    call!(cuStreamSynchronize(second));
    call!(cuEventQuery(event));
    assert_eq!(download::<u32>(seen, 2), [42, 42]);
}

extern "C" fn add_one(to: Address) {
    // SAFETY: the test passes the address of a word that lives.
    let word = unsafe { AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut(to.0 as usize)) };
    word.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn the_default_stream_waits_and_calls_come_in_order() {
    let module = module();
    let stream: CUstream = made!(cuStreamCreate(CU_STREAM_DEFAULT));
    let values = upload(&[1i32; 4096]);
    let scale = function(module, "scale");
    let arguments =
        |factor: &'static i32| [address(&values), address(factor), address(&1), address(&4096)];
    let calls = AtomicU32::new(0);
    for _ in 0..20 {
        // Without the order of the default stream these would come in any.
        for (factor, stream) in [(&2, stream), (&3, CUstream(0))] {
            assert_eq!(launch(scale, [16, 256], stream, &arguments(factor)), CUresult::SUCCESS);
        }
        call!(cuLaunchHostFunc(stream, Some(add_one), address(&calls)));
    }
    call!(cuCtxSynchronize());
    let expected = (0..20).fold(1i32, |value, _| {
        (value.wrapping_mul(2).wrapping_add(1)).wrapping_mul(3).wrapping_add(1)
    });
    assert_eq!(download::<i32>(values, 4096), [expected; 4096]);
    assert_eq!(calls.load(Ordering::SeqCst), 20);
}

#[test]
fn captured_and_handmade_graphs_do_the_same() {
    let module = module();
    let scale = function(module, "scale");
    let values = upload(&[1i32; 256]);
    let arguments = [address(&values), address(&3), address(&2), address(&256)];
    let (first, second): (CUstream, CUstream) = (
        made!(cuStreamCreate(CU_STREAM_NON_BLOCKING)),
        made!(cuStreamCreate(CU_STREAM_NON_BLOCKING)),
    );
    let (fork, join): (CUevent, CUevent) = (made!(cuEventCreate(0)), made!(cuEventCreate(0)));
    call!(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    assert_eq!(launch(scale, [1, 256], first, &arguments), CUresult::SUCCESS);
    call!(cuEventRecord(fork, first));
    call!(cuStreamWaitEvent(second, fork, 0));
    assert_eq!(launch(scale, [1, 256], second, &arguments), CUresult::SUCCESS);
    // The stream that it began in does not know yet of the other one's work.
    call!(cuEventRecord(join, second));
    call!(cuStreamWaitEvent(first, join, 0));
    let mut captured = CUgraph::NULL;
    call!(cuStreamEndCapture(first, Out::new(&mut captured)));
    assert_eq!(download::<i32>(values, 256), [1; 256], "nothing has run");
    let mut count = 0u64;
    call!(cuGraphGetNodes(captured, Out::null(), Out::new(&mut count)));
    assert_eq!(count, 2);
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(captured, 0));
    call!(cuGraphLaunch(exec, first));
    call!(cuStreamSynchronize(first));
    assert_eq!(download::<i32>(values, 256), [(3 + 2) * 3 + 2; 256]);

    // By hand: a fill, and the kernel twice behind it.
    let graph: CUgraph = made!(cuGraphCreate(0));
    let fill = CUDA_MEMSET_NODE_PARAMS {
        to: values,
        pitch: 0,
        value: 1,
        element: 4,
        width: 256,
        height: 1,
    };
    let fill: CUgraphNode =
        made!(cuGraphAddMemsetNode(graph, In::null(), 0, In::new(&fill), CUcontext::NULL));
    let mut list = arguments;
    let mut params = CUDA_KERNEL_NODE_PARAMS {
        function: scale,
        grid: [1; 3],
        block: [256, 1, 1],
        shared: 0,
        params: Out::new(&mut list[0]),
        extra: Out::null(),
        kernel: CUkernel::NULL,
        context: CUcontext::NULL,
    };
    let once: CUgraphNode =
        made!(cuGraphAddKernelNode_v2(graph, In::new(&fill), 1, In::new(&params)));
    let twice: CUgraphNode =
        made!(cuGraphAddKernelNode_v2(graph, In::new(&once), 1, In::new(&params)));
    let by_hand: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    call!(cuGraphLaunch(by_hand, second));
    call!(cuStreamSynchronize(second));
    assert_eq!(download::<i32>(values, 256), [17; 256]);
    let mut seen = params;
    call!(cuGraphKernelNodeGetParams_v2(twice, Out::new(&mut seen)));
    assert_eq!((seen.function, seen.grid, seen.block), (scale, [1; 3], [256, 1, 1]));
    // What is seen can be given back.
    call!(cuGraphKernelNodeSetParams_v2(twice, In::new(&seen)));
    // Other parameters, and a node left out.
    let mut others = [address(&values), address(&10), address(&0), address(&256)];
    params.params = Out::new(&mut others[0]);
    call!(cuGraphExecKernelNodeSetParams_v2(by_hand, twice, In::new(&params)));
    call!(cuGraphNodeSetEnabled(by_hand, once, 0));
    call!(cuGraphLaunch(by_hand, second));
    call!(cuStreamSynchronize(second));
    assert_eq!(download::<i32>(values, 256), [10; 256]);
    let mut info = CUgraphExecUpdateResultInfo {
        result: 9,
        wrong: CUgraphNode::NULL,
        wrong_from: CUgraphNode::NULL,
    };
    let updated = result!(cuGraphExecUpdate_v2(by_hand, captured, Out::new(&mut info)));
    assert_eq!(
        (updated, info.result),
        (CUresult::GRAPH_EXEC_UPDATE_FAILURE, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED)
    );
    call!(cuGraphExecDestroy(by_hand));
    call!(cuGraphDestroy(graph));
    assert_eq!(result!(cuGraphLaunch(by_hand, second)), CUresult::INVALID_HANDLE);
}

#[test]
fn programs_are_linked_when_they_run() {
    context();
    let state: CUlinkState = {
        let mut state = CUlinkState::NULL;
        call!(cuLinkCreate_v2(0, Out::null(), Out::null(), Out::new(&mut state)));
        state
    };
    for text in [include_str!("kernels/lookup.ptx"), include_str!("kernels/table.ptx")] {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let count = bytes.len() as u64;
        call!(cuLinkAddData_v2(
            state,
            CU_JIT_INPUT_PTX,
            host(&mut bytes),
            count,
            Text::null(),
            0,
            Out::null(),
            Out::null(),
        ));
    }
    let (mut image, mut bytes) = (Address::NULL, 0);
    call!(cuLinkComplete(state, Out::new(&mut image), Out::new(&mut bytes)));
    assert!(bytes > 100);
    let module: CUmodule = made!(cuModuleLoadData(image));
    call!(cuLinkDestroy(state));
    let out = upload(&[0i32]);
    let arguments = [address(&out), address(&6)];
    assert_eq!(
        launch(function(module, "lookup"), [1, 1], CUstream(0), &arguments),
        CUresult::SUCCESS
    );
    assert_eq!(download::<i32>(out, 1), [42]);
}

/// As nvJitLink 13.5 does (`crates/warpwise/tests/linked.rs`).
#[test]
fn a_result_that_a_function_has_not_is_told_in_the_log() {
    context();
    let mut log = [0u8; 400];
    let mut names = [CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES];
    let mut values = [host(&mut log), Address(400)];
    let mut state = CUlinkState::NULL;
    let (options, places) = (Out::new(&mut names[0]), Out::new(&mut values[0]));
    call!(cuLinkCreate_v2(2, options, places, Out::new(&mut state)));
    let calls = ".extern .func (.param .b64 r) f(.param .b32 x);
        .visible .entry k() {
            { .param .b32 x; .param .b64 r; st.param.b32 [x], 6; call (r), f, (x); }
            ret;
        }";
    for text in [calls, ".visible .func f(.param .b32 x) { ret; }"] {
        let text = format!(".version 7.8\n.target sm_80\n.address_size 64\n{text}\0");
        let mut bytes = text.into_bytes();
        let (none, count) = (Text::null(), bytes.len() as u64);
        let at = host(&mut bytes);
        let kind = CU_JIT_INPUT_PTX;
        call!(cuLinkAddData_v2(state, kind, at, count, none, 0, Out::null(), Out::null()));
    }
    let (mut image, mut bytes) = (Address::NULL, 0);
    call!(cuLinkComplete(state, Out::new(&mut image), Out::new(&mut bytes)));
    assert!(String::from_utf8_lossy(&log).contains("Prototype doesn't match for 'f'"));
    assert!(values[1].0 > 0 && values[1].0 <= 400);
    let module: CUmodule = made!(cuModuleLoadData(image));
    call!(cuLinkDestroy(state));
    assert_eq!(launch(function(module, "k"), [1, 1], CUstream(0), &[]), CUresult::SUCCESS);
}

#[test]
fn rows_go_through_arrays_and_textures() {
    let module = module();
    let described =
        CUDA_ARRAY_DESCRIPTOR { width: 8, height: 4, format: CU_AD_FORMAT_FLOAT, channels: 1 };
    let array: CUarray = made!(cuArrayCreate_v2(In::new(&described)));
    // Rows of 12 values, of which 8 are copied.
    let mut rows: Vec<f32> = (0..48).map(|nth| nth as f32).collect();
    let copy = to_array(host(&mut rows), 48, array, [32, 4]);
    call!(cuMemcpy2D_v2(In::new(&copy)));
    let too_wide = CUDA_MEMCPY2D { width_bytes: 36, ..copy };
    assert_eq!(result!(cuMemcpy2D_v2(In::new(&too_wide))), CUresult::INVALID_VALUE);
    let resource = CUDA_RESOURCE_DESC::of(CU_RESOURCE_TYPE_ARRAY, array.0);
    let address_mode = [CU_TR_ADDRESS_MODE_CLAMP; 3];
    let how = CUDA_TEXTURE_DESC { address_mode, ..CUDA_TEXTURE_DESC::ZERO };
    let texture: CUtexObject =
        made!(cuTexObjectCreate(In::new(&resource), In::new(&how), In::null()));
    let out = upload(&[0f32; 32]);
    let mut arguments = [address(&texture), address(&out), address(&8)];
    let (stream, arguments) = (CUstream(0), Out::new(&mut arguments[0]));
    let sample = function(module, "sample");
    call!(cuLaunchKernel(sample, 1, 1, 1, 8, 4, 1, 0, stream, arguments, Out::null()));
    let expected: Vec<f32> = (0..32).map(|nth| (12 * (nth / 8) + nth % 8) as f32).collect();
    assert_eq!(download::<f32>(out, 32), expected);
    call!(cuTexObjectDestroy(texture));
    call!(cuArrayDestroy(array));
}

#[test]
fn memory_in_the_order_of_a_stream() {
    let module = module();
    let stream: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
    let pool: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(0));
    let at: CUdeviceptr = made!(cuMemAllocAsync(1024, stream));
    call!(cuMemsetD32Async(at, 7, 256, stream));
    let arguments = [address(&at), address(&2), address(&1), address(&256)];
    assert_eq!(launch(function(module, "scale"), [1, 256], stream, &arguments), CUresult::SUCCESS);
    let mut values = vec![0i32; 256];
    call!(cuMemcpyDtoHAsync_v2(host(&mut values), at, 1024, stream));
    call!(cuMemFreeAsync(at, stream));
    call!(cuStreamSynchronize(stream));
    assert_eq!(values, [15; 256]);
    assert_eq!(result!(cuMemcpyDtoH_v2(host(&mut values), at, 4)), CUresult::INVALID_VALUE);
    let mut used = 1u64;
    call!(cuMemPoolGetAttribute(
        pool,
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
        host(std::slice::from_mut(&mut used))
    ));
    assert_eq!(used, 0);
}

#[test]
fn what_is_known_of_addresses() {
    context();
    let at: CUdeviceptr = made!(cuMemAlloc_v2(100));
    let kind = |address: CUdeviceptr| {
        let mut kind = 0u32;
        let to = host(std::slice::from_mut(&mut kind));
        let result = result!(cuPointerGetAttribute(to, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
        (result == CUresult::SUCCESS).then_some(kind)
    };
    assert_eq!(kind(at + 99), Some(CU_MEMORYTYPE_DEVICE));
    assert_eq!(kind(at + 100), None);
    let mut own = vec![0u64; 64];
    let registered = host(&mut own);
    assert_eq!(kind(registered.0), None);
    call!(cuMemHostRegister_v2(registered, 512, 0));
    assert_eq!(kind(registered.0 + 511), Some(CU_MEMORYTYPE_HOST));
    let again = result!(cuMemHostRegister_v2(registered, 512, 0));
    assert_eq!(again, CUresult::HOST_MEMORY_ALREADY_REGISTERED);
    call!(cuMemHostUnregister(registered));
    let mut bytes = [0u8; 8];
    for (count, offset) in [(101, 0), (8, 93), (1, 100)] {
        let copied = result!(cuMemcpyDtoH_v2(host(&mut bytes), at + offset, count));
        assert_eq!(copied, CUresult::INVALID_VALUE, "{count} bytes at {offset}");
    }
    call!(cuMemFree_v2(at));
    assert_eq!(result!(cuMemFree_v2(at)), CUresult::INVALID_VALUE);
}

#[test]
fn every_attribute_of_a_device_has_a_value() {
    call!(cuInit(0));
    for (name, id) in DEVICE_ATTRIBUTES.iter().chain(&[("unknown", 100_000)]) {
        let mut value = -9;
        let is_one = (1..CU_DEVICE_ATTRIBUTE_MAX).contains(id);
        let expected = if is_one { CUresult::SUCCESS } else { CUresult::INVALID_VALUE };
        let found = result!(cuDeviceGetAttribute(Out::new(&mut value), *id, 0));
        assert_eq!(found, expected, "{name}");
    }
    let attribute = |id| -> i32 { made!(cuDeviceGetAttribute(id, 0)) };
    assert_eq!(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
    assert_eq!(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 12);
    let mut device = 0;
    assert_eq!(result!(cuDeviceGet(Out::new(&mut device), 1)), CUresult::INVALID_DEVICE);
}

#[test]
fn occupancy_follows_the_rules() {
    let empty = function(module(), "empty");
    let blocks = |threads, shared| -> i32 {
        made!(cuOccupancyMaxActiveBlocksPerMultiprocessor(empty, threads, shared))
    };
    // Compute capability 12.0: 1,536 threads, 24 CTAs and 100 KB of shared memory in a multiprocessor, of which each CTA takes one more.
    assert_eq!(blocks(32, 0), 24);
    assert_eq!(blocks(256, 0), 6);
    assert_eq!(blocks(1024, 0), 1);
    assert_eq!(blocks(32, 24 << 10), 4);
    assert_eq!(blocks(32, 200 << 10), 0);
    let (mut grid, mut block) = (0, 0);
    call!(cuOccupancyMaxPotentialBlockSize(
        Out::new(&mut grid),
        Out::new(&mut block),
        empty,
        None,
        0,
        0
    ));
    assert_eq!((grid, block), (170 * 2, 768));
}

#[test]
fn many_threads_at_once() {
    call!(cuInit(0));
    let work = |nth: i32| {
        let context: CUcontext = made!(cuDevicePrimaryCtxRetain(0));
        call!(cuCtxSetCurrent(context));
        let module: CUmodule = made!(cuModuleLoadData(address(&PTX.to_bytes()[0])));
        let scale = function(module, "scale");
        let stream: CUstream = made!(cuStreamCreate(CU_STREAM_NON_BLOCKING));
        let values = upload(&[nth; 300]);
        let arguments = [address(&values), address(&2), address(&1), address(&300)];
        for _ in 0..10 {
            assert_eq!(launch(scale, [2, 160], stream, &arguments), CUresult::SUCCESS);
        }
        call!(cuStreamSynchronize(stream));
        let expected = (0..10).fold(nth, |value, _| 2 * value + 1);
        assert_eq!(download::<i32>(values, 300), vec![expected; 300]);
        call!(cuMemFree_v2(values));
        call!(cuStreamDestroy_v2(stream));
        call!(cuModuleUnload(module));
        call!(cuDevicePrimaryCtxRelease_v2(0));
    };
    // Somebody holds the context as long as the others come and go.
    let _: CUcontext = made!(cuDevicePrimaryCtxRetain(0));
    let threads: Vec<_> = (0..64).map(|nth| std::thread::spawn(move || work(nth))).collect();
    for thread in threads {
        thread.join().expect("a thread does its work");
    }
}

#[test]
fn a_thousand_contexts_leave_nothing() {
    call!(cuInit(0));
    let memory = || {
        let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = status.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
        pages.unwrap_or(0) * 4096
    };
    let mut early = 0;
    for nth in 0..1000 {
        let module = module();
        let at: CUdeviceptr = made!(cuMemAlloc_v2(1 << 20));
        call!(cuMemsetD8_v2(at, 1, 1 << 20));
        let _: CUevent = made!(cuEventCreate(0));
        let stream: CUstream = made!(cuStreamCreate(0));
        assert_eq!(launch(function(module, "empty"), [1, 32], stream, &[]), CUresult::SUCCESS);
        let mut context = CUcontext::NULL;
        call!(cuCtxPopCurrent_v2(Out::new(&mut context)));
        call!(cuCtxDestroy_v2(context));
        assert_eq!(result!(cuStreamQuery(stream)), CUresult::INVALID_HANDLE);
        if nth == 300 {
            early = memory();
        }
    }
    // Other tests run meanwhile; a context that stayed would be a megabyte.
    assert!(memory() < early + (200 << 20), "{early} bytes became {}", memory());
}

#[test]
fn a_cooperative_grid_waits_for_all_of_it() {
    context();
    let text = CString::new(include_str!("kernels/grid.ptx")).expect("a text");
    let module: CUmodule = made!(cuModuleLoadData(address(&text.to_bytes()[0])));
    let neighbours = function(module, "neighbours");
    for (ctas, rounds) in [(7u32, 20u32), (3, 5), (16, 10)] {
        let words = upload(&vec![0u32; ctas as usize]);
        let mut arguments = [address(&words), address(&rounds)];
        let (stream, params) = (CUstream(0), Out::new(&mut arguments[0]));
        call!(cuLaunchCooperativeKernel(neighbours, ctas, 1, 1, 64, 1, 1, 0, stream, params));
        assert_eq!(download::<u32>(words, ctas as usize), vec![rounds; ctas as usize]);
    }
    // More than are there at one time.
    let mut arguments = [address(&0u64), address(&1)];
    let (stream, params) = (CUstream(0), Out::new(&mut arguments[0]));
    let large =
        result!(cuLaunchCooperativeKernel(neighbours, 1 << 20, 1, 1, 64, 1, 1, 0, stream, params));
    assert_eq!(large, CUresult::COOPERATIVE_LAUNCH_TOO_LARGE);
}

#[test]
fn launches_keep_to_the_bounds_of_the_kernel() {
    context();
    let text = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry bound() .maxntid 128, 1, 1 { ret; }\0";
    let module: CUmodule = made!(cuModuleLoadData(address(&text.as_bytes()[0])));
    let bound = function(module, "bound");
    assert_eq!(launch(bound, [1, 128], CUstream(0), &[]), CUresult::SUCCESS);
    assert_eq!(launch(bound, [1, 129], CUstream(0), &[]), CUresult::INVALID_VALUE);
}

/// Values of the driver's documentation: -1 is the host, -2 no device or none for the whole range.
#[test]
fn advice_is_there_to_be_asked_for() {
    const BYTES: u64 = 1 << 16;
    context();
    let at: CUdeviceptr = made!(cuMemAllocManaged(BYTES, CU_MEM_ATTACH_GLOBAL));
    let ask = |attribute, bytes| {
        let mut value = [77_i32];
        call!(cuMemRangeGetAttribute(host(&mut value), 4, attribute, at, bytes));
        value[0]
    };
    assert_eq!(ask(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, BYTES), 0);
    assert_eq!(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, BYTES), -2);
    call!(cuMemAdvise(at, BYTES, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    call!(cuMemAdvise(at, BYTES / 2, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, -1));
    call!(cuMemAdvise(at, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
    call!(cuMemPrefetchAsync(at, BYTES, 0, CUstream(0)));
    assert_eq!(ask(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, BYTES), 1);
    assert_eq!(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, BYTES), -2);
    assert_eq!(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, BYTES / 2), -1);
    assert_eq!(ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, BYTES), 0);
    let mut devices = [77_i32; 2];
    let attribute = CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    call!(cuMemRangeGetAttribute(host(&mut devices), 8, attribute, at, BYTES));
    assert_eq!(devices, [0, -2]);
    call!(cuMemAdvise(at, BYTES / 4, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0));
    assert_eq!(ask(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, BYTES), 0);
    call!(cuMemFree_v2(at));
}
