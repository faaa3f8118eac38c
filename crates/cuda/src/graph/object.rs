//! A graph: nodes, each with work and with nodes that come before it.

use crate::abi::constants::*;
use crate::abi::{
    Answer, CUgraph, CUgraphNode, CUgraphNodeType, CUkernelNodeAttrValue, CUresult, CUuserObject,
    Out,
};
use crate::driver::driver;
use crate::launch_attributes::clusters;
use crate::memory::GraphMemory;
use crate::operation::{Chosen, Operation};
use crate::registry::Registry;
use crate::user_object::release_some;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What a node does.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Operation(Operation),
    /// All that another graph does, as it was when the node was made.
    Child(Arc<Graph>, CUgraph),
    /// Allocates memory, whose address is there as long as the graph.
    Alloc(Arc<GraphMemory>),
    Free(u64),
    /// Launches graphs by the value of a condition.
    Conditional(Conditional),
}

impl Work {
    /// The kind of the node.
    pub(crate) fn kind(&self) -> CUgraphNodeType {
        match self {
            Work::Child(..) => CU_GRAPH_NODE_TYPE_GRAPH,
            Work::Alloc(_) => CU_GRAPH_NODE_TYPE_MEM_ALLOC,
            Work::Conditional(_) | Work::Operation(Operation::Choose(_)) => {
                CU_GRAPH_NODE_TYPE_CONDITIONAL
            }
            Work::Free(_) | Work::Operation(Operation::Free(_)) => CU_GRAPH_NODE_TYPE_MEM_FREE,
            Work::Operation(Operation::Nothing | Operation::Keep(_)) => CU_GRAPH_NODE_TYPE_EMPTY,
            Work::Operation(Operation::Launch(_)) => CU_GRAPH_NODE_TYPE_KERNEL,
            Work::Operation(Operation::Copy(_)) => CU_GRAPH_NODE_TYPE_MEMCPY,
            Work::Operation(Operation::Fill { .. }) => CU_GRAPH_NODE_TYPE_MEMSET,
            Work::Operation(Operation::Call(_)) => CU_GRAPH_NODE_TYPE_HOST,
            Work::Operation(Operation::Write(_) | Operation::Await(..)) => {
                CU_GRAPH_NODE_TYPE_BATCH_MEM_OP
            }
            Work::Operation(Operation::Record(_)) => CU_GRAPH_NODE_TYPE_EVENT_RECORD,
            Work::Operation(Operation::Wait(_)) => CU_GRAPH_NODE_TYPE_WAIT_EVENT,
        }
    }
}

/// Graphs that are launched by the value of a condition.
#[derive(Clone, Debug)]
pub(crate) struct Conditional {
    /// Where the value is.
    pub(crate) word: u64,
    pub(crate) chosen: Chosen,
    /// The graphs, as the program has them.
    pub(crate) bodies: Vec<(Arc<Graph>, CUgraph)>,
    /// Their handles, where the program looks for them.
    pub(crate) handles: Arc<Bodies>,
}

/// The handles of the graphs of a conditional node, which lead nowhere when neither the node nor a copy of it is there.
#[derive(Debug)]
pub(crate) struct Bodies(pub(crate) Box<[CUgraph]>);

impl Drop for Bodies {
    fn drop(&mut self) {
        for graph in &self.0 {
            let _ = graphs().remove(graph.0);
        }
    }
}

/// The value of a condition.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// The word.
    pub(crate) memory: Arc<GraphMemory>,
    /// What it is when a launch begins, if that is not what the one before left.
    pub(crate) default: Option<u32>,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) handle: CUgraphNode,
    pub(crate) work: Work,
    /// The node that it is a copy of; itself if it is none.
    pub(crate) original: CUgraphNode,
    /// Those that come before it.
    pub(crate) after: Vec<CUgraphNode>,
    /// Whether it is left out.
    pub(crate) is_disabled: bool,
    /// Of a kernel, attributes that say how it may be launched, and not what comes of it.
    pub(crate) hints: BTreeMap<u32, CUkernelNodeAttrValue>,
}

