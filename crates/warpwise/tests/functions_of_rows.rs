//! The approximate functions in lanes of which some are apart, some hold what is no ordinary operand, and some hold anything: every
//! engine gives each lane what the function gives for its operand alone.

use ir::numeric::{bf16x2, f16x2, f32};
use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: usize = 128;

/// An instruction that makes `%r4` of `%r2` and `%r3`, and what it makes of two numbers.
struct Case {
    instruction: &'static str,
    function: fn([u32; 1], [u32; 1]) -> [u32; 1],
}

const CASES: &[Case] = &[
    Case { instruction: "ex2.approx.f32 %r4, %r2", function: |a, _| f32::ex2_approx(a) },
    Case { instruction: "lg2.approx.f32 %r4, %r2", function: |a, _| f32::lg2_approx(a) },
    Case { instruction: "sin.approx.f32 %r4, %r2", function: |a, _| f32::sin_approx(a) },
    Case { instruction: "cos.approx.f32 %r4, %r2", function: |a, _| f32::cos_approx(a) },
    Case { instruction: "tanh.approx.f32 %r4, %r2", function: |a, _| f32::tanh_approx(a) },
    Case { instruction: "rcp.approx.f32 %r4, %r2", function: |a, _| f32::rcp_approx(a) },
    Case { instruction: "sqrt.approx.f32 %r4, %r2", function: |a, _| f32::sqrt_approx(a) },
    Case { instruction: "rsqrt.approx.f32 %r4, %r2", function: |a, _| f32::rsqrt_approx(a) },
    Case { instruction: "div.approx.f32 %r4, %r2, %r3", function: |a, b| f32::div_approx(a, b) },
    Case { instruction: "div.full.f32 %r4, %r2, %r3", function: |a, b| f32::div_full(a, b) },
    Case { instruction: "ex2.approx.f16x2 %r4, %r2", function: |a, _| f16x2::ex2_approx(a) },
    Case { instruction: "tanh.approx.bf16x2 %r4, %r2", function: |a, _| bf16x2::tanh_approx(a) },
];

/// What is no number that most kernels work with.
const SPECIAL: [u32; 12] = [
    0,
    0x8000_0000,
    1,
    0x807f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_1234,
    0xffa0_0001,
    0xc2fe_0001,
];

/// An operand of a thread: of the first warp an ordinary one, of the others now and then a special one.
fn operand(thread: usize, seed: u32) -> u32 {
    let random = (thread as u32 + 1).wrapping_mul(2_654_435_761).rotate_left(seed) ^ seed;
    match (thread / 32, thread % 5) {
        (1.., 0) => SPECIAL[random as usize % SPECIAL.len()],
        _ => random & 0x83ff_ffff | 0x3c00_0000,
    }
}

/// Results of the lanes that a guard leaves out, and of those on the other side of a branch, are what was there before.
fn check(body: &str, before: u32, executes: fn(usize) -> bool) {
    let device = Device::new().expect("address space");
    let operands = [3, 11].map(|seed| (0..THREADS).map(move |thread| operand(thread, seed)));
    let [a, b] = operands.map(Iterator::collect::<Vec<u32>>);
    let given = [&a, &b].map(|values| device.upload(values).expect("space"));
    for Case { instruction, function } in CASES {
        let body = body.replace("{instruction}", instruction);
        let text = format!(
            "
        .version 7.8
        .target sm_90
        .address_size 64
        .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out)
        {{
            .reg .pred %p<3>;
            .reg .b32 %r<8>;
            .reg .b64 %rd<8>;
            mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd0, %r1, 4;
            ld.param.u64 %rd1, [a];
            add.u64 %rd2, %rd1, %rd0;
            ld.global.u32 %r2, [%rd2];
            ld.param.u64 %rd3, [b];
            add.u64 %rd4, %rd3, %rd0;
            ld.global.u32 %r3, [%rd4];
            {body}
            ld.param.u64 %rd5, [out];
            add.u64 %rd6, %rd5, %rd0;
            st.global.u32 [%rd6], %r4;
            ret;
        }}"
        );
        let module = Module::from_ptx("rows.ptx", text).expect("it is legal");
        let kernel = module.kernel("k").expect("it lowers");
        let expected: Vec<u32> = (0..THREADS)
            .map(|thread| match executes(thread) {
                true => function([a[thread]], [b[thread]])[0],
                false => before,
            })
            .collect();
        for engine in EngineChoice::available() {
            let out = device.upload(&[0u32; THREADS]).expect("space");
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, THREADS as u32) };
            let args = [given[0].into(), given[1].into(), out.into()];
            kernel.launch(&device, &config, &args).expect("it runs");
            let found = device.download::<u32>(out).expect("there");
            device.free(out).expect("a buffer");
            assert_eq!(found, expected, "{instruction} by {engine}");
        }
    }
}

#[test]
fn of_all_lanes() {
    check("{instruction};", 0, |_| true);
}

#[test]
fn under_a_guard() {
    let body = "
        mov.u32 %r4, 77;
        and.b32 %r5, %r1, 3;
        setp.ne.u32 %p1, %r5, 2;
        @%p1 {instruction};";
    check(body, 77, |thread| thread % 4 != 2);
}

#[test]
fn on_one_side_of_a_branch() {
    let body = "
        mov.u32 %r4, 88;
        and.b32 %r5, %r2, 1;
        setp.eq.u32 %p1, %r5, 1;
        @%p1 bra $join;
        {instruction};
    $join:";
    check(body, 88, |thread| operand(thread, 3) & 1 == 0);
}

/// Values of other registers are where they were after a function.
#[test]
fn with_many_values_at_hand() {
    let body = "
        add.u32 %r5, %r2, %r3;
        xor.b32 %r6, %r2, %r3;
        {instruction};
        sub.u32 %r7, %r5, %r3;
        xor.b32 %r7, %r7, %r2;
        add.u32 %r4, %r4, %r7;
        xor.b32 %r7, %r6, %r3;
        sub.u32 %r7, %r7, %r2;
        add.u32 %r4, %r4, %r7;";
    check(body, 0, |_| true);
}
