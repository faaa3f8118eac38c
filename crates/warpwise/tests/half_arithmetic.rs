//! Arithmetic of the formats of 16 bits: every engine gives what `numeric` gives for each number alone, of numbers of all kinds, and of such
//! whose product and sum lie next to the middle between two.

use ir::numeric::{bf16x2, f16x2};
use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: usize = 256;
const CTAS: usize = 64;

/// An instruction that makes `%r5` of `%r2`, `%r3` and `%r4`, and what it makes of three words of two numbers each.
struct Case {
    instruction: &'static str,
    function: fn(u32, u32, u32) -> u32,
}

const CASES: &[Case] = &[
    Case { instruction: "add.rn.f16x2 %r5, %r2, %r3", function: |a, b, _| f16x2::add_rn(a, b) },
    Case { instruction: "sub.rn.f16x2 %r5, %r2, %r3", function: |a, b, _| f16x2::sub_rn(a, b) },
    Case { instruction: "mul.rn.f16x2 %r5, %r2, %r3", function: |a, b, _| f16x2::mul_rn(a, b) },
    Case { instruction: "fma.rn.f16x2 %r5, %r2, %r3, %r4", function: f16x2::fma_rn },
    Case { instruction: "fma.rn.bf16x2 %r5, %r2, %r3, %r4", function: bf16x2::fma_rn },
    Case { instruction: "ADD", function: |a, b, _| f16x2::add_rn(a, b) & 0xffff },
    Case { instruction: "SUB", function: |a, b, _| f16x2::sub_rn(a, b) & 0xffff },
    Case { instruction: "MUL", function: |a, b, _| f16x2::mul_rn(a, b) & 0xffff },
    Case { instruction: "FMA", function: |a, b, c| f16x2::fma_rn(a, b, c) & 0xffff },
];

/// Of scalars, the other half of their words is nobody's.
fn body(instruction: &str) -> String {
    let step = match instruction {
        "ADD" => "add.rn.f16 %h4, %h1, %h2;",
        "SUB" => "sub.rn.f16 %h4, %h1, %h2;",
        "MUL" => "mul.rn.f16 %h4, %h1, %h2;",
        "FMA" => "fma.rn.f16 %h4, %h1, %h2, %h3;",
        pair => return format!("{pair};"),
    };
    format!(
        "mov.b32 {{%h1, %h0}}, %r2; mov.b32 {{%h2, %h0}}, %r3; mov.b32 {{%h3, %h0}}, %r4;
        {step} mov.b16 %h0, 0; mov.b32 %r5, {{%h4, %h0}};"
    )
}

/// A number of 16 bits: any, one of few bits, or next to one.
fn half(random: u64) -> u32 {
    let any = random as u32 & 0xffff;
    match random >> 16 & 7 {
        0 => any,
        1 => any & 0x83ff,
        2 => any & 0xfc00 | [0, 1, 0x3ff, 0x200, 0x3fe, 0x1ff][(random >> 20) as usize % 6],
        3 => {
            [0, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0x7bff, 0x7f80, 0xff80][(random >> 20) as usize % 8]
        }
        _ => any & 0x8fff | 0x3000,
    }
}

fn operands(seed: u64) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        half(state >> 24)
    };
    (0..THREADS * CTAS).map(|_| next() << 16 | next()).collect()
}

#[test]
fn numbers_of_16_bits_are_rounded_once() {
    let device = Device::new().expect("address space");
    let [a, b, c] = [1, 2, 3].map(operands);
    let given = [&a, &b, &c].map(|values| device.upload(values).expect("space"));
    for Case { instruction, function } in CASES {
        let body = body(instruction);
        let text = format!(
            "
        .version 8.6
        .target sm_90
        .address_size 64
        .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 out)
        {{
            .reg .b16 %h<5>;
            .reg .b32 %r<10>;
            .reg .b64 %rd<10>;
            mov.u32 %r1, %tid.x;
            mov.u32 %r6, %ctaid.x;
            mad.lo.u32 %r1, %r6, {THREADS}, %r1;
            mul.wide.u32 %rd0, %r1, 4;
            ld.param.u64 %rd1, [a];
            add.u64 %rd1, %rd1, %rd0;
            ld.global.u32 %r2, [%rd1];
            ld.param.u64 %rd2, [b];
            add.u64 %rd2, %rd2, %rd0;
            ld.global.u32 %r3, [%rd2];
            ld.param.u64 %rd3, [c];
            add.u64 %rd3, %rd3, %rd0;
            ld.global.u32 %r4, [%rd3];
            {body}
            ld.param.u64 %rd4, [out];
            add.u64 %rd4, %rd4, %rd0;
            st.global.u32 [%rd4], %r5;
            ret;
        }}"
        );
        let module = Module::from_ptx("half.ptx", &text).expect("a module");
        let kernel = module.kernel("k").expect("a kernel");
        let expected: Vec<u32> =
            a.iter().zip(&b).zip(&c).map(|((a, b), c)| function(*a, *b, *c)).collect();
        for engine in EngineChoice::available() {
            let out = device.upload(&vec![0u32; THREADS * CTAS]).expect("space");
            let args = [given[0].into(), given[1].into(), given[2].into(), out.into()];
            let config = LaunchConfig { engine, ..LaunchConfig::new(CTAS as u32, THREADS as u32) };
            kernel.launch(&device, &config, &args).expect("a run");
            let found = device.download::<u32>(out).expect("results");
            for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let of = [a[at], b[at], c[at]];
                assert_eq!(found, expected, "{instruction} {of:x?} by {engine}: {found:x}");
            }
            device.free(out).expect("memory");
        }
    }
}
