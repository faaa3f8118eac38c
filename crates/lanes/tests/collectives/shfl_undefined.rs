//! Which shuffles read a lane that does not take part.

use warpwise_lanes::shfl::{permute, permute_mask, source_lanes, undefined_reads};
use warpwise_lanes::{LANE_IDS, LaneMask, ShflMode, splat};

use crate::samples::{SplitMix64, lanes_of, masks};

#[test]
fn a_lane_is_named_exactly_if_its_source_is_missing() {
    let mut random = SplitMix64(2);
    for participants in masks() {
        for _ in 0..40 {
            let mode = ShflMode::ALL[random.below(4)];
            let sources = source_lanes(mode, &random.words(), &random.words()).lane;
            let executing = LaneMask(random.word());
            let present = lanes_of(participants);
            let expected: LaneMask = lanes_of(executing)
                .into_iter()
                .filter(|&lane| !present.contains(&(sources[lane] as usize)))
                .map(|lane| lane as u32)
                .collect();
            assert_eq!(undefined_reads(&sources, participants, executing), expected);
        }
    }
}

#[test]
fn reading_oneself_is_defined_for_participants() {
    let participants = LaneMask(0x0000_ffff);
    // shfl.down by 16 with clamp 15: everybody is out of range.
    let sources = source_lanes(ShflMode::Down, &splat(16), &splat(15));
    assert!(sources.in_range.is_empty());
    assert!(undefined_reads(&sources.lane, participants, participants).is_empty());
    assert_eq!(undefined_reads(&sources.lane, participants, LaneMask::FULL), LaneMask::ge(16));
    // With clamp 31 the lower half reads the upper half, which does not take part.
    let sources = source_lanes(ShflMode::Down, &splat(16), &splat(31));
    assert_eq!(undefined_reads(&sources.lane, participants, participants), participants);
}

#[test]
fn a_mask_is_permuted_like_a_register() {
    let mut random = SplitMix64(3);
    for _ in 0..2000 {
        let (bits, sources) = (random.word(), random.words());
        let register = LANE_IDS.map(|lane| bits >> lane & 1);
        let moved = permute(&register, &sources);
        let expected = (0..32).fold(0, |mask, lane| mask | moved[lane] << lane);
        assert_eq!(permute_mask(LaneMask(bits), &sources), LaneMask(expected));
    }
}
