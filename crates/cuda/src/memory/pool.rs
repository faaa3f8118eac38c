//! Pools, and allocation in the order of a stream. Memory is given back at once, so a pool keeps none.

use super::graph::{self, Freed, GraphMemory};
use super::space::{self, Kind};
use crate::abi::constants::*;
use crate::abi::{
    Address, Answer, CUdevice, CUdeviceptr, CUgraphMem_attribute, CUmemAccessDesc,
    CUmemAllocationType, CUmemLocation, CUmemPool_attribute, CUmemPoolProps, CUmemoryPool,
    CUresult, CUstream, In, Out,
};
use crate::driver::{driver, gpu};
use crate::gpu::Gpu;
use crate::graph::Work;
use crate::operation::Operation;
use crate::registry::Registry;
use crate::say;
use crate::stream;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A pool.
#[derive(Debug)]
pub(crate) struct Pool {
    gpu: Arc<Gpu>,
    is_default: bool,
    /// What programs set: whether memory is reused, and how much is kept. There is no more to them.
    set: Mutex<HashMap<CUmemPool_attribute, u64>>,
    high: AtomicU64,
    most: u64,
}

fn pools() -> &'static Registry<Pool> {
    static ALL: Registry<Pool> = Registry::new(11);
    &ALL
}

/// The default pools of devices, and those that take their place.
#[derive(Debug, Default)]
struct OfDevices {
    default: HashMap<CUdevice, CUmemoryPool>,
    current: HashMap<CUdevice, CUmemoryPool>,
}

fn of_devices() -> MutexGuard<'static, OfDevices> {
    static ALL: OnceLock<Mutex<OfDevices>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

fn make(gpu: &Arc<Gpu>, is_default: bool, most: u64) -> CUmemoryPool {
    let (set, high) = (Mutex::default(), AtomicU64::new(0));
    let pool = Pool { gpu: Arc::clone(gpu), is_default, set, high, most };
    CUmemoryPool(pools().insert(Arc::new(pool)))
}

fn default_of(device: CUdevice) -> Answer<CUmemoryPool> {
    let gpu = gpu(device)?;
    Ok(*of_devices().default.entry(device).or_insert_with(|| make(gpu, true, 0)))
}

fn current_of(device: CUdevice) -> Answer<CUmemoryPool> {
    let default = default_of(device)?;
    Ok(of_devices().current.get(&device).copied().unwrap_or(default))
}

fn pool(handle: CUmemoryPool) -> Answer<Arc<Pool>> {
    driver()?;
    pools().get(handle.0).map_err(|_| CUresult::INVALID_VALUE)
}

/// Bytes that are allocated from a pool.
fn used(handle: CUmemoryPool) -> u64 {
    let is_it = |kind| kind == Kind::Pooled(handle.0);
    space::all().iter().filter(|block| is_it(block.kind)).map(|block| block.bytes).sum()
}

/// `cuDeviceGetDefaultMemPool`.
pub(crate) fn default_pool(to: Out<CUmemoryPool>, device: CUdevice) -> Answer {
    to.set(default_of(device)?)
}

/// `cuDeviceGetMemPool`.
pub(crate) fn current_pool(to: Out<CUmemoryPool>, device: CUdevice) -> Answer {
    to.set(current_of(device)?)
}

/// `cuDeviceSetMemPool`.
pub(crate) fn set_current_pool(device: CUdevice, handle: CUmemoryPool) -> Answer {
    gpu(device)?;
    if pool(handle)?.gpu.ordinal != device {
        return Err(CUresult::INVALID_VALUE);
    }
    of_devices().current.insert(device, handle);
    Ok(())
}

/// `cuMemPoolCreate`.
pub(crate) fn pool_create(to: Out<CUmemoryPool>, props: In<CUmemPoolProps>) -> Answer {
    driver()?;
    to.check()?;
    let props = props.get()?;
    let on_device = props.location.kind == CU_MEM_LOCATION_TYPE_DEVICE;
    if props.kind != CU_MEM_ALLOCATION_TYPE_PINNED || !on_device {
        return Err(CUresult::INVALID_VALUE);
    }
    if props.handles != CU_MEM_HANDLE_TYPE_NONE {
        return Err(CUresult::NOT_SUPPORTED);
    }
    to.set(make(gpu(props.location.id)?, false, props.most))
}

/// `cuMemPoolDestroy`. What has been allocated stays.
pub(crate) fn pool_destroy(handle: CUmemoryPool) -> Answer {
    let known = pool(handle)?;
    if known.is_default {
        return Err(CUresult::INVALID_VALUE);
    }
    of_devices().current.retain(|_, current| *current != handle);
    pools().remove(handle.0).map(drop)
}

/// `cuMemPoolTrimTo`: nothing is kept.
pub(crate) fn pool_trim(handle: CUmemoryPool, _bytes: u64) -> Answer {
    pool(handle).map(drop)
}

