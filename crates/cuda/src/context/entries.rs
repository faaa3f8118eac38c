//! `cuCtx*`.

use super::current::{bind, current, current_any, leave, named_or_current, pop, push};
use super::object::{Context, Limits, find};
use crate::abi::constants::{
    CU_CTX_FLAGS_MASK, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH,
    CU_LIMIT_MALLOC_HEAP_SIZE, CU_LIMIT_MAX, CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
    CU_LIMIT_PRINTF_FIFO_SIZE, CU_LIMIT_STACK_SIZE,
};
use crate::abi::{
    Answer, CUcontext, CUctxCreateParams, CUdevice, CUevent, CUexecAffinityParam, CUresult, Out,
};
use crate::driver::{driver, gpu};
use crate::event;
use crate::lane::{GREATEST_PRIORITY, LEAST_PRIORITY};
use crate::say;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// What `cuCtxGetApiVersion` says of contexts that are made by the newest interface.
const NEWEST: u32 = 3020;

fn made(to: Out<CUcontext>, flags: u32, device: CUdevice) -> Answer {
    let gpu = gpu(device)?;
    to.check()?;
    if flags & !CU_CTX_FLAGS_MASK != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let context = Context::create(gpu, flags, NEWEST, false)?;
    let handle = context.handle;
    push(context)?;
    to.set(handle)
}

/// `cuCtxCreate_v2`, and before.
pub(crate) fn create(to: Out<CUcontext>, flags: u32, device: CUdevice) -> Answer {
    made(to, flags, device)
}

/// `cuCtxCreate_v3`: multiprocessors cannot be set aside.
pub(crate) fn create_with_affinity(
    to: Out<CUcontext>,
    affinities: Out<CUexecAffinityParam>,
    count: i32,
    flags: u32,
    device: CUdevice,
) -> Answer {
    if count != 0 && !affinities.is_null() {
        say::once("a context with an execution affinity is not there");
        return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY);
    }
    made(to, flags, device)
}

/// `cuCtxCreate_v4`.
pub(crate) fn create_with_parameters(
    to: Out<CUcontext>,
    parameters: Out<CUctxCreateParams>,
    flags: u32,
    device: CUdevice,
) -> Answer {
    if !parameters.is_null() {
        let given = parameters.get()?;
        if !given.cig.is_null() {
            say::once("a context with a graphics queue is not there");
            return Err(CUresult::NOT_SUPPORTED);
        }
        return create_with_affinity(
            to,
            given.affinities.into(),
            given.affinity_count,
            flags,
            device,
        );
    }
    made(to, flags, device)
}

/// `cuCtxDestroy_v2`.
pub(crate) fn destroy(context: CUcontext) -> Answer {
    let context = find(context)?;
    // Only those who retain a primary context release it.
    if context.is_primary {
        return Err(CUresult::INVALID_CONTEXT);
    }
    leave(&context);
    context.destroy();
    Ok(())
}

/// `cuCtxPushCurrent_v2`.
pub(crate) fn push_current(context: CUcontext) -> Answer {
    driver()?;
    if context == CUcontext::NULL {
        return Err(CUresult::INVALID_VALUE);
    }
    push(find(context)?)
}

/// `cuCtxPopCurrent_v2`.
pub(crate) fn pop_current(to: Out<CUcontext>) -> Answer {
    driver()?;
    let context = pop()?;
    to.offer(context.handle);
    Ok(())
}

/// `cuCtxSetCurrent`.
pub(crate) fn set_current(context: CUcontext) -> Answer {
    driver()?;
    match context {
        CUcontext::NULL => bind(None),
        handle => bind(Some(find(handle)?)),
    }
}

/// `cuCtxGetCurrent`.
pub(crate) fn get_current(to: Out<CUcontext>) -> Answer {
    driver()?;
    to.set(current_any().map_or(CUcontext::NULL, |context| context.handle))
}

/// `cuCtxGetDevice`.
pub(crate) fn get_device(to: Out<CUdevice>) -> Answer {
    let context = current_any()?;
    to.set(context.gpu.ordinal)
}

/// `cuCtxGetDevice_v2`.
pub(crate) fn get_device_of(to: Out<CUdevice>, context: CUcontext) -> Answer {
    match context {
        CUcontext::NULL => get_device(to),
        handle => to.set(find(handle)?.gpu.ordinal),
    }
}

/// `cuCtxGetFlags`.
pub(crate) fn get_flags(to: Out<u32>) -> Answer {
    to.set(current()?.flags.load(Ordering::Relaxed))
}

/// `cuCtxSetFlags`.
pub(crate) fn set_flags(flags: u32) -> Answer {
    let context = current()?;
    if flags & !CU_CTX_FLAGS_MASK != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    context.flags.store(flags, Ordering::Relaxed);
    Ok(())
}

/// `cuCtxGetId`.
pub(crate) fn get_id(context: CUcontext, to: Out<u64>) -> Answer {
    to.set(named_or_current(context)?.id)
}

/// `cuCtxGetApiVersion`.
pub(crate) fn get_version(context: CUcontext, to: Out<u32>) -> Answer {
    to.set(named_or_current(context)?.version)
}

/// `cuCtxSynchronize`.
pub(crate) fn synchronize() -> Answer {
    current()?.synchronize()
}

