//! Matches.

use super::entry::{Entry, modifier};
use crate::operand::{Lane, Lowered};
use ir::{Class, Collective, Pred};

pub(super) const ENTRIES: &[Entry] = &[Entry { name: "MATCH", lower: matching }];

fn matching(lane: &mut Lane<'_, '_>) -> Lowered {
    let all = modifier(lane, &["matchop", "op"], &[("ANY", false), ("ALL", true)])?;
    let wide = modifier(lane, &["dtype", "type"], &[("U32", false), ("U64", true)])?;
    let [rd, ra] = [lane.field(&["rd"])?, lane.field(&["ra"])?];
    let a = if wide { lane.value64(ra)? } else { lane.value32(ra)? };
    let d = lane.temporary(Class::W32);
    let p = if all {
        let p = lane.temporary(Class::Pred);
        lane.e.collective(Collective::MatchAll { d: Some(d), p: Some(p), a, wide });
        Pred::Is(p)
    } else {
        lane.e.collective(Collective::MatchAny { d, a, wide });
        Pred::Const(false)
    };
    lane.write32(rd, d)?;
    // Where `.ANY` has a predicate, it is false.
    match lane.find(&["pu"]) {
        Some(pu) => lane.write_predicate(pu, p),
        None => Ok(()),
    }
}
