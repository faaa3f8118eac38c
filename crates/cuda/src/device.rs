//! `cuDevice*`.

use crate::abi::constants::*;
use crate::abi::{Answer, CUdevice, CUdevice_attribute, CUdevprop, CUresult, CUuuid, Out, Text};
use crate::attributes::value;
use crate::context::{Context, current, find};
use crate::driver::{driver, gpu};
use crate::gpu::Gpu;
use crate::memory;
use std::sync::Arc;

/// `cuDeviceGet`.
pub(crate) fn get(to: Out<CUdevice>, ordinal: i32) -> Answer {
    to.set(gpu(ordinal)?.ordinal)
}

/// `cuDeviceGetCount`.
pub(crate) fn count(to: Out<i32>) -> Answer {
    to.set(driver()?.gpus.len() as i32)
}

/// `cuDeviceGetName`.
pub(crate) fn name(to: Out<u8>, room: i32, device: CUdevice) -> Answer {
    let room = usize::try_from(room).ok().filter(|room| *room > 0);
    let name = &gpu(device)?.properties.name;
    to.text(&format!("NVIDIA {name}"), room.ok_or(CUresult::INVALID_VALUE)?)
}

/// `cuDeviceGetUuid`: the same in every run, and another one for each device.
pub(crate) fn uuid(to: Out<CUuuid>, device: CUdevice) -> Answer {
    let gpu = gpu(device)?;
    let mut bytes = *b"Warpwise\0\0\0\0\0\0\0\0";
    let (major, minor) = gpu.capability();
    bytes[8..12].copy_from_slice(&(10 * major + minor).to_le_bytes());
    bytes[12..].copy_from_slice(&(gpu.ordinal + 1).to_le_bytes());
    to.set(CUuuid { bytes })
}

/// `cuDeviceTotalMem_v2`.
pub(crate) fn total_memory(to: Out<u64>, device: CUdevice) -> Answer {
    to.set(gpu(device)?.properties.global_bytes)
}

/// `cuDeviceGetAttribute`.
pub(crate) fn attribute(to: Out<i32>, attribute: CUdevice_attribute, device: CUdevice) -> Answer {
    let gpu = gpu(device)?;
    if !(1..CU_DEVICE_ATTRIBUTE_MAX).contains(&attribute) {
        return Err(CUresult::INVALID_VALUE);
    }
    to.set(value(gpu, attribute))
}

/// `cuDeviceComputeCapability`.
pub(crate) fn capability(major: Out<i32>, minor: Out<i32>, device: CUdevice) -> Answer {
    let (found_major, found_minor) = gpu(device)?.capability();
    major.set(found_major as i32)?;
    minor.set(found_minor as i32)
}

/// `cuDeviceGetProperties`.
pub(crate) fn properties(to: Out<CUdevprop>, device: CUdevice) -> Answer {
    let gpu = gpu(device)?;
    let of = |attribute| value(gpu, attribute);
    to.set(CUdevprop {
        threads_per_block: of(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        block: [
            of(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
            of(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
            of(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
        ],
        grid: [
            of(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
            of(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
            of(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
        ],
        shared_bytes: of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        constant_bytes: of(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        warp: of(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        pitch: of(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
        registers: of(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
        clock: of(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        texture_alignment: of(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
    })
}

/// The address of a device on a bus that there is not.
fn bus_id(gpu: &Gpu) -> String {
    format!("0000:{:02x}:00.0", value(gpu, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID))
}

/// `cuDeviceGetPCIBusId`.
pub(crate) fn get_bus_id(to: Out<u8>, room: i32, device: CUdevice) -> Answer {
    let room = usize::try_from(room).ok().filter(|room| *room > 0);
    to.text(&bus_id(gpu(device)?), room.ok_or(CUresult::INVALID_VALUE)?)
}

/// `cuDeviceGetByPCIBusId`: `domain:bus:device.function`, the domain and the function may be left out.
pub(crate) fn by_bus_id(to: Out<CUdevice>, id: Text) -> Answer {
    to.check()?;
    let id = id.get()?.to_ascii_lowercase();
    let whole = |known: &str| known == id || known.strip_prefix("0000:") == Some(&id);
    let is_it = |gpu: &&Arc<Gpu>| {
        let known = bus_id(gpu);
        whole(&known) || known.strip_suffix(".0").is_some_and(whole)
    };
    let found = driver()?.gpus.iter().find(is_it);
    to.set(found.ok_or(CUresult::INVALID_DEVICE)?.ordinal)
}

/// `cuDeviceGetLuid`, which only another system has.
pub(crate) fn luid(_: Out<u8>, _: Out<u32>, device: CUdevice) -> Answer {
    gpu(device)?;
    Err(CUresult::NOT_SUPPORTED)
}

/// `cuDeviceGetExecAffinitySupport`: none.
pub(crate) fn affinity_support(to: Out<i32>, kind: u32, device: CUdevice) -> Answer {
    gpu(device)?;
    match kind {
        CU_EXEC_AFFINITY_TYPE_SM_COUNT => to.set(0),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuDeviceGetTexture1DLinearMaxWidth`.
pub(crate) fn linear_width(to: Out<u64>, format: u32, channels: u32, device: CUdevice) -> Answer {
    let gpu = gpu(device)?;
    if format == 0 || !matches!(channels, 1 | 2 | 4) {
        return Err(CUresult::INVALID_VALUE);
    }
    to.set(value(gpu, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH) as u64)
}

/// `cuDeviceCanAccessPeer`.
pub(crate) fn can_access_peer(to: Out<i32>, device: CUdevice, peer: CUdevice) -> Answer {
    to.set((gpu(device)?.ordinal != gpu(peer)?.ordinal).into())
}

/// `cuDeviceGetP2PAttribute`.
pub(crate) fn peer_attribute(
    to: Out<i32>,
    attribute: u32,
    device: CUdevice,
    peer: CUdevice,
) -> Answer {
    if gpu(device)?.ordinal == gpu(peer)?.ordinal {
        return Err(CUresult::INVALID_DEVICE);
    }
    to.set(match attribute {
        CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
        | CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
        | CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED => 1,
        CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK => 0,
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

/// `cuProfilerStart`, `cuProfilerStop`: what the driver records of launches, it records of all.
pub(crate) fn profiler() -> Answer {
    current().map(drop)
}

/// This context and another one, of another device.
fn peers(peer: crate::abi::CUcontext, flags: u32) -> Answer<[Arc<Context>; 2]> {
    let (own, peer) = (current()?, find(peer)?);
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    match own.gpu.ordinal == peer.gpu.ordinal {
        true => Err(CUresult::PEER_ACCESS_UNSUPPORTED),
        false => Ok([own, peer]),
    }
}

/// `cuCtxEnablePeerAccess`: kernels of this device reach the memory of the other.
pub(crate) fn enable_peer(peer: crate::abi::CUcontext, flags: u32) -> Answer {
    let [own, peer] = peers(peer, flags)?;
    if !own.gpu.set_reach(peer.gpu.ordinal, true) {
        return Err(CUresult::PEER_ACCESS_ALREADY_ENABLED);
    }
    memory::share(&peer.gpu, &own.gpu)
}

/// `cuCtxDisablePeerAccess`.
pub(crate) fn disable_peer(peer: crate::abi::CUcontext) -> Answer {
    let [own, peer] = peers(peer, 0)?;
    if !own.gpu.set_reach(peer.gpu.ordinal, false) {
        return Err(CUresult::PEER_ACCESS_NOT_ENABLED);
    }
    own.wait();
    memory::unshare(&peer.gpu, &own.gpu)
}
