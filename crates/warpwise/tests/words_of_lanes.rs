//! Words that each lane loads or stores one after the other, in whatever order: every engine moves what each instruction names, and nothing
//! beside it.

use std::fmt::Write as _;
use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 128;

/// Words of a lane, in the order in which they are accessed, and words from lane to lane.
struct Layout {
    places: Vec<u32>,
    step: u32,
}

fn layouts() -> Vec<Layout> {
    let mut all = Vec::new();
    for count in [4, 5, 7, 8, 9, 12, 15, 16, 17, 21] {
        for step in [count, count + 1, count + 3, 2 * count] {
            all.push(Layout { places: (0..count).collect(), step });
        }
        all.push(Layout { places: (0..count).rev().collect(), step: count });
        // Every lane leaves out some, and they come in no order.
        let places = (0..count).filter(|nth| nth % 5 != 3).map(|nth| nth * 13 % count);
        all.push(Layout { places: places.collect(), step: count });
    }
    // Lanes that load what others load, too.
    all.push(Layout { places: (0..12).collect(), step: 5 });
    all.push(Layout { places: (0..9).collect(), step: 2 });
    all
}

/// A kernel that loads words of each lane, in `space`, and stores what it makes of them to the same places of `out` and their sum to `sums`.
fn text(layout: &Layout, space: &str, stores: &str) -> String {
    let Layout { places, step } = layout;
    let (mut loads, mut values, mut puts) = (String::new(), String::new(), String::new());
    let bytes = 4 * THREADS * step + 64;
    for (nth, place) in places.iter().enumerate() {
        let offset = 4 * place;
        let address = if space == "shared" { "%r2" } else { "%rd4" };
        _ = writeln!(loads, "ld.{space}.u32 %v{nth}, [{address}+{offset}];");
        _ = writeln!(values, "add.u32 %r4, %r4, %v{nth}; mad.lo.u32 %w{nth}, %v{nth}, 3, {nth};");
        let value = match nth % 7 {
            // The same value at two places and in another register, one that is needed later, one that all lanes have, and a constant.
            2 => "%w1".to_owned(),
            6 => "%w23".to_owned(),
            3 => "%r4".to_owned(),
            4 => "%r5".to_owned(),
            5 => "77".to_owned(),
            _ => format!("%w{nth}"),
        };
        let address = if stores == "shared" { "%r3" } else { "%rd5" };
        _ = writeln!(puts, "st.{stores}.u32 [{address}+{offset}], {value};");
    }
    format!(
        "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sums)
    {{
        .reg .pred %p<4>;
        .reg .b32 %r<12>;
        .reg .b32 %v<24>;
        .reg .b32 %w<24>;
        .reg .b64 %rd<16>;
        .shared .align 16 .b8 from[{bytes}];
        .shared .align 16 .b8 to[{bytes}];
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [out];
        ld.param.u64 %rd3, [sums];
        mov.u32 %r1, %tid.x;
        mov.u32 %r5, %ctaid.x;
        mul.lo.u32 %r6, %r1, {lane_bytes};
        mul.wide.u32 %rd6, %r1, {lane_bytes};
        add.u64 %rd4, %rd1, %rd6;
        add.u64 %rd5, %rd2, %rd6;
        mov.u32 %r7, from;
        add.u32 %r2, %r7, %r6;
        mov.u32 %r8, to;
        add.u32 %r3, %r8, %r6;
        // All threads copy both buffers to shared memory.
        mov.u32 %r9, %r1;
    COPY:
        shl.b32 %r10, %r9, 2;
        cvt.u64.u32 %rd7, %r10;
        add.u64 %rd8, %rd1, %rd7;
        add.u64 %rd9, %rd2, %rd7;
        ld.global.u32 %r11, [%rd8];
        add.u32 %r4, %r7, %r10;
        st.shared.u32 [%r4], %r11;
        ld.global.u32 %r11, [%rd9];
        add.u32 %r4, %r8, %r10;
        st.shared.u32 [%r4], %r11;
        add.u32 %r9, %r9, {THREADS};
        setp.lt.u32 %p0, %r9, {words};
        @%p0 bra COPY;
        bar.sync 0;
        mov.u32 %r4, 0;
        {loads}
        {values}
        bar.sync 0;
        add.u32 %w1, %w1, 0;
        mov.u32 %w23, %w1;
        setp.eq.u32 %p2, %r5, 12345;
        @%p2 bra PUT;
        xor.b32 %r11, %r11, 1;
    PUT:
        {puts}
        bar.sync 0;
        mul.wide.u32 %rd7, %r1, 4;
        add.u64 %rd7, %rd3, %rd7;
        add.u32 %r4, %r4, %w1;
        st.global.u32 [%rd7], %r4;
        setp.eq.u32 %p1, {is_shared}, 0;
        @%p1 bra DONE;
        mov.u32 %r9, %r1;
    BACK:
        shl.b32 %r10, %r9, 2;
        cvt.u64.u32 %rd7, %r10;
        add.u64 %rd9, %rd2, %rd7;
        add.u32 %r4, %r8, %r10;
        ld.shared.u32 %r11, [%r4];
        st.global.u32 [%rd9], %r11;
        add.u32 %r9, %r9, {THREADS};
        setp.lt.u32 %p0, %r9, {words};
        @%p0 bra BACK;
    DONE:
        ret;
    }}",
        lane_bytes = 4 * step,
        words = words(layout),
        is_shared = u32::from(stores == "shared"),
    )
}

