//! Primary contexts: the one of a device that all libraries of a program share.

use super::object::Context;
use crate::abi::constants::CU_CTX_FLAGS_MASK;
use crate::abi::{Answer, CUcontext, CUdevice, CUresult, Out};
use crate::driver::gpu;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What `cuCtxGetApiVersion` says of primary contexts.
const NEWEST: u32 = 3020;

/// A primary context: there while somebody retains it.
#[derive(Debug, Default)]
struct Primary {
    context: Option<Arc<Context>>,
    count: u64,
    flags: u32,
}

/// Those of all devices.
type All = MutexGuard<'static, Option<HashMap<CUdevice, Primary>>>;

/// Works on the primary context of a device.
fn with<T>(device: CUdevice, work: impl FnOnce(&mut Primary) -> T) -> Answer<T> {
    static ALL: Mutex<Option<HashMap<CUdevice, Primary>>> = Mutex::new(None);
    gpu(device)?;
    let mut all: All = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(work(all.get_or_insert_default().entry(device).or_default()))
}

/// `cuDevicePrimaryCtxRetain`.
pub(crate) fn retain(to: Out<CUcontext>, device: CUdevice) -> Answer {
    to.check()?;
    let gpu = gpu(device)?;
    let retained = with(device, |primary| {
        let context = match &primary.context {
            Some(context) => Arc::clone(context),
            None => Context::create(gpu, primary.flags, NEWEST, true)?,
        };
        primary.count += 1;
        Ok(primary.context.insert(context).handle)
    });
    to.set(retained??)
}

/// `cuDevicePrimaryCtxRelease`.
pub(crate) fn release(device: CUdevice) -> Answer {
    let ended = with(device, |primary| {
        primary.count = primary.count.checked_sub(1).ok_or(CUresult::INVALID_CONTEXT)?;
        Ok(if primary.count == 0 { primary.context.take() } else { None })
    });
    ended??.iter().for_each(|context| context.destroy());
    Ok(())
}

/// `cuDevicePrimaryCtxReset`: all that the context has is gone. Who uses the device then retains a new one.
pub(crate) fn reset(device: CUdevice) -> Answer {
    let ended = with(device, |primary| {
        primary.count = 0;
        primary.context.take()
    });
    ended?.iter().for_each(|context| context.destroy());
    Ok(())
}

/// `cuDevicePrimaryCtxSetFlags`.
pub(crate) fn set_primary_flags(device: CUdevice, flags: u32) -> Answer {
    with(device, |primary| {
        if flags & !CU_CTX_FLAGS_MASK != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        primary.flags = flags;
        if let Some(context) = &primary.context {
            context.flags.store(flags, Ordering::Relaxed);
        }
        Ok(())
    })?
}

/// `cuDevicePrimaryCtxGetState`.
pub(crate) fn state(device: CUdevice, flags: Out<u32>, active: Out<i32>) -> Answer {
    with(device, |primary| {
        flags.offer(primary.flags);
        active.offer(primary.context.is_some().into());
    })
}
