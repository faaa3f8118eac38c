//! Managed memory: advice, prefetches and what is known of ranges. The memory is everywhere, so they change nothing that programs
//! see but what they ask for.

use super::pointer::{HOST, is_managed};
use crate::abi::constants::*;
use crate::abi::{
    Address, Answer, CUdevice, CUdeviceptr, CUmem_range_attribute, CUmemLocation, CUresult,
    CUstream, Out,
};
use crate::driver::{driver, gpu};
use crate::operation::Operation;
use crate::stream;

/// Checks that a device is there, or is the host.
fn is_place(device: CUdevice) -> Answer {
    if device == HOST { Ok(()) } else { gpu(device).map(drop) }
}

/// The same of a location.
fn is_location(location: CUmemLocation) -> Answer {
    match location.kind {
        CU_MEM_LOCATION_TYPE_DEVICE => gpu(location.id).map(drop),
        CU_MEM_LOCATION_TYPE_HOST
        | CU_MEM_LOCATION_TYPE_HOST_NUMA
        | CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Ok(()),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuMemAdvise_v2`.
pub(crate) fn advise_location(
    address: CUdeviceptr,
    bytes: u64,
    advice: u32,
    location: CUmemLocation,
) -> Answer {
    driver()?;
    if !(CU_MEM_ADVISE_SET_READ_MOSTLY..=CU_MEM_ADVISE_UNSET_ACCESSED_BY).contains(&advice) {
        return Err(CUresult::INVALID_VALUE);
    }
    if advice > CU_MEM_ADVISE_UNSET_READ_MOSTLY {
        is_location(location)?;
    }
    is_managed(address, bytes)
}

/// `cuMemPrefetchAsync` as it was before CUDA 13.
pub(crate) fn prefetch(
    default: CUstream,
    address: CUdeviceptr,
    bytes: u64,
    device: CUdevice,
    stream: CUstream,
) -> Answer {
    let stream = stream::resolve(default, stream)?;
    is_place(device)?;
    is_managed(address, bytes)?;
    stream.issue(Operation::Nothing)
}

/// `cuMemPrefetchAsync_v2`.
pub(crate) fn prefetch_location(
    default: CUstream,
    address: CUdeviceptr,
    bytes: u64,
    location: CUmemLocation,
    flags: u32,
    stream: CUstream,
) -> Answer {
    let stream = stream::resolve(default, stream)?;
    is_location(location)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    is_managed(address, bytes)?;
    stream.issue(Operation::Nothing)
}

/// `cuMemRangeGetAttribute`: no advice is kept.
pub(crate) fn range_attribute(
    to: Address,
    bytes: u64,
    attribute: CUmem_range_attribute,
    address: CUdeviceptr,
    count: u64,
) -> Answer {
    /// No device: `CU_DEVICE_INVALID`.
    const NOWHERE: i32 = -2;
    driver()?;
    is_managed(address, count)?;
    let wide = attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    if to.is_null() || bytes < 4 || (bytes != 4 && !wide) {
        return Err(CUresult::INVALID_VALUE);
    }
    match attribute {
        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY => to.into::<u32>().set(0),
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION
        | CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION => to.into::<i32>().set(NOWHERE),
        CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY => {
            let devices = usize::try_from(bytes / 4).map_err(|_| CUresult::INVALID_VALUE)?;
            (0..devices).try_for_each(|nth| to.into::<i32>().plus(nth).set(NOWHERE))
        }
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE
        | CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE => {
            to.into::<u32>().set(CU_MEM_LOCATION_TYPE_INVALID)
        }
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID
        | CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID => to.into::<i32>().set(0),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuMemRangeGetAttributes`.
pub(crate) fn range_attributes(
    to: Out<Address>,
    bytes: Out<u64>,
    attributes: Out<CUmem_range_attribute>,
    number: u64,
    address: CUdeviceptr,
    count: u64,
) -> Answer {
    driver()?;
    for nth in 0..usize::try_from(number).map_err(|_| CUresult::INVALID_VALUE)? {
        let (to, bytes) = (to.plus(nth), bytes.plus(nth));
        range_attribute(to.get()?, bytes.get()?, attributes.plus(nth).get()?, address, count)?;
    }
    Ok(())
}
