//! Match against a comparison of every pair of lanes.

use std::fmt::Debug;

use warpwise_lanes::matching::{match_all, match_any};
use warpwise_lanes::{LaneMask, Lanes};

use crate::samples::{SplitMix64, lanes_of, masks};

fn check<T: Copy + Eq + Debug>(a: &Lanes<T>, participants: LaneMask) {
    let present = lanes_of(participants);
    let mut expected = [0; 32];
    for &lane in &present {
        for &other in &present {
            if a[lane] == a[other] {
                expected[lane] |= 1_u32 << other;
            }
        }
    }
    assert_eq!(match_any(a, participants), expected, "{participants} {a:?}");
    let equal = present.iter().all(|&lane| a[lane] == a[present[0]]);
    let mask = if equal { participants } else { LaneMask::EMPTY };
    assert_eq!(match_all(a, participants), (mask, equal), "{participants} {a:?}");
}

#[test]
fn every_match_of_five_lanes_with_four_values() {
    let values = [0_u32, 1, 0x8000_0000, u32::MAX];
    for place in [0, 13, 27] {
        for choice in 0..4_usize.pow(5) {
            let mut a = [1; 32];
            for digit in 0..5 {
                a[place + digit] = values[choice >> (2 * digit) & 3];
            }
            for participants in 0..32 {
                check(&a, LaneMask(participants << place));
            }
        }
    }
}

#[test]
fn whole_warps_from_one_value_to_all_different() {
    let mut random = SplitMix64(4);
    for participants in masks() {
        for distinct in [1, 2, 3, 5, 8, 16, 32, 1000] {
            let values: Vec<u32> = (0..distinct).map(|_| random.word()).collect();
            check(&random.pick(&values), participants);
        }
        let mut one_off = [7_u32; 32];
        one_off[random.below(32)] = 8;
        check(&one_off, participants);
    }
}

#[test]
fn b64_compares_both_halves() {
    let mut random = SplitMix64(5);
    let values = [0, 1, 1 << 32, 1 << 63, 0x1_0000_0001, u64::MAX];
    for participants in masks() {
        for used in 1..=values.len() {
            check(&random.pick(&values[..used]), participants);
        }
        check(&std::array::from_fn(|_| random.next()), participants);
    }
}
