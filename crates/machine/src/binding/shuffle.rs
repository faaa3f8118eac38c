//! Shuffles.

use super::entry::{Entry, modifier};
use crate::operand::{Lane, Lowered};
use ir::{Class, Collective};
use lanes::ShflMode;

pub(super) const ENTRIES: &[Entry] = &[Entry { name: "SHFL", lower: shfl }];

fn shfl(lane: &mut Lane<'_, '_>) -> Lowered {
    let modes = [
        ("IDX", ShflMode::Idx),
        ("UP", ShflMode::Up),
        ("DOWN", ShflMode::Down),
        ("BFLY", ShflMode::Bfly),
    ];
    let mode = modifier(lane, &["mode"], &modes)?;
    let [rd, pu] = [lane.field(&["rd"])?, lane.field(&["pu"])?];
    let [a, b, c] = [lane.field(&["ra"])?, lane.field(&["rb", "vb"])?, lane.field(&["rc", "vc"])?];
    let (a, b, c) = (lane.value32(a)?, lane.value32(b)?, lane.value32(c)?);
    let (d, p) = (lane.temporary(Class::W32), lane.temporary(Class::Pred));
    lane.e.collective(Collective::Shfl { mode, d, p: Some(p), a, b, c });
    lane.write32(rd, d)?;
    lane.write_predicate(pu, p)
}
