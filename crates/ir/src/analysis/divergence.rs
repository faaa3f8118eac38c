//! What a branch that lanes of a warp take in different directions does to values.

use super::flow::Flow;
use super::liveness::Liveness;
use crate::{Interrupt, Kernel, Operand, Reg};
use fixedbitset::FixedBitSet;

/// Blocks that are looked at for all branches of a kernel together, for each of its blocks: beyond that, everything is taken to
/// be influenced.
const VISITS: usize = 64;

/// Control flow as divergence sees it.
pub(super) struct Divergence {
    flow: Flow,
    /// The blocks whose branches lanes part on and that have been looked at.
    seen: FixedBitSet,
    /// The blocks that lanes may come to, or not, after they have parted and before they meet again.
    influenced: FixedBitSet,
    /// The registers that lanes may have from different rounds of a loop.
    left_behind: FixedBitSet,
    visits: usize,
}

impl Divergence {
    pub(super) fn new(kernel: &Kernel) -> Divergence {
        let flow = Flow::of(kernel);
        Divergence {
            seen: FixedBitSet::with_capacity(flow.blocks()),
            influenced: FixedBitSet::with_capacity(flow.blocks()),
            left_behind: FixedBitSet::with_capacity(kernel.registers.len()),
            visits: 0,
            flow,
        }
    }

    /// Whether lanes may come to a block, or not, after they have parted.
    pub(super) fn is_influenced(&self, block: usize) -> bool {
        self.influenced.contains(block)
    }

    /// Whether lanes may have a register from different rounds of a loop.
    pub(super) fn is_left_behind(&self, reg: usize) -> bool {
        self.left_behind.contains(reg)
    }

    /// Lanes may part at the end of a block. Says whether that is new. `None` if it was interrupted.
    pub(super) fn part(
        &mut self,
        kernel: &Kernel,
        live: &Liveness,
        at: usize,
        interrupt: &Interrupt<'_>,
    ) -> Option<bool> {
        if self.seen.put(at) {
            return Some(false);
        }
        let end = self.flow.blocks();
        // The earliest run first: who goes back to an earlier block does not wait for the others there, nor do those at a block
        // wait for others that stand behind it.
        let meet = self.flow.after().immediate(at);
        let mut goes_on = meet.is_some_and(|meet| meet <= at);
        let mut meet = meet.filter(|meet| *meet != end && !goes_on);
        let mut reached = self.sides(at, meet, interrupt)?;
        if let Some(place) = meet
            && reached.iter().skip(place + 1).any(|by| *by != 0)
        {
            (goes_on, meet) = (true, None);
            reached = self.sides(at, meet, interrupt)?;
        }
        let stops = [Some(at), meet];
        let comes_back = reached[at] != 0;
        match meet {
            Some(meet) => {
                let mut leads = vec![0u8; end];
                let stops = [Some(at), None];
                self.walk(meet, stops, &mut leads, 1, true, interrupt)?;
                for block in (0..end).filter(|block| *block != at && reached[*block] != 0) {
                    if leads[block] != 0 {
                        self.influenced.insert(block);
                    }
                }
            }
            // Where lanes never meet again, nobody sees two values in one.
            None if !reached.contains(&3) => {}
            None => {
                for (block, by) in reached.iter().enumerate() {
                    if *by != 0 {
                        self.influenced.insert(block);
                    }
                }
            }
        }
        if comes_back {
            // The loop that lanes leave in different rounds: what leads from the branch and back to it.
            let mut back = vec![0u8; end];
            for from in self.flow.backward.successors(at).collect::<Vec<_>>() {
                self.walk(from, stops, &mut back, 1, true, interrupt)?;
            }
            let inside = |block: usize| block == at || (reached[block] != 0 && back[block] != 0);
            let mut defined = FixedBitSet::with_capacity(kernel.registers.len());
            for (_, block) in kernel.blocks.iter().enumerate().filter(|(id, _)| inside(*id)) {
                interrupt.go_on(block.insts.len())?;
                for inst in &block.insts {
                    inst.op.operands(|operand| {
                        if let Operand::Def(reg) = operand {
                            defined.insert(reg.0 as usize);
                        }
                    });
                }
            }
            if goes_on {
                // Lanes are in different rounds inside, too.
                for block in (0..end).filter(|block| inside(*block)) {
                    for reg in live.live_in(block) {
                        interrupt.go_on(1)?;
                        leave_behind(&mut self.left_behind, reg, &defined);
                    }
                }
            }
            for block in (0..end).filter(|block| inside(*block)) {
                for out in self.flow.forward.successors(block).filter(|out| !inside(*out)) {
                    for reg in live.live_in(out) {
                        interrupt.go_on(1)?;
                        leave_behind(&mut self.left_behind, reg, &defined);
                    }
                }
            }
        }
        if self.visits > VISITS * (end + 64) {
            self.influenced.insert_range(..);
            self.left_behind.insert_range(..);
        }
        Some(true)
    }

    /// Per block, from which sides of a branch lanes may come there before they meet. One round only: who comes back to the branch
    /// parts there anew.
    fn sides(
        &mut self,
        at: usize,
        meet: Option<usize>,
        interrupt: &Interrupt<'_>,
    ) -> Option<Vec<u8>> {
        let mut reached = vec![0u8; self.flow.blocks()];
        let targets: Vec<usize> = self.flow.forward.successors(at).collect();
        for (nth, target) in targets.into_iter().enumerate() {
            self.walk(target, [Some(at), meet], &mut reached, 1 << nth, false, interrupt)?;
        }
        Some(reached)
    }

    /// Marks what can be reached without going through one of `stops`, of which the first is marked, too.
    fn walk(
        &mut self,
        from: usize,
        stops: [Option<usize>; 2],
        reached: &mut [u8],
        mark: u8,
        backward: bool,
        interrupt: &Interrupt<'_>,
    ) -> Option<()> {
        let graph = if backward { &self.flow.backward } else { &self.flow.forward };
        let mut left = vec![from];
        while let Some(block) = left.pop() {
            if Some(block) == stops[1] || reached[block] & mark != 0 {
                continue;
            }
            interrupt.go_on(1)?;
            self.visits += 1;
            reached[block] |= mark;
            if Some(block) != stops[0] {
                left.extend(graph.successors(block));
            }
        }
        Some(())
    }
}

/// Lanes leave a loop with values of a register from different rounds, if the loop defines it.
fn leave_behind(left_behind: &mut FixedBitSet, reg: Reg, defined: &FixedBitSet) {
    if defined.contains(reg.0 as usize) {
        left_behind.insert(reg.0 as usize);
    }
}
