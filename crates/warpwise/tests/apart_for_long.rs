//! Lanes that are apart for more than a turn, in loops of thousands of iterations, on every engine: machine code is left while they are and
//! entered again. Expected values are those that each thread computes by itself (PTX ISA 9.1: registers belong to a thread).

use Given::{Values, Word};
use warpwise::{Arg, Device, EngineChoice, Error, FaultKind, LaunchConfig, Module};

const THREADS: u32 = 96;
/// Iterations that no turn has.
const LONG: u32 = 40_000;

/// Runs a kernel whose threads leave a word each, by each engine, and compares.
fn expect(body: &str, word: impl Fn(u32) -> u32) {
    let expected: Vec<u32> = (0..THREADS).map(word).collect();
    let text = format!(
        "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 out, .param .u64 in, .param .u32 long)
    {{
        .reg .pred %p<8>;
        .reg .b32 %r<20>;
        .reg .b64 %rd<16>;
        .shared .align 8 .b8 flags[512];
        ld.param.u64 %rd1, [out];
        ld.param.u64 %rd2, [in];
        ld.param.u32 %r2, [long];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 4;
        add.u64 %rd4, %rd1, %rd3;
        and.b32 %r10, %r1, 31;
        {body}
        st.global.u32 [%rd4], %r5;
        ret;
    }}"
    );
    let table: Vec<u32> = (0..LONG).map(|nth| nth ^ nth << 7).collect();
    expect_words(&text, (1, THREADS), &[Values(&table), Word(LONG)], &expected);
}

/// What a kernel is given behind the place of its results.
enum Given<'a> {
    Values(&'a [u32]),
    Word(u32),
}

