//! NaNs of arithmetic are canonical, 0x7fffffff (PTX ISA 9.1, `add`), for whoever looks at their bits, on every engine. Machine code keeps
//! what the host makes of them as long as nobody does.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

/// What instructions make of the bits of a NaN in every lane, as 32-bit words.
const LOOKS: [(&str, u32); 19] = [
    ("mov.b32 %r9, %f3;", 0x7fff_ffff),
    ("mov.b32 %r5, %f3; add.u32 %r9, %r5, 1;", 0x8000_0000),
    ("mov.b32 %r5, %f3; setp.eq.u32 %p1, %r5, 0x7fffffff; selp.u32 %r9, 7, 8, %p1;", 7),
    ("mov.b32 %r5, %f3; setp.lt.u32 %p0, %r1, 32; selp.b32 %r9, %r5, 5, %p0;", 0x7fff_ffff),
    ("mov.b32 %r5, %f3; redux.sync.min.u32 %r9, %r5, -1;", 0x7fff_ffff),
    ("mov.b32 %r5, %f3; match.all.sync.b32 %r9, %r5, -1;", u32::MAX),
    ("mov.b32 %r5, %f3; xor.b32 %r5, %r5, %r3; redux.sync.or.b32 %r9, %r5, -1;", 0x7fff_ffff),
    ("mov.b32 %r5, %f3; match.any.sync.b32 %r9, %r5, -1;", u32::MAX),
    ("mov.b32 %r5, %f3; movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r5;", 0x7fff_7fff),
    ("mov.b32 %r5, %f3; shfl.sync.bfly.b32 %r9, %r5, 1, 31, -1;", 0x7fff_ffff),
    // In tiles of 8 lanes.
    (
        "mov.b32 %r5, %f3; and.b32 %r6, %r1, 24; mov.u32 %r7, 255; shl.b32 %r7, %r7, %r6;
         shfl.sync.down.b32 %r9, %r5, 1, 0x181f, %r7;",
        0x7fff_ffff,
    ),
    (
        "mov.b32 %r5, %f3; and.b32 %r6, %r1, 24; mov.u32 %r7, 255; shl.b32 %r7, %r7, %r6;
         redux.sync.min.u32 %r9, %r5, %r7;",
        0x7fff_ffff,
    ),
    ("mov.b32 %r5, %f3; popc.b32 %r9, %r5;", 31),
    ("mov.b32 %r5, %f3; prmt.b32 %r9, %r5, 0, 0x4443;", 0x7f),
    ("mov.b32 %r5, %f3; shr.s32 %r9, %r5, 31;", 0),
    ("mov.b32 {%h1, %h2}, %f3; cvt.u32.u16 %r9, %h2;", 0x7fff),
    ("mov.b64 %rd5, {%f3, %f3}; shr.u64 %rd5, %rd5, 40; cvt.u32.u64 %r9, %rd5;", 0x7f_ffff),
    ("mov.b32 %r5, %f3; mul.wide.u32 %rd5, %r5, 2; cvt.u32.u64 %r9, %rd5;", 0xffff_fffe),
    ("st.shared.f32 [%r4], %f3; ld.shared.u32 %r9, [%r4];", 0x7fff_ffff),
];

#[test]
fn who_looks_at_a_nan_sees_the_canonical_one() {
    let device = Device::new().expect("address space");
    // All lanes look, or those of even numbers, where nothing is said of the others.
    let both = LOOKS.into_iter().flat_map(|look| [(look, false), (look, true)]);
    for ((look, expected), some) in both {
        if some && look.contains(".sync") {
            continue;
        }
        let (branch, join) = if some { ("@%p2 bra join;", "join:") } else { ("", "") };
        let expected = match some {
            true => (0..32).map(|lane| if lane % 2 == 0 { expected } else { 3 }).collect(),
            false => vec![expected; 32],
        };
        // Two halves of an element of a matrix come from two columns.
        let expected: Vec<u32> = match look.contains("movmatrix") {
            true => {
                (0..32).map(|lane| if lane / 4 % 2 == 0 { u32::MAX } else { 0x7fff_7fff }).collect()
            }
            false => expected,
        };
        let text = format!(
            "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 in, .param .u64 out)
    {{
        .reg .pred %p<3>;
        .reg .b16 %h<3>;
        .reg .b32 %r<10>;
        .reg .f32 %f<4>;
        .reg .b64 %rd<6>;
        .shared .align 4 .b32 cells[32];
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [out];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 4;
        add.u64 %rd1, %rd1, %rd3;
        add.u64 %rd2, %rd2, %rd3;
        shl.b32 %r4, %r1, 2;
        mov.u32 %r2, cells;
        add.u32 %r4, %r4, %r2;
        mov.u32 %r3, 0;
        and.b32 %r8, %r1, 1;
        setp.ne.u32 %p2, %r8, 0;
        mov.u32 %r9, 3;
        ld.global.f32 %f1, [%rd1];
        sub.f32 %f3, %f1, %f1;
        {branch}
        {look}
        {join}
        st.global.u32 [%rd2], %r9;
        ret;
    }}"
        );
        let module = Module::from_ptx("nan.ptx", text).expect("it is legal");
        let kernel = module.kernel("k").expect("it lowers");
        // Infinity less infinity, and NaNs of either sign, are one NaN.
        let lane = |lane: u32| match lane % 3 {
            0 => f32::INFINITY,
            1 => f32::from_bits(0x7fc0_0000 + lane),
            _ => f32::from_bits(0xffc0_0000 + lane),
        };
        let floats: Vec<f32> = (0..32).map(lane).collect();
        let input = device.upload(&floats).expect("space");
        for engine in EngineChoice::available() {
            let out = device.upload(&[0u32; 32]).expect("space");
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, 32) };
            kernel.launch(&device, &config, &[input.into(), out.into()]).expect("it runs");
            let found = device.download::<u32>(out).expect("there");
            assert_eq!(found, expected, "{engine}, in some lanes: {some}: {look}");
        }
    }
}