/// Words of a buffer: as many as lanes name.
fn words(layout: &Layout) -> u32 {
    let last = layout.places.iter().max().copied().unwrap_or(0);
    ((THREADS - 1) * layout.step + last + 1).max(THREADS)
}

/// What the kernel leaves in `out` and in `sums`.
fn expected(layout: &Layout, given: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut out: Vec<u32> = given.iter().map(|word| !word).collect();
    let mut sums = Vec::new();
    for thread in 0..THREADS {
        let loaded: Vec<u32> = layout
            .places
            .iter()
            .map(|place| given[(thread * layout.step + place) as usize])
            .collect();
        let sum = loaded.iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
        let made = |nth: usize| loaded[nth].wrapping_mul(3).wrapping_add(nth as u32);
        for (nth, place) in layout.places.iter().enumerate() {
            out[(thread * layout.step + place) as usize] = match nth % 7 {
                2 | 6 => made(1),
                3 => sum,
                4 => 0,
                5 => 77,
                _ => made(nth),
            };
        }
        sums.push(sum.wrapping_add(made(1)));
    }
    (out, sums)
}

#[test]
fn words_go_and_come_in_any_order() {
    for layout in layouts() {
        let extent = layout.places.iter().max().copied().unwrap_or(0) + 1;
        let overlap = layout.step < extent;
        let given: Vec<u32> =
            (0..words(&layout)).map(|nth| nth.wrapping_mul(2_654_435_761) ^ nth >> 3).collect();
        let (out, sums) = expected(&layout, &given);
        for (space, stores) in [("shared", "global"), ("global", "shared"), ("shared", "shared")] {
            let text = text(&layout, space, stores);
            let module = Module::from_ptx("words.ptx", text).expect("it is legal");
            let kernel = module.kernel("k").expect("it lowers");
            for engine in EngineChoice::available() {
                let device = Device::new().expect("address space");
                let before: Vec<u32> = given.iter().map(|word| !word).collect();
                let from = device.upload(&given).expect("space");
                let to = device.upload(&before).expect("space");
                let sums_to = device.upload(&vec![0u32; THREADS as usize]).expect("space");
                let config = LaunchConfig { engine, ..LaunchConfig::new(1, THREADS) };
                let args = [from.into(), to.into(), sums_to.into()];
                kernel.launch(&device, &config, &args).expect("it runs");
                let what = format!(
                    "{:?} of {} words, {space} to {stores}, {engine}",
                    layout.places, layout.step
                );
                assert_eq!(device.download::<u32>(sums_to).expect("words"), sums, "{what}");
                // Of lanes that store to each other's words, the order of instructions says who is last, and then of lanes.
                if !overlap {
                    assert_eq!(device.download::<u32>(to).expect("words"), out, "{what}");
                }
            }
        }
    }
}
