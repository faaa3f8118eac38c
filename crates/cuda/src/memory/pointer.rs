//! What is known of an address: `cuPointer*`, `cuMemGetAddressRange`.

use super::space::{self, Block, Kind};
use crate::abi::constants::*;
use crate::abi::{Address, Answer, CUdeviceptr, CUpointer_attribute, CUresult, Out};
use crate::context::current;
use crate::driver::driver;

/// `cuMemGetAddressRange_v2`.
pub(crate) fn address_range(
    base: Out<CUdeviceptr>,
    bytes: Out<u64>,
    address: CUdeviceptr,
) -> Answer {
    current()?;
    let block = space::find_any(address).ok_or(CUresult::NOT_FOUND)?;
    base.offer(block.start);
    bytes.offer(block.bytes);
    Ok(())
}

/// An attribute's value: how many bytes it has, and which.
fn attribute(of: CUpointer_attribute, address: u64, block: Option<&Block>) -> Answer<(usize, u64)> {
    let known = || block.ok_or(CUresult::INVALID_VALUE);
    let flag = |value: bool| (4, u64::from(value));
    let is_host = |block: &Block| matches!(block.kind, Kind::Host | Kind::Registered);
    Ok(match of {
        CU_POINTER_ATTRIBUTE_CONTEXT => (8, known()?.context_handle),
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE => {
            let host = is_host(known()?);
            (4, u64::from(if host { CU_MEMORYTYPE_HOST } else { CU_MEMORYTYPE_DEVICE }))
        }
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER => (8, known().map(|_| address)?),
        CU_POINTER_ATTRIBUTE_HOST_POINTER => {
            let block = known()?;
            match is_host(block) || block.kind == Kind::Managed {
                true => (8, address),
                false => return Err(CUresult::INVALID_VALUE),
            }
        }
        CU_POINTER_ATTRIBUTE_SYNC_MEMOPS => flag(known()?.synchronous),
        CU_POINTER_ATTRIBUTE_BUFFER_ID => (8, known()?.id),
        CU_POINTER_ATTRIBUTE_IS_MANAGED => flag(known()?.kind == Kind::Managed),
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => (4, known()?.gpu.ordinal as u64),
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR => (8, known()?.start),
        CU_POINTER_ATTRIBUTE_RANGE_SIZE => (8, known()?.bytes),
        CU_POINTER_ATTRIBUTE_MAPPED => flag(block.is_some()),
        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => match known()?.kind {
            Kind::Pooled(pool) => (8, pool),
            Kind::Device
            | Kind::Host
            | Kind::Registered
            | Kind::Managed
            | Kind::Array
            | Kind::Graph => (8, 0),
        },
        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => (4, u64::from(known().map(|_| 3u32)?)),
        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE
        | CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE
        | CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE => flag(false),
        CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => (8, 0),
        CU_POINTER_ATTRIBUTE_MAPPING_SIZE => (8, known()?.bytes),
        CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR => (8, known()?.start),
        CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => (8, known()?.id),
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

/// Writes a value of 4 or 8 bytes.
fn put(to: Address, (bytes, value): (usize, u64)) -> Answer {
    match bytes {
        4 => to.into::<u32>().set(value as u32),
        _ => to.into::<u64>().set(value),
    }
}

/// `cuPointerGetAttribute`.
pub(crate) fn pointer_attribute(
    to: Address,
    of: CUpointer_attribute,
    address: CUdeviceptr,
) -> Answer {
    driver()?;
    if to.is_null() || of == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    put(to, attribute(of, address, space::find_any(address).as_ref())?)
}

/// `cuPointerGetAttributes`: what does not apply is 0.
pub(crate) fn pointer_attributes(
    count: u32,
    attributes: Out<CUpointer_attribute>,
    to: Out<Address>,
    address: CUdeviceptr,
) -> Answer {
    driver()?;
    let block = space::find_any(address);
    for nth in 0..count as usize {
        let of = attributes.plus(nth).get()?;
        let to = to.plus(nth).get()?;
        if to.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // The sizes are the same, known or not.
        let none = match of {
            CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => (4, u64::from(-2i32 as u32)),
            CU_POINTER_ATTRIBUTE_MEMORY_TYPE
            | CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
            | CU_POINTER_ATTRIBUTE_IS_MANAGED
            | CU_POINTER_ATTRIBUTE_MAPPED
            | CU_POINTER_ATTRIBUTE_ACCESS_FLAGS
            | CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE
            | CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE
            | CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE => (4, 0),
            _ => (8, 0),
        };
        put(to, attribute(of, address, block.as_ref()).unwrap_or(none))?;
    }
    Ok(())
}

/// `cuPointerSetAttribute`.
pub(crate) fn set_pointer_attribute(
    value: Address,
    of: CUpointer_attribute,
    address: CUdeviceptr,
) -> Answer {
    driver()?;
    if of != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS {
        return Err(CUresult::INVALID_VALUE);
    }
    let synchronous = value.to::<u32>().get()? != 0;
    match space::change(address, |block| block.synchronous = synchronous) {
        true => Ok(()),
        false => Err(CUresult::INVALID_VALUE),
    }
}

/// The number of the allocation of managed memory that holds a range: advice is for such alone.
pub(super) fn managed(address: u64, bytes: u64) -> Answer<u64> {
    let block = space::find(address).filter(|block| block.kind == Kind::Managed);
    let block = block.ok_or(CUresult::INVALID_VALUE)?;
    match bytes > 0 && bytes <= block.start + block.bytes - address {
        true => Ok(block.id),
        false => Err(CUresult::INVALID_VALUE),
    }
}