/// Launches a kernel of these extents by each engine. The results are so many words that it leaves.
fn by_each_engine(
    text: &str,
    (grid, block): (u32, u32),
    given: &[Given<'_>],
    words: usize,
) -> Vec<(EngineChoice, Result<Vec<u32>, Error>)> {
    let module = Module::from_ptx("apart.ptx", text).expect("it is legal");
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("address space");
    let given: Vec<Arg> = given
        .iter()
        .map(|given| match given {
            Values(values) => device.upload(values).expect("space").into(),
            Word(word) => (*word).into(),
        })
        .collect();
    let run = |engine| {
        let out = device.upload(&vec![0u32; words]).expect("space");
        let config = LaunchConfig { engine, threads: 1, ..LaunchConfig::new(grid, block) };
        let args: Vec<Arg> = [out.into()].into_iter().chain(given.iter().cloned()).collect();
        let ran = kernel.launch(&device, &config, &args);
        (engine, ran.map(|_| device.download(out).expect("there")))
    };
    EngineChoice::available().chain([EngineChoice::Auto]).map(run).collect()
}

/// The same, compared with the words that it should leave.
fn expect_words(text: &str, extents: (u32, u32), given: &[Given<'_>], expected: &[u32]) {
    for (engine, found) in by_each_engine(text, extents, given, expected.len()) {
        assert_eq!(found.expect("it runs"), expected, "by {engine}");
    }
}

fn step(number: u32) -> u32 {
    let number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    number ^ number >> 7
}

fn steps(number: u32, count: u32) -> u32 {
    (0..count).fold(number, |number, _| step(number))
}

/// `step` of `%r5`.
const STEP: &str = "
        mul.lo.u32 %r5, %r5, 1664525;
        add.u32 %r5, %r5, 1013904223;
        shr.u32 %r6, %r5, 7;
        xor.b32 %r5, %r5, %r6;";

/// Odd lanes go round, even ones wait behind the loop, and all need what was the same, or followed from lane to lane, before.
#[test]
fn half_the_lanes_compute() {
    let body = format!(
        "
        and.b32 %r3, %r1, 1;
        mul.lo.u32 %r3, %r3, %r2;
        mov.u32 %r5, %r1;
        mov.u32 %r4, 0;
        // The same in all lanes, and in slices of eight.
        add.u32 %r7, %r2, 11;
        shr.u32 %r8, %r1, 3;
        setp.gt.u32 %p2, %r2, 5;
        setp.gt.u32 %p3, %r10, 20;
    again:{STEP}
        add.u32 %r4, %r4, 1;
        setp.lt.u32 %p1, %r4, %r3;
        @%p1 bra again;
        add.u32 %r5, %r5, %r7;
        add.u32 %r5, %r5, %r8;
        @%p2 add.u32 %r5, %r5, 1;
        @%p3 add.u32 %r5, %r5, 2;"
    );
    expect(&body, |thread| {
        let count = if thread % 2 == 1 { LONG } else { 1 };
        let late = if thread % 32 > 20 { 2 } else { 0 };
        steps(thread, count).wrapping_add(LONG + 11 + thread / 8 + 1 + late)
    });
}

/// A loop within a loop, each of a number of its own for each lane: lanes wait behind either, and by threads of a warp that are done.
#[test]
fn a_loop_within_a_loop() {
    let body = format!(
        "
        mov.u32 %r5, %r1;
        setp.ge.u32 %p4, %r10, 30;
        @%p4 bra done;
        and.b32 %r3, %r1, 3;
        mov.u32 %r4, 0;
        mov.u32 %r11, 0;
    outer:
        // One lane in eight goes round the inner loop for long.
        and.b32 %r7, %r1, 7;
        setp.eq.u32 %p2, %r7, 5;
        selp.u32 %r8, %r2, 3, %p2;
        mov.u32 %r9, 0;
    inner:{STEP}
        add.u32 %r9, %r9, 1;
        setp.lt.u32 %p1, %r9, %r8;
        @%p1 bra inner;
        add.u32 %r11, %r11, %r9;
        add.u32 %r4, %r4, 1;
        setp.le.u32 %p3, %r4, %r3;
        @%p3 bra outer;
        add.u32 %r5, %r5, %r11;
    done:"
    );
    expect(&body, |thread| {
        if thread % 32 >= 30 {
            return thread;
        }
        let (outer, inner) = (thread % 4 + 1, if thread % 8 == 5 { LONG } else { 3 });
        (0..outer).fold(thread, |number, _| steps(number, inner)).wrapping_add(outer * inner)
    });
}

/// One thread adds up what is in memory, the others wait at a barrier for what it has found; some have exited.
#[test]
fn one_thread_reads_for_all() {
    let body = "
        setp.ge.u32 %p2, %r1, 90;
        mov.u32 %r5, 7;
        @%p2 bra end;
        setp.ne.u32 %p1, %r1, 0;
        @%p1 bra wait;
        mov.u32 %r4, 0;
        mov.u32 %r5, 0;
        mov.u64 %rd5, %rd2;
    next:
        ld.global.u32 %r6, [%rd5];
        mad.lo.u32 %r5, %r5, 5, %r6;
        add.u64 %rd5, %rd5, 4;
        add.u32 %r4, %r4, 1;
        setp.lt.u32 %p3, %r4, %r2;
        @%p3 bra next;
        st.shared.u32 [flags], %r5;
    wait:
        bar.sync 0;
        ld.shared.u32 %r5, [flags];
        add.u32 %r5, %r5, %r1;
    end:";
    // Exited threads are not waited for.
    let body = body.replace("@%p2 bra end;", "@%p2 bra exits;");
    let body = body.replace(
        "end:",
        "bra.uni end;
    exits:
        st.global.u32 [%rd4], %r5;
        ret;
    end:",
    );
    let sum = (0..LONG).fold(0u32, |sum, nth| sum.wrapping_mul(5).wrapping_add(nth ^ nth << 7));
    expect(&body, |thread| if thread >= 90 { 7 } else { sum.wrapping_add(thread) });
}

/// A lane spins until another one of its warp has told it something, which stands behind the loop and computes for long before it does.
#[test]
fn who_spins_lets_others_compute() {
    let body = format!(
        "
        mov.u32 %r5, %r1;
        shr.u32 %r3, %r1, 5;
        shl.b32 %r3, %r3, 2;
        mov.u32 %r4, flags;
        add.u32 %r3, %r3, %r4;
        setp.ne.u32 %p1, %r10, 0;
        @%p1 bra tells;
    spins:
        ld.volatile.shared.u32 %r6, [%r3];
        setp.eq.u32 %p2, %r6, 0;
        @%p2 bra spins;
        mov.u32 %r5, %r6;
        bra.uni both;
    tells:
        mov.u32 %r9, 0;
    again:{STEP}
        add.u32 %r9, %r9, 1;
        setp.lt.u32 %p3, %r9, %r2;
        @%p3 bra again;
        or.b32 %r5, %r5, 1;
        setp.eq.u32 %p4, %r10, 9;
        @%p4 st.volatile.shared.u32 [%r3], %r5;
    both:"
    );
    let told = |thread: u32| steps(thread, LONG) | 1;
    expect(&body, |thread| if thread.is_multiple_of(32) { told(thread + 9) } else { told(thread) });
}

/// Lanes are apart in a loop with a collective, which is interpreted in between, and compute what is the same in all threads of a CTA, but not
/// of another one: those that wait behind the loop have it, too.
#[test]
fn what_a_cta_has_in_common() {
    const GRID: u32 = 3;
    let text = "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 out, .param .u32 long)
    {
        .reg .pred %p<4>;
        .reg .b32 %r<16>;
        .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [out];
        ld.param.u32 %r2, [long];
        mov.u32 %r1, %tid.x;
        mov.u32 %r3, %ctaid.x;
        mov.u32 %r11, %nctaid.x;
        mad.lo.u32 %r12, %r11, 5, %r3;
        mad.lo.u32 %r4, %r3, 32, %r1;
        mul.wide.u32 %rd2, %r4, 4;
        add.u64 %rd3, %rd1, %rd2;
        and.b32 %r5, %r1, 3;
        mul.lo.u32 %r5, %r5, %r2;
        mov.u32 %r6, 0;
        mov.u32 %r7, 0xffffffff;
        setp.eq.u32 %p2, %r1, 9;
    again:
        vote.sync.ballot.b32 %r8, %p2, %r7;
        mov.u32 %r9, %r12;
        add.u32 %r6, %r6, 1;
        setp.lt.u32 %p1, %r6, %r5;
        vote.sync.ballot.b32 %r10, %p1, %r7;
        mov.u32 %r7, %r10;
        @%p1 bra again;
        add.u32 %r9, %r9, %r6;
        st.global.u32 [%rd3], %r9;
        ret;
    }";
    let times = |lane: u32| (lane % 4 * (LONG / 2)).max(1);
    let word = |nth: u32| 5 * GRID + nth / 32 + times(nth % 32);
    let expected: Vec<u32> = (0..32 * GRID).map(word).collect();
    expect_words(text, (GRID, 32), &[Word(LONG / 2)], &expected);
}

/// A loop that computes without end does not keep another lane of its warp from a fault.
#[test]
fn who_computes_without_end_lets_others_fault() {
    let text = "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 out)
    {
        .reg .pred %p<4>;
        .reg .b32 %r<8>;
        .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [out];
        mov.u32 %r1, %tid.x;
        or.b32 %r2, %r1, 1;
        setp.ne.u32 %p1, %r1, 13;
        @%p1 bra again;
        mov.u64 %rd2, 64;
        ld.global.u32 %r2, [%rd2];
        bra done;
    again:
        // It stays odd.
        mad.lo.u32 %r2, %r2, 1664525, 2;
        setp.ne.u32 %p2, %r2, 0;
        @%p2 bra again;
    done:
        st.global.u32 [%rd1], %r2;
        ret;
    }";
    for (engine, found) in by_each_engine(text, (1, 32), &[], 1) {
        let stopped = found.expect_err("nothing is there");
        let Some(fault) = &stopped.failure().fault else {
            panic!("no fault by {engine}: {stopped}")
        };
        assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }), "{stopped} by {engine}");
        assert_eq!(fault.thread.lane, 13, "by {engine}");
    }
}

