//! Graphs that can be launched: their nodes in order.

use super::conditional::{defaults, settled};
use super::launch::{self, Branches};
use super::object::{Graph, Node, Work, get};
use crate::abi::constants::{
    CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
    CU_GRAPH_EXEC_UPDATE_SUCCESS, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH,
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD,
    CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY, CUDA_GRAPH_INSTANTIATE_SUCCESS,
};
use crate::abi::{
    Answer, CUDA_GRAPH_INSTANTIATE_PARAMS, CUgraph, CUgraphExec, CUgraphExecUpdateResultInfo,
    CUgraphNode, CUresult, CUstream, Out,
};
use crate::driver::driver;
use crate::operation::Operation;
use crate::registry::Registry;
use crate::say;
use crate::stream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A graph that can be launched.
#[derive(Debug)]
pub(crate) struct Exec {
    nodes: Mutex<Vec<Node>>,
    flags: u64,
    id: u32,
    /// Streams for branches that may run at once.
    branches: Branches,
    /// What it was made of: memory that it allocates, and its conditions, are the graph's.
    of: Arc<Graph>,
}

fn execs() -> &'static Registry<Exec> {
    static ALL: Registry<Exec> = Registry::new(13);
    &ALL
}

/// The graph of a handle.
pub(crate) fn exec(handle: CUgraphExec) -> Answer<Arc<Exec>> {
    driver()?;
    execs().get(handle.0)
}

impl Exec {
    fn nodes(&self) -> MutexGuard<'_, Vec<Node>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the node that a node of the graph has become.
    fn with<T>(&self, node: CUgraphNode, work: impl FnOnce(&mut Node) -> T) -> Answer<T> {
        let mut nodes = self.nodes();
        let found = nodes.iter_mut().find(|known| known.handle == node);
        found.map(work).ok_or(CUresult::INVALID_VALUE)
    }

    /// Gives a node other work of the same kind.
    pub(crate) fn set(&self, node: CUgraphNode, work: Work) -> Answer {
        self.with(node, |node| node.change(work))?
    }
}

/// Makes a graph ready.
fn made(to: Out<CUgraphExec>, graph: CUgraph, flags: u64) -> Answer {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    driver()?;
    let graph = get(graph)?;
    to.check()?;
    let known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH
        | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
        | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    let all = known | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    if flags & !u64::from(all) != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if flags & !u64::from(known) != 0 {
        say::once("graphs that kernels launch are not there");
        return Err(CUresult::NOT_SUPPORTED);
    }
    let nodes = Mutex::new(settled(graph.in_order()?)?);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let exec = Exec { nodes, flags, id, branches: Branches::default(), of: graph };
    to.set(CUgraphExec(execs().insert(Arc::new(exec))))
}

/// `cuGraphInstantiateWithFlags`.
pub(crate) fn instantiate(to: Out<CUgraphExec>, graph: CUgraph, flags: u64) -> Answer {
    made(to, graph, flags)
}

/// `cuGraphInstantiate` as it was before CUDA 12.
pub(crate) fn instantiate_v1(
    to: Out<CUgraphExec>,
    graph: CUgraph,
    wrong: Out<CUgraphNode>,
    log: Out<u8>,
    bytes: u64,
) -> Answer {
    wrong.offer(CUgraphNode::NULL);
    if !log.is_null() && bytes > 0 {
        log.set(0)?;
    }
    made(to, graph, 0)
}

/// `cuGraphInstantiateWithParams`.
pub(crate) fn instantiate_with(
    _default: CUstream,
    to: Out<CUgraphExec>,
    graph: CUgraph,
    params: Out<CUDA_GRAPH_INSTANTIATE_PARAMS>,
) -> Answer {
    let mut given = params.get()?;
    made(to, graph, given.flags)?;
    (given.wrong, given.result) = (CUgraphNode::NULL, CUDA_GRAPH_INSTANTIATE_SUCCESS);
    params.set(given)
}

