//! Conditional nodes: a word of device memory says which of their graphs is launched, and how often. Kernels set it by
//! `cudaGraphSetConditional`, whose handle is the word's address.

use super::object::{Bodies, Condition, Conditional, Graph, Node, Work, get, graphs};
use crate::abi::constants::{
    CU_GRAPH_COND_TYPE_IF, CU_GRAPH_COND_TYPE_SWITCH, CU_GRAPH_COND_TYPE_WHILE,
};
use crate::abi::{
    Address, Answer, CUDA_CONDITIONAL_NODE_PARAMS, CUcontext, CUgraph, CUgraphConditionalHandle,
    CUresult, Out,
};
use crate::context::named_or_current;
use crate::driver::driver;
use crate::memory::{Fill, GraphMemory, check};
use crate::operation::{Choice, Chosen, Operation};
use std::sync::Arc;

/// `CU_GRAPH_COND_ASSIGN_DEFAULT`: every launch of the graph begins with the value.
const ASSIGN_DEFAULT: u32 = 1;

/// The graphs of a node, at most.
const MOST: u32 = 1 << 16;

/// `cuGraphConditionalHandleCreate`.
pub(crate) fn create(
    to: Out<CUgraphConditionalHandle>,
    graph: CUgraph,
    context: CUcontext,
    value: u32,
    flags: u32,
) -> Answer {
    driver()?;
    let graph = get(graph)?;
    to.check()?;
    if flags & !ASSIGN_DEFAULT != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let memory = GraphMemory::new(&*named_or_current(context)?, size_of::<u32>() as u64)?;
    let address = memory.address();
    let default = (flags & ASSIGN_DEFAULT != 0).then_some(value);
    graph.has_condition(Condition { memory, default });
    to.set(address)
}

/// A node with graphs that are empty yet, whose handles the parameters get.
pub(super) fn made(params: Out<CUDA_CONDITIONAL_NODE_PARAMS>) -> Answer<Work> {
    let mut given = params.get()?;
    let (chosen, sizes) = match given.kind {
        CU_GRAPH_COND_TYPE_IF => (Chosen::If, 1..=2),
        CU_GRAPH_COND_TYPE_WHILE => (Chosen::While, 1..=1),
        CU_GRAPH_COND_TYPE_SWITCH => (Chosen::Switch, 1..=MOST),
        _ => return Err(CUresult::INVALID_VALUE),
    };
    if !sizes.contains(&given.size) {
        return Err(CUresult::INVALID_VALUE);
    }
    check(given.handle, size_of::<u32>() as u64)?;
    let body = |_| {
        let graph = Arc::new(Graph::default());
        let handle = CUgraph(graphs().insert(Arc::clone(&graph)));
        (graph, handle)
    };
    let bodies: Vec<_> = (0..given.size).map(body).collect();
    let handles = Arc::new(Bodies(bodies.iter().map(|(_, handle)| *handle).collect()));
    given.graphs = Address(handles.0.as_ptr().expose_provenance() as u64).into();
    params.set(given)?;
    Ok(Work::Conditional(Conditional { word: given.handle, chosen, bodies, handles }))
}

/// What a conditional node does, as its graphs are now.
///
/// # Errors
/// There is a node in them that may not be there, or a circle.
pub(super) fn operation(conditional: &Conditional) -> Answer<Operation> {
    let bodies = conditional.bodies.iter().map(|(graph, _)| operations(graph));
    let bodies = bodies.collect::<Answer<Vec<_>>>()?;
    let (word, chosen) = (conditional.word, conditional.chosen);
    Ok(Operation::Choose(Arc::new(Choice { word, chosen, bodies })))
}

/// The same node with copies of its graphs, which the program cannot change.
fn copied(conditional: &Conditional) -> Answer<Conditional> {
    let copy = |(graph, handle): &(Arc<Graph>, CUgraph)| Ok((graph.copied()?, *handle));
    let bodies = conditional.bodies.iter().map(copy).collect::<Answer<Vec<_>>>()?;
    Ok(Conditional { bodies, handles: Arc::clone(&conditional.handles), ..*conditional })
}

/// What the nodes of a graph do, one after the other, in an order in which each comes behind those that it must.
fn operations(graph: &Graph) -> Answer<Vec<Operation>> {
    let mut all = defaults(&graph.conditions());
    for node in graph.in_order()?.iter().filter(|node| !node.is_disabled) {
        match &node.work {
            Work::Operation(
                operation @ (Operation::Nothing
                | Operation::Launch(_)
                | Operation::Copy(_)
                | Operation::Fill { .. }),
            ) => all.push(operation.clone()),
            Work::Child(graph, _) => all.extend(operations(graph)?),
            Work::Conditional(conditional) => all.push(operation(conditional)?),
            Work::Operation(_) | Work::Alloc(_) | Work::Free(_) => {
                return Err(CUresult::INVALID_VALUE);
            }
        }
    }
    Ok(all)
}

/// What gives conditions their first values.
pub(super) fn defaults(conditions: &[Condition]) -> Vec<Operation> {
    let set = |condition: &Condition| {
        let (to, value) = (condition.memory.address(), Fill::B32(condition.default?));
        Some(Operation::Fill { to, pitch: 0, value, width: 1, height: 1 })
    };
    conditions.iter().filter_map(set).collect()
}

/// Nodes whose graphs the program cannot change any more.
pub(super) fn settled(nodes: Vec<Node>) -> Answer<Vec<Node>> {
    let settle = |node: Node| {
        let work = match &node.work {
            Work::Conditional(conditional) => {
                // What may not be there is told now, and not when it is launched.
                operation(conditional)?;
                Work::Conditional(copied(conditional)?)
            }
            Work::Operation(_) | Work::Child(..) | Work::Alloc(_) | Work::Free(_) => {
                node.work.clone()
            }
        };
        Ok(Node { work, ..node })
    };
    nodes.into_iter().map(settle).collect()
}
