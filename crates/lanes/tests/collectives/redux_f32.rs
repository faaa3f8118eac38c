//! Floating-point reductions, value by value, against comparisons of `f32`.

use warpwise_lanes::redux::redux_f32;
use warpwise_lanes::{LaneMask, Lanes, MinMax, ReduxF32};

use crate::samples::{SplitMix64, lanes_of, masks};

const NAN: u32 = 0x7fff_ffff;

/// Bit patterns without the sign, in rising order: numbers first, then NaNs.
const MAGNITUDES: [u32; 14] = [
    0x0000_0000, // zero
    0x0000_0001, // least subnormal
    0x0040_0000, // some subnormal
    0x007f_ffff, // greatest subnormal
    0x0080_0000, // least normal
    0x3f7f_ffff, // just below one
    0x3f80_0000, // one
    0x7f7f_ffff, // greatest finite
    0x7f80_0000, // infinity
    0x7f80_0001, // signalling NaN, least payload
    0x7fa5_5a5a, // signalling NaN
    0x7fc0_0000, // quiet NaN
    0x7fd2_3456, // quiet NaN with payload
    0x7fff_ffff, // all ones
];

/// How many of [`MAGNITUDES`] are numbers.
const NUMBERS: usize = 9;

/// The given magnitudes with both signs.
fn signed(magnitudes: &[u32]) -> Vec<u32> {
    magnitudes.iter().flat_map(|&bits| [bits, bits | 0x8000_0000]).collect()
}

fn modes() -> impl Iterator<Item = ReduxF32> {
    (0..8).map(|choice| ReduxF32 {
        op: if choice & 1 == 0 { MinMax::Min } else { MinMax::Max },
        abs: choice & 2 != 0,
        propagate_nan: choice & 4 != 0,
    })
}

/// The result by the rules, two values at a time; `None` stands for "no number so far".
fn by_rule(mode: ReduxF32, values: &[u32]) -> u32 {
    let mut best: Option<f32> = None;
    for &bits in values {
        let value = f32::from_bits(bits);
        if value.is_nan() {
            if mode.propagate_nan {
                return NAN;
            }
            continue;
        }
        let value = if mode.abs && value.is_sign_negative() { -value } else { value };
        best = Some(match best {
            None => value,
            Some(other) => {
                let less = value < other
                    || (value == 0.0
                        && other == 0.0
                        && value.is_sign_negative()
                        && !other.is_sign_negative());
                let greater = value != other && !less
                    || (value == 0.0
                        && other == 0.0
                        && !value.is_sign_negative()
                        && other.is_sign_negative());
                match mode.op {
                    MinMax::Min if less => value,
                    MinMax::Max if greater => value,
                    MinMax::Min | MinMax::Max => other,
                }
            }
        });
    }
    best.map_or(NAN, f32::to_bits)
}

fn check(mode: ReduxF32, a: &Lanes<u32>, participants: LaneMask) {
    let values: Vec<u32> = lanes_of(participants).into_iter().map(|lane| a[lane]).collect();
    let result = redux_f32(mode, a, participants);
    assert_eq!(result, by_rule(mode, &values), "{mode:?} {participants} {a:x?}");
}

#[test]
fn every_triple_of_edge_values() {
    let edges = signed(&MAGNITUDES);
    for mode in modes() {
        for &x in &edges {
            for &y in &edges {
                for &z in &edges {
                    // Lanes outside hold NaN or an extreme value, which must not count.
                    let outside = if z & 1 == 0 { 0xffc0_0000 } else { 0xff80_0000 };
                    let mut a = [outside; 32];
                    (a[0], a[9], a[31]) = (x, y, z);
                    check(mode, &a, LaneMask(0x8000_0201));
                    check(mode, &a, LaneMask(0x0000_0201));
                    check(mode, &a, LaneMask(0x8000_0000));
                }
            }
        }
    }
}

#[test]
fn whole_warps() {
    let mut random = SplitMix64(7);
    for participants in masks() {
        for mode in modes() {
            check(mode, &random.words(), participants);
            for values in [&MAGNITUDES[..], &MAGNITUDES[..NUMBERS], &MAGNITUDES[NUMBERS..]] {
                check(mode, &random.pick(&signed(values)), participants);
            }
        }
    }
}

#[test]
fn results_worked_out_by_hand() {
    let min = ReduxF32 { op: MinMax::Min, abs: false, propagate_nan: false };
    let max = ReduxF32 { op: MinMax::Max, ..min };
    let run = |mode, x: u32, y: u32| {
        let mut a = [0x4248_0000; 32];
        (a[3], a[4]) = (x, y);
        redux_f32(mode, &a, LaneMask(0b11000))
    };
    let nan = |mode: ReduxF32| ReduxF32 { propagate_nan: true, ..mode };
    let abs = |mode: ReduxF32| ReduxF32 { abs: true, ..mode };
    assert_eq!(run(min, 0, 0x8000_0000), 0x8000_0000);
    assert_eq!(run(max, 0x8000_0000, 0), 0);
    assert_eq!(run(abs(min), 0x8000_0000, 0xbf80_0000), 0);
    assert_eq!(run(abs(max), 0x3f80_0000, 0xff80_0000), 0x7f80_0000);
    assert_eq!(run(min, 0x7fc0_0001, 0x7f80_0000), 0x7f80_0000);
    assert_eq!(run(nan(min), 0xff80_0001, 0xff80_0000), NAN);
    assert_eq!(run(max, 0xffc0_0000, 0x7f80_0001), NAN);
    assert_eq!(run(min, 0x8000_0001, 0x0000_0001), 0x8000_0001);
    for mode in modes() {
        assert_eq!(redux_f32(mode, &[0; 32], LaneMask::EMPTY), NAN);
    }
}
