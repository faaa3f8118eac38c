//! What is allocated: one map of addresses for all devices and the host, because they share the process's.
#![allow(unsafe_code)]

use crate::abi::{Answer, CUresult};
use crate::context::Context;
use crate::driver::driver;
use crate::gpu::Gpu;
use crate::memory::advice;
use crate::memory::place::CallPlace;
use crate::watch::{self, Gone};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use warpwise::Memory;

/// What an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Memory of a device.
    Device,
    /// Memory of the host that the driver has allocated.
    Host,
    /// Memory of the host that the program has allocated, and registered.
    Registered,
    /// Memory for both.
    Managed,
    /// The texels of an array, which only textures, surfaces and copies of arrays reach.
    Array,
    /// Memory of a device, of a graph.
    Graph,
    /// Memory of a device, from a pool.
    Pooled(u64),
}

/// An allocation.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    pub(crate) kind: Kind,
    pub(crate) flags: u32,
    /// The device.
    pub(crate) gpu: Arc<Gpu>,
    /// The handle of the context that it was allocated in.
    pub(crate) context_handle: u64,
    /// Another one for each allocation of the process.
    pub(crate) id: u64,
    /// Whether every access waits for work before it.
    pub(crate) synchronous: bool,
    /// Where the program allocated it, if it wants to know what it has not freed.
    place: Option<CallPlace>,
}

/// What nobody has freed.
#[derive(Clone, Debug)]
pub(crate) struct Leak {
    pub(crate) bytes: u64,
    /// What it is.
    pub(crate) what: String,
    /// Where it was allocated, if that is known.
    pub(crate) place: Option<String>,
}

static SPACE: RwLock<BTreeMap<u64, Block>> = RwLock::new(BTreeMap::new());

/// How many allocations the program and devices both use.
static SHARED: AtomicUsize = AtomicUsize::new(0);

fn read() -> RwLockReadGuard<'static, BTreeMap<u64, Block>> {
    SPACE.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, BTreeMap<u64, Block>> {
    SPACE.write().unwrap_or_else(PoisonError::into_inner)
}

/// The memory of a device.
fn memory(gpu: &Gpu) -> Answer<&Memory> {
    Ok(gpu.session()?.device().memory())
}

/// The allocation that holds an address.
pub(crate) fn find(address: u64) -> Option<Block> {
    let space = read();
    let (_, block) = space.range(..=address).next_back()?;
    let inside = address - block.start;
    (inside < block.bytes).then(|| block.clone())
}

/// The same, also of variables of modules and of what kernels have allocated, which have no context of their own here.
pub(crate) fn find_any(address: u64) -> Option<Block> {
    find(address).or_else(|| {
        driver().ok()?.gpus.iter().find_map(|gpu| {
            let region = memory(gpu).ok()?.region(address)?;
            // What lies behind the end of an allocation in its last piece is nobody's.
            if find(region.start).is_some() {
                return None;
            }
            Some(Block {
                start: region.start,
                bytes: region.end - region.start,
                kind: Kind::Device,
                flags: 0,
                gpu: Arc::clone(gpu),
                context_handle: 0,
                id: 0,
                synchronous: false,
                place: None,
            })
        })
    })
}

/// Changes the allocation that holds an address; whether there is one.
pub(crate) fn change(address: u64, work: impl FnOnce(&mut Block)) -> bool {
    let mut space = write();
    let found = space.range_mut(..=address).next_back();
    let block = found.map(|(_, block)| block).filter(|block| address - block.start < block.bytes);
    block.map(work).is_some()
}

