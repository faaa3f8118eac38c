//! Functions that are lowered once and called.

use std::fmt::Write;
use warpwise::{Arg, CheckOptions, Device, FaultKind, LaunchConfig, Module};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn module(text: &str) -> Module {
    Module::from_ptx("test.ptx", format!("{HEAD}{text}")).expect("the module is well formed")
}

/// What `CHAIN` computes in one step.
fn step(value: u32, by: u32, length: u32) -> u32 {
    (0..length).fold(value, |value, nth| value.wrapping_mul(by).wrapping_add(nth))
}

/// A call of `callee` with `%r1` and `%r2`, which gives `%r1`.
fn call(callee: &str) -> String {
    format!(
        "{{ .param .b32 p; .param .b32 q; .param .b32 r; st.param.b32 [p], %r1; st.param.b32 [q], %r2;
        call (r), {callee}, (p, q); ld.param.b32 %r1, [r]; }}"
    )
}

/// A function of two parameters.
fn function(name: &str, body: &str) -> String {
    format!(
        ".func (.param .b32 r) {name}(.param .b32 a, .param .b32 b) {{ .reg .b32 %r<3>; .local .b32 kept;
        ld.param.b32 %r1, [a]; ld.param.b32 %r2, [b]; st.local.u32 [kept], %r2;
        {body} ld.local.u32 %r2, [kept]; st.param.b32 [r], %r1; ret; }}\n"
    )
}

/// A kernel that calls a function so many times, the lanes with odd numbers twice as often.
fn kernel(callee: &str, times: usize) -> String {
    let calls = call(callee).repeat(times);
    format!(
        ".visible .entry k(.param .u64 out) {{ .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p<2>;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 3; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
        and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1;
        {calls} @!%p1 bra DONE; {calls} DONE: st.global.u32 [%rd1], %r1; ret; }}\n"
    )
}

#[test]
fn a_large_function_has_many_callers() {
    const LENGTH: u32 = 300;
    let mut body = String::new();
    for nth in 0..LENGTH {
        let _ = write!(body, "mad.lo.u32 %r1, %r1, %r2, {nth}; ");
    }
    let module = module(&(function("large", &body) + &kernel("large", 100)));
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let out = device.upload(&[0_u32; 96]).expect("it fits");
    let config = LaunchConfig::new(1, 96);
    kernel.launch(&device, &config, &[out.into()]).expect("it runs");
    let times = |lane: u32| if lane % 2 == 1 { 200 } else { 100 };
    let expected: Vec<u32> = (0..96)
        .map(|lane| (0..times(lane)).fold(lane, |value, _| step(value, 3, LENGTH)))
        .collect();
    assert_eq!(device.download::<u32>(out).ok(), Some(expected.clone()));
    let again = device.upload(&[0_u32; 96]).expect("it fits");
    let checked = kernel.check(&device, &config, CheckOptions::default(), &[again.into()]);
    let checked = checked.expect("it can be checked");
    assert!(!checked.has_errors() && checked.diagnostics.is_empty());
    assert_eq!(device.download::<u32>(again).ok(), Some(expected));
}

/// Each function calls the one before it with its number, and none itself.
#[test]
fn functions_call_each_other_through_many_levels() {
    const LEVELS: u32 = 1000;
    let mut text = String::new();
    for nth in 0..LEVELS {
        let inner = if nth == 0 { String::new() } else { call(&format!("f{}", nth - 1)) };
        text += &function(&format!("f{nth}"), &format!("mad.lo.u32 %r1, %r1, %r2, {nth}; {inner}"));
    }
    let module = module(&(text + &kernel(&format!("f{}", LEVELS - 1), 1)));
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let out = device.upload(&[0_u32; 64]).expect("it fits");
    let config = LaunchConfig::new(1, 64);
    kernel.launch(&device, &config, &[out.into()]).expect("it runs");
    let down = |value: u32| {
        (0..LEVELS).rev().fold(value, |value, nth| value.wrapping_mul(3).wrapping_add(nth))
    };
    let expected = (0..64).map(|lane| if lane % 2 == 1 { down(down(lane)) } else { down(lane) });
    assert_eq!(device.download::<u32>(out).ok(), Some(expected.collect()));
    let again = device.upload(&[0_u32; 64]).expect("it fits");
    let checked = kernel.check(&device, &config, CheckOptions::default(), &[again.into()]);
    assert!(checked.expect("it can be checked").diagnostics.is_empty());
}

/// `f(n)` is `n` calls deep.
const DEEP: &str = "
    .func (.param .b32 r) deep(.param .b32 n) {
        .reg .b32 %r<4>; .reg .pred %p<2>; .local .align 8 .b8 much[1000];
        ld.param.u32 %r1, [n]; st.local.u32 [much+996], %r1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, 0; @%p1 bra DONE;
        { .param .b32 p; .param .b32 q; sub.u32 %r2, %r1, 1; st.param.b32 [p], %r2; call (q), deep, (p); ld.param.b32 %r3, [q]; }
        ld.local.u32 %r1, [much+996]; add.u32 %r3, %r3, %r1;
        DONE: st.param.b32 [r], %r3; ret; }
    .visible .entry k(.param .u64 out, .param .u32 depth) { .reg .b32 %r<3>; .reg .b64 %rd<3>; .param .b32 p; .param .b32 q;
        ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [depth]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;
        add.u32 %r1, %r1, %r2; st.param.b32 [p], %r1; call (q), deep, (p); ld.param.b32 %r1, [q]; st.global.u32 [%rd1], %r1; ret; }";

#[test]
fn the_stack_is_as_large_as_the_launch_says() {
    let module = module(DEEP);
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let out = device.upload(&[0_u32; 32]).expect("it fits");
    let launch = |stack_limit: u32, depth: u32| {
        let config = LaunchConfig { stack_limit, ..LaunchConfig::new(1, 32) };
        kernel.launch(&device, &config, &[out.into(), Arg::from(depth)])
    };
    // 32 activations and more, each with 1,000 bytes of its own.
    let overflow = launch(32_000, 1).expect_err("it has no room");
    let fault = overflow.failure().fault.clone().expect("it is a fault");
    assert!(matches!(
        fault.kind,
        FaultKind::StackOverflow { bytes: 1000..=1200, left: 0..=1200, .. }
    ));
    assert!(overflow.to_string().contains("stack overflow: function `deep` needs"), "{overflow}");
    launch(48_000, 1).expect("it has room");
    let sums = (0..32).map(|lane| (0..=lane + 1).sum()).collect::<Vec<u32>>();
    assert_eq!(device.download::<u32>(out).ok(), Some(sums));
}

#[test]
fn a_stack_takes_the_memory_that_is_used() {
    // To clear all of it for every CTA would take a gigabyte.
    let module = module(DEEP);
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let out = device.upload(&[0_u32; 1024]).expect("it fits");
    let config = LaunchConfig { stack_limit: 500_000, ..LaunchConfig::new(64, 32) };
    let report = kernel.launch(&device, &config, &[out.into(), Arg::from(0_u32)]);
    assert_eq!(report.expect("it runs").stats.ctas, 64);
}
