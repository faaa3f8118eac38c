//! Election against a search from lane 0 upwards.

use warpwise_lanes::LaneMask;
use warpwise_lanes::elect::elect;

use crate::samples::{lanes_of, masks};

#[test]
fn the_lowest_lane_that_has_not_exited() {
    for membermask in masks() {
        for exited in masks() {
            let gone = lanes_of(exited);
            let expected = lanes_of(membermask).into_iter().find(|lane| !gone.contains(lane));
            assert_eq!(elect(membermask, exited), expected.map(|lane| lane as u32));
        }
    }
}

#[test]
fn results_worked_out_by_hand() {
    assert_eq!(elect(LaneMask::FULL, LaneMask::EMPTY), Some(0));
    assert_eq!(elect(LaneMask(0xf0), LaneMask(0x1f)), Some(5));
    assert_eq!(elect(LaneMask(0x8000_0000), LaneMask::EMPTY), Some(31));
    assert_eq!(elect(LaneMask(0xff), LaneMask(0xff)), None);
}
