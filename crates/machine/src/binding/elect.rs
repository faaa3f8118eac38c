//! Elections.

use super::entry::Entry;
use crate::operand::{Lane, Lowered};
use ir::{BinaryOp, Class, Collective, CompareOp, Pred, Src};
use lanes::ReduxOp;

pub(super) const ENTRIES: &[Entry] =
    &[Entry { name: "ELECT", lower: elect }, Entry { name: "ELECTU", lower: elect }];

/// The number that stands for no lane, when there is no candidate.
const NOBODY: u64 = u32::MAX as u64;

/// The lowest candidate: of the participants whose predicate is true, or that a mask names.
fn elect(lane: &mut Lane<'_, '_>) -> Lowered {
    let [rd, pu] = [lane.field(&["rd", "urd"])?, lane.field(&["pu"])?];
    if lane.modifier(&["ignorekill"]).is_some_and(|name| name == "IGNOREKILL") {
        return Err(lane.unsupported("what `.IGNOREKILL` does is not documented"));
    }
    let candidate = match lane.find(&["pp"]) {
        Some(pp) => lane.predicate(pp)?,
        None => {
            let urb = lane.field(&["urb"])?;
            let mask = lane.value32(urb)?;
            let laneid = lane.e.laneid();
            let bit = lane.e.b.binary(BinaryOp::ShrU32, mask, laneid);
            let bit = lane.e.b.binary(BinaryOp::And32, bit, Src::Imm(1));
            Pred::Is(lane.e.b.compare(CompareOp::NeI32, bit, Src::Imm(0)))
        }
    };
    let executes = lane.executes();
    let candidates = lane.both(executes, candidate);
    // The election tells the candidates; a reduction tells the other participants.
    let elected = lane.preset(Class::W32, NOBODY);
    let leads = lane.preset(Class::Pred, 0);
    let what = Collective::Elect { d: Some(elected), p: leads };
    lane.e.b.set_guard(Some(candidates));
    lane.e.collective(what);
    lane.e.b.set_guard(lane.guard);
    let number = lane.temporary(Class::W32);
    let (op, a) = (ReduxOp::MinU32, elected.into());
    lane.e.collective(Collective::Redux { op, d: number, a });
    lane.write32(rd, number)?;
    lane.write_predicate(pu, leads)
}
