//! Graphs: where control can go.

use crate::{BlockId, Kernel};
use fixedbitset::FixedBitSet;

/// A directed graph on the nodes from 0 on.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Per node, where its successors begin in `to`; one more at the end.
    starts: Vec<u32>,
    to: Vec<u32>,
}

impl Graph {
    /// The graph with these edges. The successors of a node keep their order.
    pub fn new(nodes: usize, edges: impl Iterator<Item = (usize, usize)> + Clone) -> Graph {
        let mut starts = vec![0u32; nodes + 1];
        for (from, _) in edges.clone() {
            starts[from + 1] += 1;
        }
        for at in 0..nodes {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut to = vec![0; starts[nodes] as usize];
        for (from, into) in edges {
            to[next[from] as usize] = into as u32;
            next[from] += 1;
        }
        Graph { starts, to }
    }

    /// The blocks of a kernel, and where control goes from them.
    pub fn of_blocks(kernel: &Kernel) -> Graph {
        let edges = kernel.blocks.iter().enumerate().flat_map(|(from, block)| {
            block.terminator.successors().map(move |BlockId(to)| (from, to as usize))
        });
        Graph::new(kernel.blocks.len(), edges)
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the edges of a node lead.
    pub fn successors(&self, node: usize) -> impl DoubleEndedIterator<Item = usize> + Clone + '_ {
        let range = self.starts[node] as usize..self.starts[node + 1] as usize;
        self.to[range].iter().map(|to| *to as usize)
    }

    /// All edges.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + Clone + '_ {
        (0..self.nodes()).flat_map(|from| self.successors(from).map(move |to| (from, to)))
    }

    /// The graph with every edge turned round.
    pub fn reversed(&self) -> Graph {
        Graph::new(self.nodes(), self.edges().map(|(from, to)| (to, from)))
    }

    /// What is at the end of one or more edges that begin at some nodes.
    pub fn behind(&self, starts: impl IntoIterator<Item = usize>) -> FixedBitSet {
        let mut behind = FixedBitSet::with_capacity(self.nodes());
        let mut left: Vec<usize> = starts.into_iter().collect();
        while let Some(node) = left.pop() {
            left.extend(self.successors(node).filter(|to| !behind.put(*to)));
        }
        behind
    }
}
