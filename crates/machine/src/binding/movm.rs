//! Matrices that are spread over a warp.

use super::entry::{Entry, modifier};
use crate::operand::{Lane, Lowered};
use ir::{Class, Collective};

pub(super) const ENTRIES: &[Entry] = &[Entry { name: "MOVM", lower: movm }];

/// The transpose of an 8×8 matrix of 16-bit elements; other types and shapes have no meaning here.
fn movm(lane: &mut Lane<'_, '_>) -> Lowered {
    if lane.find(&["type"]).is_some() {
        modifier(lane, &["type"], &[("B16", ())])?;
    }
    if lane.find(&["shape"]).is_some() {
        modifier(lane, &["shape"], &[("MT88", ())])?;
    }
    let [rd, ra] = [lane.field(&["rd"])?, lane.field(&["ra"])?];
    let a = lane.value32(ra)?;
    let d = lane.temporary(Class::W32);
    lane.e.collective(Collective::MovMatrix { d, a });
    lane.write32(rd, d)
}
