//! Elements that lie at known distances from each other, such as columns of a tile, and values of lanes at known distances: every engine
//! gives what the sums of lane numbers say.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 96;

fn module(body: &str) -> Module {
    let text = format!(
        "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 in, .param .u64 out)
    {{
        .reg .pred %p<8>;
        .reg .b16 %h<4>;
        .reg .b32 %r<48>;
        .reg .b64 %rd<16>;
        .shared .align 16 .b8 tile[32768];
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [out];
        mov.u32 %r1, %tid.x;
        and.b32 %r2, %r1, 31;
        {body}
        ret;
    }}"
    );
    Module::from_ptx("distances.ptx", text).expect("it is legal")
}

/// What the kernel makes of the bytes, by each engine; `out` begins with bytes of 0xee.
fn results(body: &str, given: &[u8]) -> Vec<(EngineChoice, Vec<u8>)> {
    let module = module(body);
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("address space");
    let source = device.upload(given).expect("space");
    let run = |engine| {
        let out = device.upload(&vec![0xeeu8; 32768]).expect("space");
        let config = LaunchConfig { engine, ..LaunchConfig::new(2, THREADS) };
        kernel.launch(&device, &config, &[source.into(), out.into()]).expect("it runs");
        let found = device.download::<u8>(out).expect("there");
        device.free(out).expect("a buffer");
        (engine, found)
    };
    EngineChoice::available().map(run).collect()
}

fn bytes_without_order(count: usize) -> Vec<u8> {
    (0..count as u32).map(|nth| (nth.wrapping_mul(2_654_435_761) >> 23) as u8).collect()
}

/// What is moved: its name, its bytes, and registers for it.
const KINDS: [(&str, usize, &str); 7] = [
    ("u8", 1, "%h1"),
    ("u16", 2, "%h1"),
    ("b32", 4, "%r4"),
    ("b64", 8, "%rd4"),
    ("v2.b32", 8, "{%r4, %r5}"),
    ("v4.b32", 16, "{%r4, %r5, %r6, %r7}"),
    ("v2.b64", 16, "{%rd4, %rd5}"),
];

/// Thread t loads the elements of one place, hands them on through shared memory to the thread that is as far from the end of the CTA, and
/// stores them.
#[test]
fn elements_of_any_size_and_distance_are_moved() {
    let given = bytes_without_order(32768);
    for (kind, bytes, value) in KINDS {
        for elements in [1, 2, 3, 8, 15, 17] {
            let step = bytes * elements;
            let body = format!(
                "
        mul.wide.u32 %rd3, %r1, {step};
        add.u64 %rd7, %rd1, %rd3;
        add.u64 %rd8, %rd2, %rd3;
        ld.global.{kind} {value}, [%rd7];
        mov.u32 %r8, tile;
        mad.lo.u32 %r9, %r1, {step}, %r8;
        st.shared.{kind} [%r9], {value};
        bar.sync 0;
        sub.u32 %r10, {last}, %r1;
        mad.lo.u32 %r11, %r10, {step}, %r8;
        ld.shared.{kind} {value}, [%r11];
        st.global.{kind} [%rd8], {value};",
                last = THREADS - 1
            );
            let mut expected = vec![0xee; 32768];
            for thread in 0..THREADS as usize {
                let there = (THREADS as usize - 1 - thread) * step;
                expected[thread * step..][..bytes].copy_from_slice(&given[there..][..bytes]);
            }
            for (engine, found) in results(&body, &given) {
                assert!(found == expected, "{engine}: {kind}, {step} bytes from lane to lane");
            }
        }
    }
}

