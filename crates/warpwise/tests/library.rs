//! The library as its users see it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use warpwise::{Arg, CheckOptions, Code, Device, Error, FaultKind, LaunchConfig, Module, Stage};

const HEAD: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

fn module(text: &str) -> Module {
    Module::from_ptx("test.ptx", format!("{HEAD}{text}")).expect("the module is well formed")
}

const COUNTER: &str = "
    .visible .global .u32 counter = 5;
    .visible .global .u64 pointer = generic(counter);
    .visible .const .u16 table[3] = {7, 8, 9};

    .visible .entry bump(.param .u64 out)
    {
        .reg .b32 %r<3>;
        .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [out];
        ld.global.u64 %rd2, [pointer];
        ld.u32 %r1, [%rd2];
        add.u32 %r2, %r1, 1;
        st.global.u32 [counter], %r2;
        st.global.u32 [%rd1], %r1;
        ret;
    }";

#[test]
fn variables_live_as_long_as_the_device() {
    let module = module(COUNTER);
    let kernel = module.kernel("bump").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let out = device.allocate(4).expect("it fits");
    for expected in [5_u32, 6, 7] {
        kernel.launch(&device, &LaunchConfig::new(1, 1), &[out.into()]).expect("it runs");
        assert_eq!(device.download::<u32>(out).ok(), Some(vec![expected]));
    }
    let read = |name| device.variable(&module, name).expect("it is loaded");
    let counter = read("counter").expect("the module has it");
    let (table, missing) = (read("table").expect("the module has it"), read("none"));
    assert_eq!(missing, None);
    assert_eq!(device.download::<u32>(counter).ok(), Some(vec![8]));
    assert_eq!(device.download::<u16>(table).ok(), Some(vec![7, 8, 9]));
    // Another device has variables of its own.
    let other = Device::new().expect("the host gives memory");
    let out = other.upload(&[0_u32]).expect("it fits");
    kernel.launch(&other, &LaunchConfig::new(1, 1), &[out.into()]).expect("it runs");
    assert_eq!(other.download::<u32>(out).ok(), Some(vec![5]));
}

#[test]
fn the_classes_of_errors_stay_apart() {
    let not_ptx = Module::from_ptx("a.ptx", "hello");
    assert!(matches!(&not_ptx, Err(Error::BadInput(failure)) if failure.stage == Stage::Module));
    let texture = module(
        ".visible .entry k() { .reg .b64 %rd<2>; .reg .b32 %r<8>; \
         tex.2dms.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%rd1, {%r4, %r5, %r6, %r7}]; ret; }",
    );
    assert!(matches!(texture.kernel("k"), Err(Error::Unsupported(_))));

    let module = module(COUNTER);
    let kernel = module.kernel("bump").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let out = device.allocate(4).expect("it fits");
    let launch = |config: &LaunchConfig<'_>, args: &[Arg]| kernel.launch(&device, config, args);
    let one = LaunchConfig::new(1, 1);
    assert!(matches!(
        launch(&one, &[]),
        Err(Error::BadInput(failure)) if failure.stage == Stage::Launch
    ));
    assert!(matches!(
        launch(&LaunchConfig::new(1, 2048), &[out.into()]),
        Err(Error::Limit(failure)) if failure.stage == Stage::Launch
    ));
    assert!(matches!(
        launch(&LaunchConfig { max_steps: Some(2), ..one.clone() }, &[out.into()]),
        Err(Error::Limit(failure)) if failure.stage == Stage::Run && failure.stats.is_some()
    ));
    let null = launch(&one, &[0_u64.into()]);
    let Err(Error::Undefined(failure)) = null else { panic!("a null pointer: {null:?}") };
    let fault = failure.fault.clone().map(|fault| fault.kind);
    assert!(
        matches!(fault, Some(FaultKind::OutOfBounds { address: 0, bytes: 4, .. })),
        "{fault:?}"
    );
    let text = failure.render(false);
    for part in ["null pointer", "test.ptx:18", "thread (0,0,0) of CTA (0,0,0), warp 0, lane 0"] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

#[test]
fn a_deadlock_names_every_group_that_waits() {
    let module = module(
        ".visible .entry k()
        {
            .reg .pred %p;
            .reg .b32 %lane, %x;
            mov.u32 %lane, %laneid;
            setp.lt.u32 %p, %lane, 8;
            @%p bra LOW;
            bar.warp.sync 0xffffffff;
            ret;
        LOW:
            vote.sync.ballot.b32 %x, 1, 0xffffffff;
            ret;
        }",
    );
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let stuck = kernel.launch(&device, &LaunchConfig::new(1, 32), &[]);
    let Err(Error::Undefined(failure)) = stuck else { panic!("a deadlock: {stuck:?}") };
    let notes = failure.diagnostics[0].notes.join("\n");
    for part in [
        "warp 0, lanes 0-7: waits at test.ptx:14:",
        "vote.sync.ballot.b32 %x, 1, 0xffffffff",
        "for lanes 8-31 to",
        "warp 0, lanes 8-31: waits at test.ptx:11:",
        "for lanes 0-7 to",
    ] {
        assert!(notes.contains(part), "{part:?} is missing in\n{notes}");
    }
}

#[test]
fn interruption_stops_a_run() {
    let module = module(".visible .entry k() { L: bra L; }");
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let config = LaunchConfig { interrupted: &|| true, ..LaunchConfig::new(4, 32) };
    let stopped = kernel.launch(&device, &config, &[]);
    assert!(
        matches!(&stopped, Err(Error::Limit(failure))
            if failure.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Interrupted)),
        "{stopped:?}"
    );
}

