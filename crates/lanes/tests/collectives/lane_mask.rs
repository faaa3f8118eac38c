//! Lane masks as sets: each operation against the same operation on a list of lane numbers.

use warpwise_lanes::{LANE_IDS, LaneMask, select, splat};

use crate::samples::{SplitMix64, lanes_of, masks};

/// The lanes below 32 for which `test` holds.
fn set(test: impl Fn(u32) -> bool) -> LaneMask {
    LaneMask((0..32).filter(|&lane| test(lane)).fold(0, |bits, lane| bits | 1 << lane))
}

#[test]
fn masks_relative_to_a_lane() {
    for lane in (0..100).chain([u32::MAX - 1, u32::MAX]) {
        assert_eq!(LaneMask::single(lane), set(|other| other == lane), "{lane}");
        assert_eq!(LaneMask::lt(lane), set(|other| other < lane), "{lane}");
        assert_eq!(LaneMask::le(lane), set(|other| other <= lane), "{lane}");
        assert_eq!(LaneMask::gt(lane), set(|other| other > lane), "{lane}");
        assert_eq!(LaneMask::ge(lane), set(|other| other >= lane), "{lane}");
    }
}

#[test]
fn queries_agree_with_the_list_of_lanes() {
    for mask in masks() {
        let lanes: Vec<u32> = lanes_of(mask).into_iter().map(|lane| lane as u32).collect();
        assert_eq!(mask.iter().collect::<Vec<_>>(), lanes);
        assert_eq!(
            mask.into_iter().rev().collect::<Vec<_>>(),
            lanes.iter().copied().rev().collect::<Vec<_>>()
        );
        assert_eq!(mask.iter().len(), lanes.len());
        assert_eq!(mask.count() as usize, lanes.len());
        assert_eq!(mask.lowest(), lanes.first().copied());
        assert_eq!(mask.highest(), lanes.last().copied());
        assert_eq!(mask.is_empty(), lanes.is_empty());
        assert_eq!(mask.is_full(), lanes.len() == 32);
        assert_eq!(lanes.iter().copied().collect::<LaneMask>(), mask);
        assert_eq!(LaneMask::from_bools(&mask.to_bools()), mask);
        assert_eq!(LaneMask::from(u32::from(mask)), mask);
        for lane in 0..100 {
            assert_eq!(mask.contains(lane), lanes.contains(&lane));
            let (mut with, mut without) = (mask, mask);
            with.insert(lane);
            without.remove(lane);
            assert_eq!(with, set(|other| lanes.contains(&other) || other == lane));
            assert_eq!(without, set(|other| lanes.contains(&other) && other != lane));
        }
    }
}

#[test]
fn set_operations() {
    for x in masks() {
        assert_eq!(!x, set(|lane| !x.contains(lane)));
        for y in masks() {
            let and = set(|lane| x.contains(lane) && y.contains(lane));
            let or = set(|lane| x.contains(lane) || y.contains(lane));
            let xor = set(|lane| x.contains(lane) != y.contains(lane));
            let sub = set(|lane| x.contains(lane) && !y.contains(lane));
            assert_eq!((x & y, x | y, x ^ y, x - y), (and, or, xor, sub));
            let mut assigned = [x; 4];
            assigned[0] &= y;
            assigned[1] |= y;
            assigned[2] ^= y;
            assigned[3] -= y;
            assert_eq!(assigned, [and, or, xor, sub]);
            assert_eq!(x.is_subset(y), sub == LaneMask::EMPTY);
            assert_eq!(x.intersects(y), and != LaneMask::EMPTY);
        }
    }
}

#[test]
fn printed_forms() {
    for (bits, operand, ranges) in [
        (0x0000_0000, "0x00000000", "none"),
        (0xffff_ffff, "0xffffffff", "0-31"),
        (0x0000_ffff, "0x0000ffff", "0-15"),
        (0x8000_ffff, "0x8000ffff", "0-15,31"),
        (0x8000_0000, "0x80000000", "31"),
        (0xc000_0000, "0xc0000000", "30-31"),
        (0x0000_0005, "0x00000005", "0,2"),
        (0x00f0_0b01, "0x00f00b01", "0,8-9,11,20-23"),
    ] {
        let mask = LaneMask(bits);
        assert_eq!(mask.to_string(), operand);
        assert_eq!(format!("{mask:?}"), format!("LaneMask({operand})"));
        assert_eq!(mask.ranges().to_string(), ranges);
    }
    assert_eq!(LaneMask(0x8000_0007).strip().to_string(), "###............................#");
    assert_eq!(format!("{:#x} {:X} {:b}", LaneMask(10), LaneMask(10), LaneMask(10)), "0xa A 1010");
}

#[test]
fn ranges_and_strips_can_be_read_back() {
    for mask in masks() {
        let ranges = mask.ranges().to_string();
        let read = ranges.split(',').filter(|part| *part != "none").flat_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            first.parse::<u32>().unwrap()..=last.parse::<u32>().unwrap()
        });
        assert_eq!(read.collect::<LaneMask>(), mask, "{ranges}");
        let strip = mask.strip().to_string();
        assert_eq!(strip.len(), 32);
        assert_eq!(set(|lane| strip.as_bytes()[lane as usize] == b'#'), mask);
    }
}

#[test]
fn select_merges_by_lane() {
    let mut random = SplitMix64(9);
    for mask in masks() {
        let (inside, outside) = (random.words(), random.words());
        let merged = select(mask, &inside, &outside);
        for lane in 0..32 {
            let expected = if mask.contains(lane) { inside } else { outside };
            assert_eq!(merged[lane as usize], expected[lane as usize]);
        }
    }
    assert_eq!(select(LaneMask::lt(4), &LANE_IDS, &splat(9))[..6], [0, 1, 2, 3, 9, 9]);
}
