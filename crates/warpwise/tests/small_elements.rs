//! Several bytes or halves that a lane loads or stores at once (PTX ISA 9.1, `ld` and `st` with `.v2` and `.v4`), such as a pixel's: in rows,
//! at distances and anywhere, by all lanes and by some, every engine extends what it loads, and stores the low bits.

use std::fmt::Write as _;
use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 96;
/// Elements of a lane, from one lane to the next, at most: three times four.
const MOST: u32 = 12;

/// The element at which a thread begins, in units of what it accesses.
type Place = fn(u32) -> u32;

/// Such places in PTX, and as functions.
const PLACES: [(&str, Place); 4] = [
    ("mov.u32 %r9, %r1;", |t| t),
    ("mul.lo.u32 %r9, %r1, 3;", |t| 3 * t),
    ("sub.u32 %r9, 95, %r1;", |t| 95 - t),
    ("mul.lo.u32 %r9, %r1, 37; rem.u32 %r9, %r9, 96;", |t| t * 37 % 96),
];

/// Whether a thread is meant.
type Meant = fn(u32) -> bool;

/// Which threads do it, in PTX and as functions.
const MEANT: [(&str, Meant); 3] = [
    ("setp.lt.u32 %p1, %r1, 96;", |_| true),
    ("rem.u32 %r10, %r1, 3; setp.ne.u32 %p1, %r10, 1;", |t| t % 3 != 1),
    ("setp.lt.u32 %p1, %r1, 41;", |t| t < 41),
];

#[derive(Clone, Copy, Debug)]
struct Elements {
    bits: u32,
    signed: bool,
    count: u32,
}

impl Elements {
    fn bytes(self) -> u32 {
        self.bits / 8 * self.count
    }

    /// An element of a buffer, extended.
    fn of(self, buffer: &[u8], nth: usize) -> u32 {
        let size = self.bits as usize / 8;
        let own = &buffer[nth * size..][..size];
        let value = own.iter().rev().fold(0u32, |all, byte| all << 8 | u32::from(*byte));
        let up = 32 - self.bits;
        if self.signed { ((value << up).cast_signed() >> up).cast_unsigned() } else { value }
    }
}

/// A kernel that takes elements through shared memory, adds their numbers and more, and leaves the sums, and what it has loaded as words.
fn text(elements: Elements, place: &str, meant: &str) -> String {
    let Elements { bits, signed, count } = elements;
    let bytes = elements.bytes();
    let kind = format!("v{count}.{}{bits}", if signed { 's' } else { 'u' });
    let list = |name: &str| {
        let all: Vec<String> = (0..count).map(|nth| format!("%{name}{nth}")).collect();
        all.join(", ")
    };
    let mut rest = String::new();
    for nth in 0..count {
        _ = writeln!(rest, "st.global.u32 [%rd6+{}], %w{nth};", 4 * nth);
        _ = writeln!(rest, "mad.lo.u32 %w{nth}, %w{nth}, 3, 0x{:x};", 0x1_0071 * (nth + 1));
    }
    format!(
        "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 words)
    {{
        .reg .pred %p<4>;
        .reg .b32 %r<12>;
        .reg .b32 %v<4>;
        .reg .b32 %w<4>;
        .reg .b64 %rd<8>;
        .shared .align 16 .b8 window[{}];
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [out];
        ld.param.u64 %rd3, [words];
        mov.u32 %r1, %tid.x;
        {place}
        {meant}
        @!%p1 bra DONE;
        mul.lo.u32 %r3, %r9, {bytes};
        cvt.u64.u32 %rd4, %r3;
        add.u64 %rd1, %rd1, %rd4;
        add.u64 %rd2, %rd2, %rd4;
        mul.wide.u32 %rd5, %r1, 16;
        add.u64 %rd6, %rd3, %rd5;
        mov.u32 %r4, window;
        add.u32 %r4, %r4, %r3;
        ld.global.{kind} {{{}}}, [%rd1];
        st.shared.{kind} [%r4], {{{}}};
        ld.shared.{kind} {{{}}}, [%r4];
        {rest}
        st.global.{kind} [%rd2], {{{}}};
    DONE:
        ret;
    }}
",
        THREADS * MOST * bits / 8,
        list("v"),
        list("v"),
        list("w"),
        list("w"),
    )
}

#[test]
fn small_elements_are_moved_and_extended() {
    let all = [(8, false), (8, true), (16, false), (16, true)]
        .into_iter()
        .flat_map(|(bits, signed)| [2, 4].map(|count| Elements { bits, signed, count }));
    for elements in all {
        for ((place, at), (meant, is_meant)) in
            PLACES.iter().flat_map(|place| MEANT.iter().map(move |meant| (place, meant)))
        {
            let module = Module::from_ptx("small.ptx", text(elements, place, meant));
            let module = module.expect("it is legal");
            let kernel = module.kernel("k").expect("it lowers");
            let room = (THREADS * MOST * elements.bits / 8) as usize;
            let input: Vec<u8> = (0..room).map(|nth| (nth * 89 + nth / 256 + 7) as u8).collect();
            let mut output = vec![0xa5u8; room];
            let mut words = vec![9u32; 4 * THREADS as usize];
            for t in (0..THREADS).filter(|t| is_meant(*t)) {
                for nth in 0..elements.count {
                    let place = (at(t) * elements.count + nth) as usize;
                    let value = elements.of(&input, place);
                    words[(4 * t + nth) as usize] = value;
                    let sum = value.wrapping_mul(3).wrapping_add(0x1_0071 * (nth + 1));
                    let size = elements.bits as usize / 8;
                    output[place * size..][..size].copy_from_slice(&sum.to_le_bytes()[..size]);
                }
            }
            for engine in EngineChoice::available() {
                let device = Device::new().expect("address space");
                let [from, to] =
                    [&input, &vec![0xa5u8; room]].map(|bytes| device.upload(bytes).expect("room"));
                let loaded = device.upload(&vec![9u32; words.len()]).expect("room");
                let config = LaunchConfig { engine, ..LaunchConfig::new(1, THREADS) };
                let args = [from.into(), to.into(), loaded.into()];
                kernel.launch(&device, &config, &args).expect("no fault");
                let what = format!("{engine}, {elements:?}, {place} {meant}");
                assert_eq!(device.download::<u32>(loaded).expect("it is there"), words, "{what}");
                assert_eq!(device.download::<u8>(to).expect("it is there"), output, "{what}");
            }
        }
    }
}
