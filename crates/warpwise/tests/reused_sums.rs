//! Sums of a CTA that all threads read from the word in which the next one is begun, without a barrier between: a race that GPUs do not
//! show, because warps go on at one pace. Every engine gives what they give, and `check` tells of the race.

use warpwise::{Arg, Device, EngineChoice, LaunchConfig, Module};

const SUMS: u32 = 5;

/// Who adds up what warps have left.
#[derive(Clone, Copy, Debug)]
enum Who {
    /// All threads, as a compiler unrolls it.
    All,
    /// The first thread.
    One,
    /// All threads, half of the warps at one place and half at another.
    Halves,
}

/// Each sum is that of `(sum before) % 7 + thread`.
fn kernel(warps: u32, who: Who) -> String {
    let sum = |out: &str| {
        let add = |warp: u32| {
            format!("ld.shared.u32 %r5, [sums+{}];\n add.u32 {out}, {out}, %r5;\n", 4 * warp)
        };
        format!("mov.u32 {out}, 0;\n") + &(0..warps).map(add).collect::<String>()
    };
    let combine = match who {
        Who::All => sum("%r4"),
        Who::One => format!(
            "setp.ne.u32 %p2, %r1, 0;
            @%p2 bra $wait;
            {}
            st.shared.u32 [sums], %r6;
        $wait:
            bar.sync 0;
            ld.shared.u32 %r4, [sums];",
            sum("%r6")
        ),
        Who::Halves => format!(
            "shr.u32 %r11, %r1, 5;
            setp.ge.u32 %p2, %r11, {};
            @%p2 bra $others;
            {one}
            bra $both;
        $others:
            {one}
        $both:",
            warps / 2,
            one = sum("%r4")
        ),
    };
    format!(
        "
    .version 7.0
    .target sm_80
    .address_size 64
    .shared .align 4 .b8 sums[128];
    .visible .entry k(.param .u64 out)
    {{
        .reg .pred %p<4>;
        .reg .b32 %r<20>;
        .reg .b64 %rd<4>;
        mov.u32 %r1, %tid.x;
        and.b32 %r2, %r1, 31;
        shr.u32 %r3, %r1, 5;
        shl.b32 %r3, %r3, 2;
        mov.u32 %r12, sums;
        add.u32 %r3, %r12, %r3;
        setp.ne.u32 %p1, %r2, 0;
        mov.u32 %r4, 0;
        mov.u32 %r10, 0;
    $again:
        rem.u32 %r7, %r4, 7;
        add.u32 %r8, %r7, %r1;
        redux.sync.add.u32 %r9, %r8, 0xffffffff;
        @%p1 bra $apart;
        st.shared.u32 [%r3], %r9;
    $apart:
        bar.sync 0;
        {combine}
        add.u32 %r10, %r10, 1;
        setp.lt.u32 %p3, %r10, {SUMS};
        @%p3 bra $again;
        ld.param.u64 %rd1, [out];
        mad.wide.u32 %rd2, %r1, 4, %rd1;
        st.global.u32 [%rd2], %r4;
        ret;
    }}"
    )
}

fn expected(threads: u32) -> u32 {
    (0..SUMS).fold(0, |sum, _| (0..threads).map(|thread| sum % 7 + thread).sum())
}

#[test]
fn every_engine_reads_a_sum_before_the_next_begins() {
    let device = Device::new().expect("address space");
    let all = [Who::All, Who::One, Who::Halves].into_iter();
    for (warps, who) in all.flat_map(|who| [2, 3, 8, 32].map(|warps| (warps, who))) {
        let module = Module::from_ptx("sums.ptx", kernel(warps, who)).expect("a module");
        let kernel = module.kernel("k").expect("a kernel");
        let threads = 32 * warps;
        for engine in EngineChoice::available() {
            let out = device.upload(&vec![0u32; threads as usize]).expect("space");
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, threads) };
            kernel.launch(&device, &config, &[Arg::from(out)]).expect("a run");
            let found = device.download::<u32>(out).expect("results");
            let expected = vec![expected(threads); threads as usize];
            assert_eq!(found, expected, "{warps} warps by {engine}, added up by {who:?}");
            device.free(out).expect("memory");
        }
    }
}
