//! What has to be zero when a CTA begins.

use crate::Input;
use crate::partial::Partial;
use ir::analysis::{Liveness, Shapes};
use ir::{BlockId, Interrupt, Reg, Src};
use std::collections::BTreeSet;
use std::ops::Range;

/// The words that have to be zero when a CTA begins: of registers that may be read before they are written, and those that are read in
/// lanes which may be elsewhere. `None` if it was interrupted.
pub(super) fn of(
    input: &Input<'_>,
    shapes: &Shapes,
    live: &Liveness,
    interrupt: &Interrupt<'_>,
) -> Option<Vec<Range<usize>>> {
    let kernel = input.kernel;
    let mut read: BTreeSet<Reg> = live.live_in(0).collect();
    let full_warps = Partial::of(input.block).is_none();
    for (id, block) in (0..).zip(&kernel.blocks) {
        interrupt.go_on(block.insts.len())?;
        if !(full_warps && shapes.all_come(BlockId(id))) {
            let offered = block.insts.iter().filter_map(|inst| inst.op.offered());
            read.extend(offered.filter_map(|src| match src {
                Src::Reg(reg) => Some(reg),
                Src::Imm(_) => None,
            }));
        }
    }
    let all = input.zeros.iter().filter(|(reg, _)| read.contains(reg));
    Some(all.map(|(_, words)| words.clone()).collect())
}
