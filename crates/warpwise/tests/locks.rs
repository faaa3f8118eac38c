//! Locks for which threads of several CTAs wait: an attempt that finds the lock taken gives way to whoever holds it, on every engine.

use warpwise::{Arg, Device, EngineChoice, LaunchConfig, Module};

/// Instructions that leave 0 in `%r3` where the lock at `%rd1` was free, and take it.
const TAKES: [&str; 4] = [
    "atom.global.cas.b32 %r3, [%rd1], 0, 1;",
    "atom.global.cas.b64 %rd3, [%rd1], 0, 1; cvt.u32.u64 %r3, %rd3;",
    "atom.global.exch.b32 %r3, [%rd1], 1;",
    "atom.global.exch.b64 %rd3, [%rd1], 1; cvt.u32.u64 %r3, %rd3;",
];

/// Threads whose numbers are below `takers` add 1 to the word behind the lock, while they hold it, so many times.
fn text(takes: &str) -> String {
    format!(
        ".version 7.8
        .target sm_80
        .address_size 64
        .visible .entry k(.param .u64 lock, .param .u32 takers, .param .u32 times)
        {{
            .reg .pred %p<4>;
            .reg .b32 %r<6>;
            .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [lock];
            ld.param.u32 %r1, [takers];
            ld.param.u32 %r2, [times];
            mov.u32 %r5, %tid.x;
            setp.ge.u32 %p1, %r5, %r1;
            @%p1 bra DONE;
        AGAIN:
            {takes}
            setp.ne.u32 %p1, %r3, 0;
            setp.eq.u32 %p2, %r3, 0;
            @%p1 bra TAKEN;
            ld.global.u32 %r4, [%rd1+8];
            add.u32 %r4, %r4, 1;
            st.global.u32 [%rd1+8], %r4;
            membar.gl;
            atom.global.exch.b64 %rd2, [%rd1], 0;
        TAKEN:
            @!%p2 bra AGAIN;
            add.u32 %r2, %r2, -1;
            setp.ne.u32 %p3, %r2, 0;
            @%p3 bra AGAIN;
        DONE:
            ret;
        }}"
    )
}

#[test]
fn ctas_that_wait_for_a_lock_do_little_but_wait_for_their_turn() {
    let device = Device::new().expect("address space");
    for takes in TAKES {
        let module = Module::from_ptx("lock.ptx", text(takes)).expect("it is legal");
        let kernel = module.kernel("k").expect("it lowers");
        for engine in EngineChoice::available().chain([EngineChoice::Auto]) {
            // A thread of each of many CTAs, and all of a few.
            for (ctas, takers, times) in [(24_u32, 1, 2000_u32), (4, 96, 150)] {
                let run = |ctas: u32| {
                    let lock = device.upload(&[0_u32; 4]).expect("space");
                    let config = LaunchConfig { engine, threads: 1, ..LaunchConfig::new(ctas, 96) };
                    let args: [Arg; 3] = [lock.into(), takers.into(), times.into()];
                    let report = kernel.launch(&device, &config, &args).expect("it runs");
                    let found = device.download::<u32>(lock).expect("there");
                    assert_eq!(found, [0, 0, ctas * takers * times, 0], "{engine}: {takes}");
                    device.free(lock).expect("a buffer");
                    report.stats.warp_instructions
                };
                let (alone, all) = (run(1) * u64::from(ctas), run(ctas));
                assert!(
                    2 * all < 3 * alone,
                    "{engine}, {ctas} CTAs, {takes} {all} warp instructions, {alone} one by one"
                );
            }
        }
    }
}
