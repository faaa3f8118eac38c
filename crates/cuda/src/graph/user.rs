//! Objects of the program that graphs keep: counted, and destroyed by a function of the program.

use super::object::{Graph, get};
use crate::abi::constants::{CU_GRAPH_USER_OBJECT_MOVE, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC};
use crate::abi::{Address, Answer, CUgraph, CUhostFn, CUresult, CUuserObject, Out};
use crate::driver::driver;
use crate::user_object::{UserObject, objects, release_some, retain_some};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// `cuUserObjectCreate`.
pub(crate) fn user_create(
    to: Out<CUuserObject>,
    data: Address,
    destroy: CUhostFn,
    count: u32,
    flags: u32,
) -> Answer {
    driver()?;
    to.check()?;
    let destroy = destroy.ok_or(CUresult::INVALID_VALUE)?;
    if count == 0 || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC {
        return Err(CUresult::INVALID_VALUE);
    }
    let object = UserObject { data, destroy, count: AtomicU64::new(count.into()) };
    to.set(CUuserObject(objects().insert(Arc::new(object))))
}

/// `cuUserObjectRetain`.
pub(crate) fn user_retain(object: CUuserObject, count: u32) -> Answer {
    driver()?;
    retain_some(object, count.into())
}

/// `cuUserObjectRelease`.
pub(crate) fn user_release(object: CUuserObject, count: u32) -> Answer {
    driver()?;
    release_some(object, count.into())
}

/// `cuGraphRetainUserObject`.
pub(crate) fn graph_retain(graph: CUgraph, object: CUuserObject, count: u32, flags: u32) -> Answer {
    driver()?;
    let graph: Arc<Graph> = get(graph)?;
    if count == 0 || flags & !CU_GRAPH_USER_OBJECT_MOVE != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    match flags {
        0 => retain_some(object, count.into())?,
        // The caller's become the graph's.
        _ => objects().get(object.0).map(drop)?,
    }
    graph.keep(object, count.into());
    Ok(())
}

/// `cuGraphReleaseUserObject`.
pub(crate) fn graph_release(graph: CUgraph, object: CUuserObject, count: u32) -> Answer {
    driver()?;
    let graph: Arc<Graph> = get(graph)?;
    if count == 0 || !graph.let_go(object, count.into()) {
        return Err(CUresult::INVALID_VALUE);
    }
    release_some(object, count.into())
}
