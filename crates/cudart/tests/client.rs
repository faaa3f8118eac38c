//! A client that does what the code of `nvcc` does, with fat binaries that `nvcc` made (`tests/fatbin`): it registers them,
//! their kernel and their variable, and calls the functions of the interface, over our driver.

mod common;

use common::driver;
use cudart as _;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

type Address = *mut c_void;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dim3(u32, u32, u32);

unsafe extern "C" {
    fn __cudaRegisterFatBinary(wrapper: *const c_void) -> *mut Address;
    fn __cudaRegisterFatBinaryEnd(handle: *mut Address);
    fn __cudaUnregisterFatBinary(handle: *mut Address);
    fn __cudaRegisterFunction(
        handle: *mut Address,
        host: *const c_void,
        device: *const c_char,
        name: *const c_char,
        threads: c_int,
        tid: Address,
        bid: Address,
        block: Address,
        grid: Address,
        warp: Address,
    );
    fn __cudaRegisterVar(
        handle: *mut Address,
        host: *const c_void,
        device: *const c_char,
        name: *const c_char,
        external: c_int,
        bytes: usize,
        constant: c_int,
        global: c_int,
    );
    fn __cudaPushCallConfiguration(
        grid: Dim3,
        block: Dim3,
        shared: usize,
        stream: Address,
    ) -> c_int;
    fn __cudaPopCallConfiguration(
        grid: *mut Dim3,
        block: *mut Dim3,
        shared: *mut usize,
        stream: *mut Address,
    ) -> c_int;
    fn __cudaGetKernel(kernel: *mut Address, host: *const c_void) -> c_int;
    fn __cudaLaunchKernel(
        kernel: Address,
        grid: Dim3,
        block: Dim3,
        args: *mut Address,
        shared: usize,
        stream: Address,
    ) -> c_int;
    fn cudaLaunchKernel(
        host: *const c_void,
        grid: Dim3,
        block: Dim3,
        args: *mut Address,
        shared: usize,
        stream: Address,
    ) -> c_int;
    fn cudaMalloc(to: *mut Address, bytes: usize) -> c_int;
    fn cudaFree(address: Address) -> c_int;
    fn cudaMemcpy(to: Address, from: *const c_void, bytes: usize, kind: c_int) -> c_int;
    fn cudaMemcpyFromSymbol(
        to: Address,
        symbol: *const c_void,
        bytes: usize,
        offset: usize,
        kind: c_int,
    ) -> c_int;
    fn cudaGetLastError() -> c_int;
    fn cudaStreamCreate(to: *mut Address) -> c_int;
    fn cudaStreamQuery(stream: Address) -> c_int;
    fn cudaStreamSynchronize(stream: Address) -> c_int;
    fn cudaStreamDestroy(stream: Address) -> c_int;
    fn cudaLaunchHostFunc(
        stream: Address,
        function: extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> c_int;
    fn cudaGetErrorName(error: c_int) -> *const c_char;
    fn cudaGraphCreate(to: *mut Address, flags: u32) -> c_int;
    fn cudaGraphDestroy(graph: Address) -> c_int;
    fn cudaGraphConditionalHandleCreate(
        to: *mut u64,
        graph: Address,
        value: u32,
        flags: u32,
    ) -> c_int;
    fn cudaGraphConditionalHandleCreate_v2(
        to: *mut u64,
        graph: Address,
        part: Address,
        value: u32,
        flags: u32,
    ) -> c_int;
    fn cudaGraphicsMapResources(count: c_int, resources: *mut Address, stream: Address) -> c_int;
}

const TO_DEVICE: c_int = 1;
const TO_HOST: c_int = 2;

fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fatbin");
    std::fs::read(folder.join(name)).expect("a committed file")
}

/// A program with one fat binary, whose kernel is `add` and whose variable is `calls`.
struct Program {
    handle: *mut Address,
    /// What stands for the kernel and for the variable: their addresses count.
    kernel: Box<[u8; 2]>,
    _containers: Vec<Box<[u64]>>,
    _wrapper: Box<[u64; 3]>,
    _list: Box<[u64]>,
}

impl Program {
    /// Registers a container as the one of the program.
    fn new(container: &[u8]) -> Program {
        Program::registered(&[container], 1)
    }

    /// Registers containers that are linked.
    fn of_parts(containers: &[&[u8]]) -> Program {
        Program::registered(containers, 2)
    }

