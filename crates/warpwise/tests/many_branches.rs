//! Lanes that stay apart over hundreds of blocks, by a guard around all of them and by a loop of different length for each lane.

use warpwise::{Arg, Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 64;
const BRANCHES: u32 = 200;

/// Of a thread, what its branches make of a number.
fn step(mut number: u32) -> u32 {
    for nth in 0..BRANCHES {
        if number >> (nth % 5) & 1 == 0 {
            number = number.wrapping_mul(3).wrapping_add(nth);
        }
        number ^= number >> 3;
    }
    number
}

fn expected(thread: u32) -> u32 {
    match thread % 32 < 27 {
        true => (0..=thread % 4).fold(thread, |number, _| step(number)),
        false => 0,
    }
}

fn kernel() -> String {
    let branches = (0..BRANCHES).map(|nth| {
        format!(
            "shr.u32 %r5, %r4, {};
            and.b32 %r5, %r5, 1;
            setp.ne.u32 %p1, %r5, 0;
            @%p1 bra $behind{nth};
            mad.lo.u32 %r4, %r4, 3, {nth};
        $behind{nth}:
            shr.u32 %r6, %r4, 3;
            xor.b32 %r4, %r4, %r6;\n",
            nth % 5
        )
    });
    format!(
        "
    .version 7.0
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 out)
    {{
        .reg .pred %p<4>;
        .reg .b32 %r<10>;
        .reg .b64 %rd<4>;
        mov.u32 %r1, %tid.x;
        and.b32 %r2, %r1, 31;
        setp.ge.u32 %p0, %r2, 27;
        @%p0 bra $end;
        mov.u32 %r4, %r1;
        and.b32 %r3, %r1, 3;
        mov.u32 %r7, 0;
    $again:
        {}
        add.u32 %r7, %r7, 1;
        setp.le.u32 %p2, %r7, %r3;
        @%p2 bra $again;
        ld.param.u64 %rd1, [out];
        mad.wide.u32 %rd2, %r1, 4, %rd1;
        st.global.u32 [%rd2], %r4;
    $end:
        ret;
    }}",
        branches.collect::<String>()
    )
}

#[test]
fn every_engine_brings_lanes_through() {
    let device = Device::new().expect("address space");
    let module = Module::from_ptx("branches.ptx", kernel()).expect("a module");
    let kernel = module.kernel("k").expect("a kernel");
    let expected: Vec<u32> = (0..THREADS).map(expected).collect();
    for engine in EngineChoice::available() {
        let out = device.upload(&[0u32; THREADS as usize]).expect("space");
        let config = LaunchConfig { engine, ..LaunchConfig::new(1, THREADS) };
        kernel.launch(&device, &config, &[Arg::from(out)]).expect("a run");
        let found = device.download::<u32>(out).expect("results");
        assert_eq!(found, expected, "by {engine}");
        device.free(out).expect("memory");
    }
}
