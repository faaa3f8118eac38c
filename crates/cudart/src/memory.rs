//! Functions about memory: device, managed, pinned host memory, pools, and pointers.

use crate::api::{forward, runtime};
use crate::context;
use crate::driver;
use crate::generation::{Generation, generation};
use crate::status::{Result, Status};
use crate::types::{Address, Extent, Location, PitchedPtr, Pool, Stream, stream_or};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// Bytes of the widest element that a row is aligned for.
const WIDEST_ELEMENT: u32 = 16;

/// `cudaInvalidDeviceId`.
const NO_DEVICE: c_int = -2;

/// `cudaMemLocationTypeDevice` and `cudaMemLocationTypeHost`.
const ON_DEVICE: i32 = 1;
const ON_HOST: i32 = 2;

/// `cudaCpuDeviceId`.
const HOST: c_int = -1;

/// The location that runtimes before 13 named by a number.
fn location_of(device: c_int) -> Location {
    match device {
        HOST => Location { kind: ON_HOST, id: 0 },
        _ => Location { kind: ON_DEVICE, id: device },
    }
}

/// `cudaPointerAttributes`; what is behind these members is reserved, and other versions have none of it.
#[repr(C)]
struct PointerAttributes {
    kind: c_int,
    device: c_int,
    device_address: Address,
    host_address: Address,
}

/// `cudaMemoryType`.
mod place {
    pub(super) const UNREGISTERED: i32 = 0;
    pub(super) const HOST: i32 = 1;
    pub(super) const DEVICE: i32 = 2;
    pub(super) const MANAGED: i32 = 3;
}

/// `CUpointer_attribute`.
mod pointer {
    pub(super) const MEMORY_TYPE: i32 = 2;
    pub(super) const DEVICE_POINTER: i32 = 3;
    pub(super) const HOST_POINTER: i32 = 4;
    pub(super) const IS_MANAGED: i32 = 8;
    pub(super) const DEVICE_ORDINAL: i32 = 9;
}

/// Asks for memory; none is no memory.
unsafe fn allocate(
    to: *mut Address,
    bytes: usize,
    allocate: impl FnOnce(&mut Address) -> Result,
) -> Result {
    // SAFETY: the caller gives the place of the result, or null.
    let to = unsafe { to.as_mut() }.ok_or(Status::INVALID_VALUE)?;
    context::ensure()?;
    if bytes == 0 {
        *to = null_mut();
        return Ok(());
    }
    let mut address = null_mut();
    allocate(&mut address)?;
    *to = address;
    Ok(())
}

fn pointer_attributes(address: Address) -> Result<PointerAttributes> {
    let unregistered = PointerAttributes {
        kind: place::UNREGISTERED,
        device: NO_DEVICE,
        device_address: null_mut(),
        host_address: address,
    };
    let number = |which| {
        let mut value: c_int = 0;
        // SAFETY: the place of the result is ours, and a number is asked for.
        unsafe { driver::cuPointerGetAttribute((&raw mut value).cast(), which, address) }
            .map(|()| value)
    };
    let pointer = |which| {
        let mut value: Address = null_mut();
        // SAFETY: the place of the result is ours, and an address is asked for. What has no such address has null.
        let found =
            unsafe { driver::cuPointerGetAttribute((&raw mut value).cast(), which, address) };
        found.map_or(null_mut(), |()| value)
    };
    let Ok(kind) = number(pointer::MEMORY_TYPE) else { return Ok(unregistered) };
    // Of managed memory it is one byte that is written.
    let managed = number(pointer::IS_MANAGED)? & 0xff != 0;
    let kind = match (managed, kind) {
        (true, _) => place::MANAGED,
        (false, 1) => place::HOST,
        (false, 2) => place::DEVICE,
        (false, _) => return Ok(unregistered),
    };
    Ok(PointerAttributes {
        kind,
        device: number(pointer::DEVICE_ORDINAL)?,
        device_address: pointer(pointer::DEVICE_POINTER),
        host_address: if kind == place::DEVICE {
            null_mut()
        } else {
            pointer(pointer::HOST_POINTER)
        },
    })
}