/// `cuCtxSynchronize_v2`.
pub(crate) fn synchronize_of(context: CUcontext) -> Answer {
    named_or_current(context)?.synchronize()
}

/// Local memory that a thread may have, at most (CUDA C++ Programming Guide, "Compute Capabilities"), and in what units stacks grow.
const MOST_LOCAL: u64 = 512 << 10;
const STACK_UNIT: u64 = 16;
/// Bytes that are read into the L2 cache at a time, at most.
const MOST_L2_FETCH: u64 = 128;
/// What an H100 makes of less (driver 580.159): bytes of text and of the kernels' heap, and launches by kernels that may wait.
const LEAST_PRINTF: u64 = 512 << 10;
const LEAST_HEAP: u64 = 4 << 20;
const LEAST_PENDING_LAUNCHES: u64 = 32;

fn limits<T>(work: impl FnOnce(&mut Limits) -> T) -> Answer<T> {
    let context = current()?;
    let mut limits = context.limits.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(work(&mut limits))
}

/// `cuCtxSetLimit`.
pub(crate) fn set_limit(limit: u32, value: u64) -> Answer {
    match limit {
        CU_LIMIT_STACK_SIZE if value > MOST_LOCAL => return Err(CUresult::INVALID_VALUE),
        CU_LIMIT_MAX_L2_FETCH_GRANULARITY if value > MOST_L2_FETCH => {
            return Err(CUresult::INVALID_VALUE);
        }
        CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH => return Err(CUresult::UNSUPPORTED_LIMIT),
        _ => {}
    }
    let known = limits(|limits| match limit {
        CU_LIMIT_STACK_SIZE => limits.stack = value.next_multiple_of(STACK_UNIT),
        CU_LIMIT_PRINTF_FIFO_SIZE => limits.printf = value.max(LEAST_PRINTF),
        CU_LIMIT_MALLOC_HEAP_SIZE => limits.heap = value.max(LEAST_HEAP),
        CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT => {
            limits.pending_launches = value.max(LEAST_PENDING_LAUNCHES);
        }
        CU_LIMIT_MAX_L2_FETCH_GRANULARITY => limits.l2_fetch = value,
        // Another hint about caches.
        _ => {}
    });
    known?;
    if limit < CU_LIMIT_MAX { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// `cuCtxGetLimit`.
pub(crate) fn get_limit(to: Out<u64>, limit: u32) -> Answer {
    if limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH {
        return Err(CUresult::UNSUPPORTED_LIMIT);
    }
    let value = limits(|limits| match limit {
        CU_LIMIT_STACK_SIZE => Some(limits.stack),
        CU_LIMIT_PRINTF_FIFO_SIZE => Some(limits.printf),
        CU_LIMIT_MALLOC_HEAP_SIZE => Some(limits.heap),
        CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT => Some(limits.pending_launches),
        CU_LIMIT_MAX_L2_FETCH_GRANULARITY => Some(limits.l2_fetch),
        other => (other < CU_LIMIT_MAX).then_some(0),
    });
    to.set(value?.ok_or(CUresult::INVALID_VALUE)?)
}

/// `cuCtxGetCacheConfig`.
pub(crate) fn get_cache(to: Out<u32>) -> Answer {
    to.set(limits(|limits| limits.cache)?)
}

/// `cuCtxSetCacheConfig`: a hint.
pub(crate) fn set_cache(config: u32) -> Answer {
    match config {
        0..=3 => limits(|limits| limits.cache = config),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuCtxGetSharedMemConfig`.
pub(crate) fn get_banks(to: Out<u32>) -> Answer {
    to.set(limits(|limits| limits.banks)?)
}

/// `cuCtxSetSharedMemConfig`: a hint.
pub(crate) fn set_banks(config: u32) -> Answer {
    match config {
        0..=2 => limits(|limits| limits.banks = config),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuCtxResetPersistingL2Cache`: caches are the host's.
pub(crate) fn reset_cache() -> Answer {
    current().map(|_| ())
}

/// `cuCtxGetStreamPriorityRange`.
pub(crate) fn priorities(least: Out<i32>, greatest: Out<i32>) -> Answer {
    current()?;
    least.offer(LEAST_PRIORITY);
    greatest.offer(GREATEST_PRIORITY);
    Ok(())
}

/// `cuCtxAttach`, which was replaced long ago.
pub(crate) fn attach(to: Out<CUcontext>, flags: u32) -> Answer {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    to.set(current()?.handle)
}

/// `cuCtxDetach`.
pub(crate) fn detach(context: CUcontext) -> Answer {
    destroy(context)
}

/// `cuCtxRecordEvent`: when all work of the context is done.
pub(crate) fn record_event(context: CUcontext, event: CUevent) -> Answer {
    let context = named_or_current(context)?;
    event::record_context(&context, event)
}

/// `cuCtxWaitEvent`: all streams of the context wait.
pub(crate) fn wait_event(context: CUcontext, event: CUevent) -> Answer {
    let context = named_or_current(context)?;
    let event = event::get(event)?;
    let points: Vec<_> = event.point().into_iter().collect();
    for lane in context.lanes().iter().chain([context.legacy()]) {
        lane.queue.wait_for(&points);
    }
    Ok(())
}
