//! Bringing lanes back together.

use super::Entry;
use crate::operand::{Lane, Lowered};
use ir::{Collective, Members, Op, Src};

pub(super) const ENTRIES: &[Entry] = &[Entry { name: "WARPSYNC", lower: warpsync }];

/// The lanes of a mask wait for each other.
fn warpsync(lane: &mut Lane<'_, '_>) -> Lowered {
    for (field, plain) in [("exclusive", "OFF"), ("collective", "OFF")] {
        if lane.modifier(&[field]).is_some_and(|name| name != plain) {
            return Err(lane
                .unsupported(format!("what `.{}` does is not documented", field.to_uppercase())));
        }
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
    let (what, members) = (Collective::WarpSync, Members::Mask(mask));
    lane.e.b.push(Op::Collective { what, members, aligned: false });
    Ok(())
}
