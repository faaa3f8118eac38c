//! Copies to registers of the warp.

use super::entry::Entry;
use crate::operand::{Lane, Lowered};

pub(super) const ENTRIES: &[Entry] = &[Entry { name: "R2UR", lower: r2ur }];

/// The value of the lowest participant. The program keeps it equal in all of them.
fn r2ur(lane: &mut Lane<'_, '_>) -> Lowered {
    if lane.modifier(&["op"]).is_some_and(|name| name != "PLAIN") {
        return Err(lane.unsupported("what `.OR` does is not documented"));
    }
    let [urd, ra] = [lane.field(&["urd"])?, lane.field(&["ra"])?];
    let value = lane.value32(ra)?;
    lane.write32(urd, value)
}
