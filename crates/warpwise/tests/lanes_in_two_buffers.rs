//! Accesses whose lanes lie in two buffers at once, so that none of them serves the others: every engine loads, stores and updates what
//! each lane names, whoever else executes.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 128;

/// Bytes of a lane's element at most.
const ROOM: usize = 16;

/// What a lane does to the element at `%rd4`, with 32 bits in `%r4` and 64 in `%rd5`: the result is added to `%rd6`.
struct Access {
    ptx: &'static str,
    /// What it finds, and what it leaves, of an element and those bits.
    does: fn(u128, u32, u64) -> (u64, u128),
}

const fn low(value: u128, bits: u32) -> u128 {
    value & (u128::MAX >> (128 - bits))
}

fn put(old: u128, new: u128, bits: u32) -> u128 {
    old - low(old, bits) + low(new, bits)
}

const ACCESSES: [Access; 21] = [
    Access {
        ptx: "ld.global.u8 %r5, [%rd4]; cvt.u64.u32 %rd7, %r5;",
        does: |old, _, _| (low(old, 8) as u64, old),
    },
    Access {
        ptx: "ld.global.s8 %r5, [%rd4+1]; cvt.s64.s32 %rd7, %r5;",
        does: |old, _, _| ((old >> 8) as i8 as u64, old),
    },
    Access {
        ptx: "ld.global.u16 %r5, [%rd4]; cvt.u64.u32 %rd7, %r5;",
        does: |old, _, _| (low(old, 16) as u64, old),
    },
    Access {
        ptx: "ld.global.s16 %r5, [%rd4+2]; cvt.s64.s32 %rd7, %r5;",
        does: |old, _, _| ((old >> 16) as i16 as u64, old),
    },
    Access {
        ptx: "ld.global.u32 %r5, [%rd4]; cvt.u64.u32 %rd7, %r5;",
        does: |old, _, _| (low(old, 32) as u64, old),
    },
    Access {
        ptx: "ld.global.b64 %rd7, [%rd4];",
        does: |old, _, _| (old as u64, old),
    },
    Access {
        ptx: "ld.global.v2.u32 {%r5, %r6}, [%rd4]; mov.b64 %rd7, {%r6, %r5};",
        does: |old, _, _| ((old as u64).rotate_right(32), old),
    },
    Access {
        ptx: "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd4]; xor.b32 %r5, %r5, %r7; xor.b32 %r6, %r6, %r8;
              mov.b64 %rd7, {%r5, %r6};",
        does: |old, _, _| (old as u64 ^ (old >> 64) as u64, old),
    },
    Access {
        ptx: "ld.global.v2.b64 {%rd7, %rd8}, [%rd4]; sub.u64 %rd7, %rd7, %rd8;",
        does: |old, _, _| ((old as u64).wrapping_sub((old >> 64) as u64), old),
    },
    Access {
        ptx: "st.global.u8 [%rd4], %r4; mov.u64 %rd7, 0;",
        does: |old, word, _| (0, put(old, word.into(), 8)),
    },
    Access {
        ptx: "st.global.u16 [%rd4], %r4; mov.u64 %rd7, 0;",
        does: |old, word, _| (0, put(old, word.into(), 16)),
    },
    Access {
        ptx: "st.global.u32 [%rd4], %r4; mov.u64 %rd7, 0;",
        does: |old, word, _| (0, put(old, word.into(), 32)),
    },
    Access {
        ptx: "st.global.b64 [%rd4], %rd5; mov.u64 %rd7, 0;",
        does: |old, _, long| (0, put(old, long.into(), 64)),
    },
    Access {
        ptx: "st.global.v4.u32 [%rd4], {%r4, %r1, %r4, %r1}; mov.u64 %rd7, 0;",
        does: |_, word, _| {
            let thread = word / FACTOR;
            let pair = u128::from(word) | u128::from(thread) << 32;
            (0, pair | pair << 64)
        },
    },
    Access {
        ptx: "st.global.v2.b64 [%rd4], {%rd5, %rd6}; mov.u64 %rd7, 0;",
        // Nothing was added yet.
        does: |_, _, long| (0, long.into()),
    },
    Access {
        ptx: "atom.global.add.u32 %r5, [%rd4], %r4; cvt.u64.u32 %rd7, %r5;",
        does: |old, word, _| {
            (low(old, 32) as u64, put(old, (old as u32).wrapping_add(word).into(), 32))
        },
    },
    Access {
        ptx: "red.global.add.u64 [%rd4], %rd5; mov.u64 %rd7, 0;",
        does: |old, _, long| (0, put(old, (old as u64).wrapping_add(long).into(), 64)),
    },
    Access {
        ptx: "atom.global.min.u32 %r5, [%rd4], %r4; cvt.u64.u32 %rd7, %r5;",
        does: |old, word, _| (low(old, 32) as u64, put(old, (old as u32).min(word).into(), 32)),
    },
    Access {
        ptx: "atom.global.exch.b64 %rd7, [%rd4], %rd5;",
        does: |old, _, long| (old as u64, put(old, long.into(), 64)),
    },
    Access {
        // Every second element is what it is compared with.
        ptx: "ld.global.u32 %r6, [%rd4]; and.b32 %r7, %r1, 1; add.u32 %r6, %r6, %r7;
              atom.global.cas.b32 %r5, [%rd4], %r6, %r4; cvt.u64.u32 %rd7, %r5;",
        does: |old, word, _| {
            let new = if (word / FACTOR).is_multiple_of(2) { put(old, word.into(), 32) } else { old };
            (low(old, 32) as u64, new)
        },
    },
    Access {
        ptx: "and.b32 %r5, %r1, 15; st.global.u32 [%rd4], %r5; cvt.rn.f32.u32 %f1, %r5; st.global.f32 [%rd4], %f1;
              atom.global.add.f32 %f2, [%rd4], 0f40400000; cvt.rzi.u64.f32 %rd7, %f2;",
        does: |old, word, _| {
            let number = word / FACTOR % 16;
            (number.into(), put(old, (number as f32 + 3.0).to_bits().into(), 32))
        },
    },
];

