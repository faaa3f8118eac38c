//! Lanes that have parted: what some of them change while others wait that need it, on every engine. Expected values are those that each
//! thread computes by itself (PTX ISA 9.1: registers belong to a thread).

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 64;

/// Runs a kernel whose threads leave one word each, by each engine, and compares.
fn expect(body: &str, word: impl Fn(u32) -> u32) {
    expect_words(body, &(0..THREADS).map(word).collect::<Vec<u32>>());
}

/// The same of a kernel that leaves these words.
fn expect_words(body: &str, expected: &[u32]) {
    let text = format!(
        "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 in, .param .u64 out)
    {{
        .reg .pred %p<8>;
        .reg .b32 %r<16>;
        .reg .b64 %rd<16>;
        .shared .align 8 .b8 tile[512];
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [out];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 4;
        add.u64 %rd4, %rd2, %rd3;
        add.u64 %rd6, %rd1, %rd3;
        ld.global.u32 %r1, [%rd6];
        sub.u32 %r1, %r1, 5;
        // The same in all lanes.
        ld.global.u32 %r3, [%rd1];
        {body}
        ret;
    }}"
    );
    let module = Module::from_ptx("parted.ptx", text).expect("it is legal");
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("address space");
    let table: Vec<u32> = (5..5 + 2 * THREADS).collect();
    let table = device.upload(&table).expect("space");
    for engine in EngineChoice::available() {
        let out = device.upload(&vec![0u32; expected.len()]).expect("space");
        let config = LaunchConfig { engine, ..LaunchConfig::new(1, THREADS) };
        kernel.launch(&device, &config, &[table.into(), out.into()]).expect("it runs");
        assert_eq!(device.download::<u32>(out).expect("there"), expected, "{engine:?}");
    }
}

/// Lanes go round a loop that changes a register, and those that wait on the other side of the branch need what it held before.
#[test]
fn a_loop_on_one_side_leaves_the_other_its_values() {
    let one = "
        add.u32 %r5, %r5, %r3;
        bra.uni both;";
    let other = "
    again:
        add.u32 %r5, %r5, %r3;
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p2, %r3, 9;
        @%p2 bra again;
        bra.uni both;";
    // Either side runs first.
    for (compare, [first, second]) in [("ge", [other, one]), ("lt", [one, other])] {
        let sides = format!(
            "
        setp.{compare}.u32 %p1, %r1, 7;
        mov.u32 %r5, 0;
        @%p1 bra second;
        {first}
    second:
        {second}
    both:
        st.global.u32 [%rd4], %r5;"
        );
        expect(&sides, |thread| if thread < 7 { 5 + 6 + 7 + 8 } else { 5 });
    }
}

/// The same, where lanes leave the loop in different rounds.
#[test]
fn lanes_that_leave_a_loop_keep_what_others_change() {
    let rounds = "
        and.b32 %r6, %r1, 3;
        mov.u32 %r5, 0;
        mov.u32 %r7, 0;
    again:
        add.u32 %r3, %r3, 1;
        setp.gt.u32 %p1, %r7, %r6;
        @%p1 bra left;
        add.u32 %r7, %r7, 1;
        add.u32 %r5, %r5, %r3;
        bra.uni again;
    left:
        mad.lo.u32 %r5, %r3, 1000, %r5;
        st.global.u32 [%rd4], %r5;";
    expect(rounds, |thread| {
        let rounds = (thread & 3) + 2;
        (5 + rounds) * 1000 + (1..rounds).map(|nth| 5 + nth).sum::<u32>()
    });
}

/// A loop behind a guard that holds for some lanes of a warp: pointers that it counts on, and what all need behind it.
#[test]
fn a_loop_behind_a_guard_counts_for_its_lanes_alone() {
    let guarded = "
        setp.ge.u32 %p1, %r1, 41;
        mov.u32 %r5, 0;
        mov.u32 %r7, 1;
        add.u64 %rd5, %rd1, %rd3;
        @%p1 bra over;
        mov.u32 %r6, 0;
    again:
        ld.global.u32 %r4, [%rd5];
        add.u32 %r5, %r5, %r4;
        add.u64 %rd5, %rd5, 8;
        add.u32 %r6, %r6, 1;
        add.u32 %r7, %r7, 2;
        setp.ne.u32 %p2, %r6, %r3;
        @%p2 bra again;
    over:
        mad.lo.u32 %r5, %r7, 100000, %r5;
        st.global.u32 [%rd4], %r5;";
    expect(guarded, |thread| match thread {
        0..41 => 1_100_000 + (0..5).map(|nth| 5 + thread + 2 * nth).sum::<u32>(),
        _ => 100_000,
    });
}

/// Lanes behind a guard store elements that lie one after the other. Those of the other lanes stay, also where they would lie before or
/// behind all memory that there is.
#[test]
fn stores_behind_a_guard_leave_the_rest() {
    for (kind, bytes, value) in [("u32", 4u32, "%r5"), ("u64", 8, "%rd7")] {
        for (from, to) in [(0, 64), (1, 63), (5, 6), (30, 34), (33, 41), (64, 64)] {
            // The first of these lanes stores at the beginning, or the last one at the end.
            for shift in [i64::from(from), i64::from(to) - i64::from(THREADS)] {
                let body = format!(
                    "
        mov.u32 %r2, %tid.x;
        mad.lo.u32 %r5, %r2, %r3, 1;
        cvt.u64.u32 %rd7, %r5;
        sub.u32 %r4, %r1, {from};
        setp.ge.u32 %p1, %r4, {count};
        mul.wide.u32 %rd5, %r2, {bytes};
        add.u64 %rd5, %rd2, %rd5;
        mov.u32 %r6, tile;
        mad.lo.u32 %r9, %r2, 8, %r6;
        mad.lo.u32 %r6, %r2, {bytes}, %r6;
        mov.u64 %rd8, 0;
        st.shared.u64 [%r9], %rd8;
        bar.sync 0;
        @%p1 bra over;
        st.global.{kind} [%rd5+{back}], {value};
        st.shared.{kind} [%r6], {value};
    over:
        bar.sync 0;
        mov.u32 %r6, tile;
        mad.lo.u32 %r6, %r2, {bytes}, %r6;
        ld.shared.u32 %r7, [%r6];
        st.global.u32 [%rd4+{behind}], %r7;",
                    count = to - from,
                    back = -shift * i64::from(bytes),
                    behind = THREADS * bytes,
                );
                let stored = |lane: i64| match u32::try_from(lane) {
                    Ok(lane) if (from..to).contains(&lane) => 5 * lane + 1,
                    _ => 0,
                };
                let words = bytes / 4;
                let mut expected = vec![0; (THREADS * (words + 1)) as usize];
                for (nth, word) in (0..THREADS).zip(expected.iter_mut().step_by(words as usize)) {
                    *word = stored(i64::from(nth) + shift);
                }
                for (lane, word) in expected[(THREADS * words) as usize..].iter_mut().enumerate() {
                    *word = stored(lane as i64);
                }
                expect_words(&body, &expected);
            }
        }
    }
}
