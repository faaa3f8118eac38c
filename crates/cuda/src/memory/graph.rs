//! Memory of graphs. Its address is there from when the node is made; a launch allocates it, and a node or the program frees it, as
//! often as the graph is launched.

use super::space::{self, Block, Kind};
use crate::abi::{Answer, CUdevice, CUresult};
use crate::context::Context;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

/// Memory of a node. When nothing has it any more it is freed; if it is allocated then, when the program frees it.
#[derive(Debug)]
pub(crate) struct GraphMemory {
    address: u64,
    is_allocated: AtomicBool,
}

/// What becomes of memory of a graph that the program frees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freed {
    /// The next launch may allocate it again.
    Kept,
    /// Its graph is gone: nobody will.
    Orphan,
}

/// What is there, by address.
fn known() -> MutexGuard<'static, HashMap<u64, Weak<GraphMemory>>> {
    static ALL: LazyLock<Mutex<HashMap<u64, Weak<GraphMemory>>>> = LazyLock::new(Mutex::default);
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl GraphMemory {
    /// Memory for a node, not allocated yet.
    ///
    /// # Errors
    /// The device has not so much.
    pub(crate) fn new(context: &Context, bytes: u64) -> Answer<Arc<GraphMemory>> {
        let address = space::allocate(context, bytes, Kind::Graph, 0)?;
        let made = Arc::new(GraphMemory { address, is_allocated: AtomicBool::new(false) });
        known().insert(address, Arc::downgrade(&made));
        let gpu = &context.gpu;
        gpu.graphs_high.fetch_max(reserved(gpu.ordinal), Ordering::Relaxed);
        Ok(made)
    }

    /// Its address.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Whether a launch has allocated it, and nobody has freed it.
    pub(crate) fn is_allocated(&self) -> bool {
        self.is_allocated.load(Ordering::Acquire)
    }

    /// A launch allocates it.
    pub(crate) fn allocate(&self) {
        self.is_allocated.store(true, Ordering::Release);
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        if !self.is_allocated() {
            known().remove(&self.address);
            let _ = space::free(self.address, |block| block.kind == Kind::Graph);
        }
    }
}

/// Frees memory of a graph.
///
/// # Errors
/// It is not allocated, or no graph's.
pub(crate) fn free(address: u64) -> Answer<Freed> {
    let mut known = known();
    let memory = known.get(&address).ok_or(CUresult::INVALID_VALUE)?.upgrade();
    let Some(memory) = memory else {
        known.remove(&address);
        return Ok(Freed::Orphan);
    };
    // What is dropped here must not find the map locked.
    drop(known);
    match memory.is_allocated.swap(false, Ordering::AcqRel) {
        true => Ok(Freed::Kept),
        false => Err(CUresult::INVALID_VALUE),
    }
}

/// Bytes that graphs have on a device.
pub(super) fn reserved(device: CUdevice) -> u64 {
    sum(device, |_| true)
}

/// Bytes of it that are allocated.
pub(super) fn used(device: CUdevice) -> u64 {
    // What is dropped here must not find the map locked.
    let all: Vec<(u64, Option<Arc<GraphMemory>>)> =
        known().iter().map(|(address, memory)| (*address, memory.upgrade())).collect();
    let allocated: Vec<u64> = all
        .iter()
        .filter(|(_, memory)| memory.as_ref().is_none_or(|memory| memory.is_allocated()))
        .map(|(address, _)| *address)
        .collect();
    sum(device, |block| allocated.contains(&block.start))
}

fn sum(device: CUdevice, is_it: impl Fn(&Block) -> bool) -> u64 {
    let of = |block: &&Block| block.kind == Kind::Graph && block.gpu.ordinal == device;
    space::all().iter().filter(of).filter(|block| is_it(block)).map(|block| block.bytes).sum()
}