#[test]
fn a_launch_says_that_its_kernel_begins() {
    let module = module(".visible .entry k() { ret; }");
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let told = Mutex::new(Vec::new());
    let config = LaunchConfig {
        progress: &|ctas| told.lock().expect("nobody panics").push(ctas),
        // What is asked before is the preparation.
        interrupted: &|| !told.lock().expect("nobody panics").is_empty(),
        ..LaunchConfig::new(4, 32)
    };
    kernel.launch(&device, &config, &[]).expect_err("it is interrupted as it begins");
    assert_eq!(told.into_inner().expect("nobody panics"), [0]);
}

/// Loops without end: plain, of collectives, of barriers, and of branches that part the lanes.
const LOOPS: [&str; 4] = [
    "L: bra L;",
    "L: shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xffffffff; bra L;",
    "L: bar.sync 0; bra L;",
    "L: @%p bra M; add.u32 %r1, %r1, 1; shfl.sync.idx.b32 %r1, %r1, 1, 31, 2; bra L; M: bra L;",
];

#[test]
fn every_loop_can_be_interrupted() {
    for (code, schedule) in
        LOOPS.iter().flat_map(|code| ["fair", "seed:3"].map(|schedule| (code, schedule)))
    {
        let module = module(&format!(
            ".visible .entry k() {{ .reg .b32 %r<2>; .reg .pred %p; mov.u32 %r0, %tid.x;
             mov.u32 %r1, 0; setp.ne.u32 %p, %r0, 1; {code} }}"
        ));
        let kernel = module.kernel("k").expect("it lowers");
        let device = Device::new().expect("the host gives memory");
        let asked = AtomicU32::new(0);
        let config = LaunchConfig {
            interrupted: &|| asked.fetch_add(1, Ordering::Relaxed) > 2,
            schedule: schedule.parse().expect("a schedule"),
            ..LaunchConfig::new(1, 32)
        };
        let stopped = kernel.launch(&device, &config, &[]);
        assert!(matches!(stopped, Err(Error::Limit(_))), "{code} {schedule}: {stopped:?}");
    }
}

#[test]
fn what_was_found_before_an_interruption_is_told() {
    let module = module(
        ".visible .entry k() { .reg .b32 %r<2>; .reg .pred %p; mov.u32 %r0, %laneid;
         setp.eq.u32 %p, %r0, 0; @%p ret;
         L: shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xffffffff; setp.lt.u32 %p, %r1, 32; @%p bra L; }",
    );
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let asked = AtomicU32::new(0);
    let config = LaunchConfig {
        interrupted: &|| asked.fetch_add(1, Ordering::Relaxed) > 100,
        ..LaunchConfig::new(1, 32)
    };
    let checked = kernel.check(&device, &config, CheckOptions::default(), &[]).expect("it runs");
    assert_eq!(checked.fault.map(|fault| fault.kind), Some(FaultKind::Interrupted));
    let codes: Vec<_> = checked.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["W010", ""]);
    assert_eq!(checked.diagnostics[1].message, "interrupted");
}

