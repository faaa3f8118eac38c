//! Launching a graph: each branch goes into a stream of its own.

use super::conditional;
use super::object::{Node, Work};
use crate::abi::{Answer, CUgraphNode, CUresult, CUstream};
use crate::memory::{Freed, GraphMemory, free_of_graph};
use crate::operation::Operation;
use crate::stream::Stream;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use warpwise::Point;

/// Streams of a graph beside the one that it is launched in, made when they are needed.
#[derive(Debug, Default)]
pub(super) struct Branches(Mutex<Vec<Arc<Stream>>>);

impl Branches {
    /// The streams, at least so many, in the context of another one.
    fn streams(&self, count: usize, beside: &Stream) -> Answer<Vec<Arc<Stream>>> {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|stream| Arc::ptr_eq(&stream.context, &beside.context));
        while streams.len() < count {
            streams.push(Stream::create(&beside.context, false, 0, CUstream::NULL)?);
        }
        Ok(streams.clone())
    }
}

/// The memory that nodes allocate, those of children included.
fn memory(nodes: &[Node], found: &mut Vec<Arc<GraphMemory>>) -> Answer {
    for node in nodes.iter().filter(|node| !node.is_disabled) {
        match &node.work {
            Work::Alloc(memory) => found.push(Arc::clone(memory)),
            Work::Child(graph, _) => memory(&graph.in_order()?, found)?,
            Work::Operation(_) | Work::Free(_) | Work::Conditional(_) => {}
        }
    }
    Ok(())
}

/// Whether a graph can be launched: what its last launch allocated must be free again, or may be freed now.
pub(super) fn begin(nodes: &[Node], may_free: bool) -> Answer {
    let mut all = Vec::new();
    memory(nodes, &mut all)?;
    for memory in all.iter().filter(|memory| memory.is_allocated()) {
        match may_free {
            true => drop(free_of_graph(memory.address())),
            false => return Err(CUresult::INVALID_VALUE),
        }
    }
    Ok(())
}

/// Which stream each node goes into: 0 is that of the launch. A node goes on in the stream of one that it comes behind if no other
/// node does.
fn lanes(nodes: &[Node]) -> Vec<usize> {
    let mut last: Vec<Option<CUgraphNode>> = vec![None];
    let mut of = Vec::with_capacity(nodes.len());
    for node in nodes {
        let goes_on = last.iter().position(|last| match last {
            None => node.after.is_empty(),
            Some(last) => node.after.contains(last),
        });
        let lane = goes_on.unwrap_or_else(|| {
            last.push(None);
            last.len() - 1
        });
        last[lane] = Some(node.handle);
        of.push(lane);
    }
    of
}

/// Does what nodes do, behind what a stream has been given. They stand in an order in which each comes behind those that it must.
pub(super) fn put(stream: &Stream, branches: &Branches, nodes: &[Node]) -> Answer {
    let lanes = lanes(nodes);
    let count = lanes.iter().max().map_or(0, |most| *most);
    if count == 0 {
        for node in nodes {
            put_node(stream, node)?;
        }
    } else {
        let others = branches.streams(count, stream)?;
        let start = stream.put(Operation::Nothing)?;
        let mut ends: Vec<Option<Point>> = vec![None; count + 1];
        let mut points: HashMap<CUgraphNode, (usize, Point)> = HashMap::new();
        for (node, lane) in nodes.iter().zip(lanes) {
            let own = if lane == 0 { stream } else { &*others[lane - 1] };
            let mut before: Vec<Point> = node
                .after
                .iter()
                .filter_map(|before| points.get(before))
                .filter(|(of, _)| *of != lane)
                .map(|(_, point)| point.clone())
                .collect();
            if lane != 0 && ends[lane].is_none() {
                before.push(start.clone());
            }
            if !before.is_empty() {
                own.lane.queue.wait_for(&before);
            }
            let point = put_node(own, node)?;
            ends[lane] = Some(point.clone());
            points.insert(node.handle, (lane, point));
        }
        let ends: Vec<Point> = ends.into_iter().skip(1).flatten().collect();
        stream.lane.queue.wait_for(&ends);
    }
    // Memory of the graph stays until all of it is done, also if the graph is gone by then.
    let mut all = Vec::new();
    memory(nodes, &mut all)?;
    all.into_iter().try_for_each(|memory| stream.put(Operation::Keep(memory)).map(drop))
}

fn put_node(stream: &Stream, node: &Node) -> Answer<Point> {
    let nothing = || stream.put(Operation::Nothing);
    if node.is_disabled {
        return nothing();
    }
    match &node.work {
        Work::Operation(operation) => stream.put(operation.clone()),
        Work::Conditional(conditional) => stream.put(conditional::operation(conditional)?),
        Work::Child(graph, _) => {
            for default in conditional::defaults(&graph.conditions()) {
                stream.put(default)?;
            }
            for node in graph.in_order()? {
                put_node(stream, &node)?;
            }
            nothing()
        }
        Work::Alloc(memory) => {
            memory.allocate();
            nothing()
        }
        Work::Free(address) => match free_of_graph(*address) {
            Ok(Freed::Kept) => nothing(),
            // What the program has allocated itself, too.
            Ok(Freed::Orphan) | Err(_) => stream.put(Operation::Free(*address)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn node(handle: u64, after: &[u64]) -> Node {
        let handle = CUgraphNode(handle);
        let after = after.iter().map(|node| CUgraphNode(*node)).collect();
        let work = Work::Operation(Operation::Nothing);
        Node { handle, work, original: handle, after, is_disabled: false, hints: BTreeMap::new() }
    }

    #[test]
    fn branches_have_lanes_of_their_own() {
        let line = [node(1, &[]), node(2, &[1]), node(3, &[2])];
        assert_eq!(lanes(&line), [0, 0, 0]);
        let diamond = [node(1, &[]), node(2, &[1]), node(3, &[1]), node(4, &[2, 3])];
        assert_eq!(lanes(&diamond), [0, 0, 1, 0]);
        let apart = [node(1, &[]), node(2, &[]), node(3, &[2])];
        assert_eq!(lanes(&apart), [0, 1, 1]);
    }
}
