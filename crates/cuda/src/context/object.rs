//! A context.

use crate::abi::{Answer, CUcontext, CUresult};
use crate::capturing;
use crate::driver::driver;
use crate::gpu::Gpu;
use crate::lane::Lane;
use crate::registry::Registry;
use crate::say;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use warpwise::{Device, HEAP_LIMIT, Point, order};

/// Handles of contexts.
pub(crate) fn contexts() -> &'static Registry<Context> {
    static ALL: Registry<Context> = Registry::new(1);
    &ALL
}

/// Launches by kernels that may wait, as the guide has it without a limit of the program's.
const PENDING_LAUNCHES: u64 = 2048;
/// Bytes of a thread's stack unless the program says otherwise (`CU_LIMIT_STACK_SIZE`).
pub(crate) const STACK: u64 = 1 << 10;

/// Forgets an object by its handle.
pub(crate) type Forget = fn(u64);

/// What a program may change, and ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) stack: u64,
    pub(crate) printf: u64,
    pub(crate) heap: u64,
    /// Launches by kernels that may wait.
    pub(crate) pending_launches: u64,
    /// A hint: how much is read into the L2 cache at a time.
    pub(crate) l2_fetch: u64,
    pub(crate) cache: u32,
    pub(crate) banks: u32,
}