/// Warps come to a barrier from a loop that the one between them has not entered: it waits there, and must not go on before the last warp has
/// come, from another loop.
#[test]
fn who_waits_at_a_barrier_does_not_pass_it_with_others() {
    const BLOCK: u32 = 5 * 32;
    let text = "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 out, .param .u32 long)
    {
        .reg .pred %p<4>;
        .reg .b32 %r<16>;
        .reg .b64 %rd<4>;
        .shared .align 4 .b8 words[640];
        ld.param.u64 %rd1, [out];
        ld.param.u32 %r2, [long];
        mov.u32 %r1, %tid.x;
        mov.u32 %r5, %r1;
        shr.u32 %r3, %r1, 5;
        mov.u32 %r4, 0;
        // Somebody else than machine code passes this one.
        mov.u32 %r14, %ctaid.x;
        bar.sync %r14;
        setp.eq.u32 %p1, %r3, 1;
        @%p1 bra met;
        setp.gt.u32 %p1, %r3, 2;
        @%p1 bra longer;
    again:
        mad.lo.u32 %r5, %r5, 1664525, 1013904223;
        add.u32 %r4, %r4, 1;
        setp.lt.u32 %p2, %r4, %r2;
        @%p2 bra again;
        bra met;
    longer:
        mad.lo.u32 %r5, %r5, 5, 3;
        add.u32 %r4, %r4, 1;
        shr.u32 %r6, %r4, 2;
        setp.lt.u32 %p2, %r6, %r2;
        @%p2 bra longer;
    met:
        mul.lo.u32 %r7, %r1, 4;
        mov.u32 %r8, words;
        add.u32 %r9, %r8, %r7;
        st.shared.u32 [%r9], %r5;
        bar.sync 0;
        sub.u32 %r10, 636, %r7;
        add.u32 %r9, %r8, %r10;
        ld.shared.u32 %r11, [%r9];
        add.u32 %r11, %r11, 1;
        mul.wide.u32 %rd2, %r1, 4;
        add.u64 %rd3, %rd1, %rd2;
        red.global.add.u32 [%rd3], %r11;
        ret;
    }";
    let left = |thread: u32| {
        let (times, factor, term) = match thread / 32 {
            1 => (0, 1, 0),
            0 | 2 => (LONG, 1_664_525, 1_013_904_223),
            _ => (4 * LONG, 5, 3),
        };
        (0..times).fold(thread, |word: u32, _| word.wrapping_mul(factor).wrapping_add(term))
    };
    let expected: Vec<u32> =
        (0..BLOCK).map(|thread| left(BLOCK - 1 - thread).wrapping_add(1)).collect();
    expect_words(text, (1, BLOCK), &[Word(LONG)], &expected);
}
