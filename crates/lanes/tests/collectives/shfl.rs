//! Shuffle against the manual's text, over every operand value that means something.

use warpwise_lanes::shfl::{permute, source_lane, source_lanes};
use warpwise_lanes::{LANE_IDS, Lanes, ShflMode, splat};

use crate::pseudo::{Interface, Program, compile};

const TEXT: &str = include_str!("shfl.pseudo");

/// The bits of `b` and `c` that the manual does not mention.
const UNUSED_B: u32 = !0x1f;
const UNUSED_C: u32 = !0x1f1f;

/// `c` from 5 bits of clamp and 5 bits of segment mask, counted from 0 to 1,023.
fn packed(c: u32) -> u32 {
    c & 31 | (c >> 5 & 31) << 8
}

/// The manual's text, ready to evaluate one thread of a shuffle.
struct Manual {
    program: Program,
    d: usize,
    p: usize,
    values: Vec<i64>,
}

impl Manual {
    fn new(text: &str) -> Result<Self, String> {
        let program = compile(
            text,
            &Interface {
                inputs: &["Thread.laneid", "a", "b", "c", ".mode"],
                array: "SourceA",
                labels: &["up", "down", "bfly", "idx"],
            },
        )?;
        let (d, p) = (program.slot("d")?, program.slot("p")?);
        Ok(Self { program, d, p, values: Vec::new() })
    }

    /// `d` and `p` of one lane; `SourceA` holds the operand `a` of every lane.
    fn run(&mut self, mode: ShflMode, lane: usize, b: u32, c: u32, a: &mut [i64]) -> (i64, bool) {
        let label = match mode {
            ShflMode::Up => 0,
            ShflMode::Down => 1,
            ShflMode::Bfly => 2,
            ShflMode::Idx => 3,
        };
        let inputs = [lane as i64, a[lane], i64::from(b), i64::from(c), label];
        self.program.run(&inputs, a, &mut self.values);
        (self.values[self.d], self.values[self.p] != 0)
    }
}

/// Operands of every lane such that, over all `b` below 32 and `c` below 1,024, each lane meets each
/// pair of values once while neighbouring lanes hold different ones.
fn operands(b: u32, c: u32) -> (Lanes<u32>, Lanes<u32>) {
    (LANE_IDS.map(|lane| (b + lane) & 31), LANE_IDS.map(|lane| packed((c + 37 * lane) & 1023)))
}

/// Compares all cases of a mode with `text`; `noise` goes into the unused bits of `b` and `c`.
/// Returns the number of cases, or a description of the first that differs.
fn compare(text: &str, mode: ShflMode, noise: u32) -> Result<usize, String> {
    let mut manual = Manual::new(text)?;
    let a = LANE_IDS.map(|lane| 0x8000_0000 + 1000 * lane);
    let mut array = a.map(i64::from);
    let mut cases = 0;
    for c in 0..1024 {
        for b in 0..32 {
            let (b, c) = operands(b, c);
            let b = b.map(|b| b | noise & UNUSED_B);
            let c = c.map(|c| c | noise & UNUSED_C);
            let sources = source_lanes(mode, &b, &c);
            let d = permute(&a, &sources.lane);
            for lane in 0..32 {
                let (expected_d, expected_p) = manual.run(mode, lane, b[lane], c[lane], &mut array);
                let scalar = source_lane(mode, lane as u32, b[lane], c[lane]);
                let in_range = sources.in_range.contains(lane as u32);
                if i64::from(d[lane]) != expected_d
                    || in_range != expected_p
                    || scalar != (sources.lane[lane], in_range)
                {
                    return Err(format!(
                        "{mode:?} lane {lane} b {:#x} c {:#x}: lane {} {in_range}, scalar {scalar:?}, \
                         manual d {expected_d:#x} {expected_p}",
                        b[lane], c[lane], sources.lane[lane]
                    ));
                }
                cases += 1;
            }
        }
    }
    Ok(cases)
}

#[test]
fn up_is_the_manuals() {
    assert_eq!(compare(TEXT, ShflMode::Up, 0), Ok(32 * 32 * 1024));
}

#[test]
fn down_is_the_manuals() {
    assert_eq!(compare(TEXT, ShflMode::Down, 0), Ok(32 * 32 * 1024));
}

#[test]
fn bfly_is_the_manuals() {
    assert_eq!(compare(TEXT, ShflMode::Bfly, 0), Ok(32 * 32 * 1024));
}

#[test]
fn idx_is_the_manuals() {
    assert_eq!(compare(TEXT, ShflMode::Idx, 0), Ok(32 * 32 * 1024));
}

#[test]
fn the_manual_ignores_the_unused_bits_too() {
    for mode in ShflMode::ALL {
        assert_eq!(compare(TEXT, mode, u32::MAX), Ok(32 * 32 * 1024));
    }
}