/// A context.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) gpu: Arc<Gpu>,
    /// Another one for each context of the process.
    pub(crate) id: u64,
    pub(crate) handle: CUcontext,
    pub(crate) is_primary: bool,
    pub(crate) flags: AtomicU32,
    /// The version of the interface that it was created with.
    pub(crate) version: u32,
    pub(crate) limits: Mutex<Limits>,

    /// The result of everything from now on, if a kernel has been stopped.
    fault: AtomicU32,
    is_destroyed: AtomicBool,
    legacy: Arc<Lane>,
    lanes: Mutex<Vec<Weak<Lane>>>,
    /// What it takes with it when it is destroyed, by handle or address.
    owned: Mutex<HashMap<u64, Forget>>,
    /// What kernels have printed and nobody has seen yet.
    printed: Mutex<Vec<u8>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Context {
    /// A new context of a device.
    ///
    /// # Errors
    /// The device has no memory.
    pub(crate) fn create(
        gpu: &Arc<Gpu>,
        flags: u32,
        version: u32,
        is_primary: bool,
    ) -> Answer<Arc<Context>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let queue = gpu.session()?.stream().detached();
        let mut made = None;
        contexts().insert_with(|handle| {
            let context = Arc::new(Context {
                gpu: Arc::clone(gpu),
                id: NEXT.fetch_add(1, Ordering::Relaxed),
                handle: CUcontext(handle),
                is_primary,
                flags: AtomicU32::new(flags),
                version,
                limits: Mutex::new(Limits {
                    stack: STACK,
                    printf: 1 << 20,
                    heap: HEAP_LIMIT,
                    pending_launches: PENDING_LAUNCHES,
                    l2_fetch: 0,
                    cache: 0,
                    banks: 0,
                }),

                fault: AtomicU32::new(0),
                is_destroyed: AtomicBool::new(false),
                legacy: Arc::new(Lane::new(queue, true, 0)),
                lanes: Mutex::default(),
                owned: Mutex::default(),
                printed: Mutex::default(),
            });
            made = Some(Arc::clone(&context));
            context
        });
        made.ok_or(CUresult::UNKNOWN)
    }

    /// The device.
    pub(crate) fn device(&self) -> Answer<&Arc<Device>> {
        Ok(self.gpu.session()?.device())
    }

    /// What the program has set.
    pub(crate) fn limits(&self) -> Limits {
        *lock(&self.limits)
    }

    /// Whether it can be used.
    ///
    /// # Errors
    /// It is destroyed, or a kernel has been stopped: then the same result comes every time.
    pub(crate) fn check(&self) -> Answer {
        if self.is_destroyed.load(Ordering::Acquire) {
            return Err(CUresult::CONTEXT_IS_DESTROYED);
        }
        match self.fault.load(Ordering::Acquire) {
            0 => Ok(()),
            fault => Err(CUresult(fault)),
        }
    }

    /// Whether it has been destroyed.
    pub(crate) fn is_destroyed(&self) -> bool {
        self.is_destroyed.load(Ordering::Acquire)
    }

    /// A kernel has been stopped. The first one counts.
    pub(crate) fn fail(&self, result: CUresult) {
        let _ = self.fault.compare_exchange(0, result.0, Ordering::AcqRel, Ordering::Acquire);
    }

    /// A kernel has printed.
    pub(crate) fn printed(&self, text: &[u8]) {
        lock(&self.printed).extend_from_slice(text);
    }

    /// Shows what kernels have printed (CUDA C++ Programming Guide, "Formatted Output": when that is).
    pub(crate) fn flush(&self) {
        let mut printed = lock(&self.printed);
        if !printed.is_empty() {
            say::print(&printed);
            printed.clear();
        }
    }

    /// The default stream.
    pub(crate) fn legacy(&self) -> &Arc<Lane> {
        &self.legacy
    }

    /// Takes a stream in.
    pub(crate) fn has_lane(&self, lane: &Arc<Lane>) {
        let mut lanes = lock(&self.lanes);
        lanes.retain(|known| known.strong_count() > 0);
        lanes.push(Arc::downgrade(lane));
    }

    /// The streams but the default one.
    pub(crate) fn lanes(&self) -> Vec<Arc<Lane>> {
        lock(&self.lanes).iter().filter_map(Weak::upgrade).collect()
    }

    /// What work for a stream comes behind that others have to do: the default stream waits for all that block, and they for it.
    pub(crate) fn before(&self, lane: &Arc<Lane>) -> Vec<Point> {
        // Who wants to know the order wants to know of what is done, too.
        let open = |lane: &Lane| {
            let point = lane.queue.point();
            (order::is_tracked() || !point.is_reached()).then_some(point)
        };
        if Arc::ptr_eq(lane, &self.legacy) {
            let lanes = lock(&self.lanes);
            let all = lanes.iter().filter_map(Weak::upgrade).filter(|lane| lane.is_blocking);
            return all.filter_map(|lane| open(&lane)).collect();
        }
        if lane.is_blocking { open(&self.legacy).into_iter().collect() } else { Vec::new() }
    }

    /// Something is there until it is destroyed, or the context is.
    pub(crate) fn owns(&self, handle: u64, forget: Forget) {
        lock(&self.owned).insert(handle, forget);
    }

    /// Something has been destroyed.
    pub(crate) fn disowns(&self, handle: u64) {
        lock(&self.owned).remove(&handle);
    }

    /// Waits for all work, and shows what kernels printed.
    pub(crate) fn wait(&self) {
        for lane in self.lanes() {
            lane.queue.point().wait();
        }
        self.legacy.queue.point().wait();
        self.flush();
    }

    /// The same, and whether anything went wrong.
    pub(crate) fn synchronize(&self) -> Answer {
        self.check()?;
        capturing::whole_context(self.id)?;
        self.wait();
        self.check()
    }

    /// Destroys it with all that it has.
    pub(crate) fn destroy(&self) {
        if self.is_destroyed() {
            return;
        }
        self.wait();
        self.is_destroyed.store(true, Ordering::Release);
        let owned = std::mem::take(&mut *lock(&self.owned));
        owned.into_iter().for_each(|(handle, forget)| forget(handle));
        let _ = contexts().remove(self.handle.0);
    }
}

/// The context of a handle, whatever its state.
pub(crate) fn find(handle: CUcontext) -> Answer<Arc<Context>> {
    driver()?;
    contexts().find(handle.0).ok_or(CUresult::INVALID_CONTEXT)
}
