//! Votes against a walk over the participants, one by one.

use warpwise_lanes::vote::{all, any, ballot, uni, vote};
use warpwise_lanes::{LaneMask, VoteMode};

use crate::samples::{lanes_of, masks};

fn check(predicates: LaneMask, participants: LaneMask) {
    let held: Vec<bool> =
        lanes_of(participants).iter().map(|lane| predicates.0 & (1 << lane) != 0).collect();
    let (yes, no) = (held.contains(&true), held.contains(&false));
    assert_eq!(all(predicates, participants), !no, "{predicates} {participants}");
    assert_eq!(any(predicates, participants), yes, "{predicates} {participants}");
    assert_eq!(uni(predicates, participants), !(yes && no), "{predicates} {participants}");
    assert_eq!(vote(VoteMode::All, predicates, participants), !no);
    assert_eq!(vote(VoteMode::Any, predicates, participants), yes);
    assert_eq!(vote(VoteMode::Uni, predicates, participants), !(yes && no));
    let expected: LaneMask = lanes_of(participants)
        .into_iter()
        .zip(held)
        .filter_map(|(lane, held)| held.then_some(lane as u32))
        .collect();
    assert_eq!(ballot(predicates, participants), expected, "{predicates} {participants}");
}

#[test]
fn every_vote_of_eight_lanes_anywhere_in_the_warp() {
    for shift in [0, 8, 16, 24] {
        for predicates in 0..256 {
            for participants in 0..256 {
                // The other lanes hold true, which must not count.
                let outside = !(255 << shift);
                check(LaneMask(predicates << shift | outside), LaneMask(participants << shift));
            }
        }
    }
}

#[test]
fn votes_of_the_whole_warp() {
    for predicates in masks() {
        for participants in masks() {
            check(predicates, participants);
        }
    }
}
