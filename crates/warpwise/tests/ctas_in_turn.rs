//! CTAs that run one after the other: each begins with shared memory that is zero, knows its index, and faults as itself.

use warpwise::{Arg, Device, EngineChoice, LaunchConfig, Module};

const GRID: [u32; 3] = [5, 7, 9];
const THREADS: u32 = 64;

const TEXT: &str = "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry exchanged(.param .u64 out, .param .u32 wild)
    {
        .reg .pred %p<4>;
        .reg .b32 %r<20>;
        .reg .b64 %rd<4>;
        .shared .align 4 .b8 words[256];
        mov.u32 %r1, %ctaid.x;
        mov.u32 %r2, %ctaid.y;
        mov.u32 %r3, %ctaid.z;
        mov.u32 %r4, %nctaid.x;
        mov.u32 %r5, %nctaid.y;
        mad.lo.u32 %r6, %r3, %r5, %r2;
        mad.lo.u32 %r6, %r6, %r4, %r1;
        mov.u32 %r7, %tid.x;
        mad.lo.u32 %r8, %r6, 64, %r7;
        mov.u32 %r9, words;
        mad.lo.u32 %r10, %r7, 4, %r9;
        ld.shared.u32 %r11, [%r10];
        st.shared.u32 [%r10], %r8;
        bar.sync 0;
        sub.u32 %r12, 63, %r7;
        mad.lo.u32 %r13, %r12, 4, %r9;
        ld.shared.u32 %r14, [%r13];
        mad.lo.u32 %r14, %r11, 1000, %r14;
        and.b32 %r15, %r6, 15;
        setp.eq.u32 %p1, %r15, 3;
        setp.lt.u32 %p2, %r7, 5;
        and.pred %p3, %p1, %p2;
        @%p3 bra MET;
        mad.lo.u32 %r14, %r14, 3, 7;
    MET:
        ld.param.u64 %rd1, [out];
        ld.param.u32 %r16, [wild];
        mul.wide.u32 %rd2, %r8, 4;
        add.u64 %rd1, %rd1, %rd2;
        setp.eq.u32 %p1, %r6, %r16;
        selp.b64 %rd1, 64, %rd1, %p1;
        st.global.u32 [%rd1], %r14;
        ret;
    }";

fn expected() -> Vec<u32> {
    let ctas: u32 = GRID.iter().product();
    let of = |at: u32| {
        let (cta, t) = (at / THREADS, at % THREADS);
        let other = cta * THREADS + THREADS - 1 - t;
        if cta % 16 == 3 && t < 5 { other } else { other * 3 + 7 }
    };
    (0..ctas * THREADS).map(of).collect()
}

#[test]
fn each_cta_begins_anew_on_every_engine() {
    let module = Module::from_ptx("exchanged.ptx", TEXT).expect("it is legal");
    let kernel = module.kernel("exchanged").expect("it lowers");
    let device = Device::new().expect("address space");
    let expected = expected();
    for engine in EngineChoice::available().chain([EngineChoice::Auto]) {
        for threads in [1, 2] {
            let out = device.upload(&vec![0u32; expected.len()]).expect("space");
            let config =
                LaunchConfig { engine, threads, ..LaunchConfig::new(GRID, [THREADS, 1, 1]) };
            let args: [Arg; 2] = [out.into(), u32::MAX.into()];
            let report = kernel.launch(&device, &config, &args).expect("it runs");
            assert_eq!(report.stats.ctas, u64::from(GRID.iter().product::<u32>()), "{engine}");
            assert_eq!(device.download::<u32>(out).expect("there"), expected, "{engine}");
            device.free(out).expect("a buffer");
        }
    }
}

#[test]
fn a_fault_is_that_of_its_cta_and_those_before_it_are_done() {
    let module = Module::from_ptx("exchanged.ptx", TEXT).expect("it is legal");
    let kernel = module.kernel("exchanged").expect("it lowers");
    let device = Device::new().expect("address space");
    let expected = expected();
    let wild = 2 + GRID[0] * (3 + GRID[1] * 4);
    for engine in EngineChoice::available() {
        let out = device.upload(&vec![0u32; expected.len()]).expect("space");
        let config =
            LaunchConfig { engine, threads: 1, ..LaunchConfig::new(GRID, [THREADS, 1, 1]) };
        let args: [Arg; 2] = [out.into(), wild.into()];
        let error = kernel.launch(&device, &config, &args).expect_err("nothing is there");
        let fault = error.failure().fault.clone().expect("it is known");
        assert_eq!(fault.thread.cta, [2, 3, 4], "{engine}");
        assert_eq!(fault.thread.thread, [0; 3], "{engine}");
        let before = (wild * THREADS) as usize;
        let found = device.download::<u32>(out).expect("there");
        assert_eq!(found[..before], expected[..before], "{engine}");
        device.free(out).expect("a buffer");
    }
}
