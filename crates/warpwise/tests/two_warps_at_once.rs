//! Loops that only compute, which machine code runs for two warps at once: each lane of each has its own values, guards and branches.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 128;
const ROUNDS: u32 = 40;

const KERNEL: &str = "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 out)
    {
        .reg .pred %p<5>;
        .reg .b32 %r<16>;
        .reg .b64 %rd<8>;
        mov.u32 %r1, %tid.x;
        mul.lo.u32 %r2, %r1, 0x9e3779b1;
        mov.u32 %r3, 0;
    $round:
        shl.b32 %r4, %r2, 13;
        xor.b32 %r5, %r2, %r4;
        shr.u32 %r6, %r5, 17;
        xor.b32 %r2, %r5, %r6;
        and.b32 %r7, %r2, 64;
        setp.ne.u32 %p1, %r7, 0;
        @%p1 add.u32 %r2, %r2, %r1;
        and.b32 %r8, %r2, 5;
        setp.eq.u32 %p2, %r8, 0;
        @%p2 bra $even;
        mad.lo.u32 %r2, %r2, 5, 1;
        bra $next;
    $even:
        not.b32 %r2, %r2;
    $next:
        setp.gt.s32 %p3, %r2, 0x10000000;
        selp.b32 %r9, 77, %r3, %p3;
        xor.b32 %r2, %r2, %r9;
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p4, %r3, 40;
        @%p4 bra $round;
        ld.param.u64 %rd3, [out];
        mul.wide.u32 %rd4, %r1, 4;
        add.u64 %rd5, %rd3, %rd4;
        st.global.u32 [%rd5], %r2;
        ret;
    }";

fn expected(thread: u32) -> u32 {
    let mut x = thread.wrapping_mul(0x9e37_79b1);
    for round in 0..ROUNDS {
        x ^= x << 13;
        x ^= x >> 17;
        if x & 64 != 0 {
            x = x.wrapping_add(thread);
        }
        x = if x & 5 == 0 { !x } else { x.wrapping_mul(5).wrapping_add(1) };
        x ^= if x.cast_signed() > 0x1000_0000 { 77 } else { round };
    }
    x
}

#[test]
fn each_lane_has_its_own_values() {
    let module = Module::from_ptx("two.ptx", KERNEL.to_owned()).expect("it is legal");
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("address space");
    let expected: Vec<u32> = (0..THREADS).map(expected).collect();
    for engine in EngineChoice::available() {
        let out = device.upload(&[0u32; THREADS as usize]).expect("space");
        let config = LaunchConfig { engine, ..LaunchConfig::new(1, THREADS) };
        kernel.launch(&device, &config, &[out.into()]).expect("it runs");
        assert_eq!(device.download::<u32>(out).expect("there"), expected, "{engine}");
        device.free(out).expect("a buffer");
    }
}