runtime! {
    fn cudaMalloc(to: *mut Address, bytes: usize) {
        allocate(to, bytes, |to| driver::cuMemAlloc_v2(to, bytes))
    }

    fn cudaMallocManaged(to: *mut Address, bytes: usize, flags: u32) {
        allocate(to, bytes, |to| driver::cuMemAllocManaged(to, bytes, flags))
    }

    fn cudaMallocHost(to: *mut Address, bytes: usize) {
        allocate(to, bytes, |to| driver::cuMemHostAlloc(to, bytes, 0))
    }

    fn cudaHostAlloc(to: *mut Address, bytes: usize, flags: u32) {
        allocate(to, bytes, |to| driver::cuMemHostAlloc(to, bytes, flags))
    }

    fn cudaMallocPitch(to: *mut Address, pitch: *mut usize, width: usize, height: usize) {
        let pitch = pitch.as_mut().ok_or(Status::INVALID_VALUE)?;
        allocate(to, width.saturating_mul(height), |to| {
            driver::cuMemAllocPitch_v2(to, pitch, width, height, WIDEST_ELEMENT)
        })
    }

    fn cudaMalloc3D(to: *mut PitchedPtr, extent: Extent) {
        let to = to.as_mut().ok_or(Status::INVALID_VALUE)?;
        let (mut address, mut pitch) = (null_mut(), 0);
        let rows = extent.height.checked_mul(extent.depth).ok_or(Status::INVALID_VALUE)?;
        allocate(&mut address, extent.width.saturating_mul(rows), |to| {
            driver::cuMemAllocPitch_v2(to, &mut pitch, extent.width, rows, WIDEST_ELEMENT)
        })?;
        *to = PitchedPtr { ptr: address, pitch, xsize: extent.width, ysize: extent.height };
        Ok(())
    }

    fn cudaFree(address: Address) {
        context::ensure()?;
        driver::cuMemFree_v2(address)
    }

    fn cudaFreeHost(address: Address) {
        context::ensure()?;
        driver::cuMemFreeHost(address)
    }

    fn cudaMallocAsync(to: *mut Address, bytes: usize, stream: Stream) [cudaMallocAsync_ptsz |default|] {
        allocate(to, bytes, |to| driver::cuMemAllocAsync(to, bytes, stream_or(stream, default)))
    }

    fn cudaMallocFromPoolAsync(to: *mut Address, bytes: usize, pool: Pool, stream: Stream) [cudaMallocFromPoolAsync_ptsz |default|] {
        allocate(to, bytes, |to| driver::cuMemAllocFromPoolAsync(to, bytes, pool, stream_or(stream, default)))
    }

    fn cudaFreeAsync(address: Address, stream: Stream) [cudaFreeAsync_ptsz |default|] {
        context::ensure()?;
        if address.is_null() { Ok(()) } else { driver::cuMemFreeAsync(address, stream_or(stream, default)) }
    }

    fn cudaPointerGetAttributes(to: *mut PointerAttributes, address: *const c_void) {
        let to = to.as_mut().ok_or(Status::INVALID_VALUE)?;
        context::ensure()?;
        *to = pointer_attributes(address.cast_mut())?;
        Ok(())
    }

    // Before 13 the place is the number of a device, which lies in one register as the location does: its kind is the number then,
    // and what follows is at the place of the flags.
    fn cudaMemPrefetchAsync(address: Address, bytes: usize, location: Location, flags_or_stream: usize, stream: Stream)
        [cudaMemPrefetchAsync_ptsz |default|] {
        context::ensure()?;
        let (location, flags, stream) = match generation() {
            Generation::V13 => (location, flags_or_stream as u32, stream),
            Generation::V11 | Generation::V12 => {
                (location_of(location.kind), 0, std::ptr::with_exposed_provenance_mut(flags_or_stream))
            }
        };
        driver::cuMemPrefetchAsync_v2(address, bytes, location, flags, stream_or(stream, default))
    }

    fn cudaMemPrefetchAsync_v2(address: Address, bytes: usize, location: Location, flags: u32, stream: Stream)
        [cudaMemPrefetchAsync_v2_ptsz |default|] {
        context::ensure()?;
        driver::cuMemPrefetchAsync_v2(address, bytes, location, flags, stream_or(stream, default))
    }

    fn cudaMemPrefetchBatchAsync(addresses: *mut Address, bytes: *mut usize, count: usize, locations: *mut Location, first: *mut usize, location_count: usize, flags: u64, stream: Stream)
        [cudaMemPrefetchBatchAsync_ptsz |default|] {
        context::ensure()?;
        driver::cuMemPrefetchBatchAsync(addresses, bytes, count, locations, first, location_count, flags, stream_or(stream, default))
    }

    fn cudaMemDiscardAndPrefetchBatchAsync(addresses: *mut Address, bytes: *mut usize, count: usize, locations: *mut Location, first: *mut usize, location_count: usize, flags: u64, stream: Stream)
        [cudaMemDiscardAndPrefetchBatchAsync_ptsz |default|] {
        context::ensure()?;
        driver::cuMemDiscardAndPrefetchBatchAsync(addresses, bytes, count, locations, first, location_count, flags, stream_or(stream, default))
    }

    fn cudaMemDiscardBatchAsync(addresses: *mut Address, bytes: *mut usize, count: usize, flags: u64, stream: Stream)
        [cudaMemDiscardBatchAsync_ptsz |default|] {
        context::ensure()?;
        driver::cuMemDiscardBatchAsync(addresses, bytes, count, flags, stream_or(stream, default))
    }

    fn cudaMemAdvise(address: Address, bytes: usize, advice: c_int, location: Location) {
        context::ensure()?;
        let location = match generation() {
            Generation::V13 => location,
            Generation::V11 | Generation::V12 => location_of(location.kind),
        };
        driver::cuMemAdvise_v2(address, bytes, advice, location)
    }
}