/// Checks that an access of device memory, or of host memory that devices reach, stays inside one allocation or one variable.
///
/// # Errors
/// It does not: `CUDA_ERROR_INVALID_VALUE`.
pub(crate) fn check(address: u64, bytes: u64) -> Answer {
    match reach(address) {
        Some(end) if bytes <= end - address => Ok(()),
        _ if bytes == 0 => Ok(()),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Where what holds an address ends; `None` if no device knows the address.
pub(crate) fn reach(address: u64) -> Option<u64> {
    find_any(address).map(|block| block.start + block.bytes)
}

/// Checks a copy: each side that devices know must stay inside of what holds it; the others are the program's.
pub(crate) fn check_unified(address: u64, bytes: u64) -> Answer {
    match reach(address) {
        Some(end) if bytes > end - address => Err(CUresult::INVALID_VALUE),
        None if address == 0 && bytes > 0 => Err(CUresult::INVALID_VALUE),
        _ => Ok(()),
    }
}

/// Allocates memory in a context.
///
/// # Errors
/// The device has not so much.
pub(crate) fn allocate(context: &Context, bytes: u64, kind: Kind, flags: u32) -> Answer<u64> {
    let gpu = &context.gpu;
    if bytes == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let on_device =
        matches!(kind, Kind::Device | Kind::Managed | Kind::Array | Kind::Graph | Kind::Pooled(_));
    let used = if on_device { gpu.used.fetch_add(bytes, Ordering::Relaxed) } else { 0 };
    let fits = !on_device || used.saturating_add(bytes) <= gpu.properties.global_bytes;
    let start = if fits { give(memory(gpu)?, bytes, kind) } else { None };
    let Some(start) = start else {
        if on_device {
            gpu.used.fetch_sub(bytes, Ordering::Relaxed);
        }
        return Err(CUresult::OUT_OF_MEMORY);
    };
    enter(context, start, bytes, kind, flags);
    Ok(start)
}

/// Takes memory of a device. It gives out memory in pieces, and kernels that go a little too far are not stopped there. Checks are
/// exact, and what the program may do with memory that it shares is for them a matter of pages.
fn give(memory: &Memory, bytes: u64, kind: Kind) -> Option<u64> {
    /// The pieces of memory that CUDA's allocators give out.
    const PIECE: u64 = 512;
    let exact = driver().is_ok_and(|driver| driver.settings.check);
    let given = match kind {
        Kind::Host | Kind::Managed if exact => memory.allocate_pages(bytes),
        _ if exact => memory.allocate(bytes),
        _ => memory.allocate(bytes.checked_next_multiple_of(PIECE).unwrap_or(bytes)),
    };
    given.ok()
}

/// Registers memory of the program.
///
/// # Errors
/// Some of it is registered already, or is a device's.
pub(crate) fn register(context: &Context, start: u64, bytes: u64, flags: u32) -> Answer {
    map(memory(&context.gpu)?, start, bytes)
        .map_err(|()| CUresult::HOST_MEMORY_ALREADY_REGISTERED)?;
    enter(context, start, bytes, Kind::Registered, flags);
    Ok(())
}

/// Lets the kernels of a device reach memory of the process.
fn map(memory: &Memory, start: u64, bytes: u64) -> Result<(), ()> {
    let pointer = std::ptr::with_exposed_provenance_mut(start as usize);
    let pointer = NonNull::new(pointer).ok_or(())?;
    // SAFETY: the program promises it of memory that it registers, until it no longer does so; memory of another device is valid
    // until it is freed, and then it is unmapped first.
    unsafe { memory.map_host(pointer, bytes as usize) }.map(drop).map_err(drop)
}

/// The devices other than that of a block whose kernels may access it.
fn others(block: &Block) -> impl Iterator<Item = &'static Arc<Gpu>> {
    let gpus = driver().map(|driver| driver.gpus.as_slice()).unwrap_or_default();
    let everywhere = matches!(block.kind, Kind::Host | Kind::Registered | Kind::Managed);
    let owner = block.gpu.ordinal;
    gpus.iter().filter(move |gpu| gpu.ordinal != owner && (everywhere || gpu.reaches(owner)))
}

fn enter(context: &Context, start: u64, bytes: u64, kind: Kind, flags: u32) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let block = Block {
        start,
        bytes,
        kind,
        flags,
        gpu: Arc::clone(&context.gpu),
        context_handle: context.handle.0,
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        synchronous: false,
        place: driver()
            .is_ok_and(|driver| driver.settings.leaks || driver.settings.check)
            .then(CallPlace::here),
    };
    if block.begins_unwritten() {
        watch::allocated(start..start + bytes);
    }
    for gpu in others(&block) {
        let _ = memory(gpu).map(|memory| map(memory, start, bytes));
    }
    SHARED.fetch_add(usize::from(block.has_own_pages()), Ordering::Relaxed);
    write().insert(start, block);
    context.owns(start, forget);
}

/// Whether there is memory that the program and devices both use, and that the driver gave out.
pub(crate) fn has_shared() -> bool {
    SHARED.load(Ordering::Relaxed) > 0
}

/// Lets the kernels of a device reach what another one has.
pub(crate) fn share(from: &Gpu, with: &Gpu) -> Answer {
    let memory = memory(with)?;
    for block in read().values().filter(|block| block.gpu.ordinal == from.ordinal) {
        let _ = map(memory, block.start, block.bytes);
    }
    Ok(())
}

