//! Reconvergence order: the order of blocks in which "run the earliest split first" reconverges
//! structured code at immediate post-dominators.
//!
//! Within acyclic code any topological order does that: a split that waits at a join point is overtaken by
//! every split that can still reach it. Loops must stay contiguous, so that lanes that left a loop wait for
//! lanes that are still inside. The order is therefore a weak topological order (Bourdoncle 1993): strongly
//! connected components in topological order, each with its header first and its rest ordered likewise.

use crate::Kernel;

/// Loops nested deeper than this are ordered as they stand in the source, to bound the time that
/// hostile input can take.
const MAX_DEPTH: usize = 64;

/// The nodes that are reachable from some roots, in reconvergence order; what only later roots reach comes later. `successors[n]`
/// lists where control can go from `n`, in source order.
pub fn reconvergence_order(successors: &[Vec<usize>], roots: &[usize]) -> Vec<usize> {
    let mut order = Vec::with_capacity(successors.len());
    if successors.is_empty() {
        return order;
    }
    // Components still to be ordered: the roots to search from, the component they lie in, its depth.
    // Last in, first out, so that a component is emitted whole before what follows it.
    enum Task {
        Search { roots: Vec<usize>, component: usize, depth: usize },
        Emit(usize),
    }
    // `component[n]` is the innermost component known to hold `n`; edges out of it are ignored.
    let mut component = vec![0; successors.len()];
    let mut next_component = 1;
    let mut tasks = vec![Task::Search { roots: roots.to_vec(), component: 0, depth: 0 }];
    let mut search = Search::new(successors.len());
    while let Some(task) = tasks.pop() {
        let (roots, inside, depth) = match task {
            Task::Emit(node) => {
                order.push(node);
                continue;
            }
            Task::Search { roots, component, depth } => (roots, component, depth),
        };
        // Tarjan yields components in reverse topological order, which is the order to push tasks in.
        let found = search.components(successors, &roots, |node| component[node] == inside);
        for mut members in found {
            let Some(header) = members.pop() else { continue };
            let cyclic = !members.is_empty();
            if !cyclic {
                component[header] = usize::MAX;
                tasks.push(Task::Emit(header));
            } else if depth == MAX_DEPTH {
                members.push(header);
                members.sort_unstable_by(|a, b| b.cmp(a));
                for node in members {
                    component[node] = usize::MAX;
                    tasks.push(Task::Emit(node));
                }
            } else {
                component[header] = usize::MAX;
                for node in &members {
                    component[*node] = next_component;
                }
                // All members can be reached from where the header leads.
                let roots = successors[header].clone();
                tasks.push(Task::Search { roots, component: next_component, depth: depth + 1 });
                tasks.push(Task::Emit(header));
                next_component += 1;
            }
        }
    }
    order
}

/// The nodes to which several nodes lead back, with those nodes: heads of loops with more than one end. `order` is the
/// reconvergence order.
///
/// Lanes that go back from one end would be early for all others and not wait for those that are still to come to another
/// end. They meet where all ends lead to one node first, which comes after them in any reconvergence order.
pub fn loops_of_several_ends(
    successors: &[Vec<usize>],
    order: &[usize],
) -> Vec<(usize, Vec<usize>)> {
    let mut position = vec![usize::MAX; successors.len()];
    for (at, node) in order.iter().enumerate() {
        position[*node] = at;
    }
    let mut ends: Vec<Vec<usize>> = vec![Vec::new(); successors.len()];
    for node in order {
        for to in &successors[*node] {
            if position[*to] <= position[*node] && ends[*to].last() != Some(node) {
                ends[*to].push(*node);
            }
        }
    }
    ends.into_iter().enumerate().filter(|(_, ends)| ends.len() > 1).collect()
}

/// Per block of a kernel, whether lanes may come there again.
pub fn repeated(kernel: &Kernel) -> Vec<bool> {
    let successors: Vec<Vec<usize>> = kernel
        .blocks
        .iter()
        .map(|block| block.terminator.successors().map(|to| to.0 as usize).collect())
        .collect();
    let mut found = vec![false; successors.len()];
    for component in components(&successors) {
        let goes_round = |block: &usize| successors[*block].contains(block);
        let again = component.len() > 1 || component.iter().any(goes_round);
        component.into_iter().for_each(|block| found[block] = again);
    }
    found
}

/// The strongly connected components of what node 0 reaches, each before those that lead to it.
pub fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    if successors.is_empty() {
        return Vec::new();
    }
    Search::new(successors.len()).components(successors, &[0], |_| true)
}

/// Tarjan's algorithm without recursion. The arrays are shared by all searches: every node is searched
/// once per depth, and `round` tells old marks from new ones.
struct Search {
    index: Vec<(usize, usize)>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    round: usize,
}

impl Search {
    fn new(nodes: usize) -> Self {
        Search {
            index: vec![(0, 0); nodes],
            low: vec![0; nodes],
            on_stack: vec![false; nodes],
            round: 0,
        }
    }