    fn registered(containers: &[&[u8]], version: u64) -> Program {
        driver();
        let words = |container: &&[u8]| -> Box<[u64]> {
            let chunks = container.chunks(8).map(|bytes| {
                let mut whole = [0; 8];
                whole[..bytes.len()].copy_from_slice(bytes);
                u64::from_ne_bytes(whole)
            });
            chunks.collect()
        };
        let containers: Vec<Box<[u64]>> = containers.iter().map(words).collect();
        let addresses = containers.iter().map(|words| words.as_ptr().expose_provenance() as u64);
        let list: Box<[u64]> = addresses.chain([0]).collect();
        let listed = if version == 2 { list.as_ptr().expose_provenance() as u64 } else { 0 };
        let wrapper = Box::new([0x4662_43b1 | version << 32, list[0], listed]);
        let kernel = Box::new([0; 2]);
        let (host, variable) = (&raw const kernel[0], &raw const kernel[1]);
        let none = null_mut::<c_void>();
        // SAFETY: these are the arguments that the code of `nvcc` passes; all live as long as the program.
        let handle = unsafe {
            let handle = __cudaRegisterFatBinary(wrapper.as_ptr().cast());
            let (add, calls) = (c"add".as_ptr(), c"calls".as_ptr());
            __cudaRegisterFunction(handle, host.cast(), add, add, -1, none, none, none, none, none);
            __cudaRegisterVar(handle, variable.cast(), calls, calls, 0, 4, 0, 0);
            __cudaRegisterFatBinaryEnd(handle);
            handle
        };
        Program { handle, kernel, _containers: containers, _wrapper: wrapper, _list: list }
    }

    fn host(&self) -> *const c_void {
        (&raw const self.kernel[0]).cast()
    }

    fn variable(&self) -> *const c_void {
        (&raw const self.kernel[1]).cast()
    }

    fn calls(&self) -> i32 {
        let mut calls = 0_i32;
        // SAFETY: it is a variable of 4 bytes.
        let status = unsafe {
            cudaMemcpyFromSymbol((&raw mut calls).cast(), self.variable(), 4, 0, TO_HOST)
        };
        good(status);
        calls
    }

    /// Adds arrays by a launch of one of two kinds, and compares.
    fn adds(&self, as_13: bool) {
        let n = 1000;
        let a: Vec<f32> = (0..n).map(|i| i as f32 / 2.0).collect();
        let b: Vec<f32> = (0..n).map(|i| (n - i) as f32).collect();
        let bytes = 4 * n as usize;
        let mut device: [Address; 3] = [null_mut(); 3];
        let mut got = vec![0_f32; n as usize];
        // SAFETY: the sizes are those of the arrays, and the arguments are those of the kernel.
        unsafe {
            for address in &mut device {
                good(cudaMalloc(address, bytes));
            }
            good(cudaMemcpy(device[0], a.as_ptr().cast(), bytes, TO_DEVICE));
            good(cudaMemcpy(device[1], b.as_ptr().cast(), bytes, TO_DEVICE));
            let mut count: i32 = n;
            let [x, y, sum] = device.each_mut().map(|address| (&raw mut *address).cast());
            let mut args: [Address; 4] = [x, y, sum, (&raw mut count).cast()];
            good(__cudaPushCallConfiguration(Dim3(8, 1, 1), Dim3(128, 1, 1), 0, null_mut()));
            let (mut grid, mut block) = (Dim3(0, 0, 0), Dim3(0, 0, 0));
            let (mut shared, mut stream) = (1, null_mut());
            good(__cudaPopCallConfiguration(&mut grid, &mut block, &mut shared, &mut stream));
            assert_eq!(
                (grid, block, shared, stream),
                (Dim3(8, 1, 1), Dim3(128, 1, 1), 0, null_mut())
            );
            if as_13 {
                let mut kernel = null_mut();
                good(__cudaGetKernel(&mut kernel, self.host()));
                good(__cudaLaunchKernel(kernel, grid, block, args.as_mut_ptr(), shared, stream));
            } else {
                good(cudaLaunchKernel(self.host(), grid, block, args.as_mut_ptr(), shared, stream));
            }
            good(cudaMemcpy(got.as_mut_ptr().cast(), device[2], bytes, TO_HOST));
            for address in device {
                good(cudaFree(address));
            }
        }
        let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_eq!(got, expected);
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: it is registered.
        unsafe { __cudaUnregisterFatBinary(self.handle) };
    }
}

#[track_caller]
fn good(status: c_int) {
    // SAFETY: names of errors are strings.
    let name = unsafe { CStr::from_ptr(cudaGetErrorName(status)) };
    assert_eq!(status, 0, "{name:?}");
}

#[test]
fn fat_binaries_run_however_they_are_packed() {
    for name in ["none.fatbin", "speed.fatbin", "size.fatbin", "targets.fatbin"] {
        let program = Program::new(&file(name));
        assert_eq!(program.calls(), 7, "{name}");
        program.adds(true);
        program.adds(false);
        assert_eq!(program.calls(), 9, "{name}");
    }
}

#[test]
fn parts_are_linked() {
    let object = file("part.o");
    let sections = machine::fatbin::embedded(&object).expect("it is an object");
    assert_eq!(sections.parts.len(), 1);
    // The container is a piece of the file.
    let magic = machine::fatbin::MAGIC.to_le_bytes();
    let at = object.windows(4).position(|window| window == magic).expect("it has a container");
    let program = Program::of_parts(&[&object[at..]]);
    program.adds(true);
    assert_eq!(program.calls(), 8);
    // NVIDIA's device runtime, with which `nvcc -rdc=true` links, has PTX for the newest device alone. It is left out: no PTX
    // defines what it calls.
    for sm in [75, 121] {
        let text = ".version 9.0\n.target sm_75\n.address_size 64\n.extern .func __cuda_syscall_x();\n\
            .visible .func y() { call.uni __cuda_syscall_x, (); ret; }\n";
        let runtime = machine::fatbin::of_ptx(sm, machine::fatbin::Reach::Later, (9, 0), text);
        let program = Program::of_parts(&[&object[at..], &runtime]);
        program.adds(true);
        assert_eq!(program.calls(), 8);
    }
}