/// The places are numbers that the kernel reads: elements turn out to lie one after the other, at one place, or anywhere. They go through
/// shared memory, and are counted from a pointer that is the same in all lanes, or from one of each lane's own.
#[test]
fn elements_that_turn_out_to_lie_in_a_row_are_moved() {
    const FIRST: usize = 1024;
    type OfThread = fn(usize) -> usize;
    let places: [(&str, OfThread); 6] = [
        ("one after the other", |thread| thread + 3),
        ("rows of eight", |thread| thread % 8 + 11 * (thread / 8)),
        ("one for eight", |thread| thread / 8 * 5),
        ("backwards", |thread| THREADS as usize - 1 - thread),
        ("one for all", |_| 7),
        ("a row but for one", |thread| if thread == 43 { 120 } else { thread }),
    ];
    let ways = [
        "mad.wide.u32 %rd7, %r12, {bytes}, %rd1; mad.wide.u32 %rd8, %r12, {bytes}, %rd2;",
        "mul.wide.u32 %rd9, %r12, {bytes}; xor.b64 %rd10, %rd9, %rd3; xor.b64 %rd10, %rd10, %rd3;
         add.u64 %rd7, %rd1, %rd10; add.u64 %rd8, %rd2, %rd10;",
    ];
    for (what, place) in places {
        let mut given = bytes_without_order(32768);
        for (thread, word) in given.chunks_exact_mut(4).take(THREADS as usize).enumerate() {
            word.copy_from_slice(&(place(thread) as u32).to_le_bytes());
        }
        for (kind, bytes, value) in KINDS {
            for way in ways {
                let body = format!(
                    "
        mul.wide.u32 %rd3, %r1, 4;
        add.u64 %rd3, %rd1, %rd3;
        ld.global.u32 %r12, [%rd3];
        {way}
        ld.global.{kind} {value}, [%rd7+{FIRST}];
        mov.u32 %r8, tile;
        mad.lo.u32 %r9, %r12, {bytes}, %r8;
        st.shared.{kind} [%r9+64], {value};
        bar.sync 0;
        ld.shared.{kind} {value}, [%r9+64];
        st.global.{kind} [%rd8], {value};",
                    way = way.replace("{bytes}", &bytes.to_string())
                );
                let mut expected = vec![0xee; 32768];
                for at in (0..THREADS as usize).map(|thread| place(thread) * bytes) {
                    expected[at..][..bytes].copy_from_slice(&given[FIRST + at..][..bytes]);
                }
                for (engine, found) in results(&body, &given) {
                    assert!(found == expected, "{engine}: {kind}, {what}, {way}");
                }
            }
        }
    }
}

#[test]
fn of_all_lanes_that_store_to_one_place_the_last_one_is_read() {
    let body = "
        st.shared.b32 [tile+4], %r1;
        bar.sync 0;
        ld.shared.b32 %r3, [tile+4];
        mul.wide.u32 %rd3, %r1, 4;
        add.u64 %rd8, %rd2, %rd3;
        st.global.b32 [%rd8], %r3;";
    for (engine, found) in results(body, &[0]) {
        let words = found.chunks_exact(4).take(THREADS as usize);
        // Which warp comes last is open; its lanes store one after the other.
        for word in words {
            let word = u32::from_le_bytes(word.try_into().expect("four bytes"));
            assert!(word < THREADS && word % 32 == 31, "{engine}: {word}");
        }
    }
}

/// What the kernel writes for each thread, in bytes.
fn words(body: &str, wide: bool) -> Vec<(EngineChoice, Vec<u64>)> {
    let (size, value) = if wide { (8, "%rd9") } else { (4, "%r9") };
    let body = format!(
        "
        mad.lo.u32 %r3, %r1, 77, 5;
        {body}
        mul.wide.u32 %rd3, %r1, {size};
        add.u64 %rd8, %rd2, %rd3;
        st.global.b{bits} [%rd8], {value};",
        bits = 8 * size
    );
    let of_bytes =
        |bytes: &[u8]| bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
    let numbers = |(engine, found): (EngineChoice, Vec<u8>)| {
        let all = found.chunks_exact(size as usize).take(THREADS as usize).map(of_bytes).collect();
        (engine, all)
    };
    results(&body, &[0]).into_iter().map(numbers).collect()
}

fn value(thread: usize) -> u64 {
    thread as u64 * 77 + 5
}

#[test]
fn shuffles_by_any_constant_find_their_lanes() {
    for (mode, c) in [("up", 0), ("down", 31), ("bfly", 31), ("idx", 31)] {
        for by in 0..32usize {
            let source = |lane: usize| match mode {
                "up" => lane.checked_sub(by).unwrap_or(lane),
                "down" => {
                    if lane + by < 32 {
                        lane + by
                    } else {
                        lane
                    }
                }
                "bfly" => lane ^ by,
                _ => by,
            };
            let body = format!("shfl.sync.{mode}.b32 %r9, %r3, {by}, {c}, 0xffffffff;");
            let expected: Vec<u64> = (0..THREADS as usize)
                .map(|thread| value(thread / 32 * 32 + source(thread % 32)))
                .collect();
            for (engine, found) in words(&body, false) {
                assert!(found == expected, "{engine}: {mode} {by}");
            }
        }
    }
}

