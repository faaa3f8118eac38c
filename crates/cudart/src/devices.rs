//! Functions about devices and errors.

use crate::api::{Row, runtime};
use crate::context;
use crate::driver;
use crate::errors::row_of;
use crate::generation::{Generation, generation};
use crate::properties;
use crate::status::{Status, last, take_last};
use crate::types::{Address, Pool};
use std::ffi::{CStr, c_char, c_int, c_void};

/// `cudaDeviceMapHost`: always on where host and device share memory.
const MAP_HOST: u32 = 8;

runtime! {
    fn cudaGetDeviceCount(count: *mut c_int) {
        let count = count.as_mut().ok_or(Status::INVALID_VALUE)?;
        *count = 0;
        *count = context::devices()?;
        Ok(())
    }

    fn cudaSetDevice(device: c_int) {
        match generation() {
            Generation::V11 => context::choose_lazily(device),
            Generation::V12 | Generation::V13 => context::choose(device),
        }
    }

    fn cudaInitDevice(device: c_int, device_flags: u32, flags: u32) {
        const DEVICE_FLAGS_VALID: u32 = 1;
        if flags & DEVICE_FLAGS_VALID != 0 {
            context::check(device)?;
            driver::cuDevicePrimaryCtxSetFlags_v2(device, device_flags & !MAP_HOST)?;
        }
        context::primary(device).map(drop)
    }

    fn cudaGetDevice(device: *mut c_int) {
        let device = device.as_mut().ok_or(Status::INVALID_VALUE)?;
        *device = context::device()?;
        Ok(())
    }

    fn cudaSetValidDevices(devices: *const c_int, count: c_int) {
        let count = usize::try_from(count).map_err(|_| Status::INVALID_VALUE)?;
        if count == 0 {
            return Ok(());
        }
        if devices.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let devices = std::slice::from_raw_parts(devices, count);
        devices.iter().try_for_each(|device| context::check(*device))?;
        context::choose_lazily(devices[0])
    }

    fn cudaSetDeviceFlags(flags: u32) {
        driver::cuDevicePrimaryCtxSetFlags_v2(context::device()?, flags & !MAP_HOST)
    }

    fn cudaGetDeviceFlags(flags: *mut u32) {
        let flags = flags.as_mut().ok_or(Status::INVALID_VALUE)?;
        let mut active = 0;
        driver::cuDevicePrimaryCtxGetState(context::device()?, flags, &mut active)?;
        *flags |= MAP_HOST;
        Ok(())
    }

    fn cudaGetDeviceProperties(properties: *mut u8, device: c_int) {
        // The runtime of CUDA 12 has the properties of its own version under another name, and those of 11 under this one.
        let of = if generation() == Generation::V12 { Generation::V11 } else { generation() };
        properties::write(properties, of, device)
    }

    fn cudaGetDeviceProperties_v2(properties: *mut u8, device: c_int) {
        properties::write(properties, Generation::V12, device)
    }

    fn cudaChooseDevice(device: *mut c_int, properties: *const c_void) {
        if properties.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // Devices differ in their numbers alone.
        context::devices()?;
        device.as_mut().ok_or(Status::INVALID_VALUE).map(|device| *device = 0)
    }

    fn cudaDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) {
        context::check(device)?;
        driver::cuDeviceGetAttribute(value, attribute, device)
    }

    fn cudaDeviceGetP2PAttribute(value: *mut c_int, attribute: c_int, source: c_int, target: c_int) {
        context::check(source)?;
        context::check(target)?;
        driver::cuDeviceGetP2PAttribute(value, attribute, source, target)
    }

    fn cudaDeviceGetByPCIBusId(device: *mut c_int, name: *const c_char) {
        context::devices()?;
        driver::cuDeviceGetByPCIBusId(device, name)
    }

    fn cudaDeviceGetPCIBusId(name: *mut c_char, length: c_int, device: c_int) {
        context::check(device)?;
        driver::cuDeviceGetPCIBusId(name, length, device)
    }

    fn cudaDeviceGetDefaultMemPool(pool: *mut Pool, device: c_int) {
        context::check(device)?;
        driver::cuDeviceGetDefaultMemPool(pool, device)
    }

    fn cudaDeviceGetMemPool(pool: *mut Pool, device: c_int) {
        context::check(device)?;
        driver::cuDeviceGetMemPool(pool, device)
    }

    fn cudaDeviceSetMemPool(device: c_int, pool: Pool) {
        context::check(device)?;
        driver::cuDeviceSetMemPool(device, pool)
    }

    fn cudaDeviceGetGraphMemAttribute(device: c_int, attribute: c_int, value: Address) {
        context::check(device)?;
        driver::cuDeviceGetGraphMemAttribute(device, attribute, value)
    }

    fn cudaDeviceSetGraphMemAttribute(device: c_int, attribute: c_int, value: Address) {
        context::check(device)?;
        driver::cuDeviceSetGraphMemAttribute(device, attribute, value)
    }

    fn cudaDeviceGraphMemTrim(device: c_int) {
        context::check(device)?;
        driver::cuDeviceGraphMemTrim(device)
    }

    fn cudaDeviceReset() {
        context::reset()
    }

    fn cudaThreadExit() {
        context::reset()
    }

    fn cudaDeviceSynchronize() {
        context::ensure()?;
        driver::cuCtxSynchronize()
    }

    fn cudaThreadSynchronize() {
        context::ensure()?;
        driver::cuCtxSynchronize()
    }

    fn cudaDeviceGetLimit(value: *mut usize, limit: c_int) {
        context::ensure()?;
        driver::cuCtxGetLimit(value, limit)
    }

    fn cudaThreadGetLimit(value: *mut usize, limit: c_int) {
        context::ensure()?;
        driver::cuCtxGetLimit(value, limit)
    }

    fn cudaDeviceSetLimit(limit: c_int, value: usize) {
        context::ensure()?;
        driver::cuCtxSetLimit(limit, value)
    }

    fn cudaThreadSetLimit(limit: c_int, value: usize) {
        context::ensure()?;
        driver::cuCtxSetLimit(limit, value)
    }

    fn cudaDeviceGetCacheConfig(config: *mut c_int) {
        context::ensure()?;
        driver::cuCtxGetCacheConfig(config)
    }

    fn cudaDeviceSetCacheConfig(config: c_int) {
        context::ensure()?;
        driver::cuCtxSetCacheConfig(config)
    }

    fn cudaDeviceGetSharedMemConfig(config: *mut c_int) {
        context::ensure()?;
        driver::cuCtxGetSharedMemConfig(config)
    }

    fn cudaDeviceSetSharedMemConfig(config: c_int) {
        context::ensure()?;
        driver::cuCtxSetSharedMemConfig(config)
    }

    fn cudaDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        context::ensure()?;
        driver::cuCtxGetStreamPriorityRange(least, greatest)
    }

    fn cudaCtxResetPersistingL2Cache() {
        context::ensure()?;
        driver::cuCtxResetPersistingL2Cache()
    }

    fn cudaDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) {
        context::check(device)?;
        context::check(peer)?;
        driver::cuDeviceCanAccessPeer(can, device, peer)
    }

    fn cudaDeviceEnablePeerAccess(peer: c_int, flags: u32) {
        context::ensure()?;
        driver::cuCtxEnablePeerAccess(context::primary(peer)?, flags)
    }

    fn cudaDeviceDisablePeerAccess(peer: c_int) {
        context::ensure()?;
        driver::cuCtxDisablePeerAccess(context::primary(peer)?)
    }

    fn cudaDriverGetVersion(version: *mut c_int) {
        let version = version.as_mut().ok_or(Status::INVALID_VALUE)?;
        *version = 0;
        match driver::cuDriverGetVersion(version) {
            // Where there is no driver its version is 0.
            Err(Status::INSUFFICIENT_DRIVER) => Ok(()),
            other => other,
        }
    }

    fn cudaRuntimeGetVersion(version: *mut c_int) {
        let version = version.as_mut().ok_or(Status::INVALID_VALUE)?;
        *version = generation().version();
        Ok(())
    }

    fn cudaGetDriverEntryPoint(name: *const c_char, address: *mut Address, flags: u64, status: *mut c_int)
        [cudaGetDriverEntryPoint_ptsz |_default|] {
        context::devices()?;
        driver::cuGetProcAddress_v2(name, address, generation().version(), flags, status)
    }

    fn cudaGetDriverEntryPointByVersion(name: *const c_char, address: *mut Address, version: u32, flags: u64, status: *mut c_int)
        [cudaGetDriverEntryPointByVersion_ptsz |_default|] {
        context::devices()?;
        let version = c_int::try_from(version).map_err(|_| Status::INVALID_VALUE)?;
        driver::cuGetProcAddress_v2(name, address, version, flags, status)
    }

    fn cudaProfilerStart() {
        context::ensure()?;
        driver::cuProfilerStart()
    }

    fn cudaProfilerStop() {
        context::ensure()?;
        driver::cuProfilerStop()
    }
}

/// The functions about errors.
pub(crate) const ERRORS: &[Row] = &[
    Row { name: "cudaGetLastError", address: cudaGetLastError as *const (), works: true },
    Row { name: "cudaPeekAtLastError", address: cudaPeekAtLastError as *const (), works: true },
    Row { name: "cudaGetErrorName", address: cudaGetErrorName as *const (), works: true },
    Row { name: "cudaGetErrorString", address: cudaGetErrorString as *const (), works: true },
];

#[unsafe(no_mangle)]
extern "C" fn cudaGetLastError() -> Status {
    take_last()
}

#[unsafe(no_mangle)]
extern "C" fn cudaPeekAtLastError() -> Status {
    last()
}

const UNRECOGNIZED: &CStr = c"unrecognized error code";

#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorName(error: c_int) -> *const c_char {
    row_of(error).map_or(UNRECOGNIZED, |row| row.name).as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorString(error: c_int) -> *const c_char {
    row_of(error).map_or(UNRECOGNIZED, |row| row.sentence).as_ptr()
}
