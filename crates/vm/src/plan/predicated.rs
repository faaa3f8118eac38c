//! Predicated blocks: the body of an `if` runs in place, without the scheduler.
//!
//! `if (p) { … }` is a branch over a block that comes next and in which nobody waits. The schedule would run that
//! block with the lanes that take it while the others wait behind it; so the group runs it at once with those
//! lanes and goes on with all.

use ir::{BlockId, Kernel, Terminator};

/// Instructions of the longest predicated block: a turn has no chance to stop in one.
const MAX_LENGTH: usize = 512;

/// Per block, whether it is predicated: run in place by the block before it.
pub(super) fn find(kernel: &Kernel) -> Vec<bool> {
    let mut predecessors = vec![0u32; kernel.blocks.len()];
    for block in &kernel.blocks {
        for to in block.terminator.successors() {
            predecessors[to.0 as usize] += 1;
        }
    }
    let mut predicated = vec![false; kernel.blocks.len()];
    for (at, pair) in kernel.blocks.windows(2).enumerate() {
        let [block, next] = pair else { continue };
        let (Terminator::Branch { then, otherwise, .. }, Terminator::Jump(join)) =
            (&block.terminator, &next.terminator)
        else {
            continue;
        };
        let id = BlockId(at as u32 + 1);
        let skips = (*then == id && otherwise == join) || (*otherwise == id && then == join);
        let is_short = next.insts.len() <= MAX_LENGTH;
        let waits = next.insts.iter().any(|inst| inst.op.may_wait());
        // A block that runs one in place ends in a branch, so they do not nest.
        predicated[at + 1] = skips && predecessors[at + 1] == 1 && *join > id && !waits && is_short;
    }
    predicated
}
