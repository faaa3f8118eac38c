//! A barrier of the whole grid: no CTA gets on before all have begun.

use warpwise::{Arg, Device, EngineChoice, LaunchConfig, Module};

/// Each CTA adds its number to a sum, meets all others, and leaves the sum that it sees. Twenty times.
const TEXT: &str = "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry met(.param .u64 out, .param .u64 counter, .param .u64 sum)
    {
        .reg .pred %p<3>;
        .reg .b32 %r<12>;
        .reg .b64 %rd<6>;
        ld.param.u64 %rd1, [out];
        ld.param.u64 %rd2, [counter];
        ld.param.u64 %rd3, [sum];
        mov.u32 %r1, %ctaid.x;
        mov.u32 %r2, %nctaid.x;
        mov.u32 %r3, %tid.x;
        mov.u32 %r4, 0;
        mov.u32 %r5, 0;
        setp.ne.u32 %p1, %r3, 0;
    AGAIN:
        add.u32 %r5, %r5, %r2;
        bar.sync 0;
        @%p1 bra MET;
        red.global.add.u32 [%rd3], %r1;
        membar.gl;
        red.global.add.u32 [%rd2], 1;
    SPIN:
        ld.volatile.global.u32 %r6, [%rd2];
        setp.lt.u32 %p2, %r6, %r5;
        @%p2 bra SPIN;
        membar.gl;
    MET:
        bar.sync 0;
        add.u32 %r4, %r4, 1;
        setp.lt.u32 %p2, %r4, 20;
        @%p2 bra AGAIN;
        @%p1 bra DONE;
        ld.volatile.global.u32 %r7, [%rd3];
        mul.wide.u32 %rd4, %r1, 4;
        add.u64 %rd1, %rd1, %rd4;
        st.global.u32 [%rd1], %r7;
    DONE:
        ret;
    }";

#[test]
fn the_cost_grows_with_the_grid_and_not_with_its_square() {
    let module = Module::from_ptx("met.ptx", TEXT).expect("it is legal");
    let kernel = module.kernel("met").expect("it lowers");
    let device = Device::new().expect("address space");
    for engine in EngineChoice::available().chain([EngineChoice::Auto]) {
        let mut per_cta = Vec::new();
        for (ctas, cooperative) in [(16_u32, false), (256, false), (256, true)] {
            let out = device.upload(&vec![0u32; ctas as usize]).expect("space");
            let counter = device.upload(&[0u32]).expect("space");
            let sum = device.upload(&[0u32]).expect("space");
            let config =
                LaunchConfig { engine, cooperative, threads: 1, ..LaunchConfig::new(ctas, 64) };
            let args: [Arg; 3] = [out.into(), counter.into(), sum.into()];
            let report = kernel.launch(&device, &config, &args).expect("it runs");
            let expected = 20 * ctas * (ctas - 1) / 2;
            let sums = device.download::<u32>(out).expect("there");
            assert_eq!(sums, vec![expected; ctas as usize], "{engine}");
            per_cta.push(report.stats.warp_instructions / u64::from(ctas));
            for buffer in [out, counter, sum] {
                device.free(buffer).expect("a buffer");
            }
        }
        assert!(per_cta[2] < per_cta[1], "{engine}: {per_cta:?} warp instructions a CTA");
        assert!(per_cta[1] < 4 * per_cta[0], "{engine}: {per_cta:?} warp instructions a CTA");
    }
}
