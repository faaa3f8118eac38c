//! A graph: nodes, each with work and with nodes that come before it.

use crate::abi::{Answer, CUgraph, CUgraphNode, CUresult};
use crate::operation::Operation;
use crate::registry::Registry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What a node does.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Operation(Operation),
    /// All that another graph does, as it was when the node was made.
    Child(Arc<Graph>),
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) handle: CUgraphNode,
    pub(crate) work: Work,
    /// Those that come before it.
    pub(crate) after: Vec<CUgraphNode>,
    /// Whether it is left out.
    pub(crate) is_disabled: bool,
}

/// A graph.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Mutex<Vec<Node>>,
}

/// The graph that a node is in.
#[derive(Debug)]
pub(crate) struct Home(Weak<Graph>);

/// Handles of graphs.
pub(crate) fn graphs() -> &'static Registry<Graph> {
    static ALL: Registry<Graph> = Registry::new(8);
    &ALL
}

/// Handles of nodes.
pub(crate) fn homes() -> &'static Registry<Home> {
    static ALL: Registry<Home> = Registry::new(9);
    &ALL
}

/// The graph of a handle.
pub(crate) fn get(handle: CUgraph) -> Answer<Arc<Graph>> {
    graphs().get(handle.0)
}

/// The graph that a node is in.
pub(crate) fn home(node: CUgraphNode) -> Answer<Arc<Graph>> {
    homes().get(node.0)?.0.upgrade().ok_or(CUresult::INVALID_HANDLE)
}

impl Graph {
    /// Its nodes.
    pub(crate) fn nodes(&self) -> MutexGuard<'_, Vec<Node>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a node behind others.
    ///
    /// # Errors
    /// One of those is not in the graph, or is named twice.
    pub(crate) fn add(self: &Arc<Self>, work: Work, after: &[CUgraphNode]) -> Answer<CUgraphNode> {
        let mut nodes = self.nodes();
        let is_here = |node: &CUgraphNode| nodes.iter().any(|known| known.handle == *node);
        let is_twice = |nth: usize| after[..nth].contains(&after[nth]);
        if !after.iter().all(is_here) || (0..after.len()).any(is_twice) {
            return Err(CUresult::INVALID_VALUE);
        }
        let home = Arc::new(Home(Arc::downgrade(self)));
        let handle = CUgraphNode(homes().insert(home));
        nodes.push(Node { handle, work, after: after.to_vec(), is_disabled: false });
        Ok(handle)
    }

    /// Works on a node.
    ///
    /// # Errors
    /// It is not in the graph.
    pub(crate) fn with<T>(
        &self,
        node: CUgraphNode,
        work: impl FnOnce(&mut Node) -> T,
    ) -> Answer<T> {
        let mut nodes = self.nodes();
        let found = nodes.iter_mut().find(|known| known.handle == node);
        found.map(work).ok_or(CUresult::INVALID_VALUE)
    }

    /// Takes a node out, and the order that it made.
    pub(crate) fn remove(&self, node: CUgraphNode) {
        let mut nodes = self.nodes();
        nodes.retain(|known| known.handle != node);
        nodes.iter_mut().for_each(|known| known.after.retain(|it| *it != node));
        let _ = homes().remove(node.0);
    }

    /// Its nodes in an order in which each comes behind those that it must.
    ///
    /// # Errors
    /// There is none: the graph has a circle.
    pub(crate) fn in_order(&self) -> Answer<Vec<Node>> {
        let mut rest = self.nodes().clone();
        let mut done: Vec<Node> = Vec::with_capacity(rest.len());
        while !rest.is_empty() {
            let is_done = |node: &CUgraphNode| done.iter().any(|known| known.handle == *node);
            let (ready, waiting): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|node| node.after.iter().all(is_done));
            if ready.is_empty() {
                return Err(CUresult::INVALID_VALUE);
            }
            done.extend(ready);
            rest = waiting;
        }
        Ok(done)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        for node in self.nodes.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let _ = homes().remove(node.handle.0);
        }
    }
}