#[test]
fn errors_are_kept_until_they_are_asked_for() {
    driver();
    let nobody = [0_u8; 1];
    // SAFETY: no function is there to be launched.
    unsafe {
        let one = Dim3(1, 1, 1);
        assert_eq!(
            cudaLaunchKernel(nobody.as_ptr().cast(), one, one, null_mut(), 0, null_mut()),
            98
        );
        assert_eq!((cudaGetLastError(), cudaGetLastError()), (98, 0));
        assert_eq!(cudaMemcpyFromSymbol(null_mut(), nobody.as_ptr().cast(), 0, 0, TO_HOST), 13);
        assert_eq!(__cudaPopCallConfiguration(null_mut(), null_mut(), null_mut(), null_mut()), 52);
        assert_eq!(cudaMalloc(null_mut(), 4), 1);
        assert_eq!(cudaGraphicsMapResources(0, null_mut(), null_mut()), 801);
        assert_eq!(cudaLaunchKernel(null(), one, one, null_mut(), 0, null_mut()), 98);
        assert_eq!((cudaGetLastError(), cudaGetLastError()), (98, 0));
    }
}

/// Waits until the word is not 0.
extern "C" fn wait(word: *mut c_void) {
    // SAFETY: the test passes the address of a word that lives until the stream is done.
    let word = unsafe { AtomicU32::from_ptr(word.cast()) };
    while word.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
}

/// CUDA C++ Programming Guide, error checking: `cudaErrorNotReady` is not reported by `cudaGetLastError`.
#[test]
fn a_stream_that_is_busy_is_no_error_to_keep() {
    driver();
    let word = AtomicU32::new(0);
    let mut stream = null_mut();
    // SAFETY: the stream is there, and done before the word goes.
    unsafe {
        good(cudaStreamCreate(&raw mut stream));
        good(cudaLaunchHostFunc(stream, wait, word.as_ptr().cast()));
        let (busy, last) = (cudaStreamQuery(stream), cudaGetLastError());
        word.store(1, Ordering::SeqCst);
        good(cudaStreamSynchronize(stream));
        assert_eq!((busy, last), (600, 0));
        good(cudaStreamQuery(stream));
        good(cudaStreamDestroy(stream));
    }
}

/// What conditional nodes do the tests of the driver have; `_v2` takes a part of a device, and there is none.
#[test]
fn conditions_are_of_a_graph() {
    driver();
    let (mut graph, mut nothing) = (null_mut(), 0_u8);
    let mut handles = [0; 2];
    // SAFETY: the handle of a part is not looked into.
    unsafe {
        good(cudaGraphCreate(&raw mut graph, 0));
        good(cudaGraphConditionalHandleCreate(&raw mut handles[0], graph, 5, 1));
        let [_, second] = &mut handles;
        good(cudaGraphConditionalHandleCreate_v2(second, graph, null_mut(), 5, 1));
        let part = (&raw mut nothing).cast();
        assert_eq!(cudaGraphConditionalHandleCreate_v2(second, graph, part, 5, 1), 801);
        assert_eq!(cudaGraphConditionalHandleCreate(second, graph, 5, 6), 1);
        assert_eq!(cudaGraphConditionalHandleCreate(null_mut(), graph, 5, 1), 1);
        good(cudaGraphDestroy(graph));
        assert_eq!(cudaGetLastError(), 1);
    }
    assert!(handles[0] != 0 && handles[1] != 0 && handles[0] != handles[1]);
}

#[test]
fn an_image_without_ptx_says_so() {
    let bytes = file("none.fatbin");
    let fatbin = machine::fatbin::Fatbin::parse(&bytes).expect("it is whole");
    // The first entry is machine code: a container with it alone.
    let cubin = fatbin.entries[0].data().expect("it is not packed").len();
    let mut alone = bytes[..machine::fatbin::HEADER_SIZE + 64 + cubin].to_vec();
    alone[8..16].copy_from_slice(&(64 + cubin as u64).to_le_bytes());
    let program = Program::new(&alone);
    let one = Dim3(1, 1, 1);
    // SAFETY: nothing is launched.
    unsafe {
        let mut kernel = null_mut();
        assert_eq!(__cudaGetKernel(&mut kernel, program.host()), 209);
        assert_eq!(__cudaLaunchKernel(kernel, one, one, null_mut(), 0, null_mut()), 209);
        assert_eq!((cudaGetLastError(), cudaGetLastError()), (209, 0));
    }
}
