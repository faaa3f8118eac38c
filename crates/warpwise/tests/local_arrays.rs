//! Local arrays (PTX ISA 9.1, 5.1.3 Local State Space): elements of any size, at addresses that all lanes have in common or each its own, in whole
//! warps and partial ones, where lanes have parted and where they are together.

use warpwise::{Arg, Device, EngineChoice, Error, LaunchConfig, Module};

/// Bytes of the array.
const BYTES: u64 = 192;
/// Words that a thread puts out.
const OUT: usize = 4;

/// A kernel whose threads fill an array of words, change it in some lanes, and put out what `reads` leaves in `%w0` to `%w3`.
///
/// `%i` is a number that is the same for all lanes, `%t` the thread's; `%rd2` is the array's address.
fn text(target: &str, changes: &str, reads: &str) -> String {
    format!(
        ".version 8.8
        .target {target}
        .address_size 64
        .visible .entry k(.param .u64 out, .param .u32 index)
        {{
            .local .align 32 .b8 array[{BYTES}];
            .reg .pred %p<4>;
            .reg .b16 %h<4>;
            .reg .b32 %i, %t, %n, %w<8>;
            .reg .f64 %d<4>;
            .reg .b64 %rd<8>;
            ld.param.u64 %rd1, [out];
            ld.param.u32 %i, [index];
            mov.u32 %t, %tid.x;
            mov.u64 %rd2, array;
            mov.u32 %n, 0;
        FILL:
            mul.wide.u32 %rd3, %n, 4;
            add.u64 %rd3, %rd2, %rd3;
            mad.lo.u32 %w0, %t, 1000, %n;
            st.local.u32 [%rd3], %w0;
            add.u32 %n, %n, 1;
            setp.lt.u32 %p1, %n, {words};
            @%p1 bra FILL;
            {changes}
            {reads}
            mul.wide.u32 %rd3, %t, 16;
            add.u64 %rd3, %rd1, %rd3;
            st.global.v4.u32 [%rd3], {{%w0, %w1, %w2, %w3}};
            ret;
        }}",
        words = BYTES / 4,
    )
}

/// What an array holds, as bytes.
struct Array(Vec<u8>);

impl Array {
    fn of(thread: u32) -> Array {
        Array((0..BYTES as u32 / 4).flat_map(|n| (thread * 1000 + n).to_le_bytes()).collect())
    }

    fn word(&self, at: u32) -> u32 {
        let at = at as usize;
        u32::from_le_bytes(self.0[at..at + 4].try_into().expect("four bytes"))
    }

    fn set(&mut self, at: u32, word: u32) {
        self.0[at as usize..at as usize + 4].copy_from_slice(&word.to_le_bytes());
    }
}