forward! {
    fn cudaMemAdvise_v2(address: Address, bytes: usize, advice: c_int, location: Location) = cuMemAdvise_v2;
    fn cudaMemGetInfo(free: *mut usize, total: *mut usize) = cuMemGetInfo_v2;
    fn cudaHostRegister(address: Address, bytes: usize, flags: u32) = cuMemHostRegister_v2;
    fn cudaHostUnregister(address: Address) = cuMemHostUnregister;
    fn cudaHostGetDevicePointer(device: *mut Address, host: Address, flags: u32) = cuMemHostGetDevicePointer_v2;
    fn cudaHostGetFlags(flags: *mut u32, host: Address) = cuMemHostGetFlags;
    fn cudaMemRangeGetAttribute(data: Address, size: usize, attribute: c_int, address: Address, bytes: usize) = cuMemRangeGetAttribute;
    fn cudaMemRangeGetAttributes(data: *mut Address, sizes: *mut usize, attributes: *mut c_int, count: usize, address: Address, bytes: usize) = cuMemRangeGetAttributes;
    fn cudaMemPoolCreate(pool: *mut Pool, properties: *const c_void) = cuMemPoolCreate;
    fn cudaMemPoolDestroy(pool: Pool) = cuMemPoolDestroy;
    fn cudaMemPoolTrimTo(pool: Pool, keep: usize) = cuMemPoolTrimTo;
    fn cudaMemPoolSetAttribute(pool: Pool, attribute: c_int, value: Address) = cuMemPoolSetAttribute;
    fn cudaMemPoolGetAttribute(pool: Pool, attribute: c_int, value: Address) = cuMemPoolGetAttribute;
    fn cudaMemPoolSetAccess(pool: Pool, list: *const c_void, count: usize) = cuMemPoolSetAccess;
    fn cudaMemPoolGetAccess(flags: *mut c_int, pool: Pool, location: *mut Location) = cuMemPoolGetAccess;
}
