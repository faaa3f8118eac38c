//! `cuGraph*`: graphs as a whole, and how nodes hang together.

use super::object::{Graph, Work, get, graphs, home};
use crate::abi::{
    Answer, CUgraph, CUgraphEdgeData, CUgraphNode, CUgraphNodeType, CUresult, In, Out,
};
use crate::driver::driver;
use crate::stream::is_being_captured;
use std::sync::Arc;

/// An order and nothing more.
const PLAIN: CUgraphEdgeData = CUgraphEdgeData { ports: [0; 2], kind: 0, rest: [0; 5] };

/// `cuGraphCreate`.
pub(crate) fn create(to: Out<CUgraph>, flags: u32) -> Answer {
    driver()?;
    to.check()?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    to.set(CUgraph(graphs().insert(Arc::new(Graph::default()))))
}

/// `cuGraphDestroy`. What was made of it stays.
pub(crate) fn destroy(graph: CUgraph) -> Answer {
    driver()?;
    if is_being_captured(graph) {
        return Err(CUresult::ILLEGAL_STATE);
    }
    let graph = graphs().remove(graph.0)?;
    // Captures and launches may still hold it; its nodes are gone for everybody else.
    graph.forget_nodes();
    Ok(())
}

/// `cuGraphClone`.
pub(crate) fn clone(to: Out<CUgraph>, original: CUgraph) -> Answer {
    driver()?;
    to.check()?;
    to.set(CUgraph(graphs().insert(get(original)?.copied()?)))
}

/// `cuGraphNodeFindInClone`.
pub(crate) fn find_in_clone(to: Out<CUgraphNode>, node: CUgraphNode, graph: CUgraph) -> Answer {
    driver()?;
    let graph = get(graph)?;
    let found = graph.nodes().iter().find(|known| known.original == node).map(|it| it.handle);
    to.set(found.ok_or(CUresult::INVALID_VALUE)?)
}

/// `cuGraphDestroyNode`.
pub(crate) fn destroy_node(node: CUgraphNode) -> Answer {
    driver()?;
    home(node)?.remove(node);
    Ok(())
}

/// `cuGraphNodeGetType`.
pub(crate) fn node_type(node: CUgraphNode, to: Out<CUgraphNodeType>) -> Answer {
    driver()?;
    to.set(home(node)?.with(node, |node| node.work.kind())?)
}

/// `cuGraphChildGraphNodeGetGraph`.
pub(crate) fn child_of(node: CUgraphNode, to: Out<CUgraph>) -> Answer {
    driver()?;
    let found = home(node)?.with(node, |node| match &node.work {
        Work::Child(_, handle) => Ok(*handle),
        Work::Operation(_) | Work::Alloc(_) | Work::Free(_) | Work::Conditional(_) => {
            Err(CUresult::INVALID_VALUE)
        }
    })?;
    to.set(found?)
}

/// `cuGraphMemFreeNodeGetParams`.
pub(crate) fn freed(node: CUgraphNode, to: Out<u64>) -> Answer {
    driver()?;
    let found = home(node)?.with(node, |node| match &node.work {
        Work::Free(address) => Ok(*address),
        Work::Operation(_) | Work::Alloc(_) | Work::Child(..) | Work::Conditional(_) => {
            Err(CUresult::INVALID_VALUE)
        }
    })?;
    to.set(found?)
}

/// Leaves a list where there is room for so many: how many there are is told, and what is not there is null.
fn listed(found: &[CUgraphNode], to: Out<CUgraphNode>, count: Out<u64>) -> Answer {
    count.check()?;
    if to.is_null() {
        return count.set(found.len() as u64);
    }
    let room = usize::try_from(count.get()?).unwrap_or(usize::MAX);
    to.fill(&found[..found.len().min(room)])?;
    for nth in found.len()..room {
        to.plus(nth).set(CUgraphNode::NULL)?;
    }
    count.set(found.len().min(room) as u64)
}

/// `cuGraphGetNodes`.
pub(crate) fn nodes(graph: CUgraph, to: Out<CUgraphNode>, count: Out<u64>) -> Answer {
    driver()?;
    let graph = get(graph)?;
    let found: Vec<_> = graph.nodes().iter().map(|node| node.handle).collect();
    listed(&found, to, count)
}

/// `cuGraphGetRootNodes`.
pub(crate) fn roots(graph: CUgraph, to: Out<CUgraphNode>, count: Out<u64>) -> Answer {
    driver()?;
    let graph = get(graph)?;
    let nodes = graph.nodes();
    let roots = nodes.iter().filter(|node| node.after.is_empty());
    let found: Vec<_> = roots.map(|node| node.handle).collect();
    drop(nodes);
    listed(&found, to, count)
}

