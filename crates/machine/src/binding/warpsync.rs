//! Bringing lanes back together.

use super::entry::Entry;
use crate::operand::{Lane, Lowered};
use ir::Src;

pub(super) const ENTRIES: &[Entry] = &[Entry { name: "WARPSYNC", lower: warpsync }];

/// The lanes of a mask wait for each other. `.EXCLUSIVE`: and take part with each other only, until lanes may
/// part or join.
fn warpsync(lane: &mut Lane<'_, '_>) -> Lowered {
    if lane.modifier(&["collective"]).is_some_and(|name| name != "OFF") {
        return Err(lane.unsupported("what `.COLLECTIVE` does is not documented"));
    }
    if let Some(pp) = lane.find(&["pp"])
        && lane.predicate(pp)? != ir::Pred::Const(true)
    {
        return Err(
            lane.unsupported("what a predicate operand other than PT does is not documented")
        );
    }
    if lane.find(&["offset"]).is_some() {
        return Err(lane.unsupported("the machine has no constant memory to take the mask from"));
    }
    let mask = match lane.find(&["ra", "rb", "urb", "vb", "mask"]) {
        Some(operand) => lane.value32(operand)?,
        // `.ALL` has no operand.
        None => Src::Imm(u32::MAX.into()),
    };
    lane.e.rendezvous(mask);
    if lane.modifier(&["exclusive"]).is_some_and(|name| name == "EXCLUSIVE") {
        lane.e.begin_groups(mask);
    }
    Ok(())
}
