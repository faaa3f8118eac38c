//! What checks find across the boundary between a program and its devices: the test runs itself as programs that are wrong on
//! purpose, and as the same ones mended.
#![allow(unsafe_code)]

mod common;

use common::{address, call, kernel};
use cuda::abi::*;
use cuda::functions::*;
use std::env;
#[cfg(unix)]
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

/// The variable that makes this program a client.
const ROLE: &str = "WARPWISE_TEST_ROLE";

const COUNT: u32 = 64;
const BYTES: u64 = COUNT as u64 * 4;

fn allocate() -> CUdeviceptr {
    let mut at = 0;
    call!(cuMemAlloc_v2(Out::new(&mut at), BYTES));
    at
}

/// `values[i] = values[i] * 2 + 1` in a stream.
fn scale(function: CUfunction, values: CUdeviceptr, stream: CUstream, threads: u32) -> CUresult {
    let (factor, offset, count) = (2i32, 1i32, COUNT as i32);
    let mut params = [address(&values), address(&factor), address(&offset), address(&count)];
    let params = Out::new(&mut params[0]);
    // SAFETY: the arguments live.
    unsafe { cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream, params, Out::null()) }
}

fn stream(flags: u32) -> CUstream {
    let mut stream = CUstream::NULL;
    call!(cuStreamCreate(Out::new(&mut stream), flags));
    stream
}

const NON_BLOCKING: u32 = 1;

/// What the program does with memory that it shares with the device: `shared` is scaled, or copied from, in a stream.
fn shares(role: &str) {
    let function = kernel("scale");
    let (mut shared, copied) = (0, allocate());
    call!(cuMemAllocManaged(Out::new(&mut shared), BYTES, 1));
    let words: *mut u32 = std::ptr::with_exposed_provenance_mut(shared as usize);
    // SAFETY: there are so many words, which only this thread and the device access.
    let get = |nth: usize| unsafe { words.add(nth).read_volatile() };
    // SAFETY: as above.
    let set = |nth: usize, value: u32| unsafe { words.add(nth).write_volatile(value) };
    (0..COUNT as usize).for_each(|nth| set(nth, 7));
    let one = stream(NON_BLOCKING);
    let scaled = |threads| assert_eq!(scale(function, shared, one, threads), CUresult::SUCCESS);
    let copy = || call!(cuMemcpyDtoDAsync_v2(copied, shared, BYTES, one));
    match role {
        "reads-result" => {
            scaled(COUNT);
            assert_eq!(get(1), 15);
            call!(cuCtxSynchronize());
        }
        "writes-operand" => {
            copy();
            set(3, 8);
            call!(cuStreamSynchronize(one));
            assert_eq!(get(3), 8);
        }
        // By a function of the C library, and at the end of the program.
        "reads-at-the-end" => {
            scaled(COUNT);
            let mut out = [0u32; 4];
            // SAFETY: as above, and there is room for four words.
            unsafe { libc::memcpy(out.as_mut_ptr().cast(), words.cast_const().cast(), 16) };
            assert_eq!(out, [15; 4]);
        }
        "waits" => {
            scaled(COUNT);
            call!(cuStreamSynchronize(one));
            assert_eq!(get(1), 15);
            set(1, 0);
        }
        "asks" => {
            scaled(COUNT);
            let mut event = CUevent::NULL;
            call!(cuEventCreate(Out::new(&mut event), 0));
            call!(cuEventRecord(event, one));
            // SAFETY: it takes a handle.
            while unsafe { cuEventQuery(event) } == CUresult::NOT_READY {}
            assert_eq!(get(1), 15);
        }
        // The copy is done when the call returns, and comes behind the kernel.
        "copies" => {
            scaled(COUNT);
            let mut out = [0u32; 4];
            let to = Address(out.as_mut_ptr().expose_provenance() as u64);
            call!(cuMemcpyDtoHAsync_v2(to, shared, 16, one));
            assert_eq!(get(1), 15);
        }
        "reads-operand" => {
            copy();
            assert_eq!(get(3), 7);
            call!(cuStreamSynchronize(one));
        }
        "other-half" => {
            scaled(COUNT / 2);
            set(COUNT as usize - 1, 9);
            call!(cuStreamSynchronize(one));
            assert_eq!((get(COUNT as usize - 1), get(0)), (9, 15));
        }
        "freed" => {
            scaled(COUNT);
            call!(cuMemFree_v2(shared));
            let mut other = 0;
            call!(cuMemAllocManaged(Out::new(&mut other), BYTES, 1));
            let words: *mut u32 = std::ptr::with_exposed_provenance_mut(other as usize);
            // SAFETY: as above.
            unsafe { words.write_volatile(1) };
        }
        // What kernel `await` does with shared memory may tell the program that `scale` is done.
        "message" => {
            let await_ = kernel_of(function, "await");
            let mut pinned = Address(0);
            call!(cuMemHostAlloc(Out::new(&mut pinned), 8, 0));
            let flag: *mut u32 = std::ptr::with_exposed_provenance_mut(pinned.0 as usize);
            // SAFETY: it is there.
            unsafe { flag.write_volatile(1) };
            scaled(COUNT);
            let seen = pinned.0 + 4;
            let mut params = [address(&pinned.0), address(&seen)];
            let (params, none) = (Out::new(&mut params[0]), Out::null());
            call!(cuLaunchKernel(await_, 1, 1, 1, 1, 1, 1, 0, one, params, none));
            // SAFETY: it is there.
            while unsafe { flag.add(1).read_volatile() } == 0 {}
            assert_eq!(get(1), 15);
        }
        // Faults that have nothing to do with it are the program's.
        "own-handler" => {
            extern "C" fn on_fault(_: i32) {
                // SAFETY: a handler may call it.
                unsafe { libc::_exit(7) }
            }
            let handler: extern "C" fn(i32) = on_fault;
            // SAFETY: the handler does what a handler may.
            unsafe { libc::signal(libc::SIGSEGV, handler as *const () as usize) };
            scaled(COUNT);
            // SAFETY: it is not; but nothing is there, and the handler ends the process.
            unsafe { std::ptr::with_exposed_provenance_mut::<u32>(16).write_volatile(1) };
        }
        "no-handler" => {
            // SAFETY: that is what programs have at first.
            unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
            scaled(COUNT);
            // SAFETY: as above; the process is killed.
            unsafe { std::ptr::with_exposed_provenance_mut::<u32>(16).write_volatile(1) };
        }
        other => panic!("what is {other}?"),
    }
}

