//! Lanes that have parted come to what machine code leaves to others, a call of `malloc`, in some turns of a loop, and never to an
//! endless block, as compilers write one where they know that nobody comes: every engine computes the same.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const TURNS: u32 = 24;

const TEXT: &str = "
    .version 7.8
    .target sm_80
    .address_size 64
    .extern .func (.param .b64 p) malloc (.param .b64 bytes);
    .extern .func free (.param .b64 p);
    .visible .entry k(.param .u64 out, .param .u32 turns)
    {
        .reg .pred %p<8>;
        .reg .b32 %r<16>;
        .reg .b64 %rd<8>;
        mov.u32 %r1, %tid.x;
        mad.lo.u32 %r2, %r1, 747796405, 1;
        mov.u32 %r3, %r1;
        ld.param.u32 %r4, [turns];
    turn:
        mad.lo.u32 %r2, %r2, 1664525, 1013904223;
        and.b32 %r5, %r2, 0x10000;
        setp.eq.u32 %p1, %r5, 0;
        @%p1 bra other;
        shr.u32 %r6, %r2, 27;
        setp.ne.u32 %p2, %r6, 5;
        @%p2 bra no_call;
        mov.u64 %rd1, 16;
        {
            .param .b64 bytes;
            .param .b64 p;
            st.param.b64 [bytes], %rd1;
            call.uni (p), malloc, (bytes);
            ld.param.b64 %rd2, [p];
        }
        st.u32 [%rd2+8], %r2;
        ld.u32 %r7, [%rd2+8];
        {
            .param .b64 p;
            st.param.b64 [p], %rd2;
            call.uni free, (p);
        }
        xor.b32 %r3, %r3, %r7;
    no_call:
        setp.eq.u32 %p3, %r2, 0x12345678;
        @%p3 bra endless;
        mad.lo.u32 %r3, %r3, 3, %r6;
        bra meet;
    endless:
        bra endless;
    other:
        shr.u32 %r8, %r2, 3;
        xor.b32 %r3, %r3, %r8;
        and.b32 %r9, %r2, 0x20000;
        setp.eq.u32 %p4, %r9, 0;
        @%p4 bra meet;
        add.u32 %r3, %r3, 5;
    meet:
        sub.u32 %r4, %r4, 1;
        setp.ne.u32 %p5, %r4, 0;
        @%p5 bra turn;
        ld.param.u64 %rd3, [out];
        mul.wide.u32 %rd4, %r1, 4;
        add.u64 %rd5, %rd3, %rd4;
        st.global.u32 [%rd5], %r3;
        ret;
    }";

/// What a thread computes.
fn expected(thread: u32) -> u32 {
    let mut random = thread.wrapping_mul(747_796_405).wrapping_add(1);
    let mut sum = thread;
    for _ in 0..TURNS {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if random & 0x10000 != 0 {
            let top = random >> 27;
            sum ^= if top == 5 { random } else { 0 };
            sum = sum.wrapping_mul(3).wrapping_add(top);
        } else {
            sum ^= random >> 3;
            sum = sum.wrapping_add(if random & 0x20000 != 0 { 5 } else { 0 });
        }
    }
    sum
}

#[test]
fn every_engine_computes_the_same() {
    let module = Module::from_ptx("calls.ptx", TEXT).expect("it is legal");
    let kernel = module.kernel("k").expect("it lowers");
    for threads in [20, 32, 64, 200, 256] {
        let all: Vec<u32> = (0..threads).map(expected).collect();
        for engine in EngineChoice::available() {
            let device = Device::new().expect("address space");
            let out = device.upload(&vec![0u32; threads as usize]).expect("space");
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, threads) };
            kernel.launch(&device, &config, &[out.into(), TURNS.into()]).expect("it runs");
            let found = device.download::<u32>(out).expect("there");
            assert_eq!(found, all, "{threads} threads by {engine}");
        }
    }
}
