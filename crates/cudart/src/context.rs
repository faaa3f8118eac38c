//! The device of each thread, and the primary contexts.

use crate::driver;
use crate::status::{Result, Status};
use crate::types::Context;
use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock, PoisonError};

thread_local! {
    static DEVICE: Cell<i32> = const { Cell::new(0) };
}

/// The devices whose primary context is retained; once is enough for the process.
static RETAINED: Mutex<Vec<(i32, usize)>> = Mutex::new(Vec::new());

/// Makes the driver ready, and returns how many devices it has.
///
/// # Errors
/// There is no driver, or no device.
pub(crate) fn devices() -> Result<i32> {
    static COUNT: OnceLock<Result<i32>> = OnceLock::new();
    *COUNT.get_or_init(|| {
        let mut count = 0;
        // SAFETY: the place of the result is ours.
        unsafe {
            driver::cuInit(0)?;
            driver::cuDeviceGetCount(&mut count)?;
        }
        if count > 0 { Ok(count) } else { Err(Status::NO_DEVICE) }
    })
}

/// Checks the number of a device.
pub(crate) fn check(device: i32) -> Result {
    match (0..devices()?).contains(&device) {
        true => Ok(()),
        false => Err(Status::INVALID_DEVICE),
    }
}

/// The device of the thread: that of its context, or the one that it chose.
pub(crate) fn device() -> Result<i32> {
    devices()?;
    let (mut context, mut device) = (null_mut(), 0);
    // SAFETY: the places of the results are ours.
    unsafe {
        driver::cuCtxGetCurrent(&mut context)?;
        match context.is_null() {
            true => Ok(DEVICE.get()),
            false => driver::cuCtxGetDevice(&mut device).map(|()| device),
        }
    }
}

/// The primary context of a device.
pub(crate) fn primary(device: i32) -> Result<Context> {
    check(device)?;
    let mut retained = RETAINED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, context)) = retained.iter().find(|(known, _)| *known == device) {
        return Ok(std::ptr::with_exposed_provenance_mut(*context));
    }
    let mut context = null_mut();
    // SAFETY: the place of the result is ours.
    unsafe { driver::cuDevicePrimaryCtxRetain(&mut context, device)? };
    retained.push((device, context.expose_provenance()));
    Ok(context)
}

/// Makes a device the one of the thread.
pub(crate) fn choose(device: i32) -> Result {
    let context = primary(device)?;
    DEVICE.set(device);
    // SAFETY: the driver made the context.
    unsafe { driver::cuCtxSetCurrent(context) }
}

/// Makes a device the one of the thread without making its context.
pub(crate) fn choose_lazily(device: i32) -> Result {
    check(device)?;
    DEVICE.set(device);
    // SAFETY: no context is always one.
    unsafe { driver::cuCtxSetCurrent(null_mut()) }
}

/// Sees to it that the thread has a context.
pub(crate) fn ensure() -> Result {
    devices()?;
    let mut context = null_mut();
    // SAFETY: the place of the result is ours, and the driver made the context.
    unsafe {
        driver::cuCtxGetCurrent(&mut context)?;
        match context.is_null() {
            true => driver::cuCtxSetCurrent(primary(DEVICE.get())?),
            false => Ok(()),
        }
    }
}

/// Destroys what is in the primary context of the thread's device.
pub(crate) fn reset() -> Result {
    let device = device()?;
    let mut retained = RETAINED.lock().unwrap_or_else(PoisonError::into_inner);
    retained.retain(|(known, _)| *known != device);
    // SAFETY: these take no pointers.
    unsafe {
        driver::cuCtxSetCurrent(null_mut())?;
        driver::cuDevicePrimaryCtxReset_v2(device)
    }
}
