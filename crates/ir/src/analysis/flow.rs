//! Where control goes in a kernel, from where it comes, and where all its ways meet.

use super::dominators::Dominators;
use super::graph::Graph;
use crate::Kernel;

/// The control flow of a kernel.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The blocks, and where control goes from them.
    pub forward: Graph,
    /// The same with every edge turned round.
    pub backward: Graph,
    after: Dominators,
}

impl Flow {
    /// That of a kernel.
    pub fn of(kernel: &Kernel) -> Flow {
        let forward = Graph::of_blocks(kernel);
        let end = forward.nodes();
        let leaves = |block: &usize| forward.successors(*block).next().is_none();
        let ends = (0..end).filter(leaves).map(|block| (end, block));
        let back = forward.edges().map(|(from, to)| (to, from)).chain(ends);
        let after = Dominators::new(&Graph::new(end + 1, back), end);
        Flow { backward: forward.reversed(), after, forward }
    }

    /// Blocks of the kernel, and the number of the end.
    pub fn blocks(&self) -> usize {
        self.forward.nodes()
    }

    /// Post-dominators: dominators of the flow turned round, from an end that follows all blocks which lead nowhere. Blocks
    /// from which no way leads there are not in the tree.
    pub fn after(&self) -> &Dominators {
        &self.after
    }
}