const FACTOR: u32 = 0x0101_0305;

/// Which lanes execute the access: as PTX before it and behind it.
const WHO: [(&str, &str); 3] = [
    ("", ""),
    ("setp.lt.u32 %p1, %r3, 5; @!%p1 bra JOIN;", "JOIN:"),
    ("setp.lt.u32 %p1, %r1, 70; @!%p1 bra JOIN;", "JOIN:"),
];

fn executes(who: usize, thread: u32) -> bool {
    match who {
        0 => true,
        1 => thread * 5 % 8 < 5,
        _ => thread < 70,
    }
}

fn module(access: &Access, (before, behind): (&str, &str)) -> Module {
    let ptx = access.ptx;
    let text = format!(
        "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 first, .param .u64 second, .param .u64 out)
    {{
        .reg .pred %p<4>;
        .reg .b32 %r<10>;
        .reg .f32 %f<4>;
        .reg .b64 %rd<10>;
        ld.param.u64 %rd1, [first];
        ld.param.u64 %rd2, [second];
        ld.param.u64 %rd3, [out];
        mov.u32 %r1, %tid.x;
        mul.lo.u32 %r3, %r1, 5;
        and.b32 %r3, %r3, 7;
        mul.lo.u32 %r4, %r1, {FACTOR};
        mul.wide.u32 %rd5, %r4, 0x70001;
        mov.u64 %rd6, 0;
        setp.gt.u32 %p0, %r3, 2;
        selp.b64 %rd4, %rd1, %rd2, %p0;
        mul.wide.u32 %rd9, %r1, {ROOM};
        add.u64 %rd4, %rd4, %rd9;
        {before}
        {ptx}
        add.u64 %rd6, %rd6, %rd7;
    {behind}
        mul.wide.u32 %rd9, %r1, 8;
        add.u64 %rd3, %rd3, %rd9;
        st.global.u64 [%rd3], %rd6;
        ret;
    }}"
    );
    Module::from_ptx("two_buffers.ptx", text).expect("it is legal")
}

/// The elements of a buffer.
fn elements(buffer: u32) -> Vec<u128> {
    let element = |thread: u32| {
        let mut value =
            u128::from(thread * 2 + buffer + 1) * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        value ^= value >> 61;
        value
    };
    (0..THREADS).map(element).collect()
}

fn bytes(elements: &[u128]) -> Vec<u8> {
    elements.iter().flat_map(|element| element.to_le_bytes()).collect()
}

#[test]
fn each_lane_finds_its_own_buffer() {
    for access in &ACCESSES {
        for (who, lines) in WHO.into_iter().enumerate() {
            let mut buffers = [elements(0), elements(1)];
            let mut expected = vec![0u64; THREADS as usize];
            for thread in (0..THREADS).filter(|thread| executes(who, *thread)) {
                let element = &mut buffers[usize::from(thread * 5 % 8 <= 2)][thread as usize];
                let word = thread.wrapping_mul(FACTOR);
                let found = (access.does)(*element, word, u64::from(word) * 0x70001);
                (expected[thread as usize], *element) = found;
            }
            let module = module(access, lines);
            let kernel = module.kernel("k").expect("it lowers");
            for engine in EngineChoice::available() {
                let device = Device::new().expect("address space");
                let [first, second] =
                    [0, 1].map(|nth| device.upload(&bytes(&elements(nth))).expect("space"));
                let out = device.upload(&vec![0u64; THREADS as usize]).expect("space");
                let config = LaunchConfig { engine, ..LaunchConfig::new(1, THREADS) };
                let args = [first.into(), second.into(), out.into()];
                kernel.launch(&device, &config, &args).expect("it runs");
                let what = format!("{} by lanes {who}, {engine}", access.ptx);
                assert_eq!(device.download::<u64>(out).expect("bytes"), expected, "{what}");
                for (buffer, after) in [first, second].into_iter().zip(&buffers) {
                    assert_eq!(
                        device.download::<u8>(buffer).expect("bytes"),
                        bytes(after),
                        "{what}"
                    );
                }
            }
        }
    }
}
