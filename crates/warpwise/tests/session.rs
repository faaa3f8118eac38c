//! Sessions: what is loaded once, and the order of streams.

use std::sync::Arc;
use warpwise::{
    Arg, Buffer, CheckOptions, Error, Event, Kernel, LaunchConfig, Module, Properties, Session,
};

/// Adds to the counter what it multiplied before: the result tells the order of launches.
const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry step(.param .u64 word, .param .u32 factor, .param .u32 term)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [word];
    ld.param.u32 %r1, [factor];
    ld.param.u32 %r2, [term];
    ld.global.u32 %r3, [%rd1];
    mad.lo.u32 %r4, %r3, %r1, %r2;
    st.global.u32 [%rd1], %r4;
    ret;
}
.visible .entry stray(.param .u64 word)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [word];
    st.global.u32 [%rd1+4096], 0;
    ret;
}
";

fn session() -> Session {
    Session::new(Properties::of("sm_80").expect("known")).expect("address space")
}

fn step(
    kernel: &Arc<Kernel>,
    word: Buffer,
    factor: u32,
    term: u32,
) -> impl FnOnce(&warpwise::Device) -> Result<(), warpwise::Error> + Send + 'static {
    let kernel = Arc::clone(kernel);
    move |device| {
        let args = [Arg::Buffer(word), factor.into(), term.into()];
        kernel.launch(device, &LaunchConfig::new(1, 1), &args).map(|_| ())
    }
}

#[test]
fn modules_and_kernels_are_loaded_once() {
    let session = session();
    let module = session.module("a.ptx", PTX).expect("PTX");
    // With all variants of the architecture.
    assert_eq!(module.target(), "sm_80a");
    assert!(Arc::ptr_eq(&module, &session.module("b.ptx", PTX).expect("PTX")));
    let kernel = session.kernel(&module, "step").expect("a kernel");
    assert!(Arc::ptr_eq(&kernel, &session.kernel(&module, "step").expect("a kernel")));
    assert!(session.kernel(&module, "nothing").is_err());
    let later = PTX.replace("sm_70", "sm_90").replace("7.0", "7.8");
    let refused = session.module("c.ptx", &later).expect_err("it is written for sm_90");
    assert!(refused.to_string().contains("written for sm_90, and the device has sm_80"));
}

#[test]
fn streams_keep_their_order_and_wait_for_events() {
    let session = session();
    let module = session.module("a.ptx", PTX).expect("PTX");
    let kernel = session.kernel(&module, "step").expect("a kernel");
    let word = session.device().upload(&[1u32]).expect("room");
    let (first, second) = (session.stream(), session.stream());
    let mut expected = 1u32;
    for round in 0..200 {
        // Whichever stream is quicker, the other's launch comes behind it.
        let (one, other) = if round % 2 == 0 { (&first, &second) } else { (&second, &first) };
        one.enqueue(step(&kernel, word, 3, round));
        let event = Event::new();
        one.record(&event);
        other.wait(&event);
        other.enqueue(step(&kernel, word, 5, 1));
        expected = (expected.wrapping_mul(3).wrapping_add(round)).wrapping_mul(5).wrapping_add(1);
        let event = Event::new();
        other.record(&event);
        one.wait(&event);
    }
    let (start, end) = (Event::new(), Event::new());
    assert!(start.has_happened() && start.elapsed_until(&end).is_none());
    first.record(&start);
    first.synchronize().expect("nothing failed");
    second.synchronize().expect("nothing failed");
    second.record(&end);
    end.synchronize();
    assert!(end.has_happened() && start.elapsed_until(&end).is_some());
    assert!(end.elapsed_until(&start).is_none());
    assert_eq!(session.device().download::<u32>(word).expect("a buffer"), [expected]);
}

#[test]
fn behind_a_failure_nothing_is_done_and_others_go_on() {
    let session = session();
    let module = session.module("a.ptx", PTX).expect("PTX");
    let (good, bad) = (session.kernel(&module, "step"), session.kernel(&module, "stray"));
    let (good, bad) = (good.expect("a kernel"), bad.expect("a kernel"));
    let word = session.device().upload(&[7u32]).expect("room");
    let (failing, other) = (session.stream(), session.stream());
    failing.enqueue(move |device| {
        bad.launch(device, &LaunchConfig::new(1, 1), &[Arg::Buffer(word)]).map(|_| ())
    });
    failing.enqueue(step(&good, word, 0, 0));
    let event = Event::new();
    failing.record(&event);
    other.wait(&event);
    other.enqueue(step(&good, word, 2, 1));
    other.synchronize().expect("nothing failed here");
    for _ in 0..2 {
        let error = failing.synchronize().expect_err("a store out of bounds");
        assert!(error.failure().fault.is_some());
    }
    assert_eq!(session.device().download::<u32>(word).expect("a buffer"), [15]);
}

