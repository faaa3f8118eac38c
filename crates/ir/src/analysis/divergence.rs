//! What a branch that lanes of a warp take in different directions does to values.

use crate::{Dominators, Graph, Interrupt, Kernel, Liveness, Operand};

/// Blocks that are looked at for all branches of a kernel together, for each of its blocks: beyond that, everything is taken to
/// be influenced.
const VISITS: usize = 64;

/// Control flow as divergence sees it.
pub(super) struct Divergence {
    graph: Graph,
    before: Graph,
    /// Dominators of the reversed graph, with a node behind all exits.
    after: Dominators,
    /// Per block, whether a branch on which lanes part has been looked at.
    seen: Vec<bool>,
    /// Per block, whether lanes may come there, or not, after they have parted and before they meet again.
    influenced: Vec<bool>,
    /// Per register, whether lanes may have it from different rounds of a loop.
    left_behind: Vec<bool>,
    visits: usize,
}

impl Divergence {
    pub(super) fn new(kernel: &Kernel) -> Divergence {
        let graph = Graph::of_blocks(kernel);
        let end = graph.nodes();
        let leaves = |at: usize| graph.successors(at).next().is_none();
        let exits: Vec<usize> = (0..end).filter(|at| leaves(*at)).collect();
        let edges = graph.edges().map(|(from, to)| (to, from));
        let reversed = Graph::new(end + 1, edges.chain(exits.iter().map(|exit| (end, *exit))));
        Divergence {
            after: Dominators::new(&reversed, end),
            before: graph.reversed(),
            seen: vec![false; end],
            influenced: vec![false; end],
            left_behind: vec![false; kernel.registers.len()],
            visits: 0,
            graph,
        }
    }

    /// Whether lanes may come to a block, or not, after they have parted.
    pub(super) fn is_influenced(&self, block: usize) -> bool {
        self.influenced[block]
    }

    /// Whether lanes may have a register from different rounds of a loop.
    pub(super) fn is_left_behind(&self, reg: usize) -> bool {
        self.left_behind[reg]
    }

    /// Lanes may part at the end of a block. Says whether that is new. `None` if it was interrupted.
    pub(super) fn part(
        &mut self,
        kernel: &Kernel,
        live: &Liveness,
        at: usize,
        interrupt: &Interrupt<'_>,
    ) -> Option<bool> {
        if std::mem::replace(&mut self.seen[at], true) {
            return Some(false);
        }
        let end = self.graph.nodes();
        // Who goes back to an earlier block does not wait for the others there: the earliest run first.
        let meet = self.after.immediate(at);
        let goes_back = meet.is_some_and(|meet| meet <= at);
        let meet = meet.filter(|meet| *meet != end && !goes_back);
        let targets: Vec<usize> = self.graph.successors(at).collect();
        // One round only: who comes back to the branch parts there anew.
        let mut reached = vec![0u8; end];
        let stops = [Some(at), meet];
        for (nth, target) in targets.iter().enumerate() {
            self.walk(*target, stops, &mut reached, 1 << nth, false, interrupt)?;
        }
        let comes_back = reached[at] != 0;
        match meet {
            Some(meet) => {
                let mut leads = vec![0u8; end];
                let stops = [Some(at), None];
                self.walk(meet, stops, &mut leads, 1, true, interrupt)?;
                for block in (0..end).filter(|block| *block != at && reached[*block] != 0) {
                    self.influenced[block] |= leads[block] != 0;
                }
            }
            // Where lanes never meet again, nobody sees two values in one.
            None if !reached.contains(&3) => {}
            None => {
                for (block, by) in reached.iter().enumerate() {
                    self.influenced[block] |= *by != 0;
                }
            }
        }
        if comes_back {
            // The loop that lanes leave in different rounds: what leads from the branch and back to it.
            let mut back = vec![0u8; end];
            for from in self.before.successors(at).collect::<Vec<_>>() {
                self.walk(from, stops, &mut back, 1, true, interrupt)?;
            }
            let inside = |block: usize| block == at || (reached[block] != 0 && back[block] != 0);
            let mut defined = vec![false; kernel.registers.len()];
            for (_, block) in kernel.blocks.iter().enumerate().filter(|(id, _)| inside(*id)) {
                interrupt.go_on(block.insts.len())?;
                for inst in &block.insts {
                    inst.op.operands(|operand| {
                        if let Operand::Def(reg) = operand {
                            defined[reg.0 as usize] = true;
                        }
                    });
                }
            }
            if goes_back {
                // Lanes are in different rounds inside, too.
                for block in (0..end).filter(|block| inside(*block)) {
                    for reg in live.live_in(block) {
                        interrupt.go_on(1)?;
                        self.left_behind[reg.0 as usize] |= defined[reg.0 as usize];
                    }
                }
            }
            for block in (0..end).filter(|block| inside(*block)) {
                for out in self.graph.successors(block).filter(|out| !inside(*out)) {
                    for reg in live.live_in(out) {
                        interrupt.go_on(1)?;
                        self.left_behind[reg.0 as usize] |= defined[reg.0 as usize];
                    }
                }
            }
        }
        if self.visits > VISITS * (end + 64) {
            self.influenced.fill(true);
            self.left_behind.fill(true);
        }
        Some(true)
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
        let graph = if backward { &self.before } else { &self.graph };
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