/// Takes that back.
pub(crate) fn unshare(from: &Gpu, with: &Gpu) -> Answer {
    let memory = memory(with)?;
    let devices = |block: &&Block| {
        matches!(block.kind, Kind::Device | Kind::Array | Kind::Graph | Kind::Pooled(_))
    };
    let of = |block: &&Block| block.gpu.ordinal == from.ordinal;
    for block in read().values().filter(of).filter(devices) {
        let _ = memory.unmap_host(block.start);
    }
    Ok(())
}

/// Frees what begins at an address, if it is what the caller takes it for.
///
/// # Errors
/// Nothing of the kind begins there.
pub(crate) fn free(address: u64, is_it: impl FnOnce(&Block) -> bool) -> Answer<Block> {
    let mut space = write();
    let block = space.get(&address).filter(|block| is_it(block)).cloned();
    let block = block.ok_or(CUresult::INVALID_VALUE)?;
    space.remove(&address);
    drop(space);
    leave(&block);
    Ok(block)
}

fn leave(block: &Block) {
    advice::forget(block.id);
    SHARED.fetch_sub(usize::from(block.has_own_pages()), Ordering::Relaxed);
    if watch::is_on() {
        let (range, what) = (block.start..block.start + block.bytes, block.told());
        watch::freed(Gone { range, what, allocated: block.place.clone() });
    }
    for gpu in others(block) {
        let _ = memory(gpu).map(|memory| memory.unmap_host(block.start));
    }
    let Ok(memory) = memory(&block.gpu) else { return };
    let _ = match block.kind {
        Kind::Registered => memory.unmap_host(block.start),
        Kind::Device | Kind::Host | Kind::Managed | Kind::Array | Kind::Graph | Kind::Pooled(_) => {
            memory.free(block.start)
        }
    };
    if !matches!(block.kind, Kind::Host | Kind::Registered) {
        block.gpu.used.fetch_sub(block.bytes, Ordering::Relaxed);
    }
}

/// What contexts took with them that nobody had freed.
static LEFT: Mutex<Vec<Leak>> = Mutex::new(Vec::new());

/// Frees what begins at an address: its context is gone.
fn forget(address: u64) {
    if let Ok(block) = free(address, |_| true)
        && driver().is_ok_and(|driver| driver.settings.leaks)
    {
        LEFT.lock().unwrap_or_else(PoisonError::into_inner).extend(block.leak());
    }
}

/// What nobody has freed.
pub(crate) fn leaked() -> Vec<Leak> {
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner).clone();
    left.extend(read().values().filter_map(Block::leak));
    left
}

impl Block {
    /// Whether it is written by calls and kernels alone, and nothing is in it at first.
    pub(crate) fn begins_unwritten(&self) -> bool {
        match self.kind {
            Kind::Device | Kind::Pooled(_) => true,
            // The program writes it; texels are written through surfaces; graphs use theirs again.
            Kind::Host | Kind::Registered | Kind::Managed | Kind::Array | Kind::Graph => false,
        }
    }

    /// Whether both the program and devices use it.
    pub(crate) fn is_shared(&self) -> bool {
        self.has_own_pages() || self.kind == Kind::Registered
    }

    /// Whether it is such memory that the driver gave out: then, in checks, nothing else is on its pages.
    pub(crate) fn has_own_pages(&self) -> bool {
        matches!(self.kind, Kind::Host | Kind::Managed)
    }

    /// What it is for people.
    fn what(&self) -> String {
        let what = match self.kind {
            Kind::Device | Kind::Pooled(_) => "device memory",
            Kind::Managed => "managed memory",
            Kind::Host => "pinned memory",
            Kind::Array => "an array",
            Kind::Registered => "registered memory",
            Kind::Graph => "memory of a graph",
        };
        format!("{what} (allocation {}, {:#x})", self.id, self.start)
    }

    /// The same with its size.
    pub(crate) fn told(&self) -> String {
        format!("{} bytes of {}", self.bytes, self.what())
    }

    /// Where it was allocated, if that is known.
    pub(crate) fn place(&self) -> Option<&CallPlace> {
        self.place.as_ref()
    }

    /// What nobody has freed, if it is the program's to free.
    fn leak(&self) -> Option<Leak> {
        if matches!(self.kind, Kind::Registered | Kind::Graph) {
            return None;
        }
        let what = self.what();
        let place = self.place.as_ref().and_then(CallPlace::told);
        Some(Leak { bytes: self.bytes, what, place })
    }
}

/// What is allocated.
pub(crate) fn all() -> Vec<Block> {
    read().values().cloned().collect()
}