#[test]
fn sums_over_the_lanes_below_are_those_of_a_scan() {
    // Registers are written once, as compilers do it, so that their lanes are known.
    let step = |nth: u32| {
        let (by, before) = (1 << nth, if nth == 0 { 3 } else { 29 + nth });
        format!(
            "
        shfl.sync.up.b32 %r{shuffled}, %r{before}, {by}, 0, 0xffffffff;
        setp.lt.u32 %p{nth}, %r2, {by};
        selp.b32 %r{chosen}, 0, %r{shuffled}, %p{nth};
        add.u32 %r{sum}, %r{before}, %r{chosen};",
            shuffled = 10 + nth,
            chosen = 20 + nth,
            sum = 30 + nth,
        )
    };
    let steps: String = (0..5).map(step).collect();
    let body = format!("{steps} mov.u32 %r9, %r34;");
    let sum = |thread: usize| (thread / 32 * 32..=thread).map(value).sum();
    let expected: Vec<u64> = (0..THREADS as usize).map(sum).collect();
    for (engine, found) in words(&body, false) {
        assert!(found == expected, "{engine}");
    }
}

#[test]
fn choices_that_lanes_make_for_good_are_made_so() {
    for (condition, first) in
        [("lt.u32", 0), ("lt.u32", 5), ("ge.u32", 8), ("eq.u32", 13), ("ne.u32", 31)]
    {
        let holds = |lane: u32| match condition {
            "lt.u32" => lane < first,
            "ge.u32" => lane >= first,
            "eq.u32" => lane == first,
            _ => lane != first,
        };
        for wide in [false, true] {
            let choice = match wide {
                false => "selp.b32 %r9, %r3, 9, %p1;",
                true => {
                    "cvt.u64.u32 %rd4, %r3; shl.b64 %rd4, %rd4, 20; selp.b64 %rd9, %rd4, 9, %p1;"
                }
            };
            let body = format!("setp.{condition} %p1, %r2, {first}; {choice}");
            let expected: Vec<u64> = (0..THREADS)
                .map(|thread| match (holds(thread % 32), wide) {
                    (false, _) => 9,
                    (true, false) => value(thread as usize),
                    (true, true) => value(thread as usize) << 20,
                })
                .collect();
            for (engine, found) in words(&body, wide) {
                assert!(found == expected, "{engine}: {condition} {first}, wide: {wide}");
            }
        }
    }
}

/// Lanes that never come to a branch of others need not have what is read there; what they read themselves they must.
#[test]
fn branches_of_known_lanes_read_what_those_lanes_have() {
    for few in [1u32, 4, 9, 31] {
        let body = format!(
            "
        shfl.sync.down.b32 %r4, %r3, 8, 31, 0xffffffff;
        add.u32 %r5, %r4, %r3;
        shfl.sync.bfly.b32 %r6, %r3, 5, 31, 0xffffffff;
        xor.b32 %r7, %r6, 3;
        setp.ge.u32 %p1, %r2, {few};
        @%p1 bra OTHERS;
        add.u32 %r9, %r5, 1;
        bra JOIN;
    OTHERS:
        add.u32 %r9, %r7, 2;
    JOIN:
        xor.b32 %r9, %r9, 0x100;"
        );
        let one = |thread: usize| {
            let (warp, lane) = (thread / 32 * 32, thread % 32);
            let below = if lane + 8 < 32 { lane + 8 } else { lane };
            let found = match lane < few as usize {
                true => value(thread) + value(warp + below) + 1,
                false => (value(warp + (lane ^ 5)) ^ 3) + 2,
            };
            found ^ 0x100
        };
        let expected: Vec<u64> = (0..THREADS as usize).map(one).collect();
        for (engine, found) in words(&body, false) {
            assert!(found == expected, "{engine}: {few} lanes");
        }
    }
}

#[test]
fn numbers_that_are_put_together_from_bits_are_the_lanes() {
    type OfThread = fn(u32) -> u32;
    let cases: [(&str, OfThread); 4] = [
        ("and.b32 %r4, %r1, -32; mul.lo.u32 %r4, %r4, 15; or.b32 %r9, %r4, %r2;", |thread| {
            (thread & !31) * 15 + (thread & 31)
        }),
        ("shl.b32 %r4, %r1, 3; or.b32 %r9, %r4, %r2;", |thread| (thread << 3) | (thread & 31)),
        ("neg.s32 %r4, %r2; shr.s32 %r9, %r4, 5;", |thread| if thread % 32 == 0 { 0 } else { !0 }),
        ("sub.u32 %r4, %r1, 64; shr.s32 %r9, %r4, 5;", |thread| (thread / 32).wrapping_sub(2)),
    ];
    for (body, expected) in cases {
        let expected: Vec<u64> = (0..THREADS).map(|thread| expected(thread).into()).collect();
        for (engine, found) in words(body, false) {
            assert!(found == expected, "{engine}: {body}");
        }
    }
}