/// Another kernel of the module of a kernel.
fn kernel_of(function: CUfunction, name: &str) -> CUfunction {
    let (mut module, mut other) = (CUmodule::NULL, CUfunction::NULL);
    call!(cuFuncGetModule(Out::new(&mut module), function));
    let name = std::ffi::CString::new(name).expect("a name");
    call!(cuModuleGetFunction(Out::new(&mut other), module, Text::new(&name)));
    other
}

/// Launches `await`, which waits until there is something at `flag`, and writes that to `seen`.
fn wait_for(await_: CUfunction, [flag, seen]: [CUdeviceptr; 2], grid: u32, stream: CUstream) {
    let mut params = [address(&flag), address(&seen)];
    let (params, none) = (Out::new(&mut params[0]), Out::null());
    call!(cuLaunchKernel(await_, grid, 1, 1, 1, 1, 1, 0, stream, params, none));
}

/// A kernel waits for what only others write, or in vain.
fn waits(role: &str) {
    /// What the kernel takes to begin to wait.
    const WHILE: Duration = Duration::from_millis(30);
    let await_ = kernel("await");
    let (one, other) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let mut pinned = Address(0);
    call!(cuMemHostAlloc(Out::new(&mut pinned), BYTES, 0));
    let words: *mut u32 = std::ptr::with_exposed_provenance_mut(pinned.0 as usize);
    // SAFETY: there are so many words, which nobody but this thread writes.
    let set = |nth: usize, value: u32| unsafe { words.add(nth).write_volatile(value) };
    // SAFETY: as above.
    let get = |nth: usize| unsafe { words.add(nth).read_volatile() };
    (0..COUNT as usize).for_each(|nth| set(nth, 0));
    let (flag, seen) = (allocate(), allocate());
    call!(cuMemsetD32_v2(flag, 0, 1));
    call!(cuCtxSynchronize());
    match role {
        "program" => {
            wait_for(await_, [pinned.0, seen], 1, one);
            thread::sleep(WHILE);
            set(0, 1);
            call!(cuStreamSynchronize(one));
        }
        // A stream, or a kernel that is launched later.
        "stream" => {
            wait_for(await_, [flag, seen], 1, one);
            thread::sleep(WHILE);
            call!(cuStreamWriteValue32_v2(other, flag, 1, 0));
            call!(cuCtxSynchronize());
        }
        "kernel" => {
            wait_for(await_, [pinned.0, flag], 1, one);
            wait_for(await_, [flag, seen], 1, other);
            thread::sleep(WHILE);
            set(0, 1);
            call!(cuCtxSynchronize());
        }
        "in-vain" => {
            wait_for(await_, [flag, seen], 1, one);
            // SAFETY: it has no parameters.
            assert_eq!(unsafe { cuCtxSynchronize() }, CUresult::LAUNCH_TIMEOUT);
        }
        // The program goes on while a kernel runs, and runs again under other schedules: what it writes stays.
        "keeps" => {
            call!(cuMemsetD32_v2(flag, 1, 1));
            call!(cuCtxSynchronize());
            for value in 1..10 {
                wait_for(await_, [flag, seen], 64, one);
                // SAFETY: it takes a handle.
                while unsafe { cuStreamQuery(one) } == CUresult::NOT_READY {
                    (0..COUNT as usize).for_each(|nth| set(nth, value));
                    assert!((0..COUNT as usize).all(|nth| get(nth) == value));
                }
            }
        }
        other => panic!("what is {other}?"),
    }
}