/// Whether an attribute is a flag: of 4 bytes.
fn is_flag(attribute: CUmemPool_attribute) -> bool {
    (CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES
        ..=CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)
        .contains(&attribute)
}

/// `cuMemPoolGetAttribute`.
pub(crate) fn pool_get(
    handle: CUmemoryPool,
    attribute: CUmemPool_attribute,
    to: Address,
) -> Answer {
    let pool = pool(handle)?;
    let set = pool.set.lock().unwrap_or_else(PoisonError::into_inner).get(&attribute).copied();
    let now = || used(handle);
    let value = match attribute {
        CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES
        | CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC
        | CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => set.unwrap_or(1),
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => set.unwrap_or(0),
        CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT | CU_MEMPOOL_ATTR_USED_MEM_CURRENT => now(),
        CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH | CU_MEMPOOL_ATTR_USED_MEM_HIGH => {
            pool.high.load(Ordering::Relaxed).max(now())
        }
        CU_MEMPOOL_ATTR_MAX_POOL_SIZE => pool.most,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    match is_flag(attribute) {
        true => to.into::<u32>().set(value as u32),
        false => to.into::<u64>().set(value),
    }
}

/// `cuMemPoolSetAttribute`.
pub(crate) fn pool_set(
    handle: CUmemoryPool,
    attribute: CUmemPool_attribute,
    from: Address,
) -> Answer {
    let pool = pool(handle)?;
    let value = match is_flag(attribute) {
        true => from.to::<u32>().get()?.into(),
        false => from.to::<u64>().get()?,
    };
    match attribute {
        // Only back to what is used now.
        CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH | CU_MEMPOOL_ATTR_USED_MEM_HIGH if value == 0 => {
            pool.high.store(0, Ordering::Relaxed);
        }
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => {
            pool.set.lock().unwrap_or_else(PoisonError::into_inner).insert(attribute, value);
        }
        flag if is_flag(flag) => {
            pool.set.lock().unwrap_or_else(PoisonError::into_inner).insert(attribute, value);
        }
        _ => return Err(CUresult::INVALID_VALUE),
    }
    Ok(())
}

/// The device that a location means.
fn located(location: &CUmemLocation) -> Answer<&'static Arc<Gpu>> {
    match location.kind {
        CU_MEM_LOCATION_TYPE_DEVICE => gpu(location.id),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The device whose pools are meant: those of the host and of managed memory are not there.
fn with_pools(location: Out<CUmemLocation>, kind: CUmemAllocationType) -> Answer<CUdevice> {
    let location = location.get()?;
    match (location.kind, kind) {
        (CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ALLOCATION_TYPE_PINNED) => {
            gpu(location.id).map(|gpu| gpu.ordinal)
        }
        (CU_MEM_LOCATION_TYPE_INVALID, _) | (_, CU_MEM_ALLOCATION_TYPE_INVALID) => {
            Err(CUresult::INVALID_VALUE)
        }
        _ => {
            say::once("pools of the host and of managed memory are not there");
            Err(CUresult::NOT_SUPPORTED)
        }
    }
}

/// `cuMemGetDefaultMemPool`.
pub(crate) fn default_pool_of(
    to: Out<CUmemoryPool>,
    location: Out<CUmemLocation>,
    kind: CUmemAllocationType,
) -> Answer {
    driver()?;
    to.set(default_of(with_pools(location, kind)?)?)
}

/// `cuMemGetMemPool`.
pub(crate) fn current_pool_of(
    to: Out<CUmemoryPool>,
    location: Out<CUmemLocation>,
    kind: CUmemAllocationType,
) -> Answer {
    driver()?;
    to.set(current_of(with_pools(location, kind)?)?)
}

/// `cuMemSetMemPool`.
pub(crate) fn set_pool_of(
    location: Out<CUmemLocation>,
    kind: CUmemAllocationType,
    handle: CUmemoryPool,
) -> Answer {
    driver()?;
    set_current_pool(with_pools(location, kind)?, handle)
}

/// `cuMemPoolSetAccess`: other devices reach it as they reach the device's memory.
pub(crate) fn pool_set_access(
    handle: CUmemoryPool,
    access: In<CUmemAccessDesc>,
    count: u64,
) -> Answer {
    let pool = pool(handle)?;
    for access in access.list(usize::try_from(count).map_err(|_| CUresult::INVALID_VALUE)?)? {
        let other = located(&access.location)?;
        let is_own = other.ordinal == pool.gpu.ordinal;
        match access.flags {
            CU_MEM_ACCESS_FLAGS_PROT_READWRITE if is_own => {}
            CU_MEM_ACCESS_FLAGS_PROT_READWRITE => {
                if other.set_reach(pool.gpu.ordinal, true) {
                    space::share(&pool.gpu, other)?;
                }
            }
            CU_MEM_ACCESS_FLAGS_PROT_NONE if !is_own => {}
            _ => return Err(CUresult::INVALID_VALUE),
        }
    }
    Ok(())
}

/// `cuMemPoolGetAccess`.
pub(crate) fn pool_access(
    to: Out<u32>,
    handle: CUmemoryPool,
    location: Out<CUmemLocation>,
) -> Answer {
    let pool = pool(handle)?;
    let other = located(&location.get()?)?;
    let reaches = other.ordinal == pool.gpu.ordinal || other.reaches(pool.gpu.ordinal);
    to.set(if reaches { CU_MEM_ACCESS_FLAGS_PROT_READWRITE } else { CU_MEM_ACCESS_FLAGS_PROT_NONE })
}

/// Allocates in the order of a stream. The address is there at once.
fn allocated(
    default: CUstream,
    to: Out<CUdeviceptr>,
    bytes: u64,
    handle: Option<CUmemoryPool>,
    stream: CUstream,
) -> Answer {
    let stream = stream::resolve(default, stream)?;
    stream.refuse_beside_capture()?;
    to.check()?;
    // A device answers so, and to `cuMemAlloc` not.
    if bytes == 0 && stream.capture().is_none() {
        return to.set(0);
    }
    let context = &stream.context;
    let handle = match handle {
        Some(handle) => handle,
        None => current_of(context.gpu.ordinal)?,
    };
    let pool = pool(handle)?;
    if let Some(capture) = &*stream.capture() {
        let memory = GraphMemory::new(context, bytes)?;
        to.set(memory.address())?;
        return capture.add_work(stream.lane.id, Work::Alloc(memory)).map(drop);
    }
    if pool.most > 0 && used(handle).saturating_add(bytes) > pool.most {
        return Err(CUresult::OUT_OF_MEMORY);
    }
    let address = space::allocate(context, bytes, Kind::Pooled(handle.0), 0)?;
    pool.high.fetch_max(used(handle), Ordering::Relaxed);
    to.set(address)
}

/// `cuMemAllocAsync`.
pub(crate) fn alloc_async(
    default: CUstream,
    to: Out<CUdeviceptr>,
    bytes: u64,
    stream: CUstream,
) -> Answer {
    allocated(default, to, bytes, None, stream)
}

/// `cuMemAllocFromPoolAsync`.
pub(crate) fn alloc_from_pool(
    default: CUstream,
    to: Out<CUdeviceptr>,
    bytes: u64,
    pool: CUmemoryPool,
    stream: CUstream,
) -> Answer {
    allocated(default, to, bytes, Some(pool), stream)
}

/// `cuMemFreeAsync`.
pub(crate) fn free_async(default: CUstream, address: CUdeviceptr, stream: CUstream) -> Answer {
    let stream = stream::resolve(default, stream)?;
    stream.refuse_beside_capture()?;
    if address == 0 {
        return Ok(());
    }
    let is_device =
        |kind| matches!(kind, Kind::Device | Kind::Managed | Kind::Graph | Kind::Pooled(_));
    let block = space::find(address)
        .filter(|block| block.start == address && is_device(block.kind))
        .ok_or(CUresult::INVALID_VALUE)?;
    if let Some(capture) = &*stream.capture() {
        // A graph frees what graphs have allocated, and nothing else.
        return match block.kind {
            Kind::Graph => capture.add_work(stream.lane.id, Work::Free(address)).map(drop),
            _ => Err(CUresult::INVALID_VALUE),
        };
    }
    if block.kind == Kind::Graph && graph::free(address)? == Freed::Kept {
        return Ok(());
    }
    stream.issue(Operation::Free(address))
}

/// `cuDeviceGraphMemTrim`: graphs that are gone keep nothing.
pub(crate) fn graph_trim(device: CUdevice) -> Answer {
    gpu(device).map(drop)
}

/// `cuDeviceGetGraphMemAttribute`.
pub(crate) fn graph_memory(
    device: CUdevice,
    attribute: CUgraphMem_attribute,
    to: Address,
) -> Answer {
    let gpu = gpu(device)?;
    let now = graph::reserved(device);
    to.into::<u64>().set(match attribute {
        CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT => graph::used(device),
        CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT => now,
        CU_GRAPH_MEM_ATTR_USED_MEM_HIGH | CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH => {
            gpu.graphs_high.load(Ordering::Relaxed).max(now)
        }
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

/// `cuDeviceSetGraphMemAttribute`: what was highest is forgotten.
pub(crate) fn set_graph_memory(
    device: CUdevice,
    attribute: CUgraphMem_attribute,
    from: Address,
) -> Answer {
    let gpu = gpu(device)?;
    match (attribute, from.to::<u64>().get()?) {
        (CU_GRAPH_MEM_ATTR_USED_MEM_HIGH | CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, 0) => {
            gpu.graphs_high.store(0, Ordering::Relaxed);
            Ok(())
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}