#[test]
fn the_clock_of_a_plain_run_is_time_at_the_rate_of_the_launch() {
    // PTX ISA 9.1, %clock64: a counter of cycles; %globaltimer: nanoseconds. Their rates are as the launch says.
    let module = module(
        ".visible .entry k(.param .u64 to) { .reg .b64 %rd<6>; .reg .pred %p; ld.param.u64 %rd0, [to];
         mov.u64 %rd1, %globaltimer; mov.u64 %rd2, %clock64;
         L: mov.u64 %rd3, %clock64; sub.s64 %rd3, %rd3, %rd2; setp.lt.u64 %p, %rd3, 40000000; @%p bra L;
         mov.u64 %rd4, %globaltimer; sub.s64 %rd4, %rd4, %rd1;
         st.global.u64 [%rd0], %rd3; st.global.u64 [%rd0+8], %rd4; ret; }",
    );
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let out = device.upload(&[0_u64; 2]).expect("it fits");
    let config = LaunchConfig { clock_khz: 2_000_000, ..LaunchConfig::new(1, 1) };
    let started = std::time::Instant::now();
    kernel.launch(&device, &config, &[Arg::Buffer(out)]).expect("it runs");
    let whole = started.elapsed().as_nanos() as u64;
    let [clocks, nanoseconds] = device.download::<u64>(out).expect("it is there")[..] else {
        panic!("two numbers");
    };
    assert!(clocks >= 40_000_000, "{clocks}");
    assert!(nanoseconds >= 20_000_000 && nanoseconds <= whole, "{nanoseconds} of {whole}");
}

#[test]
fn memory_that_does_not_exist_is_refused() {
    let device = Device::new().expect("the host gives memory");
    assert!(matches!(device.allocate(u64::MAX), Err(Error::Limit(_))));
    let buffer = device.allocate(4).expect("it fits");
    assert!(device.write(buffer, 2, &[0_u8; 3]).is_err());
    assert!(device.write(buffer, u64::MAX, &[0_u8; 1]).is_err());
    assert!(device.write(buffer, 2, &[1_u8, 2]).is_ok());
    assert_eq!(device.bytes(buffer).ok(), Some(vec![0, 0, 1, 2]));
}

const STORE: &str = "
.visible .entry store(.param .u64 to) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [to];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    st.global.u32 [%rd2], %r0;
    ret;
}";

#[test]
fn a_check_runs_the_kernel_and_finds_nothing_in_a_correct_one() {
    let kernel = module(STORE).kernel("store").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let to = device.allocate(32 * 4).expect("it fits");
    let (config, options) = (LaunchConfig::new(1, 32), CheckOptions::default());
    let checked = kernel.check(&device, &config, options, &[to.into()]).expect("it runs");
    assert_eq!((checked.findings.len(), checked.fault.as_ref()), (0, None));
    assert_eq!(device.download::<u32>(to).ok(), Some((0..32).collect()));
    assert!(checked.into_result().is_ok());
}

/// Two CTAs of which each asks which came first: other schedules may show more.
#[test]
fn a_check_runs_a_kernel_again_if_it_may() {
    let module = module(
        ".visible .entry k(.param .u64 out) { .reg .b64 %rd0; .reg .b32 %r0; ld.param.u64 %rd0, [out]; \
         atom.global.add.u32 %r0, [%rd0], 1; atom.global.max.u32 %r0, [%rd0+4], %r0; ret; }",
    );
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let runs = |again| {
        let out = device.upload(&[0_u32; 2]).expect("it fits");
        let config = LaunchConfig { again, ..LaunchConfig::new(2, 1) };
        let options = CheckOptions::default();
        let checked = kernel.check(&device, &config, options, &[out.into()]).expect("it runs");
        assert_eq!(device.download::<u32>(out).ok(), Some(vec![2, 1]));
        checked.runs
    };
    assert_eq!(runs(false), 1);
    assert!(runs(true) > 1);
}

#[test]
fn a_check_tells_freed_memory_from_memory_that_never_was() {
    let kernel = module(STORE).kernel("store").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let (config, options) = (LaunchConfig::new(1, 32), CheckOptions::default());
    let to = device.allocate(32 * 4).expect("it fits");
    let short = device.allocate(31 * 4).expect("it fits");
    device.free(to).expect("it is a buffer");
    assert!(device.free(to).is_err());
    for (buffer, code) in [(to, Code::M003), (short, Code::M001)] {
        let checked = kernel.check(&device, &config, options, &[buffer.into()]);
        let checked = checked.expect("the launch is possible");
        let codes: Vec<Code> = checked.findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [code]);
        assert!(checked.fault.is_some());
        assert!(matches!(checked.into_result(), Err(Error::Undefined(_))));
    }
}

#[test]
fn text_for_drivers_ends_in_nul() {
    let text = format!("{HEAD}{COUNTER}");
    let found = warpwise::ptx_of_bytes("image", format!("{text}\0\0").into_bytes());
    let found = found.expect("it is text");
    assert_eq!((found[0].name.as_str(), found[0].text.as_str(), found.len()), ("image", &*text, 1));
    let wrong = warpwise::ptx_of_bytes("image", vec![b'.', 0xff]).expect_err("it is none");
    assert!(wrong.to_string().contains("cannot read image"), "{wrong}");
}
