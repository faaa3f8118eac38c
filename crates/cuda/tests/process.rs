//! What the environment changes, and how a process ends: the test runs itself as a program that uses the driver.
#![allow(unsafe_code)]

mod common;

use common::{call, kernel};
use cuda::abi::*;
use cuda::functions::*;
use std::env;
use std::ffi::{CStr, c_char, c_int};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn puts(text: *const c_char) -> c_int;
    fn fork() -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// The variable that makes this program a client.
const ROLE: &str = "WARPWISE_TEST_ROLE";

fn launch(function: CUfunction, threads: u32, arguments: &mut [Address]) {
    let params = arguments.first_mut().map_or(Out::null(), Out::new);
    let stream = CUstream(0);
    call!(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream, params, Out::null()));
}

fn said(text: &CStr) {
    // SAFETY: the text ends.
    unsafe { puts(text.as_ptr()) };
}

fn client(role: &str) {
    match role {
        "print" => {
            let say = kernel("say");
            said(c"before");
            launch(say, 2, &mut []);
            // Nothing of the kernel's comes out before somebody waits for it.
            said(c"launched");
            call!(cuCtxSynchronize());
            said(c"after");
        }
        "stray" => {
            let null = 0u64;
            let address = Address(std::ptr::from_ref(&null).expose_provenance() as u64);
            launch(kernel("stray"), 1, &mut [address]);
            // SAFETY: it has no parameters.
            let faulted = unsafe { cuCtxSynchronize() };
            assert_eq!(faulted, CUresult::ILLEGAL_ADDRESS);
        }
        "host" => {
            let (own, stray) = (7u32, kernel("stray"));
            let given = std::ptr::from_ref(&own).expose_provenance() as u64;
            launch(stray, 1, &mut [Address(std::ptr::from_ref(&given).expose_provenance() as u64)]);
            // SAFETY: it has no parameters.
            let faulted = unsafe { cuCtxSynchronize() };
            assert_eq!((faulted, own), (CUresult::ILLEGAL_ADDRESS, 7));
        }
        "launches" => {
            let empty = kernel("empty");
            (0..3).for_each(|_| launch(empty, 32, &mut []));
            call!(cuCtxSynchronize());
        }
        "endless" => {
            let text = c".version 7.0 .target sm_75 .address_size 64
                .visible .entry endless(.param .u64 at) {
                    .reg .pred %p; .reg .b32 %r; .reg .b64 %rd;
                    ld.param.u64 %rd, [at];
                AGAIN:
                    ld.volatile.global.u32 %r, [%rd];
                    setp.eq.u32 %p, %r, 0;
                    @%p bra AGAIN;
                    ret;
                }";
            kernel("empty");
            let (mut module, mut endless, mut at) = (CUmodule::NULL, CUfunction::NULL, 0);
            let image = Address(text.as_ptr().expose_provenance() as u64);
            call!(cuModuleLoadData(Out::new(&mut module), image));
            call!(cuModuleGetFunction(Out::new(&mut endless), module, Text::new(c"endless")));
            call!(cuMemAlloc_v2(Out::new(&mut at), 4));
            call!(cuMemsetD8_v2(at, 0, 4));
            launch(endless, 1, &mut [Address(std::ptr::from_ref(&at).expose_provenance() as u64)]);
            call!(cuCtxSynchronize());
        }
        "leak" => {
            kernel("empty");
            let mut at = 0;
            call!(cuMemAlloc_v2(Out::new(&mut at), 12345));
        }
        "devices" => {
            let (mut count, mut major, mut minor) = (0, 0, 0);
            call!(cuInit(0));
            call!(cuDeviceGetCount(Out::new(&mut count)));
            call!(cuDeviceComputeCapability(Out::new(&mut major), Out::new(&mut minor), count - 1));
            println!("{count} of {major}.{minor}");
        }
        "behind" => {
            let (stray, mut small, mut large) = (kernel("stray"), 0, 0);
            call!(cuMemAlloc_v2(Out::new(&mut small), 64));
            // The host keeps memory with large pages as a range of its own, and so what lies before it.
            call!(cuMemAlloc_v2(Out::new(&mut large), 64 << 20));
            let given = small + 64;
            launch(stray, 1, &mut [Address(std::ptr::from_ref(&given).expose_provenance() as u64)]);
            // SAFETY: it has no parameters.
            let faulted = unsafe { cuCtxSynchronize() };
            assert_eq!(faulted, CUresult::ILLEGAL_ADDRESS);
        }
        "forked" => {
            kernel("empty");
            let (mut at, mut status) = (0, 0);
            // SAFETY: the child only calls functions that need no other thread, and ends without what runs at the end of a program.
            let child = unsafe { fork() };
            if child == 0 {
                // SAFETY: the pointer is to a value that lives.
                let results = unsafe { [cuMemAlloc_v2(Out::new(&mut at), 64), cuInit(0)] };
                // SAFETY: it ends the process.
                unsafe { _exit(c_int::from(results != [CUresult::NOT_INITIALIZED; 2])) };
            }
            // SAFETY: the pointer is to a value that lives.
            assert_eq!(unsafe { waitpid(child, &raw mut status, 0) }, child);
            assert_eq!(status, 0, "the driver does nothing in a process that was forked");
            call!(cuMemAlloc_v2(Out::new(&mut at), 64));
            call!(cuMemFree_v2(at));
        }
        "missing" => {
            call!(cuInit(0));
            (0..3).for_each(|_| assert_eq!(cuMemCreate(), CUresult::NOT_SUPPORTED));
        }
        other => panic!("what is {other}?"),
    }
}

