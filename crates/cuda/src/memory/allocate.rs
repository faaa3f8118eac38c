//! `cuMemAlloc`, `cuMemFree` and their like.

use super::graph::{self, Freed};
use super::space::{self, Kind};
use crate::abi::constants::{CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_HOST, CU_MEM_ATTACH_SINGLE};
use crate::abi::{Address, Answer, CUdeviceptr, CUresult, Out};
use crate::context::current;
use crate::watch;
use std::sync::atomic::Ordering;

/// Rows of pitched memory begin at multiples of so many bytes.
const PITCH: u64 = 512;
/// Flags of `cuMemHostAlloc`: portable, mapped, write-combined.
const HOST_FLAGS: u32 = 7;
/// Flags of `cuMemHostRegister`: portable, mapped, only read. No memory here is the registers of a device.
const REGISTER_FLAGS: u32 = 11;

/// `cuMemAlloc_v2`.
pub(crate) fn alloc(to: Out<CUdeviceptr>, bytes: u64) -> Answer {
    let context = current()?;
    to.check()?;
    to.set(space::allocate(&context, bytes, Kind::Device, 0)?)
}

/// `cuMemAllocPitch_v2`.
pub(crate) fn alloc_pitch(
    to: Out<CUdeviceptr>,
    pitch: Out<u64>,
    width: u64,
    height: u64,
    element: u32,
) -> Answer {
    to.check()?;
    pitch.check()?;
    let row = width.checked_next_multiple_of(PITCH).filter(|_| width > 0);
    let row = row.filter(|_| matches!(element, 4 | 8 | 16)).ok_or(CUresult::INVALID_VALUE)?;
    let bytes = row.checked_mul(height).ok_or(CUresult::OUT_OF_MEMORY)?;
    alloc(to, bytes)?;
    pitch.set(row)
}

/// `cuMemFree_v2`: waits for the work of the context.
pub(crate) fn free(address: CUdeviceptr) -> Answer {
    let context = current()?;
    if address == 0 {
        return Ok(());
    }
    let known = space::find(address).filter(|block| block.start == address);
    let Some(known) = known else {
        watch::missing("a free", address);
        return Err(CUresult::INVALID_VALUE);
    };
    match known.kind {
        Kind::Device | Kind::Managed | Kind::Pooled(_) => {}
        Kind::Host | Kind::Registered | Kind::Array => return Err(CUresult::INVALID_VALUE),
        Kind::Graph => {
            context.wait();
            if graph::free(address)? == Freed::Orphan {
                release(address)?;
                context.disowns(address);
            }
            return context.check();
        }
    }
    context.wait();
    release(address)?;
    context.disowns(address);
    context.check()
}

/// Frees device memory in its turn; that of a graph which is gone, too.
pub(crate) fn release(address: u64) -> Answer {
    let is_it = |kind| matches!(kind, Kind::Device | Kind::Managed | Kind::Pooled(_) | Kind::Graph);
    space::free(address, |block| is_it(block.kind)).map(drop)
}

/// `cuMemGetInfo_v2`.
pub(crate) fn info(free: Out<u64>, total: Out<u64>) -> Answer {
    let context = current()?;
    let all = context.gpu.properties.global_bytes;
    free.offer(all.saturating_sub(context.gpu.used.load(Ordering::Relaxed)));
    total.offer(all);
    Ok(())
}

/// `cuMemAllocHost_v2`.
pub(crate) fn alloc_host(to: Out<Address>, bytes: u64) -> Answer {
    host_alloc(to, bytes, 0)
}

/// `cuMemHostAlloc`.
pub(crate) fn host_alloc(to: Out<Address>, bytes: u64, flags: u32) -> Answer {
    let context = current()?;
    to.check()?;
    if flags & !HOST_FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    // A device answers so, and to that of device memory (`cuMemAlloc`) not.
    if bytes == 0 {
        return to.set(Address(0));
    }
    to.set(Address(space::allocate(&context, bytes, Kind::Host, flags)?))
}

/// `cuMemFreeHost`.
pub(crate) fn free_host(address: Address) -> Answer {
    let context = current()?;
    if address.0 == 0 {
        return Ok(());
    }
    let known = space::find(address.0);
    known
        .filter(|block| block.start == address.0 && block.kind == Kind::Host)
        .ok_or(CUresult::INVALID_VALUE)?;
    context.wait();
    space::free(address.0, |block| block.kind == Kind::Host)?;
    context.disowns(address.0);
    Ok(())
}

/// `cuMemHostGetDevicePointer_v2`: it is the same.
pub(crate) fn host_device_pointer(to: Out<CUdeviceptr>, address: Address, flags: u32) -> Answer {
    current()?;
    let is_host = |kind| matches!(kind, Kind::Host | Kind::Registered);
    let known = space::find(address.0).filter(|block| is_host(block.kind));
    if flags != 0 || known.is_none() {
        return Err(CUresult::INVALID_VALUE);
    }
    to.set(address.0)
}

/// `cuMemHostGetFlags`.
pub(crate) fn host_flags(to: Out<u32>, address: Address) -> Answer {
    current()?;
    let known = space::find(address.0).filter(|block| block.kind == Kind::Host);
    to.set(known.ok_or(CUresult::INVALID_VALUE)?.flags)
}

/// `cuMemHostRegister_v2`.
pub(crate) fn host_register(address: Address, bytes: u64, flags: u32) -> Answer {
    let context = current()?;
    // Memory that the driver has allocated is none that could be registered.
    let is_ours = space::find(address.0).is_some_and(|block| block.kind != Kind::Registered);
    if address.is_null() || bytes == 0 || flags & !REGISTER_FLAGS != 0 || is_ours {
        return Err(CUresult::INVALID_VALUE);
    }
    space::register(&context, address.0, bytes, flags)
}

/// `cuMemHostUnregister`.
pub(crate) fn host_unregister(address: Address) -> Answer {
    let context = current()?;
    if address.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    context.wait();
    let unknown = || match space::find(address.0) {
        Some(block) if block.start != address.0 => CUresult::INVALID_VALUE,
        _ => CUresult::HOST_MEMORY_NOT_REGISTERED,
    };
    space::free(address.0, |block| block.kind == Kind::Registered).map_err(|_| unknown())?;
    context.disowns(address.0);
    Ok(())
}

/// `cuMemAllocManaged`.
pub(crate) fn alloc_managed(to: Out<CUdeviceptr>, bytes: u64, flags: u32) -> Answer {
    let context = current()?;
    to.check()?;
    if !matches!(flags, CU_MEM_ATTACH_GLOBAL | CU_MEM_ATTACH_HOST) || flags == CU_MEM_ATTACH_SINGLE
    {
        return Err(CUresult::INVALID_VALUE);
    }
    to.set(space::allocate(&context, bytes, Kind::Managed, flags)?)
}
