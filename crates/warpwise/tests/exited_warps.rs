//! Warps that exit while others of their CTA go on, behind a barrier of their own: barriers wait for the rest (PTX ISA 9.1, `bar.sync`), on
//! every engine.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const WARPS: u32 = 4;
const ROUNDS: u32 = 3;

/// Warps of a set exit; the others add up their numbers, round by round.
#[test]
fn barriers_wait_for_warps_that_live() {
    let round = |nth: u32| {
        format!(
            "
        red.shared.add.u32 [sums+{at}], %r4;
        bar.sync 0;
        ld.shared.u32 %r5, [sums+{at}];
        mad.lo.u32 %r6, %r6, 3, %r5;",
            at = 4 * nth
        )
    };
    let rounds: String = (0..ROUNDS).map(round).collect();
    let text = format!(
        "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 out, .param .u32 exits)
    {{
        .reg .pred %p<2>;
        .reg .b32 %r<8>;
        .reg .b64 %rd<4>;
        .shared .b32 sums[{ROUNDS}];
        ld.param.u64 %rd1, [out];
        ld.param.u32 %r1, [exits];
        mov.u32 %r2, %tid.x;
        shr.u32 %r3, %r2, 5;
        shr.u32 %r3, %r1, %r3;
        and.b32 %r3, %r3, 1;
        setp.ne.u32 %p1, %r3, 0;
        add.u32 %r4, %r2, 1;
        mov.u32 %r6, 0;
        mul.wide.u32 %rd2, %r2, 4;
        add.u64 %rd2, %rd1, %rd2;
        @%p1 bra leave;
        {rounds}
        st.global.u32 [%rd2], %r6;
        ret;
    leave:
        st.global.u32 [%rd2], %r4;
        bar.sync 0;
        ret;
    }}"
    );
    let module = Module::from_ptx("exited.ptx", text).expect("it is legal");
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("address space");
    let threads = 32 * WARPS;
    for exits in 0..1u32 << WARPS {
        let lives = |thread: &u32| exits >> (thread / 32) & 1 == 0;
        let sum: u32 = (0..threads).filter(lives).map(|thread| thread + 1).sum();
        let all = (0..ROUNDS).fold(0, |all, _| all * 3 + sum);
        let expected: Vec<u32> =
            (0..threads).map(|thread| if lives(&thread) { all } else { thread + 1 }).collect();
        for engine in EngineChoice::available() {
            let out = device.upload(&vec![0u32; threads as usize]).expect("space");
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, threads) };
            kernel.launch(&device, &config, &[out.into(), exits.into()]).expect("it runs");
            let found = device.download::<u32>(out).expect("there");
            assert_eq!(found, expected, "{engine}: warps {exits:04b} exit");
        }
    }
}
