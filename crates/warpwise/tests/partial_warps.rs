//! CTAs whose last warp has fewer lanes than a warp (PTX ISA 9.1, "Thread hierarchy"; `%tid`, `vote.sync`, `shfl.sync`): lanes that are not
//! there access nothing, are not counted, and take no part in collectives, on every engine.

use warpwise::{Device, EngineChoice, LaunchConfig, Module, Stats};

const BLOCKS: [[u32; 3]; 12] = [
    [1, 1, 1],
    [3, 1, 1],
    [16, 1, 1],
    [8, 2, 1],
    [33, 1, 1],
    [7, 5, 3],
    [16, 3, 1],
    [20, 12, 1],
    [100, 1, 1],
    [4, 4, 3],
    [16, 9, 1],
    [1000, 1, 1],
];
const CTAS: u32 = 3;
/// Words that a thread leaves.
const WORDS: usize = 10;

/// Votes, and on what: whether a thread's number is below 1000, whether it is not, and whether it is odd.
const VOTES: [(&str, &str); 6] = [
    ("all", "%p5"),
    ("all", "%p4"),
    ("any", "%p4"),
    ("uni", "%p4"),
    ("uni", "%p6"),
    ("any", "%p6"),
];

/// The kernel, with a bit of a sum for each vote.
fn text() -> String {
    let votes = VOTES.iter().enumerate().map(|(nth, (mode, on))| {
        format!(
            "
    vote.sync.{mode}.pred %p7, {on}, 0xffffffff;
    selp.u32 %r32, {}, 0, %p7;
    add.u32 %r31, %r31, %r32;",
            1 << nth
        )
    });
    TEXT.replace("VOTES", &votes.collect::<String>())
}

/// Buffers are as large as the threads need, to the byte.
const TEXT: &str = "
.version 7.8
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 words[];
.visible .entry k(.param .u64 in, .param .u64 bytes, .param .u64 out, .param .u64 total)
{
    .reg .pred %p<8>;
    .reg .b32 %r<40>;
    .reg .b64 %rd<12>;
    .shared .b32 sum;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [bytes];
    ld.param.u64 %rd3, [out];
    ld.param.u64 %rd4, [total];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %tid.z;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %ntid.y;
    mov.u32 %r6, %ntid.z;
    mad.lo.u32 %r7, %r3, %r5, %r2;
    mad.lo.u32 %r7, %r7, %r4, %r1;
    mul.lo.u32 %r8, %r4, %r5;
    mul.lo.u32 %r8, %r8, %r6;
    mov.u32 %r9, %ctaid.x;
    mad.lo.u32 %r10, %r9, %r8, %r7;

    // A row, backwards, through shared memory.
    mul.wide.u32 %rd5, %r10, 4;
    add.u64 %rd6, %rd1, %rd5;
    ld.global.u32 %r11, [%rd6];
    shl.b32 %r12, %r7, 2;
    mov.u32 %r13, words;
    add.u32 %r14, %r13, %r12;
    st.shared.u32 [%r14], %r11;
    setp.eq.u32 %p1, %r7, 0;
    @%p1 st.shared.u32 [sum], 0;
    bar.sync 0;
    sub.u32 %r15, %r8, %r7;
    sub.u32 %r15, %r15, 1;
    shl.b32 %r15, %r15, 2;
    add.u32 %r15, %r13, %r15;
    ld.shared.u32 %r16, [%r15];

    // Bytes, and every other word.
    cvt.u64.u32 %rd7, %r10;
    add.u64 %rd7, %rd2, %rd7;
    ld.global.u8 %r17, [%rd7];
    shr.u32 %r18, %r10, 1;
    shl.b32 %r18, %r18, 1;
    mul.wide.u32 %rd8, %r18, 4;
    add.u64 %rd8, %rd1, %rd8;
    ld.global.u32 %r19, [%rd8];

    // Lanes part in a loop, and meet at its barrier.
    mov.u32 %r20, 0;
    mov.u32 %r21, 0;
again:
    add.u32 %r22, %r7, %r21;
    rem.u32 %r22, %r22, 3;
    setp.ne.u32 %p2, %r22, 0;
    @%p2 bra other;
    add.u32 %r20, %r20, 10;
    atom.shared.add.u32 %r23, [sum], 1;
    bra meet;
other:
    add.u32 %r20, %r20, 1;
meet:
    bar.sync 0;
    add.u32 %r21, %r21, 1;
    setp.lt.u32 %p3, %r21, 4;
    @%p3 bra again;
    ld.shared.u32 %r24, [sum];

    // Whoever is there.
    and.b32 %r25, %r7, 1;
    setp.ne.u32 %p4, %r25, 0;
    activemask.b32 %r26;
    vote.sync.ballot.b32 %r27, %p4, %r26;
    mov.u32 %r28, %laneid;
    max.u32 %r29, %r28, 1;
    sub.u32 %r29, %r29, 1;
    shfl.sync.idx.b32 %r30, %r10, %r29, 31, %r26;

    // The same, of those that the membermask names and that are there.
    bar.warp.sync 0xffffffff;
    mov.u32 %r31, 0;
    setp.lt.u32 %p5, %r7, 1000;
    not.pred %p6, %p5;
VOTES
    not.pred %p6, %p4;
    vote.sync.ballot.b32 %r33, %p6, 0xffffffff;

    // Some lanes, to one place.
    setp.lt.u32 %p5, %r7, 5;
    @!%p5 bra done;
    red.global.add.u32 [%rd4], %r11;
done:
    mul.wide.u32 %rd9, %r10, 40;
    add.u64 %rd9, %rd3, %rd9;
    st.global.v2.u32 [%rd9], {%r16, %r17};
    st.global.v2.u32 [%rd9+8], {%r19, %r20};
    st.global.u32 [%rd9+16], %r24;
    st.global.u32 [%rd9+20], %r26;
    st.global.u32 [%rd9+24], %r27;
    st.global.u32 [%rd9+28], %r30;
    st.global.u32 [%rd9+32], %r31;
    st.global.u32 [%rd9+36], %r33;
    ret;
}
";