type Case = (&'static str, &'static str, &'static str, fn(&mut Array, u32, u32) -> [u32; OUT]);

/// Target, changes, reads, and what a thread puts out, by its number and the common one.
const CASES: [Case; 9] = [
    // Words alone: a piece has four bytes.
    (
        "sm_80",
        "",
        "mul.wide.u32 %rd4, %i, 4; add.u64 %rd4, %rd2, %rd4;
         ld.local.u32 %w0, [%rd4]; ld.local.u32 %w1, [%rd4+8]; ld.local.u32 %w2, [array+40];
         st.local.u32 [%rd4+4], %t; ld.local.u32 %w3, [%rd4+4];",
        |array, thread, i| [array.word(4 * i), array.word(4 * i + 8), array.word(40), thread],
    ),
    // Pairs of words, one by one and as binary64: eight bytes.
    (
        "sm_80",
        "mul.wide.u32 %rd4, %i, 8; add.u64 %rd4, %rd2, %rd4;
         st.local.v2.u32 [%rd4], {%i, %t};",
        "ld.local.v2.u32 {%w0, %w1}, [%rd4]; ld.local.f64 %d0, [%rd4+8]; ld.local.u32 %w3, [%rd4+20];
         st.local.f64 [%rd4+24], %d0; ld.local.u32 %w2, [%rd4+28];",
        |array, thread, i| [i, thread, array.word(8 * i + 12), array.word(8 * i + 20)],
    ),
    // Four words at once, and parts of those: sixteen bytes.
    (
        "sm_80",
        "mul.wide.u32 %rd4, %i, 16; add.u64 %rd4, %rd2, %rd4;
         st.local.v4.u32 [%rd4], {%t, %i, %t, %i}; st.local.u32 [%rd4+8], 77;",
        "ld.local.v4.u32 {%w0, %w1, %w2, %w3}, [%rd4]; ld.local.v2.u32 {%w4, %w5}, [%rd4+24];
         add.u32 %w3, %w3, %w5; ld.local.f64 %d0, [%rd4+24]; st.local.f64 [%rd4], %d0;
         ld.local.u32 %w1, [%rd4+4];",
        |array, thread, i| {
            let next = array.word(16 * i + 28);
            [thread, next, 77, i.wrapping_add(next)]
        },
    ),
    // Two numbers of binary64 at once.
    (
        "sm_80",
        "ld.local.v2.f64 {%d0, %d1}, [array+16]; st.local.v2.f64 [array+32], {%d1, %d0};
         st.local.f64 [array+72], %d0;",
        "ld.local.u32 %w0, [array+32]; ld.local.u32 %w1, [array+44]; ld.local.v2.u32 {%w2, %w3}, [array+72];",
        |array, _, _| [array.word(24), array.word(20), array.word(16), array.word(20)],
    ),
    // By a generic address, 32 bytes at once, too.
    (
        "sm_100",
        "cvta.local.u64 %rd5, %rd2; ld.v4.b64 {%rd6, %rd7, %rd3, %rd4}, [%rd5+32];
         st.v4.b64 [%rd5+96], {%rd4, %rd3, %rd7, %rd6}; st.local.u32 [array+4], %i;",
        "ld.local.u32 %w0, [array+96]; ld.local.f64 %d0, [array+120]; st.local.f64 [array], %d0;
         ld.local.v4.u32 {%w0, %w1, %w2, %w3}, [array]; ld.u32 %w2, [%rd5+104]; ld.local.u32 %w3, [array+96];",
        |array, _, _| [array.word(32), array.word(36), array.word(48), array.word(56)],
    ),
    // Bytes and halves.
    (
        "sm_80",
        "cvt.u64.u32 %rd4, %i; add.u64 %rd4, %rd2, %rd4; cvt.u16.u32 %h0, %t;
         st.local.u8 [%rd4+1], %h0; st.local.u16 [array+6], %h0;",
        "ld.local.u8 %w0, [%rd4+1]; ld.local.u32 %w1, [array+4]; ld.local.s8 %w2, [%rd4+21];
         ld.local.u16 %w3, [array+20];",
        |array, thread, i| {
            array.0[i as usize + 1] = thread as u8;
            array.0[6..8].copy_from_slice(&(thread as u16).to_le_bytes());
            let byte = array.0[i as usize + 21] as i8;
            [thread & 0xff, array.word(4), i32::from(byte) as u32, array.word(20) & 0xffff]
        },
    ),
    // Lanes that have parted store at one address, and at two.
    (
        "sm_80",
        "and.b32 %w4, %t, 3; setp.eq.u32 %p1, %w4, 1; @%p1 bra OTHERS;
         mul.wide.u32 %rd4, %i, 4; add.u64 %rd4, %rd2, %rd4;
         st.local.u32 [%rd4], 5; st.local.v2.u32 [array+80], {%t, %i}; ld.local.u32 %w5, [%rd4+4];
         bra.uni BOTH;
     OTHERS:
         st.local.u32 [array+80], 6; st.local.f64 [array+96], 0d3ff0000000000000;
         ld.local.u32 %w5, [array+84];
     BOTH:",
        "mov.u32 %w0, %w5; mul.wide.u32 %rd4, %i, 4; add.u64 %rd4, %rd2, %rd4;
         ld.local.u32 %w1, [%rd4]; ld.local.u32 %w2, [array+80]; ld.local.u32 %w3, [array+100];",
        |array, thread, i| {
            let read = if thread & 3 == 1 { array.word(84) } else { array.word(4 * i + 4) };
            if thread & 3 == 1 {
                array.set(80, 6);
                array.set(100, 0x3ff0_0000);
            } else {
                array.set(4 * i, 5);
                array.set(80, thread);
                array.set(84, i);
            }
            [read, array.word(4 * i), array.word(80), array.word(100)]
        },
    ),
    // An address of each lane, and a guard.
    (
        "sm_80",
        "rem.u32 %w4, %t, 7; mul.wide.u32 %rd4, %w4, 8; add.u64 %rd4, %rd2, %rd4;
         st.local.v4.u32 [array+64], {1, 2, 3, 4}; setp.gt.u32 %p1, %t, 20;
         st.local.u32 [%rd4], %i; @%p1 st.local.u32 [array+60], %t;",
        "ld.local.v2.u32 {%w0, %w1}, [%rd4]; ld.local.u32 %w2, [array+60]; ld.local.u32 %w3, [array+68];",
        |array, thread, i| {
            let after = if thread > 20 { thread } else { array.word(60) };
            [i, array.word(thread % 7 * 8 + 4), after, 2]
        },
    ),
    // A loop that turns the array round.
    (
        "sm_80",
        "mov.u32 %n, 0;
     TURN:
         mul.wide.u32 %rd4, %n, 4; sub.u64 %rd5, %rd2, %rd4; add.u64 %rd4, %rd2, %rd4;
         ld.local.u32 %w4, [%rd4]; ld.local.u32 %w5, [%rd5+188];
         st.local.u32 [%rd4], %w5; st.local.u32 [%rd5+188], %w4;
         add.u32 %n, %n, 1; setp.lt.u32 %p1, %n, 24; @%p1 bra TURN;",
        "ld.local.u32 %w0, [array]; ld.local.u32 %w1, [array+4]; ld.local.u32 %w2, [array+188];
         mul.wide.u32 %rd4, %i, 4; add.u64 %rd4, %rd2, %rd4; ld.local.u32 %w3, [%rd4];",
        |array, _, i| [array.word(188), array.word(184), array.word(0), array.word(188 - 4 * i)],
    ),
];

#[test]
fn each_thread_has_what_it_stored() {
    let device = Device::new().expect("address space");
    for (nth, (target, changes, reads, expected)) in CASES.into_iter().enumerate() {
        let module =
            Module::from_ptx("local.ptx", text(target, changes, reads)).expect("it is legal");
        let kernel = module.kernel("k").expect("it lowers");
        for engine in EngineChoice::available() {
            for (threads, index) in [(64, 3_u32), (64, 0), (96, 5), (40, 2), (1, 1)] {
                let out = device.upload(&vec![0_u32; threads * OUT]).expect("space");
                let config = LaunchConfig { engine, ..LaunchConfig::new(1, threads as u32) };
                let args: [Arg; 2] = [out.into(), index.into()];
                kernel.launch(&device, &config, &args).expect("it runs");
                let found = device.download::<u32>(out).expect("there");
                for (thread, found) in found.chunks_exact(OUT).enumerate() {
                    let thread = thread as u32;
                    let wanted = expected(&mut Array::of(thread), thread, index);
                    let at = format!(
                        "{engine}, case {nth}, {threads} threads, index {index}, thread {thread}"
                    );
                    assert_eq!(found, wanted, "{at}");
                }
                device.free(out).expect("a buffer");
            }
        }
    }
}

#[test]
fn what_lies_outside_or_askew_is_refused_by_every_engine() {
    let device = Device::new().expect("address space");
    let outside = "mul.wide.u32 %rd4, %i, 4; add.u64 %rd4, %rd2, %rd4; ld.local.u32 %w0, [%rd4];";
    let wide =
        "mul.wide.u32 %rd4, %i, 4; add.u64 %rd4, %rd2, %rd4; ld.local.v2.u32 {%w0, %w1}, [%rd4];";
    for (reads, good, bad) in
        [(outside, 47_u32, 48_u32), (outside, 0, u32::MAX), (wide, 46, 48), (wide, 2, 3)]
    {
        let module = Module::from_ptx("local.ptx", text("sm_80", "", reads)).expect("it is legal");
        let kernel = module.kernel("k").expect("it lowers");
        let run = |engine: EngineChoice, index: u32| {
            let out = device.upload(&[0_u32; 64 * OUT]).expect("space");
            let config = LaunchConfig { engine, ..LaunchConfig::new(1, 64) };
            let args: [Arg; 2] = [out.into(), index.into()];
            let ran = kernel.launch(&device, &config, &args).map(|_| ());
            device.free(out).expect("a buffer");
            ran
        };
        let told = |engine: EngineChoice| {
            run(engine, good).expect("it lies inside");
            match run(engine, bad) {
                Err(error @ Error::Undefined(_)) => error.to_string(),
                other => panic!("{engine}, index {bad}: {other:?}"),
            }
        };
        let all: Vec<String> = EngineChoice::available().map(told).collect();
        assert!(all.iter().all(|told| *told == all[0]), "{all:#?}");
    }
}