/// This program as a client.
fn command(role: &str, variables: &[(&str, &str)]) -> Command {
    let program = env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    for (name, _) in env::vars().filter(|(name, _)| name.starts_with("WARPWISE_")) {
        command.env_remove(name);
    }
    let variables = variables.iter().copied().chain([(ROLE, role)]);
    command.envs(variables);
    command
}

/// Runs this program as a client.
fn run(role: &str, variables: &[(&str, &str)]) -> Output {
    command(role, variables).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn main() {
    if let Ok(role) = env::var(ROLE) {
        return client(&role);
    }
    let printed = run("print", &[]);
    assert_eq!(text(&printed.stdout), "before\nlaunched\nthread 0\nthread 1\nafter\n");

    let devices = |variables: &[(&str, &str)]| text(&run("devices", variables).stdout);
    assert_eq!(devices(&[]), "1 of 12.0\n");
    assert_eq!(devices(&[("WARPWISE_DEVICE", "sm_80"), ("WARPWISE_DEVICES", "3")]), "3 of 8.0\n");
    let wrong = run("devices", &[("WARPWISE_DEVICE", "sm_1")]);
    assert!(text(&wrong.stderr).contains("WARPWISE_DEVICE=sm_1 names no device"));
    assert_eq!(text(&wrong.stdout), "1 of 12.0\n");

    let missing = text(&run("missing", &[]).stderr);
    assert_eq!(missing.matches("cuMemCreate").count(), 1, "it is said once: {missing}");

    // CUDA C++ Programming Guide, and numba's `test_fork`: a child has no driver, the parent keeps it.
    let forked = run("forked", &[]);
    assert!(forked.status.success(), "{forked:?}");

    // A fault is told in any case; only who asks for a check has it in the exit status.
    let fault = run("stray", &[]);
    assert!(text(&fault.stderr).contains("null pointer: store of 4 bytes"));
    assert!(fault.status.success());
    if !cfg!(target_os = "linux") {
        return;
    }
    for check in ["0", "1"] {
        let told = text(&run("host", &[("WARPWISE_CHECK", check)]).stderr);
        assert!(told.contains("memory of the host that no device reaches"), "{told}");
        assert!(!told.contains("nearest allocation"), "{told}");
    }
    let told = text(&run("behind", &[("WARPWISE_CHECK", "1")]).stderr);
    assert!(told.contains("the nearest allocation") && !told.contains("of the host"), "{told}");
    assert_eq!(run("stray", &[("WARPWISE_CHECK", "1")]).status.code(), Some(1));
    assert_eq!(run("launches", &[("WARPWISE_CHECK", "1")]).status.code(), Some(0));
    let skipped = [("WARPWISE_CHECK", "1"), ("WARPWISE_ONLY", "scale")];
    assert_eq!(run("launches", &skipped).status.code(), Some(0));

    let folder = env::temp_dir().join(format!("warpwise-process-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let file = |name: &str| folder.join(name).display().to_string();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    run("launches", &[("WARPWISE_STATS", &file("stats"))]);
    let table = read("stats");
    let row = table.lines().find(|line| line.ends_with("  empty")).expect("a row of the kernel");
    assert_eq!(row.split_whitespace().nth(2), Some("3"), "{table}");
    // Of a process that is killed a copy is left, with what it was at.
    let mut endless = command("endless", &[("WARPWISE_STATS", &file("stopped"))]);
    let mut endless = endless.spawn().expect("it runs");
    let copy = format!("stopped.{}", endless.id());
    let begun = Instant::now();
    while !read(&copy).contains("not done after") && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    endless.kill().expect("it is there");
    endless.wait().expect("it is there");
    let table = read(&copy);
    assert!(table.lines().last().is_some_and(|line| line.ends_with(" s: endless")), "{table}");

    let leak = run("leak", &[("WARPWISE_LEAKS", "1"), ("WARPWISE_REPORT", &file("report"))]);
    assert_eq!((leak.status.code(), text(&leak.stderr).as_str()), (Some(1), ""));
    assert!(read("report").contains("12345 bytes of device memory"), "{}", read("report"));
    // For another process, a line of everything; what is as it should be is said once.
    let carried = |role: &str, name: &str| {
        let to = file(name);
        run(
            role,
            &[("WARPWISE_CHECK", "1"), ("WARPWISE_FORMAT", "carried"), ("WARPWISE_REPORT", &to)],
        );
        warpwise::diag::Carried::lines(&read(name))
    };
    let [stray] = carried("stray", "stray").try_into().expect("one line");
    assert!(stray.failed && stray.subject == "stray", "{stray:?}");
    assert!(stray.diagnostics[0].message.contains("null pointer"), "{stray:?}");
    let [fine] = carried("launches", "launches").try_into().expect("one line");
    assert!(!fine.failed && fine.diagnostics.is_empty(), "{fine:?}");
    // Whoever watches by the file of findings decides itself.
    let findings = file("findings");
    let watched = run("stray", &[("WARPWISE_CHECK", "1"), ("WARPWISE_FINDINGS", &findings)]);
    assert!(watched.status.success() && !read("findings").is_empty());
    std::fs::remove_dir_all(&folder).expect("the folder is this test's");
}