/// `cuGraphGetEdges`.
pub(crate) fn edges(
    graph: CUgraph,
    from: Out<CUgraphNode>,
    to: Out<CUgraphNode>,
    count: Out<u64>,
) -> Answer {
    edges_with(graph, from, to, Out::null(), count)
}

/// `cuGraphGetEdges_v2`.
pub(crate) fn edges_with(
    graph: CUgraph,
    from: Out<CUgraphNode>,
    to: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: Out<u64>,
) -> Answer {
    driver()?;
    let graph = get(graph)?;
    let nodes = graph.nodes();
    let of = |node: &super::object::Node| {
        let to = node.handle;
        node.after.iter().map(move |from| (*from, to)).collect::<Vec<_>>()
    };
    let (froms, tos): (Vec<_>, Vec<_>) = nodes.iter().flat_map(of).unzip();
    drop(nodes);
    let room = count.get()?;
    if from.is_null() != to.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    plain(data, froms.len().min(room as usize))?;
    listed(&froms, from, count)?;
    if !to.is_null() {
        count.set(room)?;
        listed(&tos, to, count)?;
    }
    Ok(())
}

fn plain(data: Out<CUgraphEdgeData>, count: usize) -> Answer {
    match data.is_null() {
        true => Ok(()),
        false => data.fill(&vec![PLAIN; count]),
    }
}

/// `cuGraphNodeGetDependencies`.
pub(crate) fn before(node: CUgraphNode, to: Out<CUgraphNode>, count: Out<u64>) -> Answer {
    before_with(node, to, Out::null(), count)
}

/// `cuGraphNodeGetDependencies_v2`.
pub(crate) fn before_with(
    node: CUgraphNode,
    to: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: Out<u64>,
) -> Answer {
    driver()?;
    let found = home(node)?.with(node, |node| node.after.clone())?;
    plain(data, found.len().min(count.get()? as usize))?;
    listed(&found, to, count)
}

/// `cuGraphNodeGetDependentNodes`.
pub(crate) fn behind(node: CUgraphNode, to: Out<CUgraphNode>, count: Out<u64>) -> Answer {
    behind_with(node, to, Out::null(), count)
}

/// `cuGraphNodeGetDependentNodes_v2`.
pub(crate) fn behind_with(
    node: CUgraphNode,
    to: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: Out<u64>,
) -> Answer {
    driver()?;
    let graph = home(node)?;
    let nodes = graph.nodes();
    let dependent = nodes.iter().filter(|known| known.after.contains(&node));
    let found: Vec<_> = dependent.map(|node| node.handle).collect();
    drop(nodes);
    plain(data, found.len().min(count.get()? as usize))?;
    listed(&found, to, count)
}

/// Changes edges of a graph, one behind the other.
fn each_edge(
    graph: CUgraph,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    count: u64,
    change: impl Fn(&Graph, CUgraphNode, CUgraphNode) -> Answer,
) -> Answer {
    driver()?;
    let graph = get(graph)?;
    for nth in 0..usize::try_from(count).map_err(|_| CUresult::INVALID_VALUE)? {
        change(&graph, from.at(nth)?, to.at(nth)?)?;
    }
    Ok(())
}

/// `cuGraphAddDependencies`.
pub(crate) fn order(
    graph: CUgraph,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    count: u64,
) -> Answer {
    each_edge(graph, from, to, count, |graph, from, to| {
        graph.with(from, |_| ())?;
        graph.with(to, |node| match from == to || node.after.contains(&from) {
            true => Err(CUresult::INVALID_VALUE),
            false => {
                node.after.push(from);
                Ok(())
            }
        })?
    })
}

/// `cuGraphAddDependencies_v2`.
pub(crate) fn order_with(
    graph: CUgraph,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    _data: In<CUgraphEdgeData>,
    count: u64,
) -> Answer {
    order(graph, from, to, count)
}

/// `cuGraphRemoveDependencies`.
pub(crate) fn unorder(
    graph: CUgraph,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    count: u64,
) -> Answer {
    each_edge(graph, from, to, count, |graph, from, to| {
        graph.with(to, |node| {
            let known = node.after.len();
            node.after.retain(|it| *it != from);
            if node.after.len() < known { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
        })?
    })
}

/// `cuGraphRemoveDependencies_v2`.
pub(crate) fn unorder_with(
    graph: CUgraph,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    _data: In<CUgraphEdgeData>,
    count: u64,
) -> Answer {
    unorder(graph, from, to, count)
}