#[test]
fn unused_bits_change_nothing() {
    let single = |unused: u32| (0..32).map(|bit| 1 << bit).filter(move |bit| unused & bit != 0);
    let mut flips: Vec<(u32, u32)> = single(UNUSED_B).map(|b| (b, 0)).collect();
    flips.extend(single(UNUSED_C).map(|c| (0, c)));
    assert_eq!(flips.len(), 27 + 22);
    for pattern in [u32::MAX, 0x5555_5555, 0xaaaa_aaaa, 0xffff_0000, 0x8000_00e0] {
        let (b, c) = (pattern & UNUSED_B, pattern & UNUSED_C);
        flips.extend([(b, 0), (0, c), (b, c), (b, UNUSED_C & !c)]);
    }
    for mode in ShflMode::ALL {
        for c in 0..1024 {
            for b in 0..32 {
                let (b, c) = operands(b, c);
                let plain = source_lanes(mode, &b, &c);
                for &(flip_b, flip_c) in &flips {
                    let flipped =
                        source_lanes(mode, &b.map(|b| b ^ flip_b), &c.map(|c| c ^ flip_c));
                    assert!(plain == flipped, "{mode:?} flip {flip_b:#x} {flip_c:#x}");
                }
            }
        }
    }
}

#[test]
fn lane_numbers_and_sources_wrap_at_32() {
    for mode in ShflMode::ALL {
        for lane in 0..32 {
            let expected = source_lane(mode, lane, 3, 0x1f);
            for high in [32, 64, 0x8000_0000, 0xffff_ffe0] {
                assert_eq!(source_lane(mode, lane | high, 3, 0x1f), expected);
            }
        }
    }
    let a = LANE_IDS.map(|lane| 7 * lane);
    let sources = LANE_IDS.map(|lane| 31 - lane);
    assert_eq!(permute(&a, &sources.map(|lane| lane | 0xffff_ffe0)), permute(&a, &sources));
}

/// Each change to the text must be noticed; otherwise the comparison would prove nothing.
#[test]
fn a_changed_text_is_noticed() {
    for (mode, from, to) in [
        (ShflMode::Up, "lane - bval", "lane + bval"),
        (ShflMode::Up, "j >= maxLane", "j > maxLane"),
        (ShflMode::Up, "j >= maxLane", "j >= minLane"),
        (ShflMode::Up, "j = lane - bval", "j[4:0] = lane - bval"),
        (ShflMode::Up, "c[12:8]", "c[11:8]"),
        (ShflMode::Up, "c[4:0]", "c[3:0]"),
        (ShflMode::Down, "lane + bval", "lane - bval"),
        (ShflMode::Down, "(j <= maxLane)", "(j < maxLane)"),
        (ShflMode::Down, "j = lane + bval", "j[4:0] = lane + bval"),
        (ShflMode::Down, "cval[4:0] & ~segmask[4:0]", "cval[4:0] & segmask[4:0]"),
        (ShflMode::Bfly, "lane ^ bval", "lane | bval"),
        (ShflMode::Bfly, "pval = (j <= maxLane)", "pval = (j <= maxLane && j >= minLane)"),
        (ShflMode::Bfly, "maxLane = (lane[4:0] & segmask[4:0])", "maxLane = lane[4:0]"),
        (ShflMode::Idx, "minLane | (bval", "(bval"),
        (ShflMode::Idx, "bval[4:0] & ~segmask[4:0]", "bval[4:0]"),
        (ShflMode::Idx, "b[4:0]", "b[3:0]"),
        (ShflMode::Idx, "if (!pval) j = lane;", ""),
        (ShflMode::Idx, "p = pval;\n", "p = !pval;\n"),
    ] {
        let changed = TEXT.replace(from, to);
        assert_ne!(changed, TEXT, "{from}");
        assert!(compare(&changed, mode, 0).is_err(), "{mode:?}: {from} as {to}");
    }
}

/// A segment of width 8: the ends of each segment, worked out by hand.
#[test]
fn segments_of_eight() {
    let (up, others) = (splat(0x1800), splat(0x1807));
    let lanes = |mode, b, c: &Lanes<u32>| source_lanes(mode, &splat(b), c);
    let up = lanes(ShflMode::Up, 1, &up);
    assert_eq!(up.in_range.to_string(), "0xfefefefe");
    assert_eq!((up.lane[8], up.lane[9], up.lane[31]), (8, 8, 30));
    let down = lanes(ShflMode::Down, 2, &others);
    assert_eq!(down.in_range.to_string(), "0x3f3f3f3f");
    assert_eq!((down.lane[5], down.lane[6], down.lane[29]), (7, 6, 31));
    let idx = lanes(ShflMode::Idx, 11, &others);
    assert_eq!(idx.in_range.to_string(), "0xffffffff");
    assert_eq!((idx.lane[0], idx.lane[15], idx.lane[31]), (3, 11, 27));
    // A butterfly over a distance of 8 reaches the segment below, but not the one above.
    let bfly = lanes(ShflMode::Bfly, 8, &others);
    assert_eq!(bfly.in_range.to_string(), "0xff00ff00");
    assert_eq!((bfly.lane[0], bfly.lane[8], bfly.lane[31]), (0, 0, 23));
}
