//! Votes.

use super::entry::{Entry, modifier};
use crate::operand::{Lane, Lowered};
use ir::{Class, Collective};
use lanes::VoteMode;

pub(super) const ENTRIES: &[Entry] =
    &[Entry { name: "VOTE", lower: vote }, Entry { name: "VOTEU", lower: vote }];

/// The ballot and the combined value, to registers of the lanes or of the warp.
fn vote(lane: &mut Lane<'_, '_>) -> Lowered {
    let modes = [("ALL", VoteMode::All), ("ANY", VoteMode::Any), ("EQ", VoteMode::Uni)];
    let mode = modifier(lane, &["voteop", "mode"], &modes)?;
    let [rd, pu] = [lane.field(&["rd", "urd"])?, lane.field(&["pu", "upu"])?];
    let pp = lane.field(&["pp"])?;
    let a = lane.predicate(pp)?;
    let (mask, combined) = (lane.temporary(Class::W32), lane.temporary(Class::Pred));
    lane.e.collective(Collective::Ballot { d: mask, a });
    lane.e.collective(Collective::Vote { mode, d: combined, a });
    lane.write32(rd, mask)?;
    lane.write_predicate(pu, combined)
}
