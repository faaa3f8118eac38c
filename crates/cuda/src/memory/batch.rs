//! Copies, prefetches and discards in batches. Each is done as if it were issued alone, in the order of the list.

use super::copy::copy_any_async;
use super::managed::prefetch_location;
use super::space;
use crate::abi::constants::CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
use crate::abi::{Answer, CUdeviceptr, CUmemLocation, CUmemcpyAttributes, CUresult, CUstream, Out};
use crate::stream;

/// Why a batch is refused: for one of its copies, or as a whole.
pub(super) type Refused = (Option<u64>, CUresult);

/// As a whole.
pub(super) fn whole(why: CUresult) -> Refused {
    (None, why)
}

/// Says which copy it was, to those who want to know.
pub(super) fn told(failed: Out<u64>, (nth, why): Refused) -> CUresult {
    failed.offer(nth.unwrap_or(u64::MAX));
    why
}

pub(super) fn count_of(count: u64) -> Answer<usize> {
    usize::try_from(count).ok().filter(|count| *count > 0).ok_or(CUresult::INVALID_VALUE)
}

/// A batch is not for the default stream, whose order is not that of one list (`cuMemcpyBatchAsync`, `cuMemcpy3DBatchAsync`).
pub(super) fn check_stream(default: CUstream, stream: CUstream) -> Answer {
    match stream {
        CUstream::NULL | CUstream::LEGACY if default != CUstream::PER_THREAD => {
            Err(CUresult::INVALID_VALUE)
        }
        _ => Ok(()),
    }
}

/// Copies of a list.
#[derive(Clone, Copy)]
struct Copies {
    to: Out<CUdeviceptr>,
    from: Out<CUdeviceptr>,
    bytes: Out<u64>,
    count: u64,
    attributes: Out<CUmemcpyAttributes>,
    first: Out<u64>,
    attribute_count: u64,
}

impl Copies {
    /// Issues them. Which one fails, if one does.
    fn issue(self, default: CUstream, stream: CUstream) -> Result<(), Refused> {
        let count = count_of(self.count).map_err(whole)?;
        let kinds = count_of(self.attribute_count).map_err(whole)?;
        if kinds > count {
            return Err(whole(CUresult::INVALID_VALUE));
        }
        let attributes = self.attributes.as_in().list(kinds).map_err(whole)?;
        let first = self.first.as_in().list(kinds).map_err(whole)?;
        // Each stands for the copies from its index on, up to that of the next.
        let rises = first.windows(2).all(|pair| pair[0] < pair[1]);
        let ends = first.last().is_some_and(|last| *last < self.count);
        if first.first() != Some(&0) || !rises || !ends {
            return Err(whole(CUresult::INVALID_VALUE));
        }
        check_stream(default, stream).map_err(whole)?;
        let list = |list: Out<u64>| list.as_in().list(count).map_err(whole);
        let (to, from, bytes) = (list(self.to)?, list(self.from)?, list(self.bytes)?);
        let mut waits = false;
        for (nth, ((to, from), bytes)) in to.into_iter().zip(from).zip(bytes).enumerate() {
            let at = |why: CUresult| (Some(nth as u64), why);
            if bytes == 0 {
                return Err(at(CUresult::INVALID_VALUE));
            }
            copy_any_async(default, to, from, bytes, stream).map_err(at)?;
            let kind = first.iter().rposition(|first| *first <= nth as u64);
            let order = kind.and_then(|kind| attributes.get(kind)).map(|kind| kind.order);
            waits |= order == Some(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL);
        }
        if waits {
            let stream = stream::resolve(default, stream).map_err(whole)?;
            if stream.capture().is_none() {
                stream.lane.queue.point().wait();
            }
        }
        Ok(())
    }
}

/// `cuMemcpyBatchAsync_v2`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn copy_batch(
    default: CUstream,
    to: Out<CUdeviceptr>,
    from: Out<CUdeviceptr>,
    bytes: Out<u64>,
    count: u64,
    attributes: Out<CUmemcpyAttributes>,
    first: Out<u64>,
    attribute_count: u64,
    stream: CUstream,
) -> Answer {
    let copies = Copies { to, from, bytes, count, attributes, first, attribute_count };
    copies.issue(default, stream).map_err(|(_, why)| why)
}

/// `cuMemcpyBatchAsync` as it was before CUDA 13.
#[allow(clippy::too_many_arguments)]
pub(crate) fn copy_batch_v1(
    default: CUstream,
    to: Out<CUdeviceptr>,
    from: Out<CUdeviceptr>,
    bytes: Out<u64>,
    count: u64,
    attributes: Out<CUmemcpyAttributes>,
    first: Out<u64>,
    attribute_count: u64,
    failed: Out<u64>,
    stream: CUstream,
) -> Answer {
    let copies = Copies { to, from, bytes, count, attributes, first, attribute_count };
    copies.issue(default, stream).map_err(|refused| told(failed, refused))
}

/// `cuMemcpyWithAttributesAsync`.
pub(crate) fn copy_with(
    default: CUstream,
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: u64,
    attributes: Out<CUmemcpyAttributes>,
    stream: CUstream,
) -> Answer {
    let order = attributes.get()?.order;
    copy_any_async(default, to, from, bytes, stream)?;
    let stream = stream::resolve(default, stream)?;
    if order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL && stream.capture().is_none() {
        stream.lane.queue.point().wait();
    }
    Ok(())
}

/// `cuMemPrefetchBatchAsync`, `cuMemDiscardAndPrefetchBatchAsync`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn prefetch_batch(
    default: CUstream,
    addresses: Out<CUdeviceptr>,
    bytes: Out<u64>,
    count: u64,
    locations: Out<CUmemLocation>,
    first: Out<u64>,
    location_count: u64,
    flags: u64,
    stream: CUstream,
) -> Answer {
    let (count, places) = (count_of(count)?, count_of(location_count)?);
    let first = first.as_in().list(places)?;
    if flags != 0 || places > count || first.first() != Some(&0) {
        return Err(CUresult::INVALID_VALUE);
    }
    let locations = locations.as_in().list(places)?;
    let (addresses, bytes) = (addresses.as_in().list(count)?, bytes.as_in().list(count)?);
    for (nth, (address, bytes)) in addresses.into_iter().zip(bytes).enumerate() {
        let place = first.iter().rposition(|first| *first <= nth as u64);
        let location = place.and_then(|place| locations.get(place)).copied();
        let location = location.ok_or(CUresult::INVALID_VALUE)?;
        prefetch_location(default, address, bytes, location, 0, stream)?;
    }
    Ok(())
}

/// `cuMemDiscardBatchAsync`: what the ranges hold is not needed any more, so it may as well stay.
pub(crate) fn discard_batch(
    default: CUstream,
    addresses: Out<CUdeviceptr>,
    bytes: Out<u64>,
    count: u64,
    flags: u64,
    stream: CUstream,
) -> Answer {
    let count = count_of(count)?;
    stream::resolve(default, stream)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let (addresses, bytes) = (addresses.as_in().list(count)?, bytes.as_in().list(count)?);
    addresses.into_iter().zip(bytes).try_for_each(|(address, bytes)| space::check(address, bytes))
}
