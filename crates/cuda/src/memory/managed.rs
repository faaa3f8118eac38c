//! Managed memory: advice, prefetches and what is known of ranges. The memory is everywhere, so they change nothing that programs
//! see but what they ask for.

use super::advice::{self, Place, Subject};
use super::pointer::managed;
use crate::abi::constants::*;
use crate::abi::{
    Address, Answer, CUdevice, CUdeviceptr, CUmem_range_attribute, CUmemLocation, CUresult,
    CUstream, Out,
};
use crate::driver::{driver, gpu};
use crate::operation::Operation;
use crate::stream;

/// The host, where a device can be named: `CU_DEVICE_CPU`.
const HOST: i32 = -1;
/// No device: `CU_DEVICE_INVALID`.
const NOWHERE: i32 = -2;

/// A device, or the host.
fn place(device: CUdevice) -> Answer<Place> {
    match device {
        HOST => Ok((CU_MEM_LOCATION_TYPE_HOST, 0)),
        _ => gpu(device).map(|_| (CU_MEM_LOCATION_TYPE_DEVICE, device)),
    }
}

/// The same of a location.
fn location_place(location: CUmemLocation) -> Answer<Place> {
    match location.kind {
        CU_MEM_LOCATION_TYPE_DEVICE => place(location.id),
        CU_MEM_LOCATION_TYPE_HOST => place(HOST),
        CU_MEM_LOCATION_TYPE_HOST_NUMA | CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => {
            Ok((location.kind, location.id))
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// What names a place where devices are named alone.
fn device(place: Option<Place>) -> i32 {
    match place {
        Some((CU_MEM_LOCATION_TYPE_DEVICE, device)) => device,
        Some(_) => HOST,
        None => NOWHERE,
    }
}

/// `cuMemAdvise`.
pub(crate) fn advise(address: CUdeviceptr, bytes: u64, advice: u32, device: i32) -> Answer {
    driver()?;
    keep_advice(address, bytes, advice, || place(device))
}

/// `cuMemAdvise_v2`.
pub(crate) fn advise_location(
    address: CUdeviceptr,
    bytes: u64,
    advice: u32,
    location: CUmemLocation,
) -> Answer {
    driver()?;
    keep_advice(address, bytes, advice, || location_place(location))
}

/// Keeps advice about a range. That it is read mostly, and that no place is best, needs none.
fn keep_advice(
    address: CUdeviceptr,
    bytes: u64,
    advice: u32,
    place: impl FnOnce() -> Answer<Place>,
) -> Answer {
    /// Where it does not matter.
    const ANY: Place = (CU_MEM_LOCATION_TYPE_INVALID, 0);
    let (subject, place) = match advice {
        CU_MEM_ADVISE_SET_READ_MOSTLY => (Subject::ReadMostly, Some(ANY)),
        CU_MEM_ADVISE_UNSET_READ_MOSTLY => (Subject::ReadMostly, None),
        CU_MEM_ADVISE_SET_PREFERRED_LOCATION => (Subject::Preferred, Some(place()?)),
        CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION => (Subject::Preferred, None),
        CU_MEM_ADVISE_SET_ACCESSED_BY => {
            let place = place()?;
            (Subject::Accessed(place), Some(place))
        }
        CU_MEM_ADVISE_UNSET_ACCESSED_BY => (Subject::Accessed(place()?), None),
        _ => return Err(CUresult::INVALID_VALUE),
    };
    advice::say(managed(address, bytes)?, address..address + bytes, subject, place);
    Ok(())
}

/// `cuMemPrefetchAsync` as it was before CUDA 13.
pub(crate) fn prefetch(
    default: CUstream,
    address: CUdeviceptr,
    bytes: u64,
    device: CUdevice,
    stream: CUstream,
) -> Answer {
    let stream = stream::resolve_idle(default, stream)?;
    let place = place(device)?;
    let allocation = managed(address, bytes)?;
    stream.issue(Operation::Nothing)?;
    advice::say(allocation, address..address + bytes, Subject::Prefetched, Some(place));
    Ok(())
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
    let stream = stream::resolve_idle(default, stream)?;
    let place = location_place(location)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let allocation = managed(address, bytes)?;
    stream.issue(Operation::Nothing)?;
    advice::say(allocation, address..address + bytes, Subject::Prefetched, Some(place));
    Ok(())
}

/// `cuMemRangeGetAttribute`: what was said of all of a range.
pub(crate) fn range_attribute(
    to: Address,
    bytes: u64,
    attribute: CUmem_range_attribute,
    address: CUdeviceptr,
    count: u64,
) -> Answer {
    driver()?;
    let allocation = managed(address, count)?;
    let range = address..address + count;
    let said = |subject| advice::of(allocation, &range, subject);
    let wide = attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    if to.is_null() || bytes < 4 || (bytes != 4 && !wide) {
        return Err(CUresult::INVALID_VALUE);
    }
    let kind = |place: Option<Place>| {
        to.into::<u32>().set(place.map_or(CU_MEM_LOCATION_TYPE_INVALID, |(kind, _)| kind))
    };
    let number = |place: Option<Place>| to.into::<i32>().set(place.map_or(0, |(_, id)| id));
    match attribute {
        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY => {
            to.into::<u32>().set(said(Subject::ReadMostly).is_some().into())
        }
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION => {
            to.into::<i32>().set(device(said(Subject::Preferred)))
        }
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION => {
            to.into::<i32>().set(device(said(Subject::Prefetched)))
        }
        CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY => {
            let room = usize::try_from(bytes / 4).map_err(|_| CUresult::INVALID_VALUE)?;
            let places = advice::accessed_by(allocation, &range);
            (0..room).try_for_each(|nth| {
                to.into::<i32>().plus(nth).set(device(places.get(nth).copied()))
            })
        }
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE => kind(said(Subject::Preferred)),
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE => kind(said(Subject::Prefetched)),
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID => number(said(Subject::Preferred)),
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID => number(said(Subject::Prefetched)),
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