#[test]
fn every_known_device_has_what_its_architecture_has() {
    for target in Properties::targets() {
        let device = Properties::of(&target).expect("it is known");
        assert!(device.shared_bytes <= device.multiprocessor_shared_bytes, "{target}");
        assert!(
            device.multiprocessor_threads.is_multiple_of(1024)
                || device.multiprocessor_threads == 1536
        );
        assert!(Session::new(device).is_ok(), "{target}");
    }
    assert_eq!(Properties::of("sm_91"), None);
}

#[test]
fn work_runs_on_the_caller_if_nothing_is_before_it() {
    let session = session();
    let (stream, other) = (session.stream(), session.stream());
    let (send, receive) = std::sync::mpsc::channel();
    let note = |what: &'static str| {
        let send = send.clone();
        move |_: &warpwise::Device| {
            let _ = send.send((what, std::thread::current().id()));
            Ok(())
        }
    };
    let here = std::thread::current().id();
    assert!(stream.run_after(&[], note("alone")).is_reached());
    assert_eq!(receive.try_recv(), Ok(("alone", here)));
    // Behind work of another stream, and of its own, it is the stream's thread's.
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let before = other.enqueue(move |_| {
        let _ = wait.recv();
        Ok(())
    });
    let behind = stream.run_after(std::slice::from_ref(&before), note("behind"));
    let last = stream.run_after(&[], note("last"));
    assert!(!before.is_reached() && !behind.is_reached() && !last.is_reached());
    go.send(()).expect("somebody waits");
    last.wait();
    let (first, second) = (receive.recv().expect("it ran"), receive.recv().expect("it ran"));
    assert_eq!((first.0, second.0), ("behind", "last"));
    assert!(first.1 != here && first.1 == second.1);
}

#[test]
fn a_launch_heeds_the_limits_of_the_device() {
    let ptx = ".version 8.0
.target sm_75
.address_size 64
.visible .entry static_and_dynamic(.param .u64 out)
{
    .reg .b64 %rd<2>; .reg .b32 %r<2>;
    .shared .align 4 .b8 own[16384];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, own;
    st.global.u32 [%rd1], 1;
    ret;
}
.visible .entry clustered(.param .u64 out)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], 1;
    ret;
}";
    let session = |target: &str| {
        Session::with_cache(Properties::of(target).expect("known"), None).expect("a session")
    };
    // Bytes of a CTA's shared memory: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
    for (target, bytes) in [("sm_75", 64 << 10), ("sm_86", 99 << 10), ("sm_90", 227 << 10)] {
        let session = session(target);
        let module = session.module("limits.ptx", ptx).expect("it is PTX");
        let kernel = session.kernel(&module, "static_and_dynamic").expect("it lowers");
        let out = session.device().allocate(4).expect("room");
        let launch = |dynamic_shared| {
            let config = LaunchConfig { dynamic_shared, ..LaunchConfig::new(1, 32) };
            let message = |error: Error| error.failure().diagnostics[0].message.clone();
            let args = [Arg::Buffer(out)];
            let run = kernel.launch(session.device(), &config, &args).map(drop);
            let options = CheckOptions::default();
            let checked = kernel.check(session.device(), &config, options, &args).map(drop);
            assert_eq!(run.is_ok(), checked.is_ok());
            run.map_err(message)
        };
        let dynamic = bytes - 16384;
        assert_eq!(launch(dynamic), Ok(()), "{target}");
        let refused = launch(dynamic + 1).expect_err("a byte more");
        let name = &session.properties().name;
        let limit = format!("the limit is {bytes}; the device is {name} ({target})");
        assert!(refused.ends_with(&limit), "{refused}");
        assert!(refused.contains("16384 static"), "{refused}");
    }
    // A kernel that was not made for the session's device.
    let other = Module::from_ptx("other.ptx", ptx.replace("sm_75", "sm_90")).expect("it is PTX");
    let kernel = other.kernel("clustered").expect("it lowers");
    let turing = session("sm_75");
    let out = turing.device().allocate(4).expect("room");
    let refused = kernel
        .launch(turing.device(), &LaunchConfig::new(1, 1), &[Arg::Buffer(out)])
        .expect_err("too late an architecture");
    assert!(refused.to_string().contains("written for sm_90; the device is Tesla T4 (sm_75)"));
}
