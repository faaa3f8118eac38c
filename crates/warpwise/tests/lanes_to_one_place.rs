//! Additions of many lanes to one place: every engine gives the sum, and tells lanes what they would find one after the other.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 128;
const STEP: u32 = 3;

/// Threads with a bit of `chosen`, by their number modulo 32, add: constants and told what they found, their own numbers, and
/// constants of 64 bits; in global memory and, as the first, in shared memory.
const TEXT: &str = "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry add(.param .u64 sums, .param .u64 found, .param .u64 near, .param .u32 chosen)
    {
        .reg .pred %p<3>;
        .reg .b32 %r<12>;
        .reg .b64 %rd<8>;
        .shared .align 4 .b32 count;
        ld.param.u64 %rd1, [sums];
        ld.param.u64 %rd2, [found];
        ld.param.u64 %rd3, [near];
        ld.param.u32 %r1, [chosen];
        mov.u32 %r2, %tid.x;
        mul.wide.u32 %rd4, %r2, 4;
        add.u64 %rd2, %rd2, %rd4;
        add.u64 %rd3, %rd3, %rd4;
        setp.ne.u32 %p1, %r2, 0;
        @%p1 bra BEGUN;
        mov.u32 %r3, 1000;
        st.shared.u32 [count], %r3;
    BEGUN:
        bar.sync 0;
        and.b32 %r4, %r2, 31;
        shr.u32 %r5, %r1, %r4;
        and.b32 %r5, %r5, 1;
        setp.eq.u32 %p2, %r5, 0;
        @%p2 bra DONE;
        atom.global.add.u32 %r6, [%rd1], 3;
        st.global.u32 [%rd2], %r6;
        atom.shared.add.u32 %r7, [count], 3;
        st.global.u32 [%rd3], %r7;
        red.global.add.u32 [%rd1+4], %r2;
        red.global.add.u64 [%rd1+8], 5000000000;
    DONE:
        setp.lt.u32 %p2, %r2, 40;
        @%p2 red.global.add.u32 [%rd1+16], 7;
        ret;
    }";

#[test]
fn sums_and_what_lanes_find_are_the_same_on_every_engine() {
    let module = Module::from_ptx("add.ptx", TEXT).expect("it is legal");
    let kernel = module.kernel("add").expect("it lowers");
    let device = Device::new().expect("address space");
    for engine in EngineChoice::available() {
        for chosen in [u32::MAX, 0, 1, 0x8000_0000, 0xaaaa_5555, 0x00ff_ff00] {
            let sums = device.upload(&[0u32; 8]).expect("space");
            let [found, near] =
                [0; 2].map(|_| device.upload(&[9u32; THREADS as usize]).expect("space"));
            let config = LaunchConfig { engine, threads: 1, ..LaunchConfig::new(1, THREADS) };
            let args = [sums.into(), found.into(), near.into(), chosen.into()];
            kernel.launch(&device, &config, &args).expect("it runs");
            let adds = |t: &u32| chosen >> (t % 32) & 1 == 1;
            let adding: Vec<u32> = (0..THREADS).filter(adds).collect();
            let count = adding.len() as u32;
            let got = device.download::<u32>(sums).expect("there");
            let far = u64::from(count) * 5_000_000_000;
            let expected =
                [STEP * count, adding.iter().sum(), far as u32, (far >> 32) as u32, 7 * 40];
            assert_eq!(got[..5], expected, "{engine}, {chosen:#x}");
            // Whatever the order: everybody finds another multiple. The lanes of a warp come one after the other.
            for (buffer, first) in [(found, 0), (near, 1000)] {
                let got = device.download::<u32>(buffer).expect("there");
                let mut told: Vec<u32> = adding.iter().map(|t| got[*t as usize]).collect();
                assert!(got.iter().zip(0..).all(|(got, t)| adds(&t) || *got == 9), "{engine}");
                assert!(
                    adding.windows(2).all(|pair| pair[0] / 32 != pair[1] / 32
                        || got[pair[0] as usize] + STEP == got[pair[1] as usize]),
                    "{engine}, {chosen:#x}: {got:?}"
                );
                told.sort_unstable();
                let all: Vec<u32> = (0..count).map(|nth| first + STEP * nth).collect();
                assert_eq!(told, all, "{engine}, {chosen:#x}");
            }
            for buffer in [sums, found, near] {
                device.free(buffer).expect("a buffer");
            }
        }
    }
}