/// What a thread is to leave.
fn expected(thread: u32, threads: u32, input: &[u32], bytes: &[u8]) -> [u32; WORDS] {
    let (cta, t) = (thread / threads, thread % threads);
    let added = |t: u32| (0..4).map(|k| if (t + k).is_multiple_of(3) { 10 } else { 1 }).sum();
    let sum =
        (0..threads).map(|t| (0..4).filter(|k| (t + k).is_multiple_of(3)).count() as u32).sum();
    let lanes = (threads - t / 32 * 32).min(32);
    let there = u32::MAX >> (32 - lanes);
    [
        input[(cta * threads + threads - 1 - t) as usize],
        bytes[thread as usize].into(),
        input[(thread / 2 * 2) as usize],
        added(t),
        sum,
        there,
        // Threads with odd numbers are lanes with odd numbers.
        there & 0xaaaa_aaaa,
        if t.is_multiple_of(32) { thread } else { thread - 1 },
        // All are below 1000 and none is not; of one lane, none is odd.
        1 + 16 + if lanes == 1 { 8 } else { 4 },
        there & 0x5555_5555,
    ]
}

/// Runs a kernel. The result is what threads leave, the total, and what was counted.
fn run(
    text: &str,
    block: [u32; 3],
    engine: EngineChoice,
) -> Result<(Vec<u32>, u32, Stats), String> {
    let module = Module::from_ptx("partial.ptx", text).expect("it is legal");
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("address space");
    let threads: u32 = block.iter().product();
    let all = (CTAS * threads) as usize;
    let (input, bytes) = given(all);
    let input = device.upload(&input).expect("room");
    let bytes = device.upload(&bytes).expect("room");
    let out = device.upload(&vec![0u32; all * WORDS]).expect("room");
    let total = device.upload(&[0u32]).expect("room");
    let args = [input.into(), bytes.into(), out.into(), total.into()];
    let config = LaunchConfig {
        engine,
        dynamic_shared: 4 * threads,
        threads: 1,
        ..LaunchConfig::new(CTAS, block)
    };
    let report = kernel.launch(&device, &config, &args).map_err(|error| error.to_string())?;
    let found = device.download(out).expect("it is there");
    Ok((found, device.download::<u32>(total).expect("it is there")[0], report.stats))
}

fn given(all: usize) -> (Vec<u32>, Vec<u8>) {
    let input = (0..all as u32).map(|nth| nth.wrapping_mul(2_654_435_761)).collect();
    (input, (0..all).map(|nth| (nth * 7 + 3) as u8).collect())
}

#[test]
fn lanes_that_are_not_there_do_nothing() {
    for block in BLOCKS {
        let threads: u32 = block.iter().product();
        let all = CTAS * threads;
        let (input, bytes) = given(all as usize);
        let first = |cta: u32| (0..threads.min(5)).map(move |t| (cta * threads + t) as usize);
        let total = (0..CTAS).flat_map(first).fold(0, |sum: u32, nth| sum.wrapping_add(input[nth]));
        let mut counted = None;
        for engine in EngineChoice::available() {
            let (found, added, stats) = run(&text(), block, engine).expect("no fault");
            for (thread, found) in (0..all).zip(found.chunks_exact(WORDS)) {
                let expected = expected(thread, threads, &input, &bytes);
                assert_eq!(found, expected, "{engine}, {block:?}, thread {thread}");
            }
            assert_eq!(added, total, "{engine}, {block:?}");
            let counts = (stats.warp_instructions, stats.thread_instructions, stats.divergences);
            assert_eq!(*counted.get_or_insert(counts), counts, "{engine}, {block:?}");
        }
    }
}

#[test]
fn a_lane_that_is_there_is_blamed() {
    // The last thread reads what lies behind the row.
    let text = text().replace("ld.global.u32 %r11, [%rd6];", "ld.global.u32 %r11, [%rd6+4];");
    for block in BLOCKS {
        let mut told = None;
        for engine in EngineChoice::available() {
            let error = run(&text, block, engine).expect_err("a fault");
            assert_eq!(*told.get_or_insert(error.clone()), error, "{engine}, {block:?}");
        }
    }
}