/// `cuGraphLaunch`.
pub(crate) fn launch(default: CUstream, handle: CUgraphExec, stream: CUstream) -> Answer {
    if handle == CUgraphExec::NULL {
        return Err(CUresult::INVALID_VALUE);
    }
    let exec = exec(handle)?;
    // A launch does not become a child of what is captured (H100, driver 580.159).
    let stream = stream::resolve_idle(default, stream)?;
    stream.context.flush();
    let nodes = exec.nodes().clone();
    let may_free = exec.flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
    launch::begin(&nodes, may_free)?;
    for default in defaults(&exec.of.conditions()) {
        stream.put(default)?;
    }
    launch::put(&stream, &exec.branches, &nodes)
}

/// `cuGraphUpload`: everything is where it has to be.
pub(crate) fn upload(default: CUstream, handle: CUgraphExec, stream: CUstream) -> Answer {
    exec(handle)?;
    stream::resolve_idle(default, stream)?.put(Operation::Nothing).map(drop)
}

/// `cuGraphExecDestroy`. Launches that have begun end.
pub(crate) fn exec_destroy(handle: CUgraphExec) -> Answer {
    driver()?;
    execs().remove(handle.0).map(drop)
}

/// `cuGraphExecGetFlags`.
pub(crate) fn exec_flags(handle: CUgraphExec, to: Out<u64>) -> Answer {
    to.set(exec(handle)?.flags)
}

/// `cuGraphExecGetId`.
pub(crate) fn exec_id(handle: CUgraphExec, to: Out<u32>) -> Answer {
    to.set(exec(handle)?.id)
}

/// `cuGraphNodeSetEnabled`.
pub(crate) fn set_enabled(handle: CUgraphExec, node: CUgraphNode, enabled: u32) -> Answer {
    exec(handle)?.with(node, |node| node.is_disabled = enabled == 0)
}

/// `cuGraphNodeGetEnabled`.
pub(crate) fn enabled(handle: CUgraphExec, node: CUgraphNode, to: Out<u32>) -> Answer {
    to.set(exec(handle)?.with(node, |node| u32::from(!node.is_disabled))?)
}

/// Takes the work of a graph of the same shape over. Why not, and at which node.
fn updated(exec: &Exec, graph: &Graph) -> Answer<Option<(u32, CUgraphNode)>> {
    let (mut old, new) = (exec.nodes(), settled(graph.in_order()?)?);
    if old.len() != new.len() {
        return Ok(Some((CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, CUgraphNode::NULL)));
    }
    let place =
        |nodes: &[Node], handle: &CUgraphNode| nodes.iter().position(|node| node.handle == *handle);
    for (nth, (one, other)) in old.iter().zip(&new).enumerate() {
        let before = |nodes: &[Node]| {
            let mut all: Vec<_> = nodes[nth].after.iter().map(|it| place(nodes, it)).collect();
            all.sort_unstable();
            all
        };
        if one.work.kind() != other.work.kind() {
            return Ok(Some((CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, other.handle)));
        }
        if before(&old) != before(&new) {
            return Ok(Some((CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, other.handle)));
        }
    }
    for (one, other) in old.iter_mut().zip(new) {
        one.work = other.work;
    }
    Ok(None)
}

/// `cuGraphExecUpdate_v2`.
pub(crate) fn update(
    handle: CUgraphExec,
    graph: CUgraph,
    to: Out<CUgraphExecUpdateResultInfo>,
) -> Answer {
    let (exec, graph) = (exec(handle)?, get(graph)?);
    let failed = updated(&exec, &graph)?;
    let (result, wrong) = failed.unwrap_or((CU_GRAPH_EXEC_UPDATE_SUCCESS, CUgraphNode::NULL));
    to.set(CUgraphExecUpdateResultInfo { result, wrong, wrong_from: CUgraphNode::NULL })?;
    failed.map_or(Ok(()), |_| Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE))
}

/// `cuGraphExecUpdate` as it was before CUDA 12.
pub(crate) fn update_v1(
    handle: CUgraphExec,
    graph: CUgraph,
    wrong_to: Out<CUgraphNode>,
    to: Out<u32>,
) -> Answer {
    let (exec, graph) = (exec(handle)?, get(graph)?);
    to.check()?;
    let failed = updated(&exec, &graph)?;
    let (result, wrong) = failed.unwrap_or((CU_GRAPH_EXEC_UPDATE_SUCCESS, CUgraphNode::NULL));
    wrong_to.offer(wrong);
    to.set(result)?;
    failed.map_or(Ok(()), |_| Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE))
}