    /// Strongly connected components of what `roots` reach among the nodes that are `inside`, in reverse
    /// topological order. The last member of each is the one that the search entered it by.
    fn components(
        &mut self,
        successors: &[Vec<usize>],
        roots: &[usize],
        inside: impl Fn(usize) -> bool,
    ) -> Vec<Vec<usize>> {
        self.round += 1;
        let round = self.round;
        let mut found = Vec::new();
        let mut stack = Vec::new();
        let mut counter = 0;
        // Successors are taken last first: what is searched first ends up last.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for root in roots.iter().rev() {
            if self.index[*root].0 == round || !inside(*root) {
                continue;
            }
            let mut enter = Some(*root);
            loop {
                if let Some(node) = enter.take() {
                    self.index[node] = (round, counter);
                    self.low[node] = counter;
                    counter += 1;
                    stack.push(node);
                    self.on_stack[node] = true;
                    path.push((node, successors[node].len()));
                }
                let Some((node, left)) = path.last_mut() else { break };
                let node = *node;
                if *left > 0 {
                    *left -= 1;
                    let next = successors[node][*left];
                    if !inside(next) {
                        continue;
                    }
                    if self.index[next].0 != round {
                        enter = Some(next);
                    } else if self.on_stack[next] {
                        self.low[node] = self.low[node].min(self.index[next].1);
                    }
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    self.low[*parent] = self.low[*parent].min(self.low[node]);
                }
                if self.low[node] == self.index[node].1 {
                    let mut members = Vec::new();
                    while let Some(member) = stack.pop() {
                        self.on_stack[member] = false;
                        members.push(member);
                        if member == node {
                            break;
                        }
                    }
                    found.push(members);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{loops_of_several_ends, reconvergence_order};

    #[test]
    fn if_then_else_joins_last() {
        assert_eq!(
            reconvergence_order(&[vec![1, 2], vec![3], vec![3], vec![]], &[0]),
            [0, 1, 2, 3]
        );
        // The join stands before its predecessors in the source.
        assert_eq!(
            reconvergence_order(&[vec![2, 3], vec![], vec![1], vec![1]], &[0]),
            [0, 2, 3, 1]
        );
    }

    #[test]
    fn loops_stay_contiguous_and_come_before_their_exits() {
        // 0 → 1 (header) → exit 2 or body 3 → 1.
        assert_eq!(
            reconvergence_order(&[vec![1], vec![2, 3], vec![], vec![1]], &[0]),
            [0, 1, 3, 2]
        );
        // Nested: 1 outer header, 2 inner header, 3 inner body, 4 after inner, 5 exit.
        let nested = [vec![1], vec![5, 2], vec![4, 3], vec![2], vec![1], vec![]];
        assert_eq!(reconvergence_order(&nested, &[0]), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn unreachable_blocks_are_dropped_and_self_loops_kept() {
        assert_eq!(reconvergence_order(&[vec![0, 2], vec![2], vec![]], &[0]), [0, 2]);
        assert!(reconvergence_order(&[], &[0]).is_empty());
    }

    #[test]
    fn loops_with_several_ends_are_found() {
        // 0 → 1 (head) → 4 or 2 → 1 or 3 → 1: a loop with `continue`.
        let mut graph = vec![vec![1], vec![4, 2], vec![1, 3], vec![1], vec![]];
        let found =
            |graph: &[Vec<usize>]| loops_of_several_ends(graph, &reconvergence_order(graph, &[0]));
        assert_eq!(found(&graph), [(1, vec![2, 3])]);
        // With 5 as its one end.
        (graph[2], graph[3]) = (vec![5, 3], vec![5]);
        graph.push(vec![1]);
        assert_eq!(found(&graph), []);
        assert_eq!(reconvergence_order(&graph, &[0]), [0, 1, 2, 3, 5, 4]);
        // A head of its own, to which both ways of a branch lead, and two loops with one end each.
        assert_eq!(found(&[vec![1], vec![1, 1]]), []);
        assert_eq!(found(&[vec![1], vec![2], vec![2, 3], vec![1, 4], vec![]]), []);
    }

    #[test]
    fn irreducible_loops_keep_every_block() {
        let mut order = reconvergence_order(&[vec![1, 2], vec![2, 3], vec![1, 3], vec![]], &[0]);
        assert_eq!(order[3], 3);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3]);
    }

    #[test]
    fn a_hundred_thousand_blocks_and_nested_loops_are_quick() {
        let count = 100_000;
        let chain: Vec<_> = (0..count).map(|n| vec![(n + 1).min(count - 1), n / 2]).collect();
        assert_eq!(reconvergence_order(&chain, &[0]).len(), count);
        let nest: Vec<_> = (0..count).map(|n| vec![(n + 1) % count, count - 1 - n]).collect();
        assert_eq!(reconvergence_order(&nest, &[0]).len(), count);
    }
}
