//! What a gang has left by an exit: who stands where, and what home rows do not hold yet.

use super::rows::{self, Gang};
use crate::frame::Frame;
use crate::plan::Pc;
use ir::Reg;
use jit::{Code, Exit};
use smallvec::SmallVec;

/// The lanes that stand at an exit's place, and those elsewhere.
pub(super) struct Standing {
    pub(super) lanes: u64,
    pub(super) elsewhere: SmallVec<[(u64, Pc); 4]>,
}

/// A place where lanes may wait, and the registers that they need.
type Waiting = (u32, Vec<Reg>);

/// Puts what a gang has left into the home rows of registers that are wanted.
pub(super) fn restore(
    frame: &mut Frame<'_>,
    code: &Code,
    exit: &Exit,
    gang: Gang,
    wanted: impl Fn(Reg) -> bool,
) -> Standing {
    let mut standing = Standing { lanes: u64::MAX, elsewhere: SmallVec::new() };
    let Some(apart) = &exit.apart else {
        rows::restore(frame, &exit.kept, gang, |reg| if wanted(reg) { u64::MAX } else { 0 });
        return standing;
    };
    let left = |found| frame.native.as_ref().map_or(0, |state| state.word_of(found, 0));
    standing.lanes = left(&apart.lanes);
    let waiting: SmallVec<[(u64, &Waiting); 4]> = apart
        .waiting
        .iter()
        .map(|(nth, found)| (left(found), &code.waiting()[*nth as usize]))
        .collect();
    rows::restore(frame, &exit.kept, gang, |reg| {
        if !wanted(reg) {
            return 0;
        }
        if apart.offered.contains(&reg) {
            return u64::MAX;
        }
        let own = if apart.needed.contains(&reg) { standing.lanes } else { 0 };
        let needs = |(_, (_, regs)): &&(u64, &Waiting)| regs.contains(&reg);
        waiting.iter().filter(needs).fold(own, |all, (lanes, _)| all | lanes)
    });
    standing.elsewhere = waiting.iter().map(|(lanes, (place, _))| (*lanes, Pc(*place))).collect();
    standing
}