fn client(role: &str) {
    if let Some(role) = role.strip_prefix("waits-for-") {
        return waits(role);
    }
    if let Some(role) = role.strip_prefix("shares-") {
        return shares(role);
    }
    let function = kernel("scale");
    let values = allocate();
    let mut host = [0u32; COUNT as usize];
    let out = Address(host.as_mut_ptr().expose_provenance() as u64);
    let zero = CUstream(0);
    match role {
        // Half of what is copied was never written.
        "unwritten" => {
            call!(cuMemsetD32_v2(values, 7, u64::from(COUNT) / 2));
            call!(cuMemcpyDtoH_v2(out, values, BYTES));
        }
        "unwritten-moved" => {
            let other = allocate();
            call!(cuMemsetD32_v2(values, 7, 4));
            call!(cuMemcpyDtoD_v2(other, values, BYTES));
            call!(cuMemcpyDtoH_v2(out, other, BYTES));
        }
        "unwritten-kernel" => {
            assert_eq!(scale(function, values, zero, COUNT), CUresult::SUCCESS);
            call!(cuCtxSynchronize());
        }
        // Two launches find the same.
        "unwritten-twice" => {
            for values in [values, allocate()] {
                assert_eq!(scale(function, values, zero, COUNT), CUresult::SUCCESS);
            }
            call!(cuCtxSynchronize());
        }
        // Each three words of four hold something, as in a structure of a `double` and an `int`.
        "padded" => {
            call!(cuMemsetD2D32_v2(values, 16, 7, 3, u64::from(COUNT) / 4));
            call!(cuMemcpyDtoH_v2(out, values, BYTES));
        }
        // A kernel has written half of it.
        "half" => {
            call!(cuMemsetD32_v2(values, 7, u64::from(COUNT) / 2));
            assert_eq!(scale(function, values, zero, COUNT / 2), CUresult::SUCCESS);
            call!(cuMemcpyDtoH_v2(out, values, BYTES));
        }
        "written" => {
            call!(cuMemsetD32_v2(values, 7, u64::from(COUNT)));
            assert_eq!(scale(function, values, zero, COUNT), CUresult::SUCCESS);
            call!(cuMemcpyDtoH_v2(out, values, BYTES));
            assert_eq!(host, [15; COUNT as usize]);
            call!(cuMemFree_v2(values));
            // Another allocation is as unwritten, wherever it lies.
            let other = allocate();
            call!(cuMemsetD8_v2(other, 0, BYTES));
            call!(cuMemcpyDtoH_v2(out, other, BYTES));
        }
        "freed" => {
            call!(cuMemFree_v2(values));
            // SAFETY: the host's side is there.
            let copied = unsafe { cuMemcpyDtoH_v2(out, values + 8, 4) };
            assert_eq!(copied, CUresult::INVALID_VALUE);
        }
        "freed-twice" => {
            call!(cuMemFree_v2(values));
            // SAFETY: it takes a number.
            assert_eq!(unsafe { cuMemFree_v2(values) }, CUresult::INVALID_VALUE);
        }
        "size" => {
            assert_eq!(scale(function, values, zero, 2048), CUresult::INVALID_VALUE);
        }
        "race" | "event" | "host" | "query" | "legacy" | "blocking" => {
            let (mut event, mut known) = (CUevent::NULL, CUresult::NOT_READY);
            let flags = if role == "blocking" { 0 } else { NON_BLOCKING };
            let (one, other) = (stream(flags), stream(NON_BLOCKING));
            call!(cuEventCreate(Out::new(&mut event), 0));
            let first = if matches!(role, "legacy" | "blocking") { zero } else { other };
            call!(cuMemsetD32Async(values, 7, u64::from(COUNT), first));
            match role {
                "event" => {
                    call!(cuEventRecord(event, first));
                    call!(cuStreamWaitEvent(one, event, 0));
                }
                "host" => call!(cuStreamSynchronize(first)),
                "query" => {
                    while known == CUresult::NOT_READY {
                        // SAFETY: it takes a handle.
                        known = unsafe { cuStreamQuery(first) };
                    }
                }
                _ => {}
            }
            assert_eq!(scale(function, values, one, COUNT), CUresult::SUCCESS);
            call!(cuCtxSynchronize());
        }
        other => panic!("what is {other}?"),
    }
}