impl Node {
    /// Gives it other work of the same kind. A kernel keeps its attributes.
    pub(crate) fn change(&mut self, work: Work) -> Answer {
        if self.work.kind() != work.kind() {
            return Err(CUresult::INVALID_VALUE);
        }
        self.work = match (&self.work, work) {
            (
                Work::Operation(Operation::Launch(own)),
                Work::Operation(Operation::Launch(other)),
            ) if (own.cooperative, own.cluster) != (other.cooperative, other.cluster) => {
                clusters(&other.function, other.grid, own.cluster, other.shared)?;
                let launch = other.asking(own.cooperative, own.cluster);
                Work::Operation(Operation::Launch(Arc::new(launch)))
            }
            (_, work) => work,
        };
        Ok(())
    }
}

/// A graph.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Mutex<Vec<Node>>,
    /// The conditions of its nodes.
    conditions: Mutex<Vec<Condition>>,
    /// Objects of the program that it keeps, and how often.
    kept: Mutex<Vec<(CUuserObject, u64)>>,
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

/// `cuGraphNodeGetContainingGraph`.
pub(crate) fn containing(node: CUgraphNode, to: Out<CUgraph>) -> Answer {
    driver()?;
    let home = home(node)?;
    let handle = graphs().handle(|graph| std::ptr::eq(graph, &*home));
    to.set(CUgraph(handle.ok_or(CUresult::INVALID_VALUE)?))
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
        let (original, after) = (handle, after.to_vec());
        let hints = BTreeMap::new();
        nodes.push(Node { handle, work, original, after, is_disabled: false, hints });
        Ok(handle)
    }

    /// A graph of nodes that stand in order.
    pub(crate) fn of_nodes(nodes: &[Node]) -> Answer<Arc<Graph>> {
        let copied = Arc::new(Graph::default());
        let mut known: Vec<(CUgraphNode, CUgraphNode)> = Vec::new();
        for node in nodes {
            let new = |old: &CUgraphNode| known.iter().find(|(it, _)| it == old).map(|it| it.1);
            let after: Option<Vec<_>> = node.after.iter().map(new).collect();
            let handle = copied.add(node.work.clone(), &after.ok_or(CUresult::INVALID_VALUE)?)?;
            copied.with(handle, |it| {
                (it.original, it.is_disabled) = (node.handle, node.is_disabled);
                it.hints = node.hints.clone();
            })?;
            known.push((node.handle, handle));
        }
        Ok(copied)
    }

    /// A copy of it.
    ///
    /// # Errors
    /// The graph has a circle.
    pub(crate) fn copied(&self) -> Answer<Arc<Graph>> {
        let copied = Graph::of_nodes(&self.in_order()?)?;
        self.conditions().into_iter().for_each(|condition| copied.has_condition(condition));
        Ok(copied)
    }

    /// The conditions of its nodes.
    pub(crate) fn conditions(&self) -> Vec<Condition> {
        self.conditions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It gets another condition.
    pub(crate) fn has_condition(&self, condition: Condition) {
        self.conditions.lock().unwrap_or_else(PoisonError::into_inner).push(condition);
    }

    /// The handles of its nodes lead nowhere from now on.
    pub(crate) fn forget_nodes(&self) {
        for node in &*self.nodes() {
            let _ = homes().remove(node.handle.0);
        }
    }

    /// Keeps an object of the program as long as the graph is there.
    pub(crate) fn keep(&self, object: CUuserObject, count: u64) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.iter_mut().find(|(known, _)| *known == object) {
            Some((_, known)) => *known += count,
            None => kept.push((object, count)),
        }
    }

    /// Keeps it so many times less; whether it has kept it so often.
    pub(crate) fn let_go(&self, object: CUuserObject, count: u64) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter_mut().find(|(known, many)| *known == object && *many >= count);
        let is_kept = found.map(|(_, many)| *many -= count).is_some();
        kept.retain(|(_, many)| *many > 0);
        is_kept
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
        for (object, count) in self.kept.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let _ = release_some(*object, *count);
        }
        for node in self.nodes.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let _ = homes().remove(node.handle.0);
        }
    }
}
