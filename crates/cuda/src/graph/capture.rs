//! Capturing: what a stream is given becomes a graph, and other streams that wait for it take part.

use super::object::{Graph, Work};
use crate::abi::{Address, Answer, CUgraph, CUgraphNode, In};
use crate::capturing::Ongoing;
use crate::lane::Lane;
use crate::operation::Operation;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A capture that goes on.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) graph: Arc<Graph>,
    pub(crate) handle: CUgraph,
    /// Another one for each capture of the process.
    pub(crate) id: u64,
    /// The stream that it began in.
    pub(crate) origin: u64,
    /// What others know of it.
    pub(crate) ongoing: Arc<Ongoing>,
    /// Whether the graph is one that the program had before.
    pub(crate) is_given: bool,
    /// What the next node of each stream comes behind.
    ends: Mutex<HashMap<u64, Vec<CUgraphNode>>>,
    /// Lists that callers look at, by their streams.
    shown: Mutex<HashMap<u64, Box<[CUgraphNode]>>>,
}

impl Capture {
    /// Begins one in a stream of a context, into a graph: behind nodes of it, if the program gave it.
    pub(crate) fn begin(
        (graph, handle): (Arc<Graph>, CUgraph),
        (origin, context): (&Lane, u64),
        mode: u32,
        after: Option<Vec<CUgraphNode>>,
    ) -> Arc<Capture> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let ongoing = Ongoing::begin(context, mode);
        ongoing.has(origin.is_blocking);
        let origin = origin.id;
        Arc::new(Capture {
            graph,
            handle,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            origin,
            ongoing,
            is_given: after.is_some(),
            ends: Mutex::new(HashMap::from([(origin, after.unwrap_or_default())])),
            shown: Mutex::default(),
        })
    }

    /// A stream takes part that has waited for nodes.
    pub(crate) fn takes_part(&self, lane: &Lane, after: &[CUgraphNode]) {
        self.ongoing.has(lane.is_blocking);
        self.join(lane.id, after);
    }

    fn ends(&self) -> MutexGuard<'_, HashMap<u64, Vec<CUgraphNode>>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happened that no graph can hold.
    pub(crate) fn invalidate(&self) {
        self.ongoing.invalidate();
    }

    /// Whether nothing of the kind has happened.
    pub(crate) fn check(&self) -> Answer {
        self.ongoing.check()
    }

    /// Adds what a stream is given.
    pub(crate) fn add(&self, lane: u64, operation: Operation) -> Answer {
        self.add_work(lane, Work::Operation(operation)).map(drop)
    }

    /// Adds a node behind what the stream has been given so far.
    pub(crate) fn add_work(&self, lane: u64, work: Work) -> Answer<CUgraphNode> {
        self.check()?;
        let after = self.end(lane);
        let node = self.graph.add(work, &after)?;
        self.ends().insert(lane, vec![node]);
        Ok(node)
    }

    /// What the next node of a stream comes behind.
    pub(crate) fn end(&self, lane: u64) -> Vec<CUgraphNode> {
        self.ends().get(&lane).cloned().unwrap_or_default()
    }

    /// The same, as a list that stays where it is until it is asked for again, and its length.
    pub(crate) fn shown_end(&self, lane: u64) -> (In<CUgraphNode>, u64) {
        let list = self.end(lane).into_boxed_slice();
        let (at, count) = (Address(list.as_ptr().expose_provenance() as u64), list.len() as u64);
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).insert(lane, list);
        (at.to(), count)
    }

    /// The next node of a stream also comes behind others.
    pub(crate) fn join(&self, lane: u64, after: &[CUgraphNode]) {
        let mut ends = self.ends();
        let end = ends.entry(lane).or_default();
        for node in after {
            if !end.contains(node) {
                end.push(*node);
            }
        }
    }

    /// The next node of a stream comes behind these alone.
    pub(crate) fn set_end(&self, lane: u64, after: Vec<CUgraphNode>) {
        self.ends().insert(lane, after);
    }

    /// Whether everything leads to the end of the stream that it began in.
    pub(crate) fn is_joined(&self) -> bool {
        let ends = self.ends();
        let nodes = self.graph.nodes();
        let mut seen: Vec<CUgraphNode> = ends.get(&self.origin).cloned().unwrap_or_default();
        let mut nth = 0;
        while nth < seen.len() {
            let found = nodes.iter().find(|node| node.handle == seen[nth]);
            for before in found.map(|node| node.after.as_slice()).unwrap_or_default() {
                if !seen.contains(before) {
                    seen.push(*before);
                }
            }
            nth += 1;
        }
        ends.values().flatten().all(|node| seen.contains(node))
    }
}