/// Runs this program as a client.
fn run(role: &str, check: bool) -> Output {
    command(role, check).output().expect("it runs")
}

fn command(role: &str, check: bool) -> Command {
    let program = env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    for (name, _) in env::vars().filter(|(name, _)| name.starts_with("WARPWISE_")) {
        command.env_remove(name);
    }
    let check = if check { "1" } else { "0" };
    command.envs([(ROLE, role), ("WARPWISE_CHECK", check)]);
    command
}

fn main() {
    if let Ok(role) = env::var(ROLE) {
        return client(&role);
    }
    if !cfg!(target_os = "linux") {
        return;
    }
    // Each program, the code that it is told, words of the finding, and how it ends.
    let table: [(&str, &str, &str, i32); 29] = [
        ("unwritten", "H001", "128 of 256 bytes", 0),
        ("unwritten-moved", "H001", "240 of 256 bytes", 0),
        ("unwritten-kernel", "M004", "nothing wrote", 1),
        ("unwritten-twice", "M004", "= note: in kernel `scale`", 1),
        ("padded", "", "", 0),
        ("half", "H001", "128 of 256 bytes", 0),
        ("written", "", "", 0),
        ("freed", "H002", "a copy or fill of memory that has been freed", 1),
        ("freed-twice", "H002", "a free of memory that has been freed", 1),
        ("size", "H004", "2048", 1),
        ("race", "H003", "a fill writes and `scale` writes the same 256 bytes", 1),
        ("event", "", "", 0),
        ("host", "", "", 0),
        ("query", "", "", 0),
        // A stream that does not block runs beside the default one (CUDA C++ Programming Guide, "Default Stream").
        ("legacy", "H003", "a fill writes and `scale` writes the same 256 bytes", 1),
        ("blocking", "", "", 0),
        ("shares-reads-result", "H005", "reads byte 4 of 256 bytes of managed memory", 1),
        ("shares-writes-operand", "H005", "writes byte 12 of 256 bytes of managed memory", 1),
        ("shares-reads-at-the-end", "H005", "which `scale` writes", 1),
        ("shares-waits", "", "", 0),
        ("shares-asks", "", "", 0),
        ("shares-copies", "", "", 0),
        ("shares-reads-operand", "", "", 0),
        ("shares-other-half", "", "", 0),
        ("shares-freed", "", "", 0),
        ("shares-message", "", "", 0),
        ("waits-for-program", "", "", 0),
        ("waits-for-stream", "", "", 0),
        // It writes the word by a plain store; which of the two ends first is open.
        ("waits-for-kernel", "H003", "the same 4 bytes, from", 1),
    ];
    for (role, code, words, status) in table {
        let ran = run(role, true);
        let told = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(status), "{role}: {told}");
        match code {
            "" => assert_eq!(told, "", "{role}"),
            code => assert!(told.contains(code) && told.contains(words), "{role}: {told}"),
        }
        // Nobody is told without a check. Who has not waited has no result then.
        if !matches!(role, "shares-reads-result" | "shares-reads-at-the-end") {
            let ran = run(role, false);
            assert_eq!((ran.status.code(), ran.stderr.len()), (Some(0), 0), "{role}");
        }
    }
    // Without a check it would wait for ever.
    let ran = run("waits-for-in-vain", true);
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.code() == Some(1) && told.contains("W007"), "{told}");
    let ran = run("waits-for-keeps", true);
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{told}");
    // What one launch of a kernel was told of is not told of the next.
    let ran = run("unwritten-twice", true);
    assert_eq!(String::from_utf8_lossy(&ran.stderr).matches("M004").count(), 1);
    let mut asked = command("unwritten-twice", true);
    let ran = asked.env("WARPWISE_REPEAT", "1").output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&ran.stderr).matches("M004").count(), 2);
    for check in [true, false] {
        assert_eq!(run("shares-own-handler", check).status.code(), Some(7));
        assert_eq!(run("shares-no-handler", check).status.signal(), Some(libc::SIGSEGV));
    }
}
