//! What a branch that lanes of a warp take in different directions does to values.

use super::flow::Flow;
use super::liveness::Liveness;
use crate::{Interrupt, Kernel, Operand};
use fixedbitset::FixedBitSet;

/// Blocks that are looked at for all branches of a kernel together, for each of its blocks: beyond that, everything is taken to
/// be influenced.
const VISITS: usize = 64;

/// Control flow as divergence sees it.
pub(super) struct Divergence {
    flow: Flow,
    /// The blocks whose branches lanes part on and that have been looked at.
    seen: FixedBitSet,
    /// The registers of which lanes may have different definitions, on one side of a branch and the other, or where they meet.
    brought: FixedBitSet,
    /// The registers that lanes may have from different rounds of a loop.
    left_behind: FixedBitSet,
    /// The blocks at which some lanes of a warp may stand while others are elsewhere.
    apart: FixedBitSet,
    visits: usize,
}

impl Divergence {
    pub(super) fn new(kernel: &Kernel) -> Divergence {
        let flow = Flow::of(kernel);
        Divergence {
            seen: FixedBitSet::with_capacity(flow.blocks()),
            brought: FixedBitSet::with_capacity(kernel.registers.len()),
            left_behind: FixedBitSet::with_capacity(kernel.registers.len()),
            apart: FixedBitSet::with_capacity(flow.blocks()),
            visits: 0,
            flow,
        }
    }

    /// Whether lanes may have a register from different definitions at once, if it has several.
    pub(super) fn is_brought(&self, reg: usize) -> bool {
        self.brought.contains(reg)
    }

    /// Whether lanes may have a register from different rounds of a loop.
    pub(super) fn is_left_behind(&self, reg: usize) -> bool {
        self.left_behind.contains(reg)
    }

    /// The blocks at which some lanes of a warp may stand while others are elsewhere, or have exited.
    pub(super) fn apart(self) -> FixedBitSet {
        self.apart
    }

    /// Whether more has been looked at than is worth it.
    fn has_given_up(&self) -> bool {
        self.visits > VISITS * (self.flow.blocks() + 64)
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
        if self.has_given_up() {
            // Everything is taken to differ already.
            return Some(true);
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
        self.set_apart(kernel, at, meet, &reached, interrupt)?;
        let stops = [Some(at), meet];
        // The loop that lanes leave in different rounds: what leads from the branch and back to it.
        let comes_back = reached[at] != 0;
        let mut back = vec![0u8; end];
        if comes_back {
            for from in self.flow.backward.successors(at).collect::<Vec<_>>() {
                self.walk(from, stops, &mut back, 1, true, interrupt)?;
            }
        }
        let inside =
            |block: usize| comes_back && (block == at || (reached[block] != 0 && back[block] != 0));
        let outside = |block: usize| reached[block] != 0 && !inside(block);
        let mut sides = [0; 2].map(|_| FixedBitSet::new());
        for (nth, side) in sides.iter_mut().enumerate() {
            *side = defined_in(kernel, |block| reached[block] >> nth & 1 != 0, interrupt)?;
        }
        let last = (0..end).rev().find(|block| inside(*block));
        match meet {
            // Who has left the loop waits for those inside, so all go on together from there.
            Some(meet) if (0..last.unwrap_or(0)).all(|block| !outside(block)) => {
                for (block, by) in reached.iter().enumerate().take(meet + 1) {
                    for (nth, side) in sides.iter().enumerate() {
                        // One side also changes what the other one needs meanwhile.
                        if block == meet || by & !(1 << nth) != 0 {
                            bring(&mut self.brought, live, block, side, interrupt)?;
                        }
                    }
                }
            }
            // Where lanes never meet again, nobody sees two values in one.
            None if !reached.contains(&3) => {}
            Some(_) | None => sides.iter().for_each(|side| self.brought.union_with(side)),
        }
        if comes_back {
            let defined = defined_in(kernel, inside, interrupt)?;
            for block in (0..end).filter(|block| inside(*block)) {
                // Lanes may be in different rounds inside, too.
                if goes_on {
                    bring(&mut self.left_behind, live, block, &defined, interrupt)?;
                }
                for out in self.flow.forward.successors(block).filter(|out| !inside(*out)) {
                    bring(&mut self.left_behind, live, out, &defined, interrupt)?;
                }
            }
        }
        if self.has_given_up() {
            self.brought.insert_range(..);
            self.left_behind.insert_range(..);
            self.apart.insert_range(..);
        }
        Some(true)
    }

    /// Lanes that part are apart until they meet, if they are certain to: where some may wait on the way, or go round in a loop, the
    /// others go on without them.
    fn set_apart(
        &mut self,
        kernel: &Kernel,
        at: usize,
        meet: Option<usize>,
        reached: &[u8],
        interrupt: &Interrupt<'_>,
    ) -> Option<()> {
        let go_straight_on = (0..reached.len()).filter(|block| reached[*block] != 0).all(|block| {
            let waits = kernel.blocks[block].insts.iter().any(|inst| inst.op.may_wait());
            !waits && self.flow.forward.successors(block).all(|to| to > block)
        });
        let everything;
        let blocks = if meet.is_some() && go_straight_on {
            reached
        } else {
            everything = self.sides(at, None, interrupt)?;
            &everything
        };
        add_reached(&mut self.apart, blocks);
        Some(())
    }

    /// Some lanes may wait in a block while others go on.
    pub(super) fn wait_apart(&mut self, at: usize, interrupt: &Interrupt<'_>) -> Option<()> {
        if !self.apart.put(at) {
            let behind = self.sides(at, None, interrupt)?;
            add_reached(&mut self.apart, &behind);
        }
        Some(())
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

/// Adds the blocks that lanes reach from any side.
fn add_reached(blocks: &mut FixedBitSet, reached: &[u8]) {
    blocks.extend((0..reached.len()).filter(|block| reached[*block] != 0));
}

/// The registers that some of a kernel's blocks define.
fn defined_in(
    kernel: &Kernel,
    block: impl Fn(usize) -> bool,
    interrupt: &Interrupt<'_>,
) -> Option<FixedBitSet> {
    let mut defined = FixedBitSet::with_capacity(kernel.registers.len());
    for (_, code) in kernel.blocks.iter().enumerate().filter(|(at, _)| block(*at)) {
        interrupt.go_on(code.insts.len())?;
        for inst in &code.insts {
            inst.op.operands(|operand| {
                if let Operand::Def(reg) = operand {
                    defined.insert(reg.0 as usize);
                }
            });
        }
    }
    Some(defined)
}

/// Lanes come to a block with different values of those registers that are needed there.
fn bring(
    brought: &mut FixedBitSet,
    live: &Liveness,
    block: usize,
    defined: &FixedBitSet,
    interrupt: &Interrupt<'_>,
) -> Option<()> {
    for reg in live.live_in(block).map(|reg| reg.0 as usize) {
        interrupt.go_on(1)?;
        if defined.contains(reg) {
            brought.insert(reg);
        }
    }
    Some(())
}
