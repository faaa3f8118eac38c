//! Loads by lanes that have parted, where the others would lie outside: every engine loads what is meant, and blames the lane that
//! goes too far.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 128;

/// `out[t] = in[t + by] + 2 * shared[t + by]` where `t + by < count`, whose `shared` is a copy of `in`; elsewhere it stays. Elements
/// have so many bits.
fn text(bits: u32) -> String {
    let bytes = bits / 8;
    format!(
        "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry shifted(.param .u64 in, .param .u64 out, .param .u32 by, .param .u32 count)
    {{
        .reg .pred %p;
        .reg .b32 %r<8>;
        .reg .b64 %rd<8>;
        .reg .b{bits} %v<4>;
        .shared .align 8 .b{bits} window[{THREADS}];
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [out];
        ld.param.u32 %r1, [by];
        ld.param.u32 %r2, [count];
        mov.u32 %r3, %tid.x;
        mul.wide.s32 %rd3, %r3, {bytes};
        add.u64 %rd4, %rd1, %rd3;
        add.u64 %rd2, %rd2, %rd3;
        ld.global.b{bits} %v0, [%rd4];
        mov.u32 %r4, window;
        mad.lo.s32 %r5, %r3, {bytes}, %r4;
        st.shared.b{bits} [%r5], %v0;
        bar.sync 0;
        add.s32 %r6, %r3, %r1;
        setp.ge.u32 %p, %r6, %r2;
        @%p bra DONE;
        mad.lo.s32 %r5, %r6, {bytes}, %r4;
        ld.shared.b{bits} %v1, [%r5];
        mul.wide.s32 %rd5, %r6, {bytes};
        add.u64 %rd5, %rd1, %rd5;
        ld.global.b{bits} %v2, [%rd5];
        add.u{bits} %v1, %v1, %v1;
        add.u{bits} %v2, %v2, %v1;
        st.global.b{bits} [%rd2], %v2;
    DONE:
        ret;
    }}
"
    )
}

/// The element, and what is there where no lane writes.
fn element(t: u32) -> u64 {
    u64::from(t) * 0x0101_0101 + 7
}
const NOTHING: u64 = 99;

#[test]
fn lanes_beyond_an_edge_do_not_matter() {
    for (bits, engine) in
        [32, 64].into_iter().flat_map(|bits| EngineChoice::available().map(move |it| (bits, it)))
    {
        let module = Module::from_ptx("shifted.ptx", text(bits)).expect("valid");
        let kernel = module.kernel("shifted").expect("it is there");
        let bytes = bits as usize / 8;
        let low = |value: u64| value.to_le_bytes()[..bytes].to_vec();
        for by in [0, 1, 3, 31, 32, 40, 64, 100, -1, -5, -32, -33, -64, -127, 128] {
            let device = Device::new().expect("memory");
            let input: Vec<u8> = (0..THREADS).flat_map(|t| low(element(t))).collect();
            let output: Vec<u8> = (0..THREADS).flat_map(|_| low(NOTHING)).collect();
            let (from, to) =
                (device.upload(&input).expect("room"), device.upload(&output).expect("room"));
            let args = [from.into(), to.into(), by.into(), THREADS.into()];
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, THREADS) };
            kernel.launch(&device, &config, &args).expect("no fault");
            let found: Vec<u8> = device.download(to).expect("it is there");
            for (t, found) in (0..THREADS).zip(found.chunks_exact(bytes)) {
                let from = t.wrapping_add_signed(by);
                let expected = if from < THREADS { element(from).wrapping_mul(3) } else { NOTHING };
                assert_eq!(found, low(expected), "{engine}, {bits} bits, {by}, thread {t}");
            }
        }
    }
}

#[test]
fn the_first_lane_beyond_an_edge_is_blamed() {
    let told: Vec<String> = EngineChoice::available()
        .map(|engine| {
            let module = Module::from_ptx("shifted.ptx", text(32)).expect("valid");
            let kernel = module.kernel("shifted").expect("it is there");
            let device = Device::new().expect("memory");
            let input: Vec<u32> = (0..THREADS).collect();
            let (from, to) =
                (device.upload(&input).expect("room"), device.upload(&input).expect("room"));
            // Thread 114 reads the element after the last.
            let args = [from.into(), to.into(), 14.into(), (THREADS + 5).into()];
            let config = LaunchConfig { engine, threads: 1, ..LaunchConfig::new(1, THREADS) };
            let error = kernel.launch(&device, &config, &args).expect_err("a fault");
            error.to_string()
        })
        .collect();
    assert!(told[0].contains("114"), "{}", told[0]);
    assert!(told.iter().all(|it| *it == told[0]), "{told:?}");
}

#[test]
fn a_lane_between_elements_is_blamed() {
    // The base is known to be a multiple of four.
    let text = text(32)
        .replace("mad.lo.s32 %r5, %r6, 4, %r4;", "shl.b32 %r5, %r6, 2;")
        .replace("ld.shared.b32 %v1, [%r5];", "ld.shared.b32 %v1, [%r5+2];");
    let told: Vec<String> = EngineChoice::available()
        .map(|engine| {
            let module = Module::from_ptx("shifted.ptx", &text).expect("valid");
            let kernel = module.kernel("shifted").expect("it is there");
            let device = Device::new().expect("memory");
            let input: Vec<u32> = (0..THREADS).collect();
            let [from, to] = [0; 2].map(|_| device.upload(&input).expect("room"));
            let args = [from.into(), to.into(), (-3).into(), THREADS.into()];
            let config = LaunchConfig { engine, threads: 1, ..LaunchConfig::new(1, THREADS) };
            kernel.launch(&device, &config, &args).expect_err("a fault").to_string()
        })
        .collect();
    assert!(told[0].contains("misaligned"), "{}", told[0]);
    assert!(told.iter().all(|it| *it == told[0]), "{told:?}");
}
